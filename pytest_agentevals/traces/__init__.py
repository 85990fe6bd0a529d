"""Recorded traffic of agents: OpenTelemetry traces and chat logs on their way to eval documents.

::

    notes          what was left out, and why
    files          JSON and JSON Lines, with the place of everything that cannot be read
    otlp           spans and events of OpenTelemetry's JSON encoding
    conventions    the names of the GenAI semantic conventions, old and new
    messages       chat messages in the shapes that instrumentations and chat logs write
    turns          from messages to prompts and answers
    tools          the evidence of tool calls
    exchanges      from the spans of a trace to turns
    conversations  from turns to threads
    chat           chat logs
    selection      which conversations are taken
    document       the eval document
    importing      all of it: from files to conversations
"""
