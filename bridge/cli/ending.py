"""How commands end on an error: a line on standard error, and a status. Imports nothing heavy."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

import click

FAILED: Final = 1
INTERRUPTED: Final = 130


@contextmanager
def interruptions() -> Iterator[None]:
    """End the command on Ctrl-C, or when its output is closed."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        silence()
        sys.exit(FAILED)


def fail(text: str, status: int = FAILED) -> NoReturn:
    """Print the reason and exit."""
    click.echo(text, err=True)
    sys.exit(status)


def silence() -> None:
    """Keep Python from flushing a closed standard output at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def replace_closed_output() -> None:
    """Replace a closed standard output: only the status matters then."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for the rest of the process


def reason_of(error: OSError) -> str:
    """Return the message of an ``OSError``, with the file if there is one."""
    reason = error.strerror or str(error)
    return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"
