"""Ten thousand connections of a second process, or as many as the limit of open files allows, over real sockets."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mqbridge.protocol.constants import SegmentType
from support.channels.playbook import L1, end_of_batch, message
from support.channels.socket_partner import SocketPartner, call
from support.processes.running_service import MakeService, RunningService, wait_for

WANTED = 10_000
SPARE_FILES = 300
"""Open files that a process needs besides."""
SCRIPT = "DEFINE QLOCAL(TARGET)\nDEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR)\nDEFINE CHANNEL(SECOND) CHLTYPE(RCVR)\n"
FLOOD = """
import json, select, socket, sys, time
port, wanted, hosts, allowed = map(int, sys.argv[1:])
connections, refused = [], 0
for number in range(wanted):
    connection = socket.socket()
    connection.bind((f"127.0.{1 + number % hosts}.1", 0))
    connection.settimeout(60)
    if number % 100 == 99:
        time.sleep(0.01)  # so that the queue of the listener does not overflow, which costs seconds
    try:
        connection.connect(("127.0.0.1", port))
        connection.setblocking(False)
        connections.append(connection)
    except OSError:
        connection.close()
        refused += 1
watch = select.poll()
for connection in connections:
    watch.register(connection, select.POLLIN)
ended = set()
while ready := watch.poll(1000 if len(connections) - len(ended) <= allowed else 60000):
    for number, _ in ready:
        watch.unregister(number)
        ended.add(number)
print(json.dumps({"open": len(connections) - len(ended), "ended": len(ended) + refused}), flush=True)
sys.stdin.read()
"""


def connections_possible() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return WANTED if soft == resource.RLIM_INFINITY else max(min(WANTED, soft - SPARE_FILES), 0)


@contextmanager
def flood(port: int, count: int, hosts: int, allowed: int) -> Iterator[dict[str, int]]:
    """So many silent connections from so many addresses while the block runs; how many stay open, how many end.

    The end of those that are not ``allowed`` is waited for, and then a second for more of them.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", FLOOD, str(port), str(count), str(hosts), str(allowed)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(60)


def in_a_batch(mars: RunningService) -> SocketPartner:
    partner = call(mars.port)
    partner.send(message(1, b"before", luwid=L1))
    return partner


def goes_on(mars: RunningService, partner: SocketPartner) -> None:
    """The channel that ran before ends its batch as if nothing were."""
    partner.send(message(2, b"meanwhile", luwid=L1), end_of_batch(L1))
    answer = partner.expect(SegmentType.STATUS_DATA)
    assert (answer.luwid, answer.flags) == (L1, 0)
    assert [bytes.fromhex(found["body"]["hex"]) for found in mars.browse("TARGET")] == [b"before", b"meanwhile"]
    assert mars.attribute("DISPLAY CHSTATUS(VENUS.TO.MARS) STATUS", "STATUS") == "RUNNING"


@pytest.mark.slow
@pytest.mark.spec("channels.md 2")
@pytest.mark.parametrize(
    "hosts",
    [
        pytest.param(1, id="one address"),
        pytest.param(
            20,
            id="twenty addresses",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="only there has a machine so many addresses"),
        ),
    ],
)
def test_ten_thousand_connections_from_a_second_process(make_service: MakeService, tmp_path: Path, hosts: int) -> None:
    count = connections_possible()
    patience = tmp_path / "qm.toml"  # also with those that say nothing
    patience.write_text("[channels]\nhandshake_timeout = 300\n", encoding="utf-8")
    mars = make_service("MARS", mqsc=SCRIPT, options=("--config", str(patience)))
    with in_a_batch(mars) as partner:
        allowed = min(1000 if hosts == 1 else 10_000 - 1, count)
        with flood(mars.port, count, hosts, allowed) as outcome:
            assert outcome == {"open": allowed, "ended": count - allowed}
            assert ("AMQ9513" in mars.log) is (allowed < count)
            goes_on(mars, partner)

        def is_served() -> bool:
            with call(mars.port, start=False) as other:
                try:
                    other.send(b"hello there, mars!" * 2)
                    return other.next() is not None
                except ConnectionError:
                    return False

        wait_for("room again", is_served)
        with call(mars.port, channel="SECOND"):
            assert mars.attribute("DISPLAY CHSTATUS(SECOND) STATUS", "STATUS") == "RUNNING"
    assert mars.stop() == 0, mars.log
