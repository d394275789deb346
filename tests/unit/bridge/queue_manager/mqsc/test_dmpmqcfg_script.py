from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.queue_manager.objects import Kind
from support.queue_manager.mqsc_bench import Bench

SCRIPT = (Path(__file__).parent / "saturn.mqsc").read_text(encoding="utf-8")


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_every_command_of_a_dump_runs(bench: Bench) -> None:
    replies = bench.script(SCRIPT)
    assert [reply.responses[0].line for reply in replies if not reply.ok] == []
    assert len(replies) == sum(line[:1].isalpha() for line in SCRIPT.split("\n")) > 30


def test_it_runs_again(bench: Bench) -> None:
    bench.script(SCRIPT)
    before = {definition.key(): dict(definition) for definition in bench.objects}
    assert all(reply.ok for reply in bench.script(SCRIPT))
    assert {definition.key(): dict(definition) for definition in bench.objects} == before


def test_what_it_says_is_what_is_defined(bench: Bench) -> None:
    bench.script(SCRIPT)
    objects = bench.objects
    queue = objects.queue("APP.IN")
    assert queue is not None
    assert queue["DESCR"] == "Requests (in), 100% of them"
    assert queue["MAXDEPTH"] == 250000
    assert queue.flag("HARDENBO")
    alias = objects.queue("app.lower")
    assert alias is not None
    assert (alias.kind, alias["TARGET"]) == (Kind.QALIAS, "APP.IN")
    sender = objects.channel("SATURN.EARTH")
    assert sender is not None
    assert sender["CONNAME"] == "earth1.example(1414),earth2.example(1414)"
    assert sender["SSLPEER"] == 'CN=EARTH, O="Solar System"'
    assert objects.manager["DESCR"] == "The queue manager's own description"
    assert objects.manager["CONNAUTH"] == "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"
    service = objects.find(Kind.SERVICE, "SYSTEM.AMQP.SERVICE")
    assert service is not None
    assert service["STOPARG"] == "-m +QMNAME+"
    assert bench.rows("DISPLAY AUTHREC PROFILE('APP.**') ALL")[0]["AUTHLIST"] == "NONE"


def test_a_server_connection_and_its_client_connection_share_a_name(bench: Bench) -> None:
    bench.script(SCRIPT)
    rows = bench.rows("DISPLAY CHANNEL(APP.SVRCONN) CHLTYPE")
    assert [row["CHLTYPE"] for row in rows] == ["SVRCONN", "CLNTCONN"]
    bench.good("DELETE CHANNEL(APP.SVRCONN) CHLTABLE(CLNTTBL)")
    assert bench.names("DISPLAY CHANNEL(APP.SVRCONN) TYPE(SVRCONN)") == ["APP.SVRCONN"]
    bench.bad("DISPLAY CHANNEL(APP.SVRCONN) TYPE(CLNTCONN)", "AMQ8147")
