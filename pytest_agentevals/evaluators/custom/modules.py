"""Importing the module of a custom evaluator, apart from every other module."""

from __future__ import annotations

import builtins
import hashlib
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Lock
from traceback import walk_tb
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.evaluators.custom.flows import load_flow

if TYPE_CHECKING:
    from collections.abc import Callable

#: What custom evaluators get where they import promptflow: their prompt files run through our own judge.
PROMPTFLOW = SimpleNamespace(client=SimpleNamespace(load_flow=load_flow))

_lock = Lock()
#: What each module was found to define: the evaluator class, or why there is none.
_found: dict[Path, Callable[..., Any] | EvaluationError] = {}


def evaluator_class(module: Path) -> Callable[..., Any]:
    """Return the first class of ``<name>/<name>.py``, which is imported once per process.

    Raises `EvaluationError` with code ``evaluatorLoadError`` and the cause in one line.
    """
    with _lock:
        if module not in _found:
            _found[module] = _load(module)
        found = _found[module]
    if isinstance(found, EvaluationError):
        raise EvaluationError(str(found), code=found.code)
    return found


def cause(error: BaseException, folder: Path) -> str:
    """Say on one line what was raised, and the last line of the evaluator's own files that led to it."""
    said = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    own = [
        (path, line)
        for frame, line in walk_tb(error.__traceback__)
        if (path := Path(frame.f_code.co_filename)).is_relative_to(folder)
    ]
    if not own:
        return said
    path, line = own[-1]
    return f"{said} ({path.relative_to(folder.parents[1]).as_posix()}:{line})"


def _load(module: Path) -> Callable[..., Any] | EvaluationError:
    name = module.stem
    if not module.is_file():
        return EvaluationError(
            f"Custom evaluator {name!r} is missing required file '{module.name}' ({module.parent})",
            code="evaluatorLoadError",
        )
    try:
        classes = _classes(module)
    except (Exception, SystemExit) as error:
        return EvaluationError(
            f"Custom evaluator {name!r} failed to import: {cause(error, module.parent)}", code="evaluatorLoadError"
        )
    if not classes:
        return EvaluationError(
            f"Custom evaluator {name!r} defines no class in {module.name}", code="evaluatorLoadError"
        )
    return classes[0]


def _classes(path: Path) -> list[type]:
    """Import a module under a name that no other project's evaluator has, and return the classes it defines.

    Its folder is its package: ``from .words import LIST`` finds ``words.py`` beside it.
    """
    identity = f"custom_evaluator_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    spec = spec_from_file_location(identity, path, submodule_search_locations=[str(path.parent)])
    if spec is None or spec.loader is None:
        raise ImportError(f"no Python module: {path.name}")
    module = module_from_spec(spec)
    # The module's own __import__, so that promptflow is ours in its code only, wherever that stands.
    vars(module)["__builtins__"] = {**vars(builtins), "__import__": _import}
    sys.modules[identity] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[identity]
        raise
    return [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == identity]


def _import(name: str, globals_: Any = None, locals_: Any = None, names: Any = (), level: int = 0) -> Any:
    if name == "promptflow.client" and not level:
        return PROMPTFLOW.client if names else PROMPTFLOW
    return builtins.__import__(name, globals_, locals_, names, level)
