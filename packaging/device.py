"""Write ``dist/mqe.pyz``, program and library for devices in one file: ``make device``.

It holds the front door ``mqbridge.everyplace`` and what that imports of the project, found by following imports; the
standard library is the rest. Docstrings, comments and types of functions stay at home, and records are made by
`packaging/records.py`. What it imports is compiled once and kept by `packaging/bytecode.py`.
"""

from __future__ import annotations

import ast
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

HOME: Final = Path(__file__).parents[1]
TARGET: Final = HOME / "dist" / "mqe.pyz"
ROOTS: Final = ("mqbridge", "mqbridge.everyplace", "mqbridge.everyplace.__main__")
LOADED_BY_NAME: Final = (
    "mqbridge.bridge.everyplace.device.program",
    "mqbridge.bridge.everyplace.device.queue_manager",
    "mqbridge.bridge.everyplace.device.starting",
)
"""Modules and packages that are imported by names in tables."""
ELSEWHERE: Final = ("mqbridge.bridge.store.lmdb", "mqbridge.bridge.store.memory", "mqbridge.bridge.store.environment")
"""Stores of other programs, which `bridge.store` loads for them."""
_DATE: Final = (1980, 1, 1, 0, 0, 0)
RECORDS: Final = "mqbridge.records"
"""What the archive has in place of `dataclasses`."""
BYTECODE: Final = "mqe_bytecode"
"""What keeps the bytecode of the archive; outside the package, all of which may come from what it keeps."""
_START: Final = f"""\
import sys
import {BYTECODE}
archive = sys.path[0]
kept = {BYTECODE}.use(archive)
from mqbridge.bridge.everyplace.device.program.main import main
try:
    sys.exit(main())
finally:
    if not kept:
        {BYTECODE}.keep(archive)
"""


def write_archive(target: Path = TARGET) -> list[str]:
    """Write the archive. Returns the names of its modules."""
    own = {RECORDS: "records.py", BYTECODE: "bytecode.py"}
    modules = reachable() | {name: Path(__file__).with_name(file) for name, file in own.items()}
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        file.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            _add(archive, "__main__.py", _START)
            for name, path in sorted(modules.items()):
                place = name.replace(".", "/") + ("/__init__.py" if path.name == "__init__.py" else ".py")
                _add(archive, place, bare(path.read_text(encoding="utf-8")))
    target.chmod(0o755)
    return sorted(modules)


def reachable() -> dict[str, Path]:
    """Return the files of the modules that are in the archive, by name."""
    found: dict[str, Path] = {}
    left = [*ROOTS, *(module for name in LOADED_BY_NAME for module in _below(name))]
    while left:
        name = left.pop()
        path = file_of(name)
        if name in found or path is None or name in ELSEWHERE:
            continue
        found[name] = path
        parts = name.split(".")
        left += [".".join(parts[:length]) for length in range(1, len(parts))]
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        left += imports(ast.parse(path.read_text(encoding="utf-8")), package)
    return found


def file_of(name: str) -> Path | None:
    """Return the file of a module of the project; None for others."""
    if name.partition(".")[0] != "mqbridge":
        return None
    base = HOME.joinpath(*name.split("."))
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            return path
    return None


def imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Yield everything that is imported when the program runs, wherever in a module."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")
                base = ".".join([*above[: len(above) - node.level + 1], *([base] if base else [])])
            yield base
            yield from (f"{base}.{each.name}" for each in node.names)
        else:
            yield from imports(node, package)


class _Unannotated(ast.NodeTransformer):
    """Takes annotations away, but for those of classes, from which fields are made."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Forget the types of a function and in it."""
        self.generic_visit(node)
        node.returns = None
        for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            each.annotation = None
        for rest in (node.args.vararg, node.args.kwarg):
            if rest is not None:
                rest.annotation = None
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """Look at its methods alone."""
        node.body = [each if isinstance(each, ast.AnnAssign) else self.visit(each) for each in node.body]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        """Have the archive's own records."""
        if node.module == "dataclasses":
            node.module = RECORDS
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.Assign | ast.Pass:
        """Forget the type of a variable."""
        return ast.Pass() if node.value is None else ast.Assign([node.target], node.value, lineno=node.lineno)


def bare(source: str) -> str:
    """Return a module without docstrings, comments, and types that nobody asks for when it runs."""
    tree: ast.Module = _Unannotated().visit(ast.parse(source))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.If):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
    return ast.unparse(tree) + "\n"


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _below(name: str) -> list[str]:
    """Return a module, or a package with the modules in it."""
    path = file_of(name)
    assert path is not None, name
    if path.name != "__init__.py":
        return [name]
    return [name, *(f"{name}.{each.stem}" for each in path.parent.glob("*.py") if each.stem != "__init__")]


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    """Add a file; equal sources make equal archives."""
    entry = zipfile.ZipInfo(name, _DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, text)


if __name__ == "__main__":
    names = write_archive()
    sys.stdout.write(f"{TARGET.relative_to(HOME)}: {len(names)} modules, {TARGET.stat().st_size / 1024:.0f} KiB\n")
