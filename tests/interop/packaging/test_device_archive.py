"""`dist/mqe.pyz`: one small file that needs the standard library alone, under every CPython that is served."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

HOME: Final = Path(__file__).parents[3]
MOST: Final = 300 << 10
VERSIONS: Final = ("3.11", "3.12", "3.13")
LIBRARY: Final = """
import sys
sys.path.insert(0, sys.argv[1])
from mqbridge.everyplace import NoMatchingMessage, QueueManager, text_of
with QueueManager.open(sys.argv[2]) as moon:
    print(text_of(moon.get("SYSTEM.DEFAULT.LOCAL.QUEUE")))
    try:
        moon.get("SYSTEM.DEFAULT.LOCAL.QUEUE")
    except NoMatchingMessage:
        print("empty")
foreign = {name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names
print(sorted(foreign - {"__main__", "mqbridge", "__mp_main__"}))
print(sorted({"dataclasses", "inspect", "pathlib", "tempfile", "traceback"} & set(sys.modules)))
"""


def packaging() -> ModuleType:
    spec = importlib.util.spec_from_file_location("device_packaging", HOME / "packaging" / "device.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist") / "mqe.pyz"
    packaging().write_archive(target)
    return target


def test_it_is_small_and_imports_the_standard_library_alone(archive: Path) -> None:
    assert archive.stat().st_size <= MOST
    imported: dict[str, set[str]] = {}
    with zipfile.ZipFile(archive) as opened:
        for name in opened.namelist():
            package = name.removesuffix("/__init__.py").replace("/", ".") if name.endswith("__init__.py") else ""
            for each in ast.walk(ast.parse(opened.read(name))):
                if isinstance(each, ast.Import):
                    names = [alias.name for alias in each.names]
                elif isinstance(each, ast.ImportFrom) and not each.level and each.module and each.module != package:
                    names = [each.module]
                else:
                    continue
                for found in names:
                    imported.setdefault(found.partition(".")[0], set()).add(name)
    # What is at rest is encrypted where this package is installed, and refused where it is not.
    assert imported.pop("cryptography") == {"mqbridge/bridge/everyplace/ciphers.py"}
    assert set(imported) - {"mqbridge", "mqe_bytecode"} <= sys.stdlib_module_names


def interpreters() -> list[tuple[str, str]]:
    """Versions with an interpreter that runs; the one of the tests always."""
    found = {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    for version in VERSIONS:
        places = [
            *Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv", "versions").glob(f"{version}.*/bin/python3")
        ]
        path = str(places[0]) if places else shutil.which(f"python{version}")
        if (
            version not in found
            and path
            and not subprocess.run([path, "-V"], capture_output=True, check=False).returncode
        ):
            found[version] = path
    return sorted(found.items())


@pytest.mark.parametrize(("version", "python"), interpreters())
def test_it_runs_without_site_packages(archive: Path, tmp_path: Path, version: str, python: str) -> None:
    file = tmp_path / "moon.mqe"

    def run(*words: str) -> str:
        done = subprocess.run(
            [python, "-I", "-S", *words], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
        )
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    run(str(archive), "create", str(file), "--gateway", "mqes://earth:8081", "--mq", "SATURN")
    said = run(str(archive), "put", str(file), "ORDERS@SATURN", "two apples")
    assert said.startswith("MOON+")
    assert said.endswith("  on disk; 1 waits for SATURN\n")
    run(str(archive), "put", str(file), "SYSTEM.DEFAULT.LOCAL.QUEUE", "three pears")
    assert run("-c", LIBRARY, str(archive), str(file)) == "three pears\nempty\n[]\n[]\n"


def test_bytecode_is_kept_beside_it_and_used_where_it_can_be_trusted(archive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    program = Path(shutil.copy2(archive, folder))
    kept = folder / f"mqe.pyz.{sys.implementation.cache_tag}-{program.stat().st_size}"

    def uses_it(*flags: str) -> bool:
        words = [sys.executable, "-I", "-S", "-v", *flags, str(program), "status", str(tmp_path / "none.mqe")]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        assert "mqe.pyz create" in done.stderr
        found = [line for line in done.stderr.splitlines() if line.startswith("import 'mqbridge.bridge.everyplace")]
        assert found
        return all(f'<zipimporter object "{kept}/' in line for line in found)

    assert not uses_it("-B")
    assert list(folder.iterdir()) == [program]
    older = kept.with_name(kept.name + "0")
    older.touch()
    assert not uses_it()
    assert sorted(folder.iterdir()) == [program, kept]
    assert uses_it()
    kept.chmod(0o666)
    assert not uses_it("-B")
    assert not uses_it()
    assert kept.stat().st_mode & 0o777 == 0o644
    assert uses_it()
    os.utime(program, (1_700_000_000, 1_700_000_000))
    assert not uses_it()
    assert uses_it()


def test_equal_sources_make_equal_archives(archive: Path, tmp_path: Path) -> None:
    packaging().write_archive(tmp_path / "again.pyz")
    assert (tmp_path / "again.pyz").read_bytes() == archive.read_bytes()


def test_the_front_door_needs_nothing_else(tmp_path: Path) -> None:
    """As after ``pip install --no-deps mqbridge``: no site-packages, but the package itself."""
    code = (
        f"import sys; sys.path.insert(0, {str(HOME)!r}); sys.argv = ['mqe', 'status', {str(tmp_path / 'no.mqe')!r}]\n"
    )
    code += "import runpy; runpy.run_module('mqbridge.everyplace', run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "mqe.pyz create" in done.stderr
