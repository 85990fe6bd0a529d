from __future__ import annotations

import json
import os
import re
import stat

import pytest
from cli.commands import document
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_agentevals.documents.upgrade import upgrade

NEWEST = "1.11.0"
#: A busy machine is slow at making examples, too.
BRIEFLY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LEGACY = [{"prompt": "Wo?", "expected_response": "Hier, natürlich."}]


def backups(folder):
    return [path for path in folder.iterdir() if ".bak." in path.name]


def test_an_older_version_is_rewritten_and_nothing_else(run, write, tmp_path):
    text = '{ "items" : [{"prompt":"caf\\u00e9 é 1.0e2"}],\r\n\t"schemaVersion":  "1.2.0" , "metadata": {"n": 1.0e2} }'
    path = write("evals.json", text)

    assert run("upgrade", "evals.json") == (0, "evals.json: schemaVersion 1.2.0 -> 1.11.0\n", "")
    assert path.read_bytes() == text.replace("1.2.0", NEWEST).encode()
    assert not backups(tmp_path)


@pytest.mark.parametrize(
    ("legacy", "told"),
    [
        (LEGACY, "a bare list of prompts -> items"),
        ({"prompts": ["Wo?"], "expected_responses": ["Hier, natürlich."]}, 'lists of "prompts" -> items'),
        ({"items": LEGACY}, "no schemaVersion -> 1.11.0"),
    ],
)
def test_legacy_forms_become_documents_and_the_original_is_kept(run, write, tmp_path, legacy, told):
    path = write("evals.json", legacy)
    before = path.read_bytes()

    ran = run("upgrade", "evals.json")

    (backup,) = backups(tmp_path)
    assert re.fullmatch(r"evals\.json\.bak\.\d{14}", backup.name)
    assert ran == (0, f"evals.json: {told}\nevals.json: the original is now {backup.name}\n", "")
    assert backup.read_bytes() == before
    assert json.loads(path.read_bytes()) == {"schemaVersion": NEWEST, "items": LEGACY}
    assert "natürlich".encode() in path.read_bytes()
    assert run("validate", "evals.json").out == "1 eval document, 1 item; no mistakes\n"


def test_a_document_that_is_up_to_date_is_not_touched(run, write, tmp_path):
    path = write("evals.json", document("Who?"))
    path.chmod(0o444)
    before = path.stat()

    assert run("upgrade", "evals.json") == (0, "evals.json: up to date\n", "")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert run("upgrade", "--check", "evals.json").code == 0


@pytest.mark.parametrize("version", ["1.99.0", "2.0.0"])
def test_newer_versions_stay_as_they_are(run, write, version):
    write("evals.json", document("Who?", schemaVersion=version))

    assert run("upgrade", "evals.json").out == "evals.json: up to date\n"


def test_check_changes_nothing_and_says_what_is_to_do(run, write, tmp_path):
    path = write("evals.json", LEGACY)
    before = path.read_bytes()

    assert run("upgrade", "--check", "evals.json") == (1, "evals.json: to do: a bare list of prompts -> items\n", "")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_keys_without_a_place_move_to_extensions(run, write):
    item = {"prompt": "Who?", "testId": 7, "extensions": {"testId": 1}}
    thread = {"turns": [{"prompt": "Why?", "category": "x"}], "notes": ["n"]}
    path = write("evals.json", document(item, thread))

    ran = run("upgrade", "evals.json")

    assert '"testId" -> extensions, in 1 of the items and turns' in ran.out
    assert json.loads(path.read_bytes())["items"] == [
        {"prompt": "Who?", "extensions": {"testId": 1, "testId-2": 7}},
        {"turns": [{"prompt": "Why?", "extensions": {"category": "x"}}], "extensions": {"notes": ["n"]}},
    ]


def test_a_misspelt_key_is_a_mistake_and_stays(run, write, tmp_path):
    path = write("evals.json", [{"prompt": "Who?", "expeceted_response": "I"}])

    ran = run("upgrade", "evals.json")

    assert ran.code == 1
    assert ran.err == (
        'evals.json:4:5: /0/expeceted_response: unknown key "expeceted_response"; did you mean "expected_response"?\n'
    )
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "text", ["", "{", '{"prompts": ["a"], "expected_responses": ["b", "c"]}', "[1]", "3", '{"a": 1}']
)
def test_what_is_no_document_is_told_and_left_alone(run, write, text):
    path = write("evals.json", text)

    ran = run("upgrade", "evals.json")

    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("evals.json:")
    assert path.read_bytes() == text.encode()


def test_one_bad_file_does_not_keep_the_others_from_being_upgraded(run, write):
    write("bad.json", "{")
    write("old.json", document("Who?", schemaVersion="1.0.0"))

    ran = run("upgrade", "bad.json", "old.json")

    assert (ran.code, ran.out) == (1, "old.json: schemaVersion 1.0.0 -> 1.11.0\n")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_the_encoding_stays(run, write, encoding):
    path = write("evals.json", "")
    path.write_bytes(json.dumps(LEGACY, ensure_ascii=False).encode(encoding))

    assert run("upgrade", "evals.json").code == 0
    assert json.loads(path.read_bytes().decode(encoding))["items"] == LEGACY


def test_permissions_and_symbolic_links_stay(run, write, tmp_path):
    path = write("real.json", LEGACY)
    path.chmod(0o640)
    link = tmp_path / "evals.json"
    link.symlink_to(path)

    assert run("upgrade", "evals.json").code == 0
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert json.loads(path.read_bytes())["schemaVersion"] == NEWEST


def test_a_folder_that_cannot_be_written_is_told(run, write, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    write("evals.json", LEGACY)
    tmp_path.chmod(0o500)

    assert run("upgrade", "evals.json").code == 2


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
ITEMS = st.dictionaries(st.sampled_from(["testId", "notes", "category", "étage"]), VALUES, max_size=3)


@BRIEFLY
@given(st.lists(ITEMS, min_size=1, max_size=3), st.sampled_from([None, 0, 2, "\t"]), st.booleans())
def test_nothing_is_lost_and_a_second_time_there_is_nothing_to_do(items, indent, escaped):
    legacy = [{"prompt": "Who?", **item} for item in items]
    text = json.dumps(legacy, indent=indent, ensure_ascii=escaped)

    done = upgrade(text)

    value = json.loads(done.text)
    assert value["schemaVersion"] == NEWEST
    assert [item.get("extensions", {}) for item in value["items"]] == items
    assert upgrade(done.text).changes == ()
    assert ("\n" in done.text) == ("\n" in text)
