"""Programs with IBM's client libraries against a queue manager process of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.security import Cost, User, hash_password
from mqbridge.bridge.security.users_file import UsersFile
from support.processes import java_programs
from support.processes.ports import free_port
from support.processes.running_service import MakeService, RunningService, wait_for

GROUPS = java_programs.groups()
FEWEST_CHECKS = 300
# The classes for JMS want shared conversations; to the classes for Java they are another way of getting. Each group is
# run with both generations of the libraries; what a queue manager that is killed and started takes long for, with one.
WAYS = {"Java": [("javax", 0), ("jakarta", 10)], "Jms": [("javax", 10), ("jakarta", 1)]}
OTHER_WAYS = {"JavaPutGet": [("javax", 0), ("javax", 1), ("javax", 10), ("jakarta", 0)], "JmsOutages": [("javax", 10)]}
# They put messages with descriptors that mean nothing, to be refused.
FAULTY = {"JavaPuts"}
RUNS = [
    pytest.param(group, generation, conversations, marks=[pytest.mark.faulty_traffic] if group in FAULTY else [])
    for group in GROUPS
    for generation, conversations in OTHER_WAYS.get(group, WAYS["Java" if group.startswith("Java") else "Jms"])
]
# What a user may is another test's subject: the user of these programs may everything.
OBJECTS = """\
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('checks') AUTHADD(ALL)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('checks') AUTHADD(ALL)
SET AUTHREC PROFILE('@class') OBJTYPE(QUEUE) PRINCIPAL('checks') AUTHADD(CRT)
SET AUTHREC PROFILE('**') OBJTYPE(CHANNEL) PRINCIPAL('checks') AUTHADD(ALL)
SET AUTHREC PROFILE('**') OBJTYPE(TOPIC) PRINCIPAL('checks') AUTHADD(ALL)
DEFINE CHANNEL(SHARE.0) CHLTYPE(SVRCONN) SHARECNV(0) MCAUSER('checks')
DEFINE CHANNEL(SHARE.1) CHLTYPE(SVRCONN) SHARECNV(1) MCAUSER('checks')
DEFINE CHANNEL(SHARE.10) CHLTYPE(SVRCONN) SHARECNV(10) MCAUSER('checks')
DEFINE QLOCAL(CHECKS.SHORT) MAXMSGL(1000)
DEFINE QLOCAL(CHECKS.FULL) MAXDEPTH(0)
DEFINE QLOCAL(CHECKS.MANY)
DEFINE QLOCAL(CHECKS.XMITQ) USAGE(XMITQ)
DEFINE QMODEL(CHECKS.TEMPORARY) DEFTYPE(TEMPDYN) SHARE DEFSOPT(SHARED)
DEFINE QMODEL(CHECKS.PERMANENT) DEFTYPE(PERMDYN) SHARE DEFSOPT(SHARED)
DEFINE QREMOTE(CHECKS.REMOTE) RNAME(ANY) RQMNAME(ELSEWHERE) XMITQ(CHECKS.XMITQ)
"""


def carry_out(service: RunningService, wish: str) -> None:
    """What checks ask of whoever runs the queue manager."""
    word, _, rest = wish.partition(" ")
    if word == "mqsc":
        service.mqsc(rest)
    elif word in ("restart", "kill"):
        service.restart(kill=word == "kill")
    elif word == "end":
        service.signal()
        wait_for("the end", lambda: "AMQ8146" in service.log)
        service.signal()  # and do not wait for the clients
        service.wait()
        service.start()
    elif word == "user":
        name, password = rest.split()
        add_user(service, name, bytes.fromhex(password).decode())
    else:
        raise ValueError(wish)


def add_user(service: RunningService, name: str, password: str) -> None:
    """As ``mqbridge user add``, with a hash that costs less."""
    user = User(name, hash_password(password, name.encode().ljust(16, b"."), Cost(10, 8, 1)))
    UsersFile(service.data / "users").change(lambda users: users.added(user))


def test_there_are_enough_checks() -> None:
    count = sum(len(checks) for checks in GROUPS.values())
    assert count >= FEWEST_CHECKS, f"{count} checks in {len(GROUPS)} groups"
    assert len({check for checks in GROUPS.values() for check in checks}) == count, "two checks have the same name"


@pytest.mark.timeout(1500)
@pytest.mark.parametrize(("group", "generation", "conversations"), RUNS)
def test_programs_work(
    make_service: MakeService, tmp_path: Path, group: str, generation: str, conversations: int
) -> None:
    java_programs.build()
    # Where the queue manager is back within a few milliseconds while a listener is at work, IBM's client connects again
    # and then closes the listener's queue: outages last as long as they do for users.
    fresh = group == "JmsOutages"
    service = make_service(mqsc=OBJECTS, listen=f"tcp:{free_port()}:interface=127.0.0.1", fresh=fresh)
    outcome = java_programs.run(
        generation,
        group,
        tmp_path / "java",
        port=service.port,
        channel=f"SHARE.{conversations}",
        queue_manager=service.name,
        helper=lambda wish: carry_out(service, wish),
    )
    assert not outcome.failed, "\n".join(f"{name}:\n{trace}" for name, trace in outcome.failed.items())
    assert sorted(outcome.passed) == sorted(GROUPS[group]), outcome.output
    assert not list((tmp_path / "java").glob("FFDC/*")), "the client library reports a fault of its own"
