"""Code slices: the project files behind a module, found by following its imports.

A string constant counts as an import where it names a module (`"parsers.lexical"` in a table of backends), and as data
where it names a file or folder beside the module that holds no code (`"lists"`). The `__init__.py` of a package counts
only where something is imported from it: the others hold a docstring.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = re.compile(r"(jvgn|parsers)(\.\w+)*")


def code_behind(modules: Iterable[str]) -> dict[str, Path]:
    """Return all files behind the modules, by their path in the project."""
    found: set[Path] = set()
    waiting = [file for module in modules for file in file_of(module)]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += needed_by(file)
    return {file.relative_to(ROOT).as_posix(): file for file in sorted(found)}


@cache
def file_of(module: str) -> list[Path]:
    """Return the file of a module, or an empty list if it is not ours."""
    if not OURS.fullmatch(module) or module == "jvgn":  # which offers `Grounder` and so would lead to everything
        return []
    path = ROOT.joinpath(*module.split("."))
    return [file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()]


@cache
def needed_by(file: Path) -> tuple[Path, ...]:
    """Return the files that one file imports or names."""
    if file.suffix != ".py":
        return ()
    needed: list[Path] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf8"))):
        for module in imported_by(node):
            needed += file_of(module)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            needed += [*(file_of(node.value) if "." in node.value else []), *data_beside(file, node.value)]
    return tuple(needed)


def imported_by(node: ast.AST) -> Iterator[str]:
    """Yield the modules that a statement imports: in `from a import b`, b may be a module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            submodule = f"{node.module}.{alias.name}"
            yield submodule if file_of(submodule) else node.module


def data_beside(file: Path, name: str) -> list[Path]:
    """Return the data file of this name beside `file`, or all files of a data folder."""
    if name not in names_in(file.parent) or name.startswith("."):
        return []
    path = file.parent / name
    if path.is_file():
        return [path] if path.suffix != ".py" else []
    if path.is_dir() and not any(path.rglob("*.py")):
        return sorted(found for found in path.rglob("*") if found.is_file())
    return []


@cache
def names_in(folder: Path) -> frozenset[str]:
    """Return the names in a folder; to look them up is much faster than to ask the disk about every string."""
    return frozenset(path.name for path in folder.iterdir())
