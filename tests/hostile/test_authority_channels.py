"""A partner queue manager that would like to be more than one who delivers messages (docs/security.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.queue_manager import PutOptions
from mqbridge.bridge.security import Caller, UserError, Users
from mqbridge.mappings.message import Message
from mqbridge.mappings.mq import wrap_head
from mqbridge.protocol.constants import MQCA, MQCMD, MQIA, MQRC, MQRO, ByteOrder, StatusCode
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_1
from mqbridge.protocol.structures.pcf import make_pcf
from support.channels.partner import Partner, calls, calls_as_sender
from support.channels.playbook import L1, L2, end_of_batch, initial_data, message
from support.gateway.session import Session
from support.gateway.stage import Stage, Station, earth_and_saturn
from support.gateway.undeliverable_pair import dead_letter
from support.queue_manager.pcf_operator import PcfOperator, parameter
from support.simulation.network import CALLER

pytestmark = [pytest.mark.spec("channels.md 7.4"), pytest.mark.spec("channels.md 14")]

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"
MARS = """
    DEFINE QLOCAL(TARGET)
    DEFINE QLOCAL(DLQ)
    ALTER QMGR DEADQ(DLQ)
    DEFINE QLOCAL(VENUS) USAGE(XMITQ)
    DEFINE QALIAS(NEWS) TARGTYPE(TOPIC) TARGET(NEWS)
    DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR) {channel}
"""
COD = int(MQRO.COD_WITH_FULL_DATA)


def mars(channel: str = "", *commands: str) -> tuple[Stage, Station]:
    stage = Stage()
    station = stage.station("MARS")
    station.types("DEFINE TOPIC(NEWS) TOPICSTR('news')")
    station.types_all(MARS.format(channel=channel))
    for command in commands:
        station.types(command)
    return stage, station


def to(
    queue: str, data: bytes = b"hello", *, user: str = "mqm", number: int = 1, luwid: bytes = L1, **md: object
) -> bytes:
    """A message that says that an administrator has put it."""
    names = {"xqh_remote_q_name": queue.encode().ljust(48), "xqh_remote_q_mgr_name": b"MARS".ljust(48)}
    fields = {f"md_{key}": value.encode().ljust(48) if isinstance(value, str) else value for key, value in md.items()}
    return message(number, data, luwid=luwid, md_user_identifier=user.encode().ljust(12), **names, **fields)


def command(*given: tuple[int, object], what: int = MQCMD.CREATE_Q) -> bytes:
    return make_pcf(ByteOrder.LITTLE, int(what), [parameter(*each) for each in given]).build()


DEFINE = command((MQCA.Q_NAME, "FORGED"), (MQIA.Q_TYPE, 1))


# The user of channels without MCAUSER


@pytest.mark.parametrize(
    "queue",
    [
        COMMANDS,
        "SYSTEM.DDELAY.LOCAL.QUEUE",
        "SYSTEM.CHANNEL.INITQ",
        "SYSTEM.RETAINED.PUB.QUEUE",
        "SYSTEM.ADMIN.PERFM.EVENT",
        "VENUS",
    ],
)
@pytest.mark.parametrize("channel", ["", "PUTAUT(CTX)"])
def test_a_channel_without_a_user_puts_on_no_queue_of_the_system(queue: str, channel: str) -> None:
    """With PUTAUT(CTX) neither, whoever the messages name; and no ready-made message on a transmission queue."""
    stage, station = mars(channel)
    partner = calls_as_sender(stage)
    partner.says(to(queue), to("TARGET", number=2), end_of_batch(L1))
    assert (station.depth(queue), station.depth("TARGET"), station.depth("DLQ")) == (0, 1, 1)
    assert dead_letter(station.got("DLQ")).reason == MQRC.NOT_AUTHORIZED
    assert station.logged("AMQ5045") == ["VENUS.TO.MARS mca"]
    assert station.row("VENUS.TO.MARS")["MCAUSER"] == "mca"


def test_the_operator_may_change_what_channels_may_put() -> None:
    stage, station = mars()
    partner = calls_as_sender(stage)
    (row,) = station.rows("DISPLAY AUTHREC PRINCIPAL('mca') PROFILE('SYSTEM.**') OBJTYPE(QUEUE)")
    assert row["AUTHLIST"] == "NONE"
    station.types("SET AUTHREC PROFILE('SYSTEM.ADMIN.PERFM.EVENT') OBJTYPE(QUEUE) PRINCIPAL('mca') AUTHADD(PUT,SETALL)")
    station.types("SET AUTHREC PROFILE('TARGET') OBJTYPE(QUEUE) PRINCIPAL('mca') AUTHRMV(ALL)")
    partner.says(to("SYSTEM.ADMIN.PERFM.EVENT"), to("TARGET", number=2), end_of_batch(L1))
    assert (station.depth("SYSTEM.ADMIN.PERFM.EVENT"), station.depth("TARGET"), station.depth("DLQ")) == (1, 0, 1)


def test_an_alias_of_a_topic_asks_for_the_topic_too() -> None:
    stage, station = mars("", "SET AUTHREC PROFILE(NEWS) OBJTYPE(TOPIC) PRINCIPAL('mca') AUTHRMV(ALL)")
    partner = calls_as_sender(stage)
    partner.says(to("NEWS"), end_of_batch(L1))
    assert dead_letter(station.got("DLQ")).reason == MQRC.NOT_AUTHORIZED


def test_a_channel_that_may_not_even_put_dead_letters_ends() -> None:
    stage, station = mars()
    station.types("SET AUTHREC PROFILE(DLQ) OBJTYPE(QUEUE) PRINCIPAL('mca') AUTHRMV(ALL)")
    partner = calls_as_sender(stage)
    partner.says(to("TARGET"), to(COMMANDS, number=2), end_of_batch(L1))
    assert partner.gone
    assert (station.depth("TARGET"), station.depth("DLQ")) == (0, 0)
    assert "mca DLQ QUEUE put" in station.logged("AMQ8077")


@pytest.mark.parametrize("channel", ["SYSTEM.DEF.RECEIVER", "SYSTEM.AUTO.RECEIVER", "SYSTEM.DEF.REQUESTER"])
def test_supplied_channels_take_nobody(channel: str) -> None:
    stage, station = mars()
    calls(stage, "MARS", initial_data(channel_name=channel)).is_refused(StatusCode.SECURITY_FAILURE)
    assert "CHLAUTH(SYSTEM.*)" in station.logged("AMQ9777")[0]


def test_a_requester_is_asked_as_well_as_a_receiver() -> None:
    stage, station = mars()
    station.types("DEFINE CHANNEL(R) CHLTYPE(RQSTR) CONNAME(VENUS)")
    station.types("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('mca') AUTHRMV(CONNECT)")
    station.is_refused("START CHANNEL(R)", "AMQ9557")
    calls(stage, "MARS", initial_data()).is_refused(StatusCode.SECURITY_FAILURE)


@pytest.mark.parametrize("name", ["mca", "MCA", "nobody", "MQM", "Mqm"])
def test_no_user_can_have_a_name_that_means_something(name: str) -> None:
    from support.queue_manager.security_records import people

    with pytest.raises(UserError):
        people(**{name: "password"})
    with pytest.raises(UserError):
        Users().check_new(name, ())


@pytest.mark.parametrize("channel", ["SYSTEM.DEF.SVRCONN", "SYSTEM.AUTO.SVRCONN"])
@pytest.mark.parametrize("user", ["app", "mqm"])
def test_supplied_channels_take_no_client_either(channel: str, user: str) -> None:
    _, station = mars()
    definition = station.manager.objects.channel(channel)
    assert definition is not None
    caller = Caller(channel, "127.0.0.1", client=True, user=user)
    entry = station.manager.security.connect_client(definition, caller, None, "x", 0.0)
    assert entry.reason == MQRC.NOT_AUTHORIZED


# Reports on messages that a channel brought


@pytest.mark.parametrize(
    ("channel", "user", "arrives"),
    [
        ("", "mqm", False),
        ("MCAUSER('fred')", "mqm", False),
        ("PUTAUT(CTX)", "fred", False),
        ("PUTAUT(CTX)", "mqm", True),
        ("MCAUSER('mqm')", "nobody", True),
    ],
)
def test_a_report_has_the_authority_with_which_the_message_was_put(channel: str, user: str, arrives: bool) -> None:
    """Not that of any user that the partner writes into it, unless PUTAUT(CTX) says to believe the partner."""
    stage, station = mars(channel)
    station.types("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('fred') AUTHADD(CONNECT,SETALL)")
    for queue in ("TARGET", "DLQ"):
        station.types(f"SET AUTHREC PROFILE({queue}) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(PUT,SETALL)")
    partner = calls_as_sender(stage)
    event_queue = "SYSTEM.ADMIN.PERFM.EVENT"
    asked = {"report": COD, "reply_to_q": event_queue, "reply_to_q_mgr": "MARS"}
    partner.says(to("TARGET", user=user, **asked), end_of_batch(L1))
    station.restart()
    station.got("TARGET")
    assert (station.depth(event_queue), station.depth("DLQ")) == ((1, 0) if arrives else (0, 1))


@pytest.mark.parametrize(("user", "arrives"), [("app", False), ("mqm", True)])
def test_a_message_that_a_sender_gives_back_comes_where_its_user_may_put(user: str, arrives: bool) -> None:
    """It cannot travel, being too long for the channel, and asks to be returned with all its data."""
    stage, earth, _ = earth_and_saturn("MAXMSGL(2000)")
    earth.types("DEFINE QLOCAL(DLQ)")
    earth.types("ALTER QMGR DEADQ(DLQ)")
    queue, report = "SYSTEM.ADMIN.PERFM.EVENT", int(MQRO.EXCEPTION_WITH_FULL_DATA | MQRO.DISCARD_MSG)
    assert Session(earth, user).put("FAR", b"x" * 3000, report=report, reply_to_q=queue, persistence=1) == 0
    stage.wait(2)
    assert earth.depth("SATURN") == 0
    assert (earth.depth(queue), earth.depth("DLQ")) == ((1, 0) if arrives else (0, 1))


def test_a_message_that_is_returned_comes_where_the_channel_may_put() -> None:
    stage, station = mars()
    partner = calls_as_sender(stage)
    queue, report = "SYSTEM.ADMIN.PERFM.EVENT", int(MQRO.EXCEPTION_WITH_FULL_DATA | MQRO.DISCARD_MSG)
    asked = {"report": report, "reply_to_q": queue, "reply_to_q_mgr": "MARS"}
    partner.says(to("NO.SUCH.QUEUE", **asked), end_of_batch(L1))
    assert (station.depth(queue), station.depth("DLQ")) == (0, 1)


# The whole way: a forged header, the neighbour's commands, the own queue manager


def pair() -> tuple[Stage, Station, Station, PcfOperator, PcfOperator]:
    stage, earth, saturn = earth_and_saturn()
    earth.types_all(
        """
        DEFINE QLOCAL(DLQ)
        ALTER QMGR DEADQ(DLQ)
        DEFINE QLOCAL(OWN)
        DEFINE CHANNEL(SATURN.EARTH) CHLTYPE(RCVR)
        """
    )
    saturn.types_all(
        """
        DEFINE QLOCAL(EARTH) USAGE(XMITQ)
        DEFINE CHANNEL(SATURN.EARTH) CHLTYPE(SDR) XMITQ(EARTH) CONNAME(EARTH)
        START CHANNEL(SATURN.EARTH)
        """
    )
    return stage, earth, saturn, PcfOperator(earth), PcfOperator(saturn)


def with_header(queue: str, manager: str, data: bytes, **md: object) -> bytes:
    """Data behind a forged transmission header, with a descriptor in it that names an administrator."""
    fields = {"msg_type": 1, "format": "MQADMIN", "reply_to_q": "X", "user_identifier": "mqm", "expiry": -1, **md}
    inner = Message.build(data, order=ByteOrder.LITTLE, **fields)
    head = wrap_head(inner.raw_md[:MQMD_LENGTH_1], queue, manager, 1208, msg_id=b"m" * 24, expiry=-1)
    return head[MQMD_LENGTH_1:] + data


def test_a_report_does_not_become_the_neighbours_command() -> None:
    """First stage: the report with the forged header does not come on the transmission queue."""
    stage, earth, saturn, _, _ = pair()
    session = Session(earth)
    forged = with_header(COMMANDS, "SATURN", DEFINE)
    assert session.put("OWN", forged, format="MQXMIT", report=COD, reply_to_q="SATURN") == 0
    assert session.get("OWN") is not None
    stage.wait(2)
    assert dead_letter(earth.got("DLQ")).reason == MQRC.NOT_AUTHORIZED
    assert (saturn.depth("TARGET"), saturn.depth("DLQ")) == (0, 0)
    assert saturn.manager.queue("FORGED") is None


def test_a_forged_message_of_the_neighbour_is_no_command() -> None:
    """Second stage: had it come there, or were the neighbour itself hostile, it would be a dead letter."""
    stage, earth, saturn, _, _ = pair()
    ready = Message.build(with_header(COMMANDS, "SATURN", DEFINE), format="MQXMIT", expiry=-1, persistence=1)
    earth.call(lambda: earth.manager.put(earth.manager.resolve("SATURN"), ready, PutOptions(), None, stage.clock.now))
    stage.wait_until(lambda: saturn.contents("DLQ"))
    assert dead_letter(saturn.got("DLQ")).reason == MQRC.NOT_AUTHORIZED
    assert saturn.manager.queue("FORGED") is None


@pytest.mark.parametrize("operator", ["mca", "neighbour"])
def test_whoever_may_send_commands_may_not_command_everything(operator: str) -> None:
    """Third stage: where the channel may put commands they have its authority, whatever user is in them."""
    stage, earth, saturn, _, _ = pair()
    if operator != "mca":
        saturn.types(f"SET CHLAUTH('EARTH.SATURN') TYPE(QMGRMAP) QMNAME('EARTH') MCAUSER('{operator}')")
        saturn.types(f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{operator}') AUTHADD(CONNECT,SETALL)")
        saturn.types(f"SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('{operator}') AUTHADD(PUT)")
        earth.types("STOP CHANNEL(EARTH.SATURN) MODE(FORCE)")
        earth.types("START CHANNEL(EARTH.SATURN)")
        stage.wait_until(lambda: earth.status("EARTH.SATURN") == "RUNNING")
    saturn.types(f"SET AUTHREC PROFILE('{COMMANDS}') OBJTYPE(QUEUE) PRINCIPAL('{operator}') AUTHADD(PUT,SETALL)")
    escalation = command((MQCA.Q_NAME, "FORGED"), (MQIA.Q_TYPE, 1))
    earth.put(COMMANDS, escalation, "SATURN", format="MQADMIN", msg_type=1, reply_to_q="REPLIES", user_identifier="mqm")
    stage.wait_until(lambda: earth.depth("REPLIES") or earth.depth("DLQ"))
    assert f"{operator} @class QUEUE crt" in saturn.logged("AMQ8077")
    assert saturn.manager.queue("FORGED") is None
    saturn.types(f"SET AUTHREC PROFILE('@class') OBJTYPE(QUEUE) PRINCIPAL('{operator}') AUTHADD(CRT)")
    earth.put(COMMANDS, escalation, "SATURN", format="MQADMIN", msg_type=1, reply_to_q="REPLIES")
    stage.wait_until(lambda: saturn.manager.queue("FORGED") is not None)


def test_a_neighbour_gives_nobody_authority_at_home() -> None:
    """Last stage: SET AUTHREC by way of the neighbour and back, from a neighbour that does all that it is told."""
    stage, earth, saturn, _, _ = pair()
    words = {"msg_type": 1, "format": "MQADMIN", "reply_to_q": "X", "user_identifier": "mqm"}
    text = b"SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALL)"
    escape = command((3014, text.decode()), (1017, 1), what=MQCMD.ESCAPE)
    saturn.put(COMMANDS, escape, "EARTH", **words)
    stage.wait_until(lambda: earth.contents("DLQ"))
    assert dead_letter(earth.got("DLQ")).reason == MQRC.NOT_AUTHORIZED
    assert Session(earth).put("SYSTEM.CHANNEL.INITQ") == MQRC.NOT_AUTHORIZED


def test_partners_may_still_answer() -> None:
    """What is for everybody is still there: queues, answers to temporary queues, publications, further hops."""
    stage, station = mars()
    partner: Partner = calls_as_sender(stage)
    hop = to("FAR", number=2).replace(b"MARS" + b" " * 44, b"VENUS" + b" " * 43)
    partner.says(to("TARGET"), hop, to("NEWS", number=3), end_of_batch(L1))
    assert (station.depth("TARGET"), station.depth("VENUS"), station.depth("DLQ")) == (1, 1, 0)
    partner.says(to("SYSTEM.DEAD.LETTER.QUEUE", number=4, luwid=L2), end_of_batch(L2))
    assert station.depth("SYSTEM.DEAD.LETTER.QUEUE") == 1


def test_the_sample_lets_a_neighbour_administer_what_it_says() -> None:
    stage, saturn = Stage(), None
    earth = stage.station("EARTH")
    saturn = stage.station("SATURN", "DEFINE QLOCAL(EARTH) USAGE(XMITQ)")
    earth.types_all("DEFINE QLOCAL(SATURN) USAGE(XMITQ)\nDEFINE QLOCAL(ORDERS.NEW)\nDEFINE QLOCAL(OTHER)")
    earth.types("DEFINE CHANNEL(SATURN.TO.EARTH) CHLTYPE(RCVR)")
    saturn.types("DEFINE CHANNEL(SATURN.TO.EARTH) CHLTYPE(SDR) XMITQ(EARTH) CONNAME(EARTH)")
    script = (Path(__file__).parents[2] / "examples" / "neighbour.mqsc").read_text(encoding="utf-8")
    lines = [line for line in script.splitlines() if not line.startswith("*")]
    caller = {"127.0.0.1": CALLER}
    for command_text in "\n".join(lines).replace("+\n", "").replace(*caller.popitem()).split("\n") * 2:
        if command_text.strip():
            earth.types(command_text)
    PcfOperator(earth)
    saturn.types("START CHANNEL(SATURN.TO.EARTH)")
    stage.wait_until(lambda: earth.status("SATURN.TO.EARTH") == "RUNNING")
    assert earth.row("SATURN.TO.EARTH")["MCAUSER"] == "saturn"
    words = {"format": "MQADMIN", "msg_type": 1, "user_identifier": "mqm", "reply_to_q": "REPLIES"}
    for queue in ("ORDERS.NEW", "OTHER"):
        earth.put(queue)
        saturn.put(COMMANDS, command((MQCA.Q_NAME, queue), what=MQCMD.CLEAR_Q), "EARTH", **words)
    stage.wait_until(lambda: earth.depth("SATURN") == 2)
    assert (earth.depth("ORDERS.NEW"), earth.depth("OTHER")) == (0, 1)
    assert earth.logged("AMQ8077") == ["saturn OTHER QUEUE clr"]
    guest = Caller("OPEN", "127.0.0.1", client=True, user="saturn")
    earth.types("DEFINE CHANNEL(OPEN) CHLTYPE(SVRCONN)")
    channel = earth.manager.objects.channel("OPEN")
    assert channel is not None
    assert earth.manager.security.connect_client(channel, guest, None, "x", 0.0).reason == MQRC.NOT_AUTHORIZED
