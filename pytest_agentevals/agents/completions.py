"""Answers of OpenAI's two interfaces, as fields of a response."""

from __future__ import annotations

from typing import Any

#: Items of the responses API that are calls of a tool with a name.
_CALLS = {"function_call", "custom_tool_call", "mcp_call"}


def read_chat_completion(answer: dict[str, Any]) -> dict[str, Any]:
    """Read an answer of the chat completions API; what the model refuses to say is its text.

    Raises `LookupError`, `TypeError` or `AttributeError` where it is none.
    """
    message = answer["choices"][0]["message"]
    return {
        "text": message.get("content") or message.get("refusal") or "",
        "tool_calls": message.get("tool_calls") or [],
        "citations": _citations([note.get(note["type"]) for note in message.get("annotations") or []]),
        "usage": answer.get("usage"),
    }


def read_response(answer: dict[str, Any]) -> dict[str, Any]:
    """Read an answer of the responses API. File searches are retrieval executions of the capability ``file_search``.

    Raises `LookupError`, `TypeError` or `AttributeError` where it is none.
    """
    output = answer["output"]
    parts = [part for item in output if item["type"] == "message" for part in item["content"]]
    searches = [_search(item) for item in output if item["type"] == "file_search_call"]
    return {
        "text": "".join(part.get("text") or part.get("refusal") or "" for part in parts),
        "tool_calls": [item for item in output if item["type"] in _CALLS],
        "citations": _citations([note for part in parts for note in part.get("annotations") or []]),
        "usage": answer.get("usage"),
        **({"retrieval_executions": searches} if searches else {}),
    }


def _search(item: dict[str, Any]) -> dict[str, Any]:
    results = item.get("results") or []
    return {
        "capability": "file_search",
        "status": item.get("status"),
        "queries": [{"queryString": query} for query in item["queries"]],
        "retrievalHits": [
            {"rank": rank, "filename": result.get("filename"), "extracts": [{"text": result.get("text")}]}
            for rank, result in enumerate(results, start=1)
        ],
    }


def _citations(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the citations among the annotations of a text, numbered in order."""
    cited = [note for note in notes if "url" in note or "filename" in note]
    return [
        {"index": index, "text": note.get("title"), "source": note.get("url") or note.get("filename")}
        for index, note in enumerate(cited, start=1)
    ]
