"""Which build runs, and what is said of one that is not whole."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mqbridge import build

TAG = sys.implementation.cache_tag
SUFFIX = ".cpython-00.so"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A package of which one module is compiled."""
    (tmp_path / "protocol").mkdir()
    (tmp_path / "protocol" / "framing.py").write_text("x = 1\n")
    (tmp_path / "protocol" / f"framing{SUFFIX}").write_bytes(b"machine code")
    write(tmp_path)
    return tmp_path


def write(home: Path, **changes: Any) -> None:
    known = {"version": "1.2", "python": TAG, "suffix": SUFFIX, "sources": {"protocol/framing.py": 6}}
    (home / build.NOTE).write_text(json.dumps(known | changes))


def test_a_build_without_a_note_is_pure(tmp_path: Path) -> None:
    assert build.kind(tmp_path) == "pure Python"
    assert build.fault("1.2", tmp_path) is None


def test_a_whole_build_is_compiled(home: Path) -> None:
    assert build.kind(home) == "compiled"
    assert build.fault("1.2", home) is None


def test_another_version_is_a_fault(home: Path) -> None:
    assert build.fault("1.3", home) == (
        "the compiled modules are of version 1.2, mqbridge is 1.3: install mqbridge anew, or run its Python with"
        " MQBRIDGE_PURE=1"
    )


def test_a_missing_module_is_a_fault(home: Path) -> None:
    (home / "protocol" / f"framing{SUFFIX}").unlink()
    fault = build.fault("1.2", home)
    assert fault is not None
    assert fault.startswith("the compiled module of protocol/framing.py is missing")


def test_a_source_that_was_changed_is_a_fault(home: Path) -> None:
    (home / "protocol" / "framing.py").write_text("x = 12\n")
    fault = build.fault("1.2", home)
    assert fault is not None
    assert fault.startswith("protocol/framing.py is not what was compiled")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", json.dumps({"python": TAG, "version": "1.2"})])
def test_a_damaged_note_is_a_fault(home: Path, text: str) -> None:
    (home / build.NOTE).write_text(text)
    fault = build.fault("1.2", home)
    assert fault is not None
    assert fault.startswith(f"{home / build.NOTE} is damaged")


def test_a_build_for_another_python_runs_as_python(home: Path) -> None:
    write(home, python="cpython-00")
    assert build.kind(home) == f"pure Python, as it was compiled for cpython-00 and this is {TAG}"
    assert build.fault("1.3", home) is None


@pytest.mark.parametrize("value", ["1", "yes"])
def test_the_variable_runs_the_python_of_a_compiled_build(
    home: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv(build.PURE, value)
    assert build.kind(home) == "pure Python, as MQBRIDGE_PURE asks"
    assert build.fault("1.3", home) is None


@pytest.mark.parametrize("value", ["", "0"])
def test_the_variable_may_say_no(home: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(build.PURE, value)
    assert build.kind(home) == "compiled"


def test_a_command_of_a_build_that_is_not_whole_ends_with_status_3(home: Path) -> None:
    program = (
        "import sys, pathlib, mqbridge, mqbridge.build as build;"
        f"known = pathlib.Path({str(home)!r});"
        "build.compiled_here = lambda: True;"
        "fault = build.fault; build.fault = lambda version: fault(version, known);"
        "sys.argv = ['mqbridge', '--version']; mqbridge.main()"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 3
    assert ended.stdout == ""
    assert ended.stderr.startswith("mqbridge: the compiled modules are of version 1.2")


def test_a_build_forgets_what_an_earlier_one_compiled(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mypyc.build", reason="mypyc is needed to compile")
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "packaging")
    compiling = importlib.import_module("compiling")
    gone = home / "protocol" / f"text{SUFFIX}"
    gone.write_bytes(b"machine code")
    compiling.forget_others(home, SUFFIX, ["protocol/framing.py"])
    assert not gone.exists()
    assert (home / "protocol" / f"framing{SUFFIX}").exists()
