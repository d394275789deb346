"""``mqbridge replay --against``: recorded connections played one after another to a live endpoint."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import IO, Any, Final, TypeVar

import click
from attrs import define
from click.core import ParameterSource

from captures.against import DEFAULT_PATIENCE, DEFAULT_WRAP, Credentials, PlayedFlow, Player, as_json
from captures.differential import GivenValues
from captures.differential.known_masks import ANY_ENDPOINT
from captures.differential.recorded_flows import RecordedFlow, TooMuchToPlayError, recorded_flows
from captures.spark.paths import find_captures

from .ending import fail, reason_of
from .endpoint_lines import EndpointError, play
from .host_port import host_and_port

DIFFERENT: Final = 1
UNREADABLE: Final = 2
NOT_REACHABLE: Final = 20
STANDARD_INPUT: Final = "-"


F = TypeVar("F", bound=Callable[..., Any])


@define
class Against:
    """What the options of ``replay`` say of an endpoint; ``target`` (``host:port``) is None where none is named.

    ``patience``: seconds for an answer; ``sequence``: number of a sender's first message, None for the recorded one;
    ``only``: flows that are played, empty for all.
    """

    target: str | None
    user: str = ""
    password_file: IO[str] | None = None
    patience: float = DEFAULT_PATIENCE
    sequence: int | None = None
    only: tuple[int, ...] = ()

    @classmethod
    def of(cls, options: dict[str, Any]) -> Against:
        """Take the options of :func:`against_options`. Raises ``click.UsageError`` for one that --against is missing
        for."""
        asked = cls(
            options["against"],
            options["user"] or "",
            options["password_file"],
            options["wait"],
            options["sequence"],
            options["flow"],
        )
        given = click.get_current_context().get_parameter_source
        for name in ("user", "password_file", "wait", "sequence", "flow"):
            if asked.target is None and given(name) is ParameterSource.COMMANDLINE:
                raise click.UsageError(f"--{name.replace('_', '-')} goes with --against")
        return asked

    def credentials(self) -> Credentials | None:
        """Who signs on, with a password from the file, or from the terminal if there is one."""
        if self.password_file is not None and not self.user:
            raise click.UsageError("--password-file goes with --user")
        if not self.user:
            return None
        password = ""
        if self.password_file is not None:
            password = self.password_file.readline().rstrip("\r\n")
        elif sys.stdin.isatty():
            password = str(click.prompt(f"Password of {self.user}", hide_input=True, default="", err=True))
        return Credentials(self.user, password)


def against_options(command: F) -> F:
    """Adds ``--against`` and the options that go with it; :meth:`Against.of` takes them."""
    for option in reversed(
        (
            click.option(
                "--against",
                metavar="HOST:PORT",
                help="Judge nothing: play the recorded clients, or senders, to this endpoint and compare its answers.",
            ),
            click.option("--flow", type=click.IntRange(1), multiple=True, metavar="N", help="Play this flow only."),
            click.option(
                "--user",
                envvar="MQSAMP_USER_ID",
                metavar="NAME",
                help="Sign on as this user: recordings hold no passwords. [env: MQSAMP_USER_ID]",
            ),
            click.option(
                "--password-file",
                type=click.File("r", encoding="utf-8"),
                metavar="FILE",
                help="Its first line is the password; - for standard input. [default: asked for on a terminal]",
            ),
            click.option(
                "--wait",
                type=click.FloatRange(0, min_open=True),
                default=DEFAULT_PATIENCE,
                show_default=True,
                metavar="SECONDS",
                help="Time for an answer, beyond what it took in the recording.",
            ),
            click.option(
                "--sequence",
                type=click.IntRange(1, DEFAULT_WRAP),
                metavar="N",
                help="Number of the first message of a sender. [default: as recorded]",
            ),
        )
    ):
        command = option(command)
    return command


def play_against(
    captures: Sequence[str], asked: Against, *, keylog: str | None = None, as_json_object: bool = False
) -> int:
    """Play the captures to the endpoint and print what came of it; returns the exit status.

    Flows are counted over all captures, from 1. ``keylog``: keys of TLS connections. 0: every answer was equal or
    allowed; 1: some were different; 2: a capture cannot be read, or holds nothing that can be played; 20: the endpoint
    is not reachable.
    """
    assert asked.target is not None
    try:
        host, port = host_and_port(asked.target)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--against") from error
    credentials = asked.credentials()
    flows: list[PlayedFlow] = []
    players: list[Player] = []
    given = GivenValues()
    for number, flow in enumerate((flow for path in _found(captures) for flow in _read(path, keylog)), 1):
        if asked.only and number not in asked.only:
            continue
        flow.number = number
        if flow.unplayable:
            flows.append(PlayedFlow(number, notes=[f"not played: {flow.unplayable}"]))
        else:
            how = {"patience": asked.patience, "credentials": credentials, "sequence": asked.sequence}
            players.append(Player(flow, given=given, **how))
    try:
        play(players, host, port)
    except EndpointError as error:
        fail(f"mqbridge: {asked.target}: {error}", NOT_REACHABLE)
    flows += (PlayedFlow(one.flow.number, one.played, one.result(ANY_ENDPOINT), one.notes) for one in players)
    flows.sort(key=lambda flow: flow.number)
    report = as_json(asked.target, flows)
    if as_json_object:
        click.echo(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        from .against_report import print_report

        print_report(asked.target, flows)
    if not players:
        fail("mqbridge: no connection of the capture could be played", UNREADABLE)
    return DIFFERENT if report["different"] else 0


def _found(paths: Sequence[str]) -> list[str]:
    """The captures that are named, or lie in folders that are."""
    found: dict[str, None] = {}
    for path in paths:
        try:
            found |= dict.fromkeys([path] if path == STANDARD_INPUT else find_captures([path]))
        except (FileNotFoundError, ValueError) as error:
            fail(f"mqbridge: {error}", UNREADABLE)
    return list(found)


def _read(path: str, keylog: str | None) -> list[RecordedFlow]:
    try:
        flows, reading = recorded_flows(sys.stdin.buffer if path == STANDARD_INPUT else path, keylog)
    except OSError as error:
        fail(f"mqbridge: {reason_of(error)}", UNREADABLE)
    except TooMuchToPlayError as error:
        fail(f"mqbridge: {path}: {error}: play a part of it", UNREADABLE)
    if reading.flows.decryption_error is not None:
        click.echo(f"{path}: {reading.flows.decryption_error}", err=True)
    if reading.flows.error is not None:
        click.echo(f"{path}: {reading.flows.error}", err=True)
        if not flows:
            fail(f"mqbridge: {path} cannot be read", UNREADABLE)
    if not flows:
        fail(f"mqbridge: {path} holds no connection that carries MQ", UNREADABLE)
    return flows
