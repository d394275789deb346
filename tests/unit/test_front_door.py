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
    code = "import mqbridge; print(sorted({name.partition('.')[0] for name in sys.modules} & set(mqbridge.ROOMS)))"
    assert run_python(code, HOME).stdout.strip() == "[]"


@pytest.mark.parametrize("room", mqbridge.ROOMS)
def test_a_foreign_module_with_the_name_of_a_room_is_named_with_its_file(room: str, tmp_path: Path) -> None:
    foreign = tmp_path / f"{room}.py"
    foreign.write_text("'''Somebody else's module.'''\n")
    result = run_python("import mqbridge; mqbridge.MQBridgeError", tmp_path)
    assert "ShadowedRoomError" in result.stderr
    assert f"own package '{room}'" in result.stderr
    assert str(foreign) in result.stderr


def test_a_foreign_package_that_is_loaded_already_is_named_too(tmp_path: Path) -> None:
    foreign = tmp_path / "protocol" / "__init__.py"
    foreign.parent.mkdir()
    foreign.write_text("")
    result = run_python("import protocol, mqbridge; mqbridge.MQBridgeError", tmp_path)
    assert str(foreign) in result.stderr


def test_the_command_line_says_which_file_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "bridge.py").write_text("")
    result = run_python("import mqbridge; mqbridge.main()", tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith("mqbridge: mqbridge needs its own package 'bridge'")
    assert "Traceback" not in result.stderr


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
