"""PCF commands about definitions: the same rules as MQSC, and the numbers of PCF."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.command_server.identifiers import IDENTIFIERS, numbers_of
from mqbridge.bridge.agents.command_server.requests import REQUESTS
from mqbridge.bridge.queue_manager.objects import KINDS, Kind
from mqbridge.bridge.queue_manager.objects.values import Word, WordList
from mqbridge.protocol.constants import (
    MQBACF,
    MQCA,
    MQCACF,
    MQCACH,
    MQCFOP,
    MQCMD,
    MQIA,
    MQIACF,
    MQIACH,
    MQQT,
    MQRC,
    MQRCCF,
)
from support.queue_manager.pcf_operator import PcfOperator, integer_filter, operator, string_filter

pytestmark = [pytest.mark.spec("mq-wire.md 5.16"), pytest.mark.spec("channels.md 17.2")]

WITHOUT_NUMBER = {
    "CAPEXPRY", "STREAMQ", "STRMQOS", "SPLPROT", "TMPMODEL", "TMPQPRFX", "GROUPSUB", "SHARED", "INITKEY", "KEYRPWD",
}  # fmt: skip
"""Attributes for which no public list gives a number."""


@pytest.fixture
def pcf() -> PcfOperator:
    return operator()


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.COMMINFO])
def test_every_attribute_and_every_word_has_a_number(kind: Kind) -> None:
    numbers = IDENTIFIERS[kind.value]
    assert len(set(map(int, numbers.values()))) == len(numbers)
    for table in KINDS[kind].tables.values():
        assert set(table) - set(numbers) <= WITHOUT_NUMBER
        for name, attribute in table.items():
            if name in numbers and isinstance(attribute.type, Word | WordList):
                words = numbers_of(kind.value, name)
                assert set(attribute.type.words) <= set(words), name
                assert len({words[word] for word in attribute.type.words}) == len(attribute.type.words), name


def test_a_queue_is_made_changed_copied_cleared_and_deleted(pcf: PcfOperator) -> None:
    queue = (MQCA.Q_NAME, "A.B"), (MQIA.Q_TYPE, MQQT.LOCAL)
    attributes = (MQCA.Q_DESC, "it's mine"), (MQIA.MAX_Q_DEPTH, 77), (MQIA.SHAREABILITY, 0), (MQIA.USAGE, 1)
    assert pcf.good(MQCMD.CREATE_Q, *queue, *attributes) == [{}]
    (shown,) = pcf.good(MQCMD.INQUIRE_Q, queue[0])
    assert {number: shown[number] for number, _ in attributes} == {int(number): value for number, value in attributes}
    assert (shown[MQCA.Q_NAME], shown[MQIA.Q_TYPE], shown[MQIA.CURRENT_Q_DEPTH]) == ("A.B", 1, 0)
    pcf.good(MQCMD.CHANGE_Q, *queue, (MQIA.INHIBIT_PUT, 1), (MQIA.Q_DEPTH_HIGH_LIMIT, 50))
    pcf.good(MQCMD.CHANGE_Q, *queue, (MQIA.INHIBIT_PUT, 0))
    copy = (MQCACF.FROM_Q_NAME, "A.B"), (MQCACF.TO_Q_NAME, "A.C"), queue[1], (MQIA.MAX_Q_DEPTH, 5)
    pcf.good(MQCMD.COPY_Q, *copy)
    (copied,) = pcf.station.rows("DISPLAY QLOCAL(A.C) DESCR QDEPTHHI MAXDEPTH USAGE")
    assert [copied[word] for word in ("DESCR", "QDEPTHHI", "MAXDEPTH", "USAGE")] == ["it's mine", "50", "5", "XMITQ"]
    assert pcf.bad(MQCMD.COPY_Q, *copy)[0] == MQRCCF.OBJECT_ALREADY_EXISTS
    pcf.good(MQCMD.COPY_Q, *copy, (MQIACF.REPLACE, 1))
    pcf.station.types("ALTER QLOCAL(A.B) USAGE(NORMAL)")
    pcf.station.put("A.B")
    assert pcf.bad(MQCMD.DELETE_Q, queue[0])[0] == MQRC.Q_NOT_EMPTY
    pcf.good(MQCMD.CLEAR_Q, queue[0])
    pcf.station.put("A.B")
    pcf.good(MQCMD.DELETE_Q, *queue, (MQIACF.PURGE, 1))
    assert pcf.bad(MQCMD.INQUIRE_Q, queue[0])[0] == MQRC.UNKNOWN_OBJECT_NAME


def test_each_type_of_queue_is_made_and_found(pcf: PcfOperator) -> None:
    made = {
        MQQT.ALIAS: (MQCA.BASE_OBJECT_NAME, "DEV.QUEUE.1"),
        MQQT.REMOTE: (MQCA.REMOTE_Q_NAME, "THERE"),
        MQQT.MODEL: (MQIA.DEFINITION_TYPE, 2),
    }
    for kind, attribute in made.items():
        pcf.good(MQCMD.CREATE_Q, (MQCA.Q_NAME, f"X.{int(kind)}"), (MQIA.Q_TYPE, kind), attribute)
        (shown,) = pcf.good(MQCMD.INQUIRE_Q, (MQCA.Q_NAME, "X.*"), (MQIA.Q_TYPE, kind))
        assert (shown[MQIA.Q_TYPE], shown[attribute[0]]) == (kind, attribute[1])
    assert len(pcf.good(MQCMD.INQUIRE_Q, (MQCA.Q_NAME, "X.*"), (MQIA.Q_TYPE, MQQT.ALL))) == 3
    (names,) = pcf.good(MQCMD.INQUIRE_Q_NAMES, (MQCA.Q_NAME, "X.*"))
    assert dict(zip(names[MQCACF.Q_NAMES], names[MQIACF.Q_TYPES], strict=True)) == {"X.2": 2, "X.3": 3, "X.6": 6}
    assert pcf.good(MQCMD.INQUIRE_Q_NAMES, (MQCA.Q_NAME, "NONE.*")) == [{MQCACF.Q_NAMES: [], MQIACF.Q_TYPES: []}]
    pcf.good(MQCMD.DELETE_Q, (MQCA.Q_NAME, "X.3"))


def test_what_is_asked_for_is_shown(pcf: PcfOperator) -> None:
    name = (MQCA.Q_NAME, "DEV.QUEUE.1")
    (shown,) = pcf.good(MQCMD.INQUIRE_Q, name, (MQIACF.Q_ATTRS, [MQIA.MAX_Q_DEPTH, MQCA.STORAGE_CLASS]))
    assert shown == {MQCA.Q_NAME: "DEV.QUEUE.1", MQIA.Q_TYPE: 1, MQIA.MAX_Q_DEPTH: 5000}
    (everything,) = pcf.good(MQCMD.INQUIRE_Q, name, (MQIACF.Q_ATTRS, [MQIACF.ALL]))
    assert len(everything) > 40
    assert pcf.bad(MQCMD.INQUIRE_Q, name, (MQIACF.Q_ATTRS, [699])) == (
        MQRCCF.CFIL_PARM_ID_ERROR,
        {MQIACF.PARAMETER_ID: MQIACF.Q_ATTRS},
    )
    (manager,) = pcf.good(MQCMD.INQUIRE_Q_MGR, (MQIACF.Q_MGR_ATTRS, [32, 2015, 31]))
    assert manager == {MQCA.Q_MGR_NAME: "EARTH", MQIA.PLATFORM: 3, MQIA.COMMAND_LEVEL: 920}


def test_filters_choose_by_number_word_and_text(pcf: PcfOperator) -> None:
    pcf.station.types_all("DEFINE QLOCAL(D.1) MAXDEPTH(1)\nDEFINE QLOCAL(D.2) MAXDEPTH(2) USAGE(XMITQ) DESCR('two')")
    name, only = (MQCA.Q_NAME, "D.*"), (MQIACF.Q_ATTRS, [MQCA.Q_NAME])

    def found(condition: object) -> list[str]:
        return [each[MQCA.Q_NAME] for each in pcf.good(MQCMD.INQUIRE_Q, name, only, condition)]  # type: ignore[arg-type]

    assert found(integer_filter(MQIA.MAX_Q_DEPTH, MQCFOP.LESS, 2)) == ["D.1"]
    assert found(integer_filter(MQIA.MAX_Q_DEPTH, MQCFOP.NOT_LESS, 1)) == ["D.1", "D.2"]
    assert found(integer_filter(MQIA.USAGE, MQCFOP.EQUAL, 1)) == ["D.2"]
    assert found(integer_filter(MQIA.SHAREABILITY, MQCFOP.EQUAL, 1)) == ["D.1", "D.2"]
    assert found(string_filter(MQCA.Q_DESC, MQCFOP.LIKE, "tw*")) == ["D.2"]
    one = integer_filter(MQIA.MAX_Q_DEPTH, MQCFOP.EQUAL, 1)
    assert pcf.bad(MQCMD.INQUIRE_Q, name, one, one)[0] == MQRCCF.TOO_MANY_FILTERS
    assert pcf.bad(MQCMD.INQUIRE_Q, name, integer_filter(MQIA.USAGE, 99, 1))[0] == MQRCCF.CFIF_OPERATOR_ERROR
    assert pcf.bad(MQCMD.INQUIRE_Q, name, integer_filter(MQIACH.PORT, MQCFOP.EQUAL, 1))[0] == MQRCCF.CFIF_PARM_ID_ERROR
    assert pcf.bad(MQCMD.CLEAR_Q, name, one)[0] == MQRCCF.CFIF_PARM_ID_ERROR


def test_a_channel_is_made_changed_and_deleted(pcf: PcfOperator) -> None:
    name, sender = (MQCACH.CHANNEL_NAME, "TO.MARS"), (MQIACH.CHANNEL_TYPE, 1)
    pcf.good(
        MQCMD.CREATE_CHANNEL,
        name,
        sender,
        (MQIACH.XMIT_PROTOCOL_TYPE, 2),
        (MQCACH.CONNECTION_NAME, "mars(1414)"),
        (MQCACH.XMIT_Q_NAME, "MARS"),
        (MQIACH.NPM_SPEED, 1),
        (MQIACH.MSG_COMPRESSION, [4, 1]),
        (MQCACH.SEND_EXIT_NAME, "exit(one)"),
    )
    pcf.good(MQCMD.CHANGE_CHANNEL, name, sender, (MQIACH.BATCH_SIZE, 7))
    (shown,) = pcf.good(MQCMD.INQUIRE_CHANNEL, (MQCACH.CHANNEL_NAME, "TO.*"), (MQIACH.CHANNEL_TYPE, 5))
    wanted = {
        MQIACH.CHANNEL_TYPE: 1,
        MQIACH.BATCH_SIZE: 7,
        MQIACH.NPM_SPEED: 1,
        MQIACH.MSG_COMPRESSION: [4, 1],
        MQIACH.HDR_COMPRESSION: [0],
        MQCACH.SEND_EXIT_NAME: "exit(one)",
        MQCACH.CONNECTION_NAME: "mars(1414)",
        MQIACH.KEEP_ALIVE_INTERVAL: -1,
    }
    assert {number: shown[number] for number in wanted} == wanted
    (names,) = pcf.good(MQCMD.INQUIRE_CHANNEL_NAMES, (MQCACH.CHANNEL_NAME, "*"), (MQIACH.CHANNEL_TYPE, 1))
    assert names == {MQCACH.CHANNEL_NAMES: ["SYSTEM.DEF.SENDER", "TO.MARS"], MQIACH.CHANNEL_TYPES: [1, 1]}
    assert pcf.bad(MQCMD.CHANGE_CHANNEL, name, (MQIACH.MR_COUNT, 5)) == (
        MQRCCF.CFIN_PARM_ID_ERROR,
        {MQIACF.PARAMETER_ID: MQIACH.MR_COUNT},
    )
    pcf.good(MQCMD.COPY_CHANNEL, (MQCACF.FROM_CHANNEL_NAME, "TO.MARS"), (MQCACF.TO_CHANNEL_NAME, "TO.M"), sender)
    pcf.good(MQCMD.DELETE_CHANNEL, (MQCACH.CHANNEL_NAME, "TO.M"))
    pcf.good(MQCMD.DELETE_CHANNEL, name)
    assert pcf.bad(MQCMD.DELETE_CHANNEL, name)[0] == MQRCCF.CHANNEL_NOT_FOUND


LIVES: dict[str, tuple[tuple[MQCMD, MQCMD, MQCMD, MQCMD], int, tuple[object, ...], tuple[int, object]]] = {
    "process": (
        (MQCMD.CREATE_PROCESS, MQCMD.CHANGE_PROCESS, MQCMD.INQUIRE_PROCESS, MQCMD.DELETE_PROCESS),
        MQCA.PROCESS_NAME,
        ((MQIA.APPL_TYPE, 6), (MQCA.APPL_ID, "run me")),
        (MQCA.USER_DATA, "data"),
    ),
    "namelist": (
        (MQCMD.CREATE_NAMELIST, MQCMD.CHANGE_NAMELIST, MQCMD.INQUIRE_NAMELIST, MQCMD.DELETE_NAMELIST),
        MQCA.NAMELIST_NAME,
        ((MQCA.NAMELIST_DESC, "names"),),
        (MQCA.NAMES, ["A", "LONGER"]),
    ),
    "listener": (
        (MQCMD.CREATE_LISTENER, MQCMD.CHANGE_LISTENER, MQCMD.INQUIRE_LISTENER, MQCMD.DELETE_LISTENER),
        MQCACH.LISTENER_NAME,
        ((MQIACH.XMIT_PROTOCOL_TYPE, 2), (MQIACH.LISTENER_CONTROL, 0)),
        (MQIACH.PORT, 1515),
    ),
    "service": (
        (MQCMD.CREATE_SERVICE, MQCMD.CHANGE_SERVICE, MQCMD.INQUIRE_SERVICE, MQCMD.DELETE_SERVICE),
        MQCA.SERVICE_NAME,
        ((MQIA.SERVICE_TYPE, 1),),
        (MQCA.SERVICE_START_COMMAND, "/bin/true"),
    ),
    "authinfo": (
        (MQCMD.CREATE_AUTH_INFO, MQCMD.CHANGE_AUTH_INFO, MQCMD.INQUIRE_AUTH_INFO, MQCMD.DELETE_AUTH_INFO),
        MQCA.AUTH_INFO_NAME,
        ((MQIA.AUTH_INFO_TYPE, 3), (MQIA.CHECK_CLIENT_BINDING, 3)),
        (MQIA.AUTHENTICATION_FAIL_DELAY, 9),
    ),
    "topic": (
        (MQCMD.CREATE_TOPIC, MQCMD.CHANGE_TOPIC, MQCMD.INQUIRE_TOPIC, MQCMD.DELETE_TOPIC),
        MQCA.TOPIC_NAME,
        ((MQCA.TOPIC_STRING, "Prices/Fruit"), (MQIA.DEF_PRIORITY, -2), (MQIA.INHIBIT_PUB, 1)),
        (MQIA.DURABLE_SUB, 2),
    ),
    "subscription": (
        (MQCMD.CREATE_SUBSCRIPTION, MQCMD.CHANGE_SUBSCRIPTION, MQCMD.INQUIRE_SUBSCRIPTION, MQCMD.DELETE_SUBSCRIPTION),
        MQCACF.SUB_NAME,
        ((MQCA.TOPIC_STRING, "Prices/#"), (MQCACF.DESTINATION, "DEV.QUEUE.1"), (MQIACF.PUB_PRIORITY, -3)),
        (MQCACF.SUB_USER_DATA, "for me"),
    ),
}


@pytest.mark.parametrize("kind", sorted(LIVES))
def test_the_life_of_other_objects(pcf: PcfOperator, kind: str) -> None:
    (create, change, inquire, delete), name_number, made, changed = LIVES[kind]
    name = (name_number, "SOME.NAME")
    pcf.good(create, name, *made)  # type: ignore[arg-type]
    assert pcf.bad(create, name, *made)[0] in (  # type: ignore[arg-type]
        MQRCCF.OBJECT_ALREADY_EXISTS,
        MQRCCF.SUB_ALREADY_EXISTS,
        MQRCCF.TOPICSTR_ALREADY_EXISTS,
    )
    pcf.good(change, name, changed)  # type: ignore[arg-type]
    (shown,) = pcf.good(inquire, name)
    wanted = {number: value for number, value in (name, *made, changed)}  # type: ignore[misc]  # noqa: C416
    assert {number: shown[number] for number in wanted} == wanted
    pcf.good(delete, name)
    gone = MQRC.NO_SUBSCRIPTION if inquire == MQCMD.INQUIRE_SUBSCRIPTION else MQRC.UNKNOWN_OBJECT_NAME
    assert pcf.bad(inquire, name)[0] == gone


def test_a_subscription_is_found_by_its_id(pcf: PcfOperator) -> None:
    pcf.station.types("DEFINE SUB(S) TOPICSTR('a/b') DEST(DEV.QUEUE.1)")
    (shown,) = pcf.good(MQCMD.INQUIRE_SUBSCRIPTION, (MQCACF.SUB_NAME, "S"))
    identifier = (MQBACF.SUB_ID, shown[MQBACF.SUB_ID])
    assert len(identifier[1]) == 24
    assert pcf.good(MQCMD.INQUIRE_SUBSCRIPTION, identifier)[0][MQCACF.SUB_NAME] == "S"
    pcf.good(MQCMD.DELETE_SUBSCRIPTION, identifier)
    assert pcf.bad(MQCMD.DELETE_SUBSCRIPTION, (MQCACF.SUB_NAME, "S"))[0] == MQRC.NO_SUBSCRIPTION


def test_the_queue_manager_is_changed(pcf: PcfOperator) -> None:
    pcf.good(MQCMD.CHANGE_Q_MGR, (MQCA.DEAD_LETTER_Q_NAME, "DEV.DEAD.LETTER.QUEUE"), (MQIA.AUTHORITY_EVENT, 1))
    (row,) = pcf.station.rows("DISPLAY QMGR DEADQ AUTHOREV")
    assert (row["DEADQ"], row["AUTHOREV"]) == ("DEV.DEAD.LETTER.QUEUE", "ENABLED")
    assert pcf.bad(MQCMD.CHANGE_Q_MGR, (MQIA.PLATFORM, 3)) == (
        MQRCCF.CFIN_PARM_ID_ERROR,
        {MQIACF.PARAMETER_ID: MQIA.PLATFORM},
    )


def test_records_of_security(pcf: PcfOperator) -> None:
    profile, kind = (MQCACH.CHANNEL_NAME, "APP.*"), (MQIACF.CHLAUTH_TYPE, 5)
    user = (MQCACH.CLIENT_USER_ID, "joe")
    pcf.good(MQCMD.SET_CHLAUTH_REC, profile, kind, user, (MQIACH.USER_SOURCE, 0), (MQCACH.MCA_USER_ID, "app"))
    (shown,) = pcf.good(MQCMD.INQUIRE_CHLAUTH_RECS, profile, (MQIACH.MATCH, 2))
    assert (shown[MQIACF.CHLAUTH_TYPE], shown[MQCACH.CLIENT_USER_ID], shown[MQCACH.MCA_USER_ID]) == (5, "joe", "app")
    pcf.good(MQCMD.SET_CHLAUTH_REC, profile, kind, user, (MQIACF.ACTION, 7))
    pcf.bad(MQCMD.INQUIRE_CHLAUTH_RECS, profile, (MQIACH.MATCH, 2))
    queue, principal = (MQCACF.AUTH_PROFILE_NAME, "Q.**"), (MQCACF.PRINCIPAL_ENTITY_NAMES, ["ann"])
    pcf.good(MQCMD.SET_AUTH_REC, queue, (MQIACF.OBJECT_TYPE, 1), principal, (MQIACF.AUTH_ADD_AUTHS, [9, 11]))
    asked = (MQCACF.AUTH_PROFILE_NAME, "Q.**"), (MQIACF.OBJECT_TYPE, 1), (MQCACF.ENTITY_NAME, "ann")
    (record,) = pcf.good(MQCMD.INQUIRE_AUTH_RECS, *asked, (MQIACF.ENTITY_TYPE, 1), (MQIACF.AUTH_OPTIONS, 0x11))
    assert sorted(record[MQIACF.AUTHORIZATION_LIST]) == [9, 11]
    pcf.good(MQCMD.DELETE_AUTH_REC, queue, (MQIACF.OBJECT_TYPE, 1), principal)


@pytest.mark.parametrize("command", sorted(number for number in REQUESTS if REQUESTS[number].shows), ids=str)
def test_every_inquiry_shows_everything_or_says_that_there_is_nothing(pcf: PcfOperator, command: int) -> None:
    request = REQUESTS[command]
    wild = "#" if command == MQCMD.INQUIRE_TOPIC_STATUS else "*"
    given = [(request.name[0], wild)] if request.name else []
    if command == MQCMD.INQUIRE_CONNECTION:
        given = [(MQBACF.GENERIC_CONNECTION_ID, b"")]  # type: ignore[list-item]
    answers = pcf.ask(command, *given)
    codes = {(int(each.record.comp_code), int(each.record.reason)) for each in answers}
    assert codes <= {(0, 0)} or (len(answers) == 1 and answers[0].record.comp_code == 2)
    assert answers[-1].record.control == 1
