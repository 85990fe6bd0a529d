"""Configurations and tests of promptfoo, in YAML or JSON."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any

from pytest_agentevals.cli.conversion.assertions import Evaluators, Unknown
from pytest_agentevals.cli.conversion.rows import NAMES, with_extensions
from pytest_agentevals.documents.versions import newest
from pytest_agentevals.documents.wording import shown
from pytest_agentevals.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_agentevals.cli.conversion.notices import Notices

VARIABLE = re.compile(r"\{\{-?\s*(\w+)\s*-?\}\}")
#: What a template has beyond variables, and names of files and services, which only promptfoo itself can resolve.
UNRESOLVED = re.compile(r"\{\{|\{%|\{#|^\w+://|^\S+\.(?:txt|jsonl?|ya?ml|md|j2|py|[mc]?[jt]s|csv)$")
#: A prompt that is a list of chat messages.
CHAT = re.compile(r"\s*(?:\[|\{(?!\{))")
#: Variables that are the prompt where no template says so.
PROMPTS = ("prompt", *(name for name, meaning in NAMES.items() if meaning == "prompt"), "message", "user_input")


def read_yaml(text: str) -> Any:
    """Read YAML as plain values; raises `DocumentError` for what is none."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return _plain(YAML(typ="safe", pure=True).load(text))
    except (YAMLError, RecursionError) as error:
        raise DocumentError(f"not YAML: {' '.join(str(error).split())}") from None


def to_document(value: Any, notices: Notices) -> dict[str, Any]:
    """Make a document with an item for each test, prompt and combination of variables.

    Raises `DocumentError` for a test without a prompt, and where the tests lie in other files.
    """
    config: Mapping[str, Any] = value if isinstance(value, dict) else {"tests": value}
    tests = config.get("tests")
    if not isinstance(tests, list) or not all(isinstance(test, dict) for test in tests):
        raise DocumentError(f'"tests" has to be a list of tests, not {shown(tests)}: convert the files it names')
    default = config.get("defaultTest") or {}
    if not isinstance(default, dict):
        raise DocumentError(f'"defaultTest" has to be an object, not {shown(default)}')
    templates = _templates(config.get("prompts"), notices)
    for key in config.keys() - {"tests", "defaultTest", "prompts", "description"}:
        notices.tell(f"{key} has no place in an eval document and is left out")
    items = [
        item
        for place, test in enumerate(tests)
        for item in _items(_merged(default, test), templates, f"tests[{place}]", notices)
    ]
    about = {"metadata": {"description": config["description"]}} if isinstance(config.get("description"), str) else {}
    return {"schemaVersion": newest(), **about, "default_evaluators": {}, "items": items}


def _templates(prompts: Any, notices: Notices) -> list[str]:
    """Return the prompts that are texts with variables; none where one of them is something else."""
    listed = prompts if isinstance(prompts, list) else [prompts] if prompts else []
    raw = [prompt.get("raw") if isinstance(prompt, dict) else prompt for prompt in listed]
    plain = [prompt for prompt in raw if isinstance(prompt, str) and _is_plain(prompt)]
    if len(plain) < len(raw):
        notices.tell("prompts has more than texts with variables: the variables of the tests are used as they are")
        return []
    return plain


def _is_plain(template: str) -> bool:
    return not UNRESOLVED.search(VARIABLE.sub("x", template)) and not CHAT.match(template)


def _merged(default: Mapping[str, Any], test: Mapping[str, Any]) -> dict[str, Any]:
    """Return a test with what the default test says of all."""
    merged = {**default, **test}
    merged["vars"] = {**_variables(default), **_variables(test)}
    merged["assert"] = [*(default.get("assert") or ()), *(test.get("assert") or ())]
    return merged


def _variables(test: Mapping[str, Any]) -> Mapping[str, Any]:
    variables = test.get("vars") or {}
    if not isinstance(variables, dict):
        raise DocumentError(f'"vars" has to be an object, not {shown(variables)}: convert the files it names')
    return variables


def _items(test: Mapping[str, Any], templates: Sequence[str], place: str, notices: Notices) -> Iterator[dict[str, Any]]:
    others = {key: value for key, value in test.items() if key not in {"vars", "assert"} and value is not None}
    for variables in _combinations(test["vars"]):
        evaluators, kept = _evaluators(test["assert"], variables, notices)
        for prompt in [_filled(template, variables) for template in templates] or [_asked(variables, place)]:
            item: dict[str, Any] = {"prompt": prompt}
            if evaluators.expected is not None:
                item["expected_response"] = evaluators.expected
            if evaluators.chosen:
                item["evaluators"] = dict(evaluators.chosen)
            if kept:
                item["extensions"] = {"assert": kept}
            yield with_extensions(item, {"vars": variables, **others} if variables else others, notices)


def _combinations(variables: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the variables, a list once with each of its values, as promptfoo does."""
    lists = [value if isinstance(value, list) else [value] for value in variables.values()]
    for values in product(*lists):
        yield dict(zip(variables, values, strict=True))


def _evaluators(
    assertions: Sequence[Any], variables: Mapping[str, Any], notices: Notices
) -> tuple[Evaluators, list[Any]]:
    """Return the evaluators of a test, and the assertions that have none."""
    evaluators, kept = Evaluators(), []
    for assertion in assertions:
        filled = _filled_in(assertion, variables)
        try:
            left_out = evaluators.add(filled if isinstance(filled, dict) else {})
        except Unknown as unknown:
            kept.append(assertion)
            notices.tell(f"{unknown}: kept under extensions")
        else:
            for key in left_out:
                notices.tell(f"{key} of an assertion has no place in an eval document and is left out")
    return evaluators, kept


def _filled_in(value: Any, variables: Mapping[str, Any]) -> Any:
    """Fill the variables into all texts of a value."""
    if isinstance(value, str):
        return _filled(value, variables)
    if isinstance(value, dict):
        return {key: _filled_in(inner, variables) for key, inner in value.items()}
    return [_filled_in(inner, variables) for inner in value] if isinstance(value, list) else value


def _filled(template: str, variables: Mapping[str, Any]) -> str:
    return VARIABLE.sub(lambda match: str(variables.get(match[1], match[0])), template)


def _asked(variables: Mapping[str, Any], place: str) -> str:
    """Return the prompt among the variables: by its name, or because it is the only one."""
    texts = {name: value for name, value in variables.items() if isinstance(value, str) and value}
    for name in (*PROMPTS, *(texts if len(texts) == 1 else ())):
        if name in texts and not UNRESOLVED.search(texts[name]):
            return texts[name]
    raise DocumentError(
        f"{place} has no prompt: none of its variables ({', '.join(variables) or 'there is none'}) is called "
        f"{', '.join(PROMPTS)}, and the configuration has no prompts that are texts"
    )


def _plain(value: Any) -> Any:
    """Return a value of YAML as one of JSON: keys are texts, and so are dates."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
