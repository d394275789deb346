"""How commands end when something is wrong: a line on standard error, and a status. Loads nothing."""

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
    """Ends the command where its user interrupts it, or nobody reads any more what it writes."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        silence()
        sys.exit(FAILED)


def fail(text: str, status: int = FAILED) -> NoReturn:
    """Tells why, and ends the command."""
    click.echo(text, err=True)
    sys.exit(status)


def silence() -> None:
    """Nobody reads standard output any more: Python must not try to flush it at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def replace_closed_output() -> None:
    """Where a caller closed standard output nobody reads what a command says, and its status is all that is wanted."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for the rest of the process


def reason_of(error: OSError) -> str:
    """What went wrong, in words, with the file where there is one."""
    reason = error.strerror or str(error)
    return reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"
