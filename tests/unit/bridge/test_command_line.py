from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from importlib.metadata import version

import click
import pytest
from click.testing import CliRunner

import mqbridge.bridge.cli
from mqbridge import build
from mqbridge.bridge.cli import COMMANDS, cli


def test_help_lists_the_commands_and_loads_none() -> None:
    code = (
        "import sys, mqbridge.bridge.cli\n"
        "commands = {f'mqbridge.bridge.cli.{name}' for name in mqbridge.bridge.cli.COMMANDS}\n"
        "try: mqbridge.bridge.cli.cli(['--help'])\n"
        "except SystemExit: print([name for name in sys.modules if name in commands or name.startswith('twisted')])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    for name, purpose in COMMANDS.items():
        assert f"  {name} " in result.stdout
        assert purpose in result.stdout
    assert result.stdout.endswith("[]\n")


def test_commands_read_the_files_of_a_queue_manager_without_what_runs_one() -> None:
    code = (
        "import sys, mqbridge.bridge.service.stored_definitions\n"
        "print([name for name in sys.modules if name.startswith(('twisted', 'mqbridge.bridge.endpoints'))])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout == "[]\n"


def test_version() -> None:
    result = CliRunner().invoke(cli, ["--version"])
    assert result.output == f"mqbridge {version('mqbridge')} ({build.kind()})\n"
    assert result.exit_code == 0


def test_an_unknown_command_is_a_usage_error() -> None:
    result = CliRunner().invoke(cli, ["simulate"])
    assert result.exit_code == 2
    assert "No such command 'simulate'" in result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_loads_and_explains_itself(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert isinstance(command, click.Command)
    result = CliRunner().invoke(cli, [name, "--help"], prog_name="mqbridge")
    assert result.exit_code == 0
    assert result.output.startswith(f"Usage: mqbridge {name}")


def test_every_module_with_a_command_stands_in_the_table() -> None:
    modules = [module.name for module in pkgutil.iter_modules(mqbridge.bridge.cli.__path__)]
    commands = {name for name in modules if hasattr(importlib.import_module(f"mqbridge.bridge.cli.{name}"), "command")}
    assert commands == set(COMMANDS)
