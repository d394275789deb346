"""Archive of the code that cluster workers need: ``python -m mqbridge.captures.spark.archive FILE``.

It contains ``protocol``, ``mappings``, ``captures`` and their pure Python dependencies, and is put on the workers'
path as it is::

    spark-submit --py-files mqbridge-workers.zip job.py
    spark.submit.pyFiles   mqbridge-workers.zip

Workers must have everything compiled: Python, pyspark, pyarrow and pandas; zstandard for captures compressed with it.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PACKAGES: Final = ("mqbridge.protocol", "mqbridge.mappings", "mqbridge.captures")
DEPENDENCIES: Final = ("construct", "ebcdic", "lark")
"""Pure Python packages that the code imports."""
MODULES: Final = ("mqbridge.build", "mypy_extensions")
"""Modules that are one file."""

_MOMENT: Final = (1980, 1, 1, 0, 0, 0)  # of every entry: the same code makes the same archive


def build_archive(path: str | os.PathLike[str]) -> Path:
    """Write the archive and return its path; it appears complete or not at all. Raises ``OSError``."""
    path = Path(path)
    made = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in _entries():
                archive.writestr(_entry(name), content)
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)
    return path


def _entries() -> Iterator[tuple[str, bytes]]:
    front_door = importlib.util.find_spec("mqbridge")
    assert front_door is not None
    assert front_door.origin is not None
    yield "mqbridge/__init__.py", Path(front_door.origin).read_bytes()
    for module in MODULES:
        alone = importlib.util.find_spec(module)
        if alone is None or alone.origin is None:
            raise ModuleNotFoundError(f"no module {module} to put into the archive", name=module)
        yield f"{module.replace('.', '/')}.py", Path(alone.origin).read_bytes()
    for package in (*PACKAGES, *DEPENDENCIES):
        found = importlib.util.find_spec(package)
        if found is None or not found.submodule_search_locations:
            raise ModuleNotFoundError(f"no package {package} to put into the archive", name=package)
        (home, *_) = found.submodule_search_locations
        for file in sorted(Path(home).rglob("*")):
            if file.is_file() and file.suffix not in (".pyc", ".so") and "__pycache__" not in file.parts:
                yield f"{package.replace('.', '/')}/{file.relative_to(home).as_posix()}", file.read_bytes()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _MOMENT)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def main(arguments: list[str]) -> int:
    """Build the archive named by the only argument."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write("usage: python -m mqbridge.captures.spark.archive FILE.zip\n")
        return 2
    try:
        path = build_archive(arguments[0])
    except OSError as error:
        sys.stderr.write(f"{arguments[0]}: {error.strerror or error}\n")
        return 1
    sys.stdout.write(f"{path}: {path.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
