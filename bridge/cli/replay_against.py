"""``mqbridge replay --against``: recorded connections played one after another to a live endpoint."""

from __future__ import annotations

import json
import select
import socket
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from captures.against import DEFAULT_PATIENCE, Credentials, PlayedFlow, Player, as_json
from captures.differential import GIVEN_REASONS, KINDS, Difference, Tally, shown_value
from captures.differential.known_masks import ANY_ENDPOINT
from captures.differential.recorded_flows import RecordedFlow, TooMuchToPlayError, recorded_flows

from .host_port import host_and_port
from .reaching import fail, reason_of

DIFFERENT: Final = 1
UNREADABLE: Final = 2
NOT_REACHABLE: Final = 20
CONNECT_TIMEOUT: Final = 10.0
"""Seconds that the endpoint may take to accept a connection."""
READ_SIZE: Final = 1 << 18
MAX_SHOWN: Final = 200
"""Lines of differences; --json has all of them."""
_OUTCOME: Final = ("API.CompCode", "API.Reason", "XA.ReturnValue")


class EndpointError(Exception):
    """Nobody accepts connections there; the text says why."""


def play_against(
    captures: Sequence[Path],
    target: str,
    *,
    user: str = "",
    password: str = "",
    patience: float = DEFAULT_PATIENCE,
    sequence: int | None = None,
    only: Sequence[int] = (),
    as_json_object: bool = False,
) -> int:
    """Play the captures against ``target`` (``host:port``) and print what came of it; returns the exit status.

    Flows are counted over all captures, from 1; ``only``: those that are played. ``sequence``: the number that the
    first message of a sender's recording is given.

    0: every answer was equal or allowed; 1: some were different; 2: a capture cannot be read, or holds nothing that
    can be played; 20: the endpoint is not reachable.
    """
    try:
        host, port = host_and_port(target)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--against") from error
    credentials = Credentials(user, password) if user else None
    flows: list[PlayedFlow] = []
    number = 0
    for path in captures:
        for flow in _read(path):
            number += 1
            if only and number not in only:
                continue
            if flow.unplayable:
                flows.append(PlayedFlow(number, notes=[f"not played: {flow.unplayable}"]))
                continue
            flow.number = number
            player = Player(flow, patience=patience, credentials=credentials, sequence=sequence)
            try:
                drive(player, host, port, patience)
            except EndpointError as error:
                fail(f"mqbridge: {target}: {error}", NOT_REACHABLE)
            flows.append(PlayedFlow(number, player.played, player.result(ANY_ENDPOINT), player.notes))
    report = as_json(target, flows)
    if as_json_object:
        click.echo(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        _show(report, flows)
    if not any(flow.tally.fields or flow.played for flow in flows):
        fail("mqbridge: no connection of the capture could be played", UNREADABLE)
    return DIFFERENT if report["different"] else 0


def _read(path: Path) -> list[RecordedFlow]:
    try:
        flows, reading = recorded_flows(path)
    except OSError as error:
        fail(f"mqbridge: {reason_of(error)}", UNREADABLE)
    except TooMuchToPlayError as error:
        fail(f"mqbridge: {path}: {error}: play a part of it", UNREADABLE)
    if reading.flows.error is not None:
        click.echo(f"{path}: {reading.flows.error}", err=True)
        if not flows:
            fail(f"mqbridge: {path} cannot be read", UNREADABLE)
    if not flows:
        fail(f"mqbridge: {path} holds no connection that carries MQ", UNREADABLE)
    return flows


def drive(player: Player, host: str, port: int, patience: float = DEFAULT_PATIENCE) -> None:
    """Play one connection to its end. Raises :class:`EndpointError` where it cannot be made."""
    try:
        connection = socket.create_connection((host, port), CONNECT_TIMEOUT)
    except (OSError, UnicodeError) as error:
        raise EndpointError(f"no connection: {error}") from error
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setblocking(False)
        player.start(time.monotonic())
        unsent = memoryview(b"")
        while True:
            unsent = unsent or memoryview(player.data_to_send())
            if player.closed and not unsent:
                return
            try:
                unsent = _step(player, connection, unsent, patience)
            except OSError as error:
                player.receive_eof(error.strerror or str(error))
                return


def _step(player: Player, connection: socket.socket, unsent: memoryview, patience: float) -> memoryview:
    """Wait till something can be sent or was heard, or the time is up; returns what is still unsent."""
    poll = select.poll()
    poll.register(connection, select.POLLIN | (select.POLLOUT if unsent else 0))
    now = time.monotonic()
    due = player.next_timeout()
    wait = patience if due is None else max(0.0, due - now)
    found = poll.poll(wait * 1000 + 1)
    if not found:
        if unsent and (due is None or player.closed):
            raise TimeoutError("it takes no data")
        player.timeout(time.monotonic())
        return memoryview(b"") if player.closed else unsent
    events = found[0][1]
    if unsent and events & select.POLLOUT:
        unsent = unsent[connection.send(unsent) :]
    if events & ~select.POLLOUT:
        data = connection.recv(READ_SIZE)
        if data:
            player.receive_data(data, time.monotonic())
        else:
            player.receive_eof()
            unsent = memoryview(b"")
    return unsent


def _show(report: dict[str, Any], flows: Sequence[PlayedFlow]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    table = Table(title=f"Played against {report['endpoint']}", title_justify="left")
    for column in ("flow", "segments played", "equal", "allowed", "different"):
        table.add_column(column, justify="right")
    whole = Tally()
    for flow in flows:
        whole.add(flow.tally)
        table.add_row(*map(str, (flow.number, flow.played, *_counts(flow.tally))))
    table.add_section()
    table.add_row("all", str(sum(flow.played for flow in flows)), *map(str, _counts(whole)))
    console.print(table)
    if whole.allowed:
        reasons = Table(title="Allowed", title_justify="left")
        for column in ("mask", "fields", "reason"):
            reasons.add_column(column)
        for name, count in sorted(whole.allowed.items()):
            reasons.add_row(name, str(count), _reason(name))
        console.print(reasons)
    for flow in flows:
        for note in flow.notes:
            console.print(f"flow {flow.number}: {note}", markup=False)
    if not whole.different:
        console.print("No answer is different.")
        return
    shown = Table(title="Different", title_justify="left")
    for column in ("flow", "segment", "field", "recorded", "seen"):
        shown.add_column(column, overflow="fold")
    rows = _rows(whole.different)
    for row in rows[:MAX_SHOWN]:
        shown.add_row(*row)
    console.print(shown)
    if len(rows) > MAX_SHOWN:
        console.print(f"… and {len(rows) - MAX_SHOWN} more lines; --json has all of it")


def _rows(different: Sequence[Difference]) -> list[tuple[str, ...]]:
    """The differences for people: of an answer with another outcome only that, and how much else follows from it."""
    failed = {(each.socket, each.segment) for each in different if each.field in _OUTCOME}
    rows: dict[tuple[Any, ...], tuple[str, ...]] = {}
    follow: Counter[tuple[int, int]] = Counter()
    for place, each in enumerate(different):
        answer = each.socket, each.segment
        if each.segment and answer in failed and each.field not in (*_OUTCOME, KINDS):
            follow[answer] += 1
            rows[answer] = (*map(str, answer), f"and what follows in this answer: {follow[answer]} fields", "", "")
            continue
        values = (_cell(shown_value(value, secret=each.secret)) for value in (each.recorded, each.ours))
        rows[(*answer, place)] = (str(each.socket), str(each.segment or ""), f"{each.structure}.{each.name}", *values)
    return list(rows.values())


def _counts(tally: Tally) -> tuple[int, int, int]:
    return tally.equal, tally.allowed.total(), len(tally.different)


def _cell(value: Any) -> str:
    from rich.markup import escape

    return "—" if value is None else escape(str(value))


def _reason(name: str) -> str:
    given = GIVEN_REASONS.get(name)
    return given or next((mask.reason for mask in ANY_ENDPOINT if mask.name == name), "fewer or more were needed")
