"""Rules that need many flows."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from mqbridge.captures.rules import CATALOGUE, Finding, limits, load
from mqbridge.captures.rules.across_flows import FlowsSeen, judge_flows
from mqbridge.captures.tables.rows import FlowRow

load()
CLIENT = "client-connection"
_EMPTY: dict[str, Any] = dict.fromkeys(FlowRow._fields, 0)


def flow(number: int, start: float = 1000.0, **values: Any) -> FlowRow:
    known: dict[str, Any] = {
        "capture": "a.pcap", "flow": number, "client": f"10.0.0.7:{40000 + number}", "server": "10.0.0.1:1414",
        "start": start, "end": start + 1, "kind": CLIENT, "channel": "APP.SVRCONN", "queue_manager": "QM1",
        "user": "app", "outcome": "ended", "ending": "both ends closed", "whole": True, "tls_version": None,
        "tls_server_name": None, "agreed": {}, "first_packet": 10 * number, "calls": 10, "messages": 5,
    }  # fmt: skip
    return FlowRow(**{**_EMPTY, **known, **values})


def rules(rows: list[FlowRow]) -> list[str]:
    return [finding.rule for finding in judge_flows(rows)]


def test_good_sessions_are_not_judged() -> None:
    assert judge_flows([]) == []
    assert judge_flows([flow(number, 1000.0 + 5 * number) for number in range(1, 200)]) == []


@pytest.mark.parametrize(
    ("version", "found"), [("TLS 1.1", True), ("SSL 3.0", True), ("TLS 1.2", False), (None, False)]
)
def test_old_versions_of_tls(version: str | None, found: bool) -> None:
    told = judge_flows([flow(1, kind="tls", tls_version=version)])
    assert [one.rule for one in told] == (["C-609"] if found else [])
    if found:
        assert (told[0].expected, told[0].seen) == ("TLS 1.2 or later", version)
        assert (told[0].flow, told[0].packet, told[0].time) == (1, 10, 1000.0)


def test_a_storm_is_told_once_for_each_burst() -> None:
    burst = [flow(number, 1000.0 + number / 100) for number in range(1, limits.STORM_CONNECTS + 11)]
    later = [row._replace(start=row.start + 500, end=row.end + 500, flow=row.flow + 100) for row in burst]
    told = [one for one in judge_flows([*burst, *later]) if one.rule == "C-720"]
    assert [one.flow for one in told] == [limits.STORM_CONNECTS, limits.STORM_CONNECTS + 100]
    assert told[0].seen == f"{limits.STORM_CONNECTS + 10} from 10.0.0.7 to 10.0.0.1:1414"


def test_connections_of_many_clients_are_no_storm() -> None:
    rows = [flow(number, client=f"10.0.{number}.7:4000") for number in range(1, 200)]
    assert rules(rows) == []


def test_a_connection_for_each_message() -> None:
    rows = [flow(number, 1000.0 + 2 * number, messages=1) for number in range(1, 31)]
    assert rules(rows) == ["C-721"]
    assert rules([row._replace(messages=3) for row in rows]) == []
    assert rules(rows[: limits.MIN_SHORT_SESSIONS - 1]) == []
    assert rules([*rows, *(flow(number, 2000.0 + 2 * number) for number in range(40, 80))]) == []


def test_sessions_that_never_disconnect() -> None:
    rows = [flow(number, 1000.0 + 2 * number, outcome="cut") for number in range(1, 7)]
    (told,) = judge_flows(rows)
    assert (told.rule, told.seen) == ("C-722", "6 of 6 without, from 10.0.0.7 to 10.0.0.1:1414 on APP.SVRCONN")
    assert rules([row._replace(outcome="open") for row in rows]) == []
    assert rules([row._replace(calls=0) for row in rows]) == []
    assert rules([row._replace(kind="message-channel") for row in rows]) == []


def test_many_sessions_at_a_time() -> None:
    rows = [flow(number, 1000.0 + number, end=9000.0) for number in range(1, limits.CONCURRENT_SESSIONS + 3)]
    (told,) = judge_flows(rows)
    assert (told.rule, told.flow) == ("C-723", limits.CONCURRENT_SESSIONS + 1)
    assert told.seen.startswith(f"{limits.CONCURRENT_SESSIONS + 2} from ")
    assert rules(rows[: limits.CONCURRENT_SESSIONS]) == []


def test_addresses_of_ip_version_6_are_hosts_too() -> None:
    rows = [flow(number, 1000.0 + number, client=f"[fe80::1]:{number}", outcome="cut") for number in range(1, 9)]
    (told,) = judge_flows(rows)
    assert "from [fe80::1] to" in told.seen


def test_the_order_of_the_rows_does_not_matter() -> None:
    rows = [flow(number, 1000.0 + number / 50, outcome="cut", messages=1, end=3000.0) for number in range(1, 150)]
    told = judge_flows(rows)
    assert {one.rule for one in told} == {"C-720", "C-721", "C-722", "C-723"}
    mixed = list(rows)
    Random(1).shuffle(mixed)
    assert judge_flows(mixed) == told
    assert all(isinstance(one, Finding) for one in told)


def test_every_rule_across_flows_is_in_the_catalogue() -> None:
    ours = [number for number, row in CATALOGUE.items() if row.watches is FlowsSeen]
    assert ours == ["C-609", "C-720", "C-721", "C-722", "C-723"]
