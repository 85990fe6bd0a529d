"""Recordings: the agent's responses and the judge's answers of one eval document, saved to be replayed.

A recording is a JSON file beside its document, sorted so that a diff shows what changed. While a run records, every
process appends what it got to a journal of its own beside the recording; the journals are merged when the run ends, or
by the next run where this one was killed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentevals.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from pytest_agentevals.judge import JudgeRequest

Entry = Mapping[str, Any]

#: How our loader of documents recognises a recording and leaves it alone.
MARK = {"extensions": {"pytest-agentevals": {"kind": "recording", "version": 1}}}
#: Lists of the file, and the keys by which each is sorted.
KINDS = {
    "responses": ("item", "turn", "prompt", "repeat", "key"),
    "judgments": ("item", "turn", "evaluator", "model", "repeat", "judge_repeat", "key"),
}
JOURNAL = ".journal"


class Sample(NamedTuple):
    """Which of several answers to one question this is, counted from 0."""

    #: Which repeat of the item wants it.
    repeat: int = 0
    #: Which of the answers that one judge gives to it.
    judge_repeat: int = 0

    @property
    def place(self) -> int | list[int]:
        """Its place in a key: the first answers have the keys that they had before there were others."""
        return list(self) if self.judge_repeat else self.repeat

    @property
    def named(self) -> dict[str, int]:
        """Its numbers for an entry, without those that are 0."""
        return {name: number for name, number in self._asdict().items() if number}


FIRST = Sample()


@dataclass(slots=True)
class Recording:
    """What is recorded for one document: entries by their key."""

    path: Path
    #: The model that judged, most recently; keys of a replay are made with its name.
    judge: str | None = None
    responses: dict[str, Entry] = field(default_factory=dict)
    judgments: dict[str, Entry] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Recording:
        """Read a recording and what killed runs left beside it; a file that does not exist is an empty recording.

        Raises `ConfigurationError` for a file that is no recording.
        """
        recording = cls(path)
        if path.exists():
            recording._read(path)
        for journal in recording.journals():
            for line in journal.read_text(encoding="utf-8").splitlines():
                recording._add_line(line)
        return recording

    def journals(self) -> list[Path]:
        """Return the journals that wait to be merged."""
        return sorted(self.path.parent.glob(f"{glob_escaped(self.path.name)}.*{JOURNAL}"))

    def append(self, kind: str, entry: Entry) -> None:
        """Keep a new entry, in memory and at once in this process's journal."""
        self._entries(kind)[entry["key"]] = entry
        line = json.dumps({"kind": kind, "judge": self.judge, "entry": entry}, ensure_ascii=False)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.with_name(f"{self.path.name}.{os.getpid()}{JOURNAL}").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def save(self, *, keep: Collection[str] | None = None) -> None:
        """Write the file, atomically, and remove the journals; ``keep`` drops all entries with other keys."""
        journals = self.journals()
        content: dict[str, Any] = {"metadata": MARK, "judge": self.judge}
        for kind, order in KINDS.items():
            entries = [entry for key, entry in self._entries(kind).items() if keep is None or key in keep]
            content[kind] = sorted(entries, key=lambda entry: [str(entry.get(name, "")) for name in order])
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}.tmp")
        temporary.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        temporary.replace(self.path)
        for journal in journals:
            journal.unlink(missing_ok=True)

    def stale(self, used: Collection[str]) -> int:
        """Count the entries that a run over the whole document did not use."""
        return sum(key not in used for key in (*self.responses, *self.judgments))

    def _entries(self, kind: str) -> dict[str, Entry]:
        return self.responses if kind == "responses" else self.judgments

    def _read(self, path: Path) -> None:
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            self.judge = content["judge"]
            for kind in KINDS:
                self._entries(kind).update({entry["key"]: entry for entry in content[kind]})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(
                f"{path} is no recording that can be read ({type(error).__name__}: {error}): "
                "restore it, or delete it and record again with --evals-judge=record"
            ) from error

    def _add_line(self, line: str) -> None:
        try:
            content = json.loads(line)
            self._entries(content["kind"])[content["entry"]["key"]] = content["entry"]
            self.judge = content["judge"] or self.judge
        except (ValueError, KeyError, TypeError):
            # The process was killed while it wrote this line.
            return


def judgment_key(request: JudgeRequest, model: str, sample: Sample = FIRST) -> str:
    """Hash everything that determines a judge's answer. The threshold is no part of it."""
    return _hash(
        [
            request.evaluator,
            request.prompt_version,
            model,
            [dict(message) for message in request.messages],
            dict(request.parameters),
            sample.place,
        ]
    )


def response_key(prompts: Sequence[str], repeat: int = 0) -> str:
    """Hash what was said to the agent: the prompts of the conversation up to the one that it answered."""
    return _hash(["response", list(prompts), repeat])


def as_lines(text: str) -> str | list[str]:
    """Write a text of several lines as a list of lines, which a diff shows one by one."""
    return text.split("\n") if "\n" in text else text


def as_text(lines: str | Iterable[str]) -> str:
    """Read what `as_lines` wrote."""
    return lines if isinstance(lines, str) else "\n".join(lines)


def glob_escaped(name: str) -> str:
    """Write a file name so that a glob takes it literally."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)


def _hash(values: list[Any]) -> str:
    text = json.dumps(values, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
