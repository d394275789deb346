"""``mqbridge protocol play``: one end of a protocol, for tests of the other."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from mqbridge.bridge.cli.ending import fail
from mqbridge.captures.described import DescribedMessages
from mqbridge.captures.play import Answerer, Asker, Player, Recorded, ScriptedEnd
from mqbridge.mappings.templates import Protocol, Role, ScriptError

from .sources import KEYLOG, PORT, WRONG, dialogues_of, protocol_of

DIFFERS: Final = 1
_NOTHING: Final = "nothing of the {} is recorded in {}"


@click.command("play")
@click.option("--listen", metavar="ENDPOINT", help="Be the responder at this endpoint, for any number of connections.")
@click.option("--connect", metavar="ENDPOINT", help="Be the initiator, on one connection to this endpoint.")
@click.option("--with", "capture", metavar="CAPTURE", help="Recorded messages from which answers or requests come.")
@click.option("--set", "given", multiple=True, metavar="NAME=VALUE", help="Value of a field; may be repeated.")
@PORT
@KEYLOG
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
def command(
    listen: str | None,
    connect: str | None,
    capture: str | None,
    given: tuple[str, ...],
    port: int | None,
    keylog: str | None,
    file: Path,
) -> None:
    """Play one end of the protocol that FILE describes.

    With a capture, the answer to a message is the one that was recorded for equal key fields, else the most frequent
    for its kind; computed fields are computed anew, and values that the other end gave are put in. Without one, the
    script of FILE is followed with made-up values. What is sent and why is printed, a line each.

    Status with --connect: 0 if everything was answered by the kinds that were recorded, else 1.
    """
    if (listen is None) == (connect is None):
        raise click.UsageError("either --listen or --connect")
    protocol = protocol_of(file)
    role: Role = "responder" if connect is None else "initiator"
    make = _maker(protocol, role, capture, given, port, keylog)
    from .playing import answer_at, ask_at

    if connect is None:
        assert listen is not None, "one of them"
        answer_at(listen, make, _say)
    elif not ask_at(connect, make, _say):
        raise SystemExit(DIFFERS)


def _maker(
    protocol: Protocol, role: Role, capture: str | None, given: tuple[str, ...], port: int | None, keylog: str | None
) -> Callable[[], Player]:
    """What makes the player of a connection."""
    dice = random.SystemRandom()
    if capture is None:
        values = dict(_pair(each) for each in given)
        try:
            ScriptedEnd(protocol, role, dice, values)
        except ScriptError as error:
            fail(f"mqbridge: {error}; record a session, and name it by --with", WRONG)
        return lambda: ScriptedEnd(protocol, role, dice, values)
    if given:
        raise click.UsageError("--set is for play without a capture")
    dialogues = dialogues_of(capture, port, keylog)
    recorded = Recorded(protocol, role, DescribedMessages(protocol, dialogues))
    for note in dialogues.notes:
        _say(note)
    if recorded.unread:
        _say(f"{recorded.unread} pieces of {capture} are not explained by the description, and not used")
    if not any(each.mine for dialogue in recorded.dialogues for each in dialogue):
        fail(f"mqbridge: {_NOTHING.format(role, capture)}", WRONG)
    if role == "responder":
        return lambda: Answerer(recorded, dice)
    return lambda: Asker(recorded, dice)


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set NAME=VALUE, not {text!r}")
    return name, int(value) if value.isdecimal() else value


def _say(line: str) -> None:
    click.echo(f"{time.strftime('%H:%M:%S')} {line}")
    sys.stdout.flush()
