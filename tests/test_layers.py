"""The layers of ARCHITECTURE.md, read from the imports."""

from __future__ import annotations

import ast
import builtins
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "pytest_agentevals"

#: What each part may import, besides itself and what stands above it.
LAYERS = [
    {"errors"},
    {"documents", "responses", "results", "loop", "retry_after", "statistics", "traces"},
    {"judge", "agents"},
    {"rubrics"},
    {"evaluators"},
    {"engine"},
    {"testing"},
    {"reports"},
    {"plugin", "cli"},
    {"__main__"},
]
SIBLINGS = [{"judge", "agents"}, {"plugin", "cli"}]


def imports(path):
    """Yield the modules that a file imports, `TYPE_CHECKING` blocks included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def part(module):
    return module.split(".")[1] if "." in module else ""


SOURCES = [
    pytest.param(path, path.relative_to(PACKAGE).parts[0].removesuffix(".py"), id=path.relative_to(PACKAGE).as_posix())
    for path in sorted(PACKAGE.rglob("*.py"))
    if path != PACKAGE / "__init__.py"
]


@pytest.mark.parametrize(("path", "layer"), SOURCES)
def test_imports_point_one_way(path, layer):
    position = next(index for index, layer_names in enumerate(LAYERS) if layer in layer_names)
    others = next((pair - {layer} for pair in SIBLINGS if layer in pair), set())
    allowed = set().union(*LAYERS[: position + 1]) - others
    for module in imports(path):
        if module.split(".")[0] == "pytest_agentevals" and part(module):
            assert part(module) in allowed, f"{layer} imports {module}"


@pytest.mark.parametrize(("path", "layer"), SOURCES)
def test_only_the_plugin_imports_pytest(path, layer):
    roots = {module.split(".")[0] for module in imports(path)}
    assert "_pytest" not in roots
    assert "pytest" not in roots or layer == "plugin"


@pytest.mark.parametrize(("path", "layer"), SOURCES)
def test_nothing_imports_the_evaluation_sdk(path, layer):
    assert not any(module.startswith("azure.ai") for module in imports(path))


def test_a_run_without_eval_documents_imports_nothing_but_the_entry_module(tmp_path):
    """What the plugin adds to the modules of an unrelated run, told by a test of that run itself."""
    tmp_path.joinpath("unrelated.json").write_text('{"name": "unrelated", "items": []}')
    tmp_path.joinpath("test_modules.py").write_text(
        "import sys\ndef test_modules():\n    open('modules.txt', 'w').write('\\n'.join(sys.modules))"
    )

    def modules(*arguments):
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *arguments], cwd=tmp_path, check=True, capture_output=True
        )
        return set((tmp_path / "modules.txt").read_text().split())

    tmp_path.joinpath("unrelated.json").rename(tmp_path / "unrelated.txt")
    added = modules() - modules("-p", "no:agentevals")
    assert {name for name in added if name.split(".")[0] not in sys.stdlib_module_names} == {
        "pytest_agentevals",
        "pytest_agentevals.plugin",
    }
    tmp_path.joinpath("unrelated.txt").rename(tmp_path / "unrelated.json")
    added = modules() - modules("-p", "no:agentevals")
    foreign = {name for name in added if name.split(".")[0] not in sys.stdlib_module_names}
    assert {name.split(".")[0] for name in foreign} == {"pytest_agentevals"}


def test_no_module_hides_a_builtin_from_its_package():
    """Importing ``package.list`` makes ``list`` a module in the package's own code."""
    names = {path.stem for path, _ in (source.values for source in SOURCES)} - {"__init__"}
    assert not names & set(dir(builtins))
