"""Exactly once by routes, with a real process that dies by SIGKILL at any moment: a queue, steps, a topic."""

from __future__ import annotations

import json
import random
import sys
import threading
from pathlib import Path

import pytest

from mqbridge.bridge.rest_client.routes import routes
from support.processes.killed_pair import LONGEST_PEACE, Putter, judge
from support.processes.running_service import MakeService, wait_for

ROUNDS, LONG_ROUNDS = 3, 20
UNITS = 10
"""Units of work that are put at the least."""
MQSC = """
DEFINE QLOCAL(IN) MAXDEPTH(999999)
DEFINE QALIAS(FAR) TARGET(IN)
DEFINE QLOCAL(MIDDLE) MAXDEPTH(999999)
DEFINE QLOCAL(TARGET) MAXDEPTH(999999)
DEFINE QLOCAL(DLQ) MAXDEPTH(999999)
ALTER QMGR DEADQ(DLQ)
ALTER QMODEL(SYSTEM.DURABLE.MODEL.QUEUE) MAXDEPTH(999999)
"""
CONFIGURATION = """
[[route]]
name = "marking"
from = "IN"
steps = [{ set = "usr.seen", value = true }]
to = "MIDDLE"

[[route]]
name = "publishing"
from = "MIDDLE"
when = "seen"
steps = [{ python = "steps:same" }]
to = "topic://out/all"

[[route]]
name = "subscribing"
topic = "out/#"
to = "TARGET"
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_message_arrives_once_and_in_order(make_service: MakeService, tmp_path: Path, long_form: bool) -> None:
    seed = random.SystemRandom().getrandbits(32)
    sys.stdout.write(f"seed {seed}\n")
    chance = random.Random(seed)
    (tmp_path / "steps.py").write_text("def same(message):\n    return message\n")
    (tmp_path / "routes.toml").write_text(CONFIGURATION)
    service = make_service(mqsc=MQSC, options=("--config", str(tmp_path / "routes.toml")))
    putter = Putter(service, chance.getrandbits(32))
    putter.start()
    for number in range(LONG_ROUNDS if long_form else ROUNDS):
        before = service.depth("TARGET")
        wait_for("messages that arrive", lambda: service.depth("TARGET") > before)  # noqa: B023, called at once
        threading.Event().wait(chance.random() * LONGEST_PEACE)
        service.restart(kill=True)
        sys.stdout.write(f"round {number + 1}: {service.depth('TARGET')} messages\n")
    wait_for("some units of work", lambda: len(putter.units) > UNITS)
    putter.stop()
    wait_for("the last message", lambda: not any(service.depth(queue) for queue in ("IN", "MIDDLE")), 200)
    carried = lambda: {row["name"]: row["carried"] for row in routes(service.client)["routes"]}  # noqa: E731
    wait_for("the last publication", lambda: carried()["publishing"] <= carried()["subscribing"], 200)
    lines = service.client.read("TARGET", takes=False, limit=999_999, query={"body": "text"})
    arrived = [json.loads(line)["body"]["text"] for line in b"".join(lines).splitlines()]
    assert judge(putter.units, arrived) == []
    assert service.depth("DLQ") == 0
