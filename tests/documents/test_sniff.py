from __future__ import annotations

import gc
import json
import subprocess
import sys
import time

import pytest

from pytest_agentevals.documents.sniff import HEAD, Finding, looped, sniff

ITEMS = [{"prompt": "a"}]
DOCUMENT = {"schemaVersion": "1.6.0", "items": ITEMS}
FILLER = {"filler": "x" * 2 * HEAD}


def written(kind):
    return {"metadata": {"extensions": {"pytest-agentevals": {"kind": kind}}}}


@pytest.mark.parametrize(
    "content",
    [
        DOCUMENT,
        {"items": [{"turns": []}], "schemaVersion": "9.9"},
        {"schemaVersion": "1.6.0", "items": [{}], "default_evaluators": {}},
        {"schemaVersion": "1.6.0", "items": [], "$schema": "https://example.com/eval-document.schema.json"},
        {"schemaVersion": "1.6.0", "items": [{"promt": "a"}, {"prompt": "b"}]},
        FILLER | {"items": ITEMS, "schemaVersion": "1.6.0"},
        {"items": ITEMS} | FILLER | {"schemaVersion": "1.6.0"},
        '{"schemaVersion": "1.6.0", "items": [{"prompt": "a"}',
        '{"schemaVersion": "1.6.0", "items": [{"prompt": NaN, }]}',
        '{"schemaVersion": "1.6.0", "items": [{"prompt": ' + "[" * 10_000 + "]" * 10_000 + "}]}",
        b'{"schemaVersion": "1.6.0", "items": [{"prompt": "\xff"}]}',
    ],
)
def test_documents_are_recognised_even_broken_ones(desk, content):
    assert sniff(desk.write(content)) == Finding("document")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("filler", [{}, FILLER])
def test_documents_are_recognised_in_every_encoding(desk, encoding, filler):
    assert sniff(desk.write(json.dumps(filler | DOCUMENT).encode(encoding))).kind == "document"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"schemaVerison": "1.6.0", "items": ITEMS}, 'has no "schemaVersion", but "schemaVerison"'),
        ({"items": ITEMS}, 'has no "schemaVersion"'),
        (DOCUMENT | {"items": []}, 'has no item with "prompt" or "turns"'),
        (DOCUMENT | {"items": {"prompt": "a"}}, '"items" is not a list'),
        (DOCUMENT | {"schemaVersion": 1}, '"schemaVersion" is not a string'),
        ([{"prompt": "a", "expected_response": "b"}], "is a bare list of prompts, a legacy form"),
        ({"prompts": ["a"], "expected_responses": ["b"]}, 'has no "schemaVersion"'),
        ({"items": ITEMS * HEAD}, 'has no "schemaVersion"'),
    ],
)
def test_what_resembles_a_document_is_left_alone_but_named(desk, content, reason):
    assert sniff(desk.write(content)) == Finding("legacy", reason, near=True)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ({"schemaVersion": 2, "mediaType": "manifest", "config": {}}, "legacy"),
        ({"items": [1, 2]}, "legacy"),
        ([{"prompt": "a"}], "legacy"),
        ({"name": "package", "prompt": "a"}, "other"),
        ({"type": "FeatureCollection", "features": [{"schemaVersion": "1", "items": [{"prompt": "a"}]}]}, "other"),
        ([DOCUMENT], "other"),
        ([], "other"),
        ("", "other"),
        ("{", "other"),
        ("nonsense", "other"),
        ('"schemaVersion items prompt"', "other"),
    ],
)
def test_other_json_is_left_alone_with_a_reason(desk, content, kind):
    finding = sniff(desk.write(content))

    assert (finding.kind, finding.near) == (kind, False)
    assert finding.reason


@pytest.mark.parametrize("kind", ["results", "recording"])
@pytest.mark.parametrize("content", [{}, DOCUMENT])
def test_what_this_package_writes_is_told_apart(desk, kind, content):
    assert sniff(desk.write(written(kind) | content)).kind == kind


def test_what_cannot_be_read_is_near_and_says_why(desk):
    link = desk.folder / "x.json"
    link.symlink_to("/proc/self/mem")
    if not link.exists():
        pytest.skip("this system has no /proc/self/mem, which not even root can read at 0")

    finding = sniff(link)

    assert (finding.kind, finding.near) == ("other", True)
    assert finding.reason.startswith("cannot be read: ")


def test_a_folder_is_no_document(desk):
    assert sniff(desk.folder) == Finding("other", "is no file")


def test_a_path_through_a_link_to_a_folder_above_is_looped(desk):
    inner = desk.folder / "inner"
    inner.mkdir()
    (inner / "up").symlink_to(desk.folder, target_is_directory=True)
    path = desk.write(DOCUMENT)

    assert not looped(path)
    assert looped(inner / "up" / "d.json")


def test_a_link_to_a_folder_elsewhere_is_not_looped(desk):
    (desk.folder / "real").mkdir()
    (desk.folder / "real" / "d.json").write_text(json.dumps(DOCUMENT))
    (desk.folder / "link").symlink_to(desk.folder / "real", target_is_directory=True)

    assert not looped(desk.folder / "link" / "d.json")


def test_a_large_unrelated_file_costs_less_than_decoding_a_tenth_of_it(desk):
    tenth = ",".join('{"items": [1, 2], "text": "lorem ipsum dolor"}' for _ in range(40_000))
    path = desk.write(f'{{"records": [{",".join([tenth] * 10)}]}}')

    def seconds(work):
        """Measure this thread alone, without the garbage of other tests."""
        gc.collect()
        gc.disable()
        try:
            start = time.thread_time()
            work()
            return time.thread_time() - start
        finally:
            gc.enable()

    assert sniff(path).kind == "other"
    assert seconds(lambda: sniff(path)) < seconds(lambda: json.loads(f"[{tenth}]"))


def test_sniffing_imports_nothing_beyond_the_standard_library():
    program = (
        "import sys; from pytest_agentevals.documents.sniff import sniff; "
        "print(*{name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names)"
    )

    found = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PATHS + program], capture_output=True, text=True, check=True
    )

    assert set(found.stdout.split()) <= {"__main__", "pytest_agentevals"}


PATHS = f"import sys; sys.path[:] = {sys.path!r}; "
