from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import mqbridge

HOME = Path(mqbridge.__file__).parents[1]


def run_python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program as a user would, with ``folder`` before everything else on the module search path."""
    program = f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("name", mqbridge.__all__)
def test_every_name_of_the_front_door_opens(name: str) -> None:
    assert getattr(mqbridge, name) is not None
    assert name in dir(mqbridge)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'conect'"):
        mqbridge.conect  # noqa: B018 - the access is the test


def test_import_of_the_front_door_loads_no_room() -> None:
    code = "import mqbridge; print([name for name in sys.modules if name.startswith('mqbridge.')])"
    assert run_python(code, HOME).stdout.strip() == "[]"


@pytest.mark.parametrize("room", mqbridge.ROOMS)
def test_a_foreign_module_with_the_name_of_a_room_is_in_nobodys_way(room: str, tmp_path: Path) -> None:
    (tmp_path / f"{room}.py").write_text("MINE = True\n")
    program = f"import {room}, mqbridge, mqbridge.{room}; mqbridge.decode, mqbridge.MQBridgeError; print({room}.MINE)"
    result = run_python(program, tmp_path)
    assert (result.stdout, result.stderr) == ("True\n", "")


def test_type_checkers_may_read_the_front_door() -> None:
    assert (Path(mqbridge.__file__).parent / "py.typed").is_file()
    tree = ast.parse(Path(mqbridge.__file__).read_text(encoding="utf-8"))
    seen = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert "__getattr__" not in seen, "a type checker takes every name for one that is here"


def test_the_front_door_is_the_command_line_too() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "mqbridge", "--version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=HOME,
    )
    assert result.stdout.startswith("mqbridge ")
