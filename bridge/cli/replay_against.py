"""``mqbridge replay --against``: recorded connections played to a live endpoint."""

from __future__ import annotations

import json
import sys
from collections.abc import Hashable, Sequence
from typing import Final

import click

from mqbridge.bridge.cli.endpoint_connections import EndpointError, play
from mqbridge.captures.against import DEFAULT_PATIENCE, PlayedFlow, Player, ReplayCredentials, as_json
from mqbridge.captures.differential import GivenValues
from mqbridge.captures.differential.known_masks import ANY_ENDPOINT
from mqbridge.captures.differential.recorded_flows import RecordedFlow, TooMuchToPlayError, recorded_flows
from mqbridge.captures.spark.paths import find_captures, identity

from .against_options import AgainstOptions
from .against_report import print_report
from .ending import fail, reason_of

DIFFERENT: Final = 1
UNREADABLE: Final = 2
NOT_REACHABLE: Final = 20
STANDARD_INPUT: Final = "-"


def play_against(
    captures: Sequence[str], asked: AgainstOptions, *, keylog: str | None = None, as_json_object: bool = False
) -> int:
    """Play the captures to the endpoint and print the results; return the exit status.

    Flows are counted over all captures, from 1. ``keylog``: keys of TLS connections. Status 0: every answer was equal
    or allowed; 1: some were different; 2: a capture cannot be read, or holds nothing that can be played; 20: the
    endpoint is not reachable.
    """
    assert asked.target is not None
    endpoint = asked.endpoint()
    password = asked.password()
    credentials = ReplayCredentials(asked.user, password, endpoint.tls is not None) if asked.user else None
    patience = DEFAULT_PATIENCE if asked.patience is None else asked.patience
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
            how = {"patience": patience, "credentials": credentials, "sequence": asked.sequence}
            players.append(Player(flow, given=given, **how))
    try:
        play(players, endpoint)
    except EndpointError as error:
        fail(f"mqbridge: {asked.target}: {error}", NOT_REACHABLE)
    flows += (PlayedFlow(one.flow.number, one.played, one.result(ANY_ENDPOINT), one.notes) for one in players)
    flows.sort(key=lambda flow: flow.number)
    report = as_json(asked.target, flows)
    if as_json_object:
        click.echo(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        print_report(asked.target, flows)
    if not players:
        fail("mqbridge: no connection of the capture could be played", UNREADABLE)
    return DIFFERENT if report["different"] else 0


def _found(paths: Sequence[str]) -> list[str]:
    """Return the named captures, and those in named folders."""
    found: dict[Hashable, str] = {}
    for path in paths:
        if path == STANDARD_INPUT:
            found[path] = path
            continue
        try:
            for capture in find_captures([path]):
                found.setdefault(identity(capture), capture)
        except (FileNotFoundError, ValueError) as error:
            fail(f"mqbridge: {error}", UNREADABLE)
    return list(found.values())


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
