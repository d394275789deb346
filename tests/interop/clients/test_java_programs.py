"""Programs with IBM's client libraries against a queue manager process of ours."""

from __future__ import annotations

from pathlib import Path

import java_programs
import pytest
from running_service import MakeService

GROUPS = java_programs.groups()
RUNS = [
    (group, generation, conversations)
    for group in GROUPS
    for generation in java_programs.GENERATIONS
    for conversations in (0, 1, 10)
    if conversations or not group.startswith("Jms")  # the library has no JMS 2.0 without shared conversations
]
OBJECTS = """\
DEFINE CHANNEL(SHARE.0) CHLTYPE(SVRCONN) SHARECNV(0) MCAUSER('app')
DEFINE CHANNEL(SHARE.1) CHLTYPE(SVRCONN) SHARECNV(1) MCAUSER('app')
DEFINE CHANNEL(SHARE.10) CHLTYPE(SVRCONN) SHARECNV(10) MCAUSER('app')
DEFINE QLOCAL(CHECKS.SHORT) MAXMSGL(1000)
DEFINE QLOCAL(CHECKS.FULL) MAXDEPTH(0)
DEFINE QLOCAL(CHECKS.MANY)
DEFINE QLOCAL(CHECKS.XMITQ) USAGE(XMITQ)
DEFINE QREMOTE(CHECKS.REMOTE) RNAME(ANY) RQMNAME(ELSEWHERE) XMITQ(CHECKS.XMITQ)
"""


@pytest.mark.timeout(400)
@pytest.mark.parametrize(("group", "generation", "conversations"), RUNS)
def test_programs_work(
    make_service: MakeService, tmp_path: Path, group: str, generation: str, conversations: int
) -> None:
    java_programs.build()
    service = make_service(mqsc=OBJECTS)
    outcome = java_programs.run(
        generation,
        group,
        tmp_path / "java",
        port=service.port,
        channel=f"SHARE.{conversations}",
        queue_manager=service.name,
    )
    assert not outcome.failed, "\n".join(f"{name}:\n{trace}" for name, trace in outcome.failed.items())
    assert sorted(outcome.passed) == sorted(GROUPS[group]), outcome.output
    assert not list((tmp_path / "java").glob("FFDC/*")), "the client library reports a fault of its own"
