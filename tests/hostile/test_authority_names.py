"""Names that are like those of somebody who may more (docs/security.md, Users)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.security import User, UserError, Users, hash_password
from mqbridge.bridge.security.users import parse_users
from mqbridge.bridge.security.users_file import UsersFile
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQCA, MQCMD, MQIA, MQRC, ByteOrder
from mqbridge.protocol.structures.pcf import make_pcf, parse_pcf
from support.clients.door import OWN_USERS, Door, may
from support.gateway.session import Session
from support.gateway.stage import Stage, Station
from support.processes.running_service import MakeService
from support.queue_manager.pcf_operator import REPLIES, PcfOperator, parameter
from support.queue_manager.security_records import people

pytestmark = pytest.mark.spec("channels.md 14")

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"
OPERATOR, VIEWER = "ops-platform", "ops-platform-viewer"
DEFINE = make_pcf(
    ByteOrder.LITTLE, int(MQCMD.CREATE_Q), [parameter(MQCA.Q_NAME, "MADE"), parameter(MQIA.Q_TYPE, 1)]
).build()
SHORT = "short"
REQUEST: dict[str, Any] = {"format": "MQADMIN", "msg_type": 1, "reply_to_q": REPLIES, "persistence": 1}


def earth() -> Station:
    """EARTH, where one user may define queues, and others may only ask."""
    station = Stage().station("EARTH")
    station.types(f"SET AUTHREC PROFILE('@class') OBJTYPE(QUEUE) PRINCIPAL('{OPERATOR}') AUTHADD(CRT)")
    for user in (OPERATOR, VIEWER, SHORT):
        station.types(f"SET AUTHREC PROFILE('{COMMANDS}') OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD(PUT)")
        station.types(f"SET AUTHREC PROFILE('{REPLIES}') OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD(PUT)")
    return station


def outcome(station: Station) -> int:
    """The reason in the answer to a command."""
    message: Message = station.got(REPLIES)
    return int(parse_pcf(message.data, 0, message.order).record.reason)


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize(
    ("user", "reason"), [(OPERATOR, 0), (VIEWER, MQRC.NOT_AUTHORIZED), (SHORT, MQRC.NOT_AUTHORIZED)]
)
def test_a_command_has_the_authority_of_its_session(user: str, reason: int, restarts: bool) -> None:
    """Not that of the twelve characters that the descriptor holds of the name; and so after a restart."""
    station = earth()
    operator = PcfOperator(station)
    operator.server.stop(station.clock.now)
    assert Session(station, user).put(COMMANDS, DEFINE, **REQUEST) == 0
    if restarts:
        station.restart()
        operator = PcfOperator(station)
    else:
        station.call(lambda: operator.server.start(station.clock.now))
    station.stage.wait(1)
    assert outcome(station) == reason
    assert (station.manager.queue("MADE") is not None) == (reason == 0)


def test_who_may_set_context_commands_as_itself_all_the_same() -> None:
    from mqbridge.protocol.constants import MQPMO

    station = earth()
    station.types(f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{SHORT}') AUTHADD(SETID)")
    station.types(f"SET AUTHREC PROFILE('{COMMANDS}') OBJTYPE(QUEUE) PRINCIPAL('{SHORT}') AUTHADD(SETID)")
    PcfOperator(station)
    given = {**REQUEST, "user_identifier": "mqm", "options": int(MQPMO.SET_IDENTITY_CONTEXT)}
    assert Session(station, SHORT).put(COMMANDS, DEFINE, **given) == 0
    station.stage.wait(1)
    assert outcome(station) == MQRC.NOT_AUTHORIZED


def test_an_answer_comes_where_the_one_who_asked_may_put() -> None:
    station = earth()
    station.types("DEFINE QLOCAL(DLQ)")
    station.types("ALTER QMGR DEADQ(DLQ)")
    PcfOperator(station)
    given = {**REQUEST, "reply_to_q": "SYSTEM.ADMIN.PERFM.EVENT"}
    assert Session(station, SHORT).put(COMMANDS, DEFINE, **given) == 0
    station.stage.wait(1)
    assert (station.depth("SYSTEM.ADMIN.PERFM.EVENT"), station.depth("DLQ")) == (0, 1)


# Names that the file of users takes


LIKE = [
    ("ops-platform", "ops-platform-viewer"),
    ("ops-platform-viewer", "ops-platform"),
    ("ops-platform-viewer", "ops-platform-admin"),
    ("OPS", "ops"),
    ("Ops-Platform-Viewer", "ops-platform"),
]


@pytest.mark.parametrize(("there", "new"), LIKE)
def test_a_user_is_told_from_others_by_twelve_characters(there: str, new: str) -> None:
    users = people(**{there: "x"})
    with pytest.raises(UserError, match="cannot be told"):
        users.check_new(new, ())
    line = users.text().splitlines()[-1]
    text = f"{line}\n{line.replace(there, new, 1)}\n"
    with pytest.raises(UserError, match="cannot be told"):
        parse_users(text).check()
    with_both = parse_users(text)  # so that one of them can be removed
    with_both.removed(new).check()
    users.check_new("another-name-that-is-long", ())


@pytest.mark.parametrize("group", ["MQM", "Mqm", "CLIENTS", "mqm ", "\uff4dqm", "mqm\0"])
def test_a_group_is_told_from_others(group: str) -> None:
    users = people({"ann": ("clients", "mqm")}, ann="x")
    with pytest.raises(UserError):
        users.check_new("bob", (group,))
    users.check_new("bob", ("clients", "mqm", "others"))


NOT_NAMES = [
    "mqm ",
    " mqm",
    "mqm\0",
    "mqm\0x",
    "\uff4dqm",
    "mqm\u200b",
    "\u043cqm",
    "m\u0301qm",
    "mqm\n",
    "mqm\t",
    "a:b",
    "ann bob",
    "",
]


@pytest.mark.parametrize("name", NOT_NAMES)
def test_what_looks_like_a_name_is_none(name: str) -> None:
    with pytest.raises(UserError):
        Users().added(User(name, hash_password("x", b"s" * 16)))


def test_a_queue_manager_with_users_that_cannot_be_told_from_each_other_does_not_start(
    make_service: MakeService,
) -> None:
    """One of them can be removed; where such a file comes while it runs, it holds nobody."""
    service = make_service(start=False)
    line = people(**{OPERATOR: "x"}).text().splitlines()[-1]
    service.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = service.data / "users"
    file.touch(mode=0o600)
    file.write_text(f"{line}\n{line.replace(OPERATOR, VIEWER, 1)}\n")
    service.launch()
    assert service.wait() == 2
    assert f"{OPERATOR} and {VIEWER} cannot be told from each other" in service.log
    users = UsersFile(file)
    users.change(lambda both: both.removed(VIEWER))
    security = Stage().station("EARTH").manager.security
    security.reload = users.changed
    assert security.refresh_users() == []
    assert len(security.users) == 1
    file.write_text(f"{line}\n{line.replace(OPERATOR, 'mca', 1)}\n")
    ((amq, _),) = security.refresh_users()
    assert (amq, len(security.users)) == ("AMQ5539", 0)


# Who clients say they are


@pytest.mark.parametrize("name", [each for each in NOT_NAMES if each.strip(" \0") != "mqm" and each != ""] + ["mca"])
def test_nobody_comes_in_under_such_a_name(name: str) -> None:
    door = Door(may(name, "", "CONNECT", kind="QMGR") if name == "mca" else OWN_USERS)
    security = door.mars.manager.security
    channel = door.mars.manager.objects.channel("CLIENTS")
    from mqbridge.bridge.security import Caller

    assert channel is not None
    entry = security.connect_client(channel, Caller("CLIENTS", "10.0.0.1", client=True, user=name), None, "x", 0.0)
    assert entry.reason == MQRC.NOT_AUTHORIZED
    if name == "mca":
        assert door.comes(name).connects() == (2, MQRC.NOT_AUTHORIZED)
        assert "mca" in door.logged("AMQ9557")[0]


@pytest.mark.parametrize("name", ["MQM", "mqm\0", "mqm "])
def test_what_is_like_the_administrators_name_is_not_it(name: str) -> None:
    door = Door(may("MQM", "", "CONNECT", kind="QMGR"))
    guest = door.comes(name)
    told = guest.connects()
    if name == "MQM":
        assert told == (0, 0)
        assert not door.mars.manager.security.users.is_privileged(guest.runs_as)
    else:  # blanks and zeros fill the field: it is the name itself, which the supplied record blocks
        assert told == (2, MQRC.NOT_AUTHORIZED)
