"""PCF commands about programs, what somebody may do, communication information, and what is not here."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import Application, PutOptions
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import (
    MQBACF,
    MQCA,
    MQCACF,
    MQCACH,
    MQCMD,
    MQCNO,
    MQIA,
    MQIACF,
    MQIACH,
    MQOO,
    MQPMO,
    MQRC,
    MQRCCF,
)
from support.queue_manager.mq_calls import MqCalls
from support.queue_manager.pcf_operator import PcfOperator, Value, operator

pytestmark = [pytest.mark.spec("mq-wire.md 5.16"), pytest.mark.spec("channels.md 17.2")]

PRINCIPAL, GROUP = 1, 2
QUEUE, QMGR = 1, 5
GET, INQ, PUT, BROWSE, CONNECT = 9, 10, 11, 2, 5


@pytest.fixture
def pcf() -> PcfOperator:
    return operator()


def joins(pcf: PcfOperator, name: str, options: int = 0, tag: bytes = b"", channel: str = "APP") -> MqCalls:
    application = Application(user="joe", appl_name=name, channel=channel)
    made = MqCalls(pcf.station.manager, ConnectOptions(options=options, application=application), pcf.station.clock.now)
    made.connection.tag = tag
    return made


# Programs


def test_applications_are_counted_by_instance(pcf: PcfOperator) -> None:
    joins(pcf, "orders", int(MQCNO.RECONNECT), b"T1")
    joins(pcf, "orders", int(MQCNO.RECONNECT), b"T1")
    joins(pcf, "orders", tag=b"T2")
    joins(pcf, "stock", channel="")
    everything = (MQCACF.APPL_NAME, "*")
    assert pcf.good(MQCMD.INQUIRE_APPL_STATUS, everything) == [
        {
            MQCACF.APPL_NAME: name,
            MQIACF.APPL_INFO_TYPE: MQIACF.APPL_INFO_APPL,
            MQCA.CLUSTER_NAME: "",
            MQIACF.APPL_COUNT: count,
            MQIACF.MOVABLE_APPL_COUNT: movable,
            MQIACF.BALANCED: 2,
        }
        for name, count, movable in (("orders", 2, 1), ("stock", 1, 0))
    ]
    (manager,) = pcf.good(
        MQCMD.INQUIRE_APPL_STATUS, (MQCACF.APPL_NAME, "st*"), (MQIACF.APPL_INFO_TYPE, MQIACF.APPL_INFO_QMGR)
    )
    assert (manager[MQCA.Q_MGR_NAME], manager[MQIACF.REMOTE_QMGR_ACTIVE], manager[MQIACF.BALSTATE]) == ("EARTH", 1, 0)
    assert manager[MQCA.Q_MGR_IDENTIFIER].startswith("EARTH_")
    local = pcf.good(MQCMD.INQUIRE_APPL_STATUS, everything, (MQIACF.APPL_INFO_TYPE, MQIACF.APPL_INFO_LOCAL))
    shown = [
        (row[MQIACF.CONNECTION_COUNT], row[MQIACF.APPL_MOVABLE], row[MQIACF.APPL_IMMOVABLE_REASON]) for row in local
    ]
    assert shown == [(2, 1, 0), (1, 0, 2), (1, 0, 1)]
    assert local[0][MQBACF.CONN_TAG] == b"T1"


def test_applications_by_name_and_filter(pcf: PcfOperator) -> None:
    for name in ("ap.put", "ap.get", "other"):
        joins(pcf, name)
    rows = pcf.station.rows("DISPLAY APSTATUS('*.p*') ALL")
    assert [row["APPLNAME"] for row in rows] == ["ap.put"]
    generics = {"ap*t": 2, "*p*t": 2, "a*p*g*": 1, "ap.get": 1, "*ap.get*": 1, "*t.*": 0, "ap.ge*get": 0}
    for generic, names in generics.items():
        assert len(pcf.station.enters(f"DISPLAY APSTATUS('{generic}')").rows) == names, generic
    rows = pcf.station.rows("DIS APS(*) TYPE(LOCAL) WHERE(CONNS GE 1) MOVABLE")
    assert [row["APPLNAME"] for row in rows] == ["ap.get", "ap.put", "other"]
    assert pcf.bad(MQCMD.INQUIRE_APPL_STATUS, (MQCACF.APPL_NAME, "none*"))[0] == MQRCCF.APPL_STATUS_NOT_FOUND
    assert pcf.bad(MQCMD.INQUIRE_APPL_STATUS)[0] == MQRCCF.PARM_COUNT_TOO_SMALL


def test_a_connection_is_stopped(pcf: PcfOperator) -> None:
    connection, now = joins(pcf, "orders"), pcf.station.clock.now
    hobj = connection.open("DEV.QUEUE.1", options=int(MQOO.OUTPUT), now=now)
    connection.put(hobj, Message.build(b"in the unit"), PutOptions(int(MQPMO.SYNCPOINT)), now)
    assert pcf.bad(MQCMD.STOP_CONNECTION)[0] == MQRCCF.PARM_COUNT_TOO_SMALL
    assert pcf.bad(MQCMD.STOP_CONNECTION, (MQBACF.CONNECTION_ID, b"AMQC"))[0] == MQRCCF.CONNECTION_ID_ERROR
    assert pcf.bad(MQCMD.STOP_CONNECTION, (MQBACF.CONNECTION_ID, bytes(24)))[0] == MQRCCF.CONNECTION_ID_ERROR
    assert pcf.good(MQCMD.STOP_CONNECTION, (MQBACF.CONNECTION_ID, connection.id)) == [{}]
    assert connection.ended
    assert pcf.station.depth("DEV.QUEUE.1") == 0


@pytest.mark.spec("mqi.md 21")
def test_who_may_stop_a_connection() -> None:
    pcf = operator("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(DSP,CTRL)", user="app")
    connection = joins(pcf, "orders")
    assert pcf.bad(MQCMD.STOP_CONNECTION, (MQBACF.CONNECTION_ID, connection.id))[0] == MQRC.NOT_AUTHORIZED
    pcf.station.types("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CHG)")
    pcf.good(MQCMD.STOP_CONNECTION, (MQBACF.CONNECTION_ID, connection.id))


# What somebody may do


def entity(name: str, kind: int, object_name: str = "", object_type: int = QUEUE) -> list[tuple[int, Value]]:
    named: list[tuple[int, Value]] = [(MQCACF.OBJECT_NAME, object_name)] if object_name else []
    return [
        (MQIACF.AUTH_OPTIONS, 0x02),
        *named,
        (MQIACF.OBJECT_TYPE, object_type),
        (MQCACF.ENTITY_NAME, name),
        (MQIACF.ENTITY_TYPE, kind),
    ]


def test_what_a_principal_may_do_in_all(pcf: PcfOperator) -> None:
    for script in (
        "SET AUTHREC PROFILE('ORD.**') OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(PUT)",
        "SET AUTHREC PROFILE('ORD.IN') OBJTYPE(QUEUE) GROUP('nobody') AUTHADD(GET,INQ)",
        "SET AUTHREC PROFILE('ORD.IN') OBJTYPE(QUEUE) GROUP('others') AUTHADD(BROWSE)",
    ):
        pcf.station.types(script)
    (shown,) = pcf.good(MQCMD.INQUIRE_ENTITY_AUTH, *entity("joe", PRINCIPAL, "ORD.IN"))
    assert shown == {
        MQCA.Q_MGR_NAME: "EARTH",
        MQIACF.AUTH_OPTIONS: 2,
        MQCACF.OBJECT_NAME: "ORD.IN",
        MQCACF.ENTITY_NAME: "joe",
        MQIACF.ENTITY_TYPE: PRINCIPAL,
        MQIACF.OBJECT_TYPE: QUEUE,
        MQIACF.AUTHORIZATION_LIST: [GET, INQ, PUT],
    }
    authorities = MQIACF.AUTHORIZATION_LIST
    (group,) = pcf.good(MQCMD.INQUIRE_ENTITY_AUTH, *entity("others", GROUP, "ORD.IN"))
    assert group[authorities] == [BROWSE]
    (nothing,) = pcf.good(MQCMD.INQUIRE_ENTITY_AUTH, *entity("joe", PRINCIPAL, "DEV.QUEUE.1"))
    assert nothing[authorities] == [0]
    for kind in (PRINCIPAL, GROUP):
        (all_of_it,) = pcf.good(MQCMD.INQUIRE_ENTITY_AUTH, *entity("mqm", kind, "DEV.QUEUE.1"))
        assert {PUT, GET, 3, 4, 7} <= set(all_of_it[authorities])
    (manager,) = pcf.good(MQCMD.INQUIRE_ENTITY_AUTH, *entity("app", PRINCIPAL, object_type=QMGR))
    assert CONNECT in manager[authorities]
    assert manager[MQCACF.OBJECT_NAME] == "EARTH"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (entity("stranger", PRINCIPAL, "Q"), MQRC.UNKNOWN_ENTITY),
        (entity("strangers", GROUP, "Q"), MQRC.UNKNOWN_ENTITY),
        (entity("joe", PRINCIPAL), MQRCCF.PARM_MISSING),
        (entity("joe", 7, "Q"), MQRCCF.ENTITY_TYPE_MISSING),
        (entity("joe", PRINCIPAL, "Q")[1:3], MQRCCF.OBJECT_TYPE_MISSING),
        (entity("joe", PRINCIPAL, "Q")[1:2], MQRCCF.OBJECT_TYPE_MISSING),
        ([*entity("mqm", PRINCIPAL, "Q"), (MQCACF.SERVICE_COMPONENT, "other")], MQRC.UNKNOWN_COMPONENT_NAME),
    ],
    ids=["principal", "group", "object", "kind", "entity", "type", "component"],
)
def test_an_entity_that_cannot_be_asked_for(pcf: PcfOperator, given: list[tuple[int, Value]], reason: int) -> None:
    if reason == MQRCCF.OBJECT_TYPE_MISSING and len(given) == 2:
        reason = MQRCCF.ENTITY_NAME_MISSING
    assert pcf.bad(MQCMD.INQUIRE_ENTITY_AUTH, *given)[0] == reason


def test_authority_records_name_the_queue_manager_too(pcf: PcfOperator) -> None:
    records = pcf.good(MQCMD.INQUIRE_AUTH_RECS, (MQIACF.AUTH_OPTIONS, 0x10), (MQCACF.AUTH_PROFILE_NAME, "self"))
    assert {(row[MQCA.Q_MGR_NAME], row[MQIACF.AUTH_OPTIONS]) for row in records} == {("EARTH", 0x10)}


def test_the_authority_service(pcf: PcfOperator) -> None:
    (shown,) = pcf.good(MQCMD.INQUIRE_AUTH_SERVICE, (MQIACF.AUTH_SERVICE_ATTRS, [MQIACF.ALL]))
    assert shown == {
        MQCACF.SERVICE_COMPONENT: ["mqbridge.auth.service"],
        MQIACF.INTERFACE_VERSION: 6,
        MQIACF.USER_ID_SUPPORT: 1,
    }
    (part,) = pcf.good(MQCMD.INQUIRE_AUTH_SERVICE, (MQIACF.AUTH_SERVICE_ATTRS, [MQIACF.USER_ID_SUPPORT]))
    assert MQIACF.INTERFACE_VERSION not in part
    other = (MQCACF.SERVICE_COMPONENT, "other")
    assert pcf.bad(MQCMD.INQUIRE_AUTH_SERVICE, other)[0] == MQRC.UNKNOWN_COMPONENT_NAME


# Services


def test_a_service_without_programs_to_run_is_refused(pcf: PcfOperator) -> None:
    pcf.station.types("DEFINE SERVICE(S) SERVTYPE(SERVER) STARTCMD('/bin/true')")
    name = (MQCA.SERVICE_NAME, "S")
    assert pcf.bad(MQCMD.START_SERVICE, name)[0] == MQRCCF.FUNCTION_RESTRICTED
    assert pcf.bad(MQCMD.STOP_SERVICE, name)[0] == MQRCCF.NO_STOP_CMD
    pcf.station.types("ALTER SERVICE(S) STARTCMD(' ') STOPCMD('/bin/true')")
    assert pcf.bad(MQCMD.START_SERVICE, name)[0] == MQRCCF.NO_START_CMD
    assert pcf.bad(MQCMD.STOP_SERVICE, name)[0] == MQRCCF.FUNCTION_RESTRICTED


def test_services_that_run_are_shown(pcf: PcfOperator) -> None:
    pcf.station.types("DEFINE SERVICE(S) SERVTYPE(SERVER) STARTCMD('/bin/true') STOPCMD('/bin/true')")
    rows: list[dict[str, Any]] = []

    class Remembered:
        def start_service(self, service: Any, now: float) -> None:
            rows.append({"SERVICE": service.name, "STATUS": "RUNNING", "PID": 4711, "SERVTYPE": "SERVER"})

        def stop_service(self, service: Any, now: float) -> None:
            rows[0]["STATUS"] = "STOPPING"

        def services(self, now: float) -> list[dict[str, Any]]:
            return rows

    pcf.station.control._services = Remembered()
    name = (MQCA.SERVICE_NAME, "S")
    pcf.good(MQCMD.START_SERVICE, name, (MQIACF.IGNORE_STATE, 1))
    (row,) = pcf.good(MQCMD.INQUIRE_SERVICE_STATUS, (MQCA.SERVICE_NAME, "*"))
    assert row == {
        MQCA.SERVICE_NAME: "S",
        MQIACF.SERVICE_STATUS: 2,
        MQIACF.PROCESS_ID: 4711,
        MQIA.SERVICE_TYPE: 1,
    }
    pcf.good(MQCMD.STOP_SERVICE, name)
    assert pcf.good(MQCMD.INQUIRE_SERVICE_STATUS, name)[0][MQIACF.SERVICE_STATUS] == 3


@pytest.mark.spec("mqi.md 21")
def test_who_may_say_which_programs_are_run() -> None:
    """Whoever may start a service may not say what that runs."""
    pcf = operator("DEFINE SERVICE(S) STARTCMD('/bin/true') STOPCMD('/bin/true')", user="app")
    name, other = (MQCA.SERVICE_NAME, "S"), (MQCA.SERVICE_NAME, "OTHER")
    command = (MQCA.SERVICE_START_COMMAND, "/bin/sh")
    refused = [
        (MQCMD.CHANGE_SERVICE, name, command),
        (MQCMD.CREATE_SERVICE, other, command),
        (MQCMD.CREATE_SERVICE, name, command, (MQIACF.REPLACE, 1)),
        (MQCMD.COPY_SERVICE, (MQCACF.FROM_SERVICE_NAME, "S"), (MQCACF.TO_SERVICE_NAME, "OTHER"), command),
        (MQCMD.DELETE_SERVICE, name),
    ]
    starts = [(MQCMD.START_SERVICE, name), (MQCMD.STOP_SERVICE, name)]
    for number, *given in [*refused, *starts]:
        assert pcf.bad(number, *given)[0] == MQRC.NOT_AUTHORIZED, MQCMD(number)
    pcf.station.types("SET AUTHREC PROFILE('S') OBJTYPE(SERVICE) PRINCIPAL('app') AUTHADD(CTRL,DSP)")
    for number, *given in refused:
        assert pcf.bad(number, *given)[0] == MQRC.NOT_AUTHORIZED, MQCMD(number)
    for number, *given in starts:
        assert pcf.bad(number, *given)[0] == MQRCCF.FUNCTION_RESTRICTED, MQCMD(number)


# The queue manager, communication information


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([(MQIACF.ACTION, 2)], MQRCCF.LOG_TYPE_ERROR),
        ([(MQIACF.ACTION, 11), (MQCACF.ARCHIVE_LOG_EXTENT_NAME, "S0000001.LOG")], MQRCCF.LOG_TYPE_ERROR),
        ([(MQIACF.ACTION, 4), (MQCACF.CHILD_Q_MGR_NAME, "MARS")], MQRC.UNKNOWN_OBJECT_NAME),
        ([(MQIACF.ACTION, 1)], MQRCCF.ACTION_VALUE_ERROR),
        ([], MQRCCF.PARM_MISSING),
    ],
    ids=["advance", "archived", "relative", "no action", "nothing"],
)
def test_what_cannot_be_reset(pcf: PcfOperator, given: list[tuple[int, Value]], reason: int) -> None:
    assert pcf.bad(MQCMD.RESET_Q_MGR, *given)[0] == reason


def test_what_is_reset_without_further_ado(pcf: PcfOperator) -> None:
    for action in (3, 10):
        assert pcf.good(MQCMD.RESET_Q_MGR, (MQIACF.ACTION, action)) == [{}]
    pcf.station.types("ALTER QMGR STATQ(ON)")
    assert pcf.bad(MQCMD.RESET_Q_MGR, (MQIACF.ACTION, 3))[0] == MQRCCF.FUNCTION_RESTRICTED


def test_the_life_of_communication_information(pcf: PcfOperator) -> None:
    name, multicast = (MQCA.COMM_INFO_NAME, "C"), (MQIA.COMM_INFO_TYPE, 1)
    pcf.good(MQCMD.CREATE_COMM_INFO, name, multicast, (MQCACH.GROUP_ADDRESS, "239.1.1.1"), (MQIACH.PORT, 1500))
    pcf.good(MQCMD.CHANGE_COMM_INFO, name, multicast, (MQIACH.MULTICAST_PROPERTIES, 2), (MQIACF.ENCODING, 546))
    (shown,) = pcf.good(MQCMD.INQUIRE_COMM_INFO, name)
    assert (shown[MQCACH.GROUP_ADDRESS], shown[MQIACH.PORT], shown[MQIA.COMM_INFO_TYPE]) == ("239.1.1.1", 1500, 1)
    assert (shown[MQIACH.MULTICAST_PROPERTIES], shown[MQIACF.ENCODING], shown[MQIA.CODED_CHAR_SET_ID]) == (2, 546, -1)
    assert (shown[MQIA.MCAST_BRIDGE], shown[MQIA.COMM_EVENT], shown[MQIACH.NEW_SUBSCRIBER_HISTORY]) == (1, 0, 0)
    pcf.good(MQCMD.COPY_COMM_INFO, (MQCACF.FROM_COMM_INFO_NAME, "C"), (MQCACF.TO_COMM_INFO_NAME, "D"), multicast)
    names = [row[MQCA.COMM_INFO_NAME] for row in pcf.good(MQCMD.INQUIRE_COMM_INFO, (MQCA.COMM_INFO_NAME, "*"))]
    assert names == ["C", "D", "SYSTEM.DEFAULT.COMMINFO.MULTICAST"]
    pcf.good(MQCMD.DELETE_COMM_INFO, name)
    assert pcf.bad(MQCMD.INQUIRE_COMM_INFO, name)[0] == MQRC.UNKNOWN_OBJECT_NAME


# What is not here


@pytest.mark.parametrize(
    ("command", "given", "reason"),
    [
        (MQCMD.INQUIRE_CLUSTER_Q_MGR, (MQCA.CLUSTER_Q_MGR_NAME, "*"), MQRC.UNKNOWN_OBJECT_NAME),
        (MQCMD.SUSPEND_Q_MGR_CLUSTER, (MQCA.CLUSTER_NAME, "C"), MQRC.UNKNOWN_OBJECT_NAME),
        (MQCMD.RESUME_Q_MGR_CLUSTER, (MQCA.CLUSTER_NAMELIST, "C"), MQRC.UNKNOWN_OBJECT_NAME),
        (MQCMD.REFRESH_CLUSTER, (MQCA.CLUSTER_NAME, "C"), MQRC.UNKNOWN_OBJECT_NAME),
        (MQCMD.RESET_CLUSTER, (MQCA.CLUSTER_NAME, "C"), MQRC.UNKNOWN_OBJECT_NAME),
        (MQCMD.INQUIRE_PROT_POLICY, (MQCA.POLICY_NAME, "*"), MQRCCF.POLICY_NOT_FOUND),
        (MQCMD.DELETE_PROT_POLICY, (MQCA.POLICY_NAME, "P"), MQRCCF.POLICY_NOT_FOUND),
        (MQCMD.CREATE_PROT_POLICY, (MQCA.POLICY_NAME, "P"), MQRCCF.FUNCTION_RESTRICTED),
        (MQCMD.INQUIRE_LOG, (MQCA.POLICY_NAME, "P"), MQRCCF.CFH_COMMAND_ERROR),
        (MQCMD.INQUIRE_SECURITY, (MQCA.POLICY_NAME, "P"), MQRCCF.CFH_COMMAND_ERROR),
    ],
    ids=lambda value: str(MQCMD(value)) if isinstance(value, int) and value < 1000 else "",
)
def test_clusters_policies_and_z_os(pcf: PcfOperator, command: int, given: tuple[int, Value], reason: int) -> None:
    assert pcf.bad(command, given)[0] == reason


@pytest.mark.parametrize(
    "command", ["DISPLAY LOG", "DISPLAY SECURITY", "DISPLAY ARCHIVE", "DISPLAY CHINIT", "STOP QMGR"]
)
def test_commands_of_z_os_are_syntax_errors(pcf: PcfOperator, command: str) -> None:
    pcf.station.is_refused(command, "AMQ8405")


def test_clusters_and_policies_in_mqsc(pcf: PcfOperator) -> None:
    station = pcf.station
    for command in (
        "DISPLAY CLUSQMGR(*) ALL", "SUSPEND QMGR CLUSTER(C) MODE(FORCE)", "RESUME QMGR CLUSNL(N)",
        "REFRESH CLUSTER(C) REPOS(YES)", "RESET CLUSTER(C) ACTION(FORCEREMOVE) QMNAME(MARS) QUEUES(NO)",
        "DISPLAY POLICY(*)", "DELETE POLICY(P)",
    ):  # fmt: skip
        station.is_refused(command, "AMQ8147")
    station.is_refused("SUSPEND QMGR", "AMQ8405")
    station.is_refused("SET POLICY(P) SIGNALG(SHA256) SIGNER('CN=a') TOLERATE", "AMQ8101")
    station.types("DELETE POLICY(P) IGNSTATE(YES)")
