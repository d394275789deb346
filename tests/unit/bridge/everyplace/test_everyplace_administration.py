"""Administration by messages: actions, results, permissions, attempts, one transaction each (mqe.md 14)."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.administration.actions import Action, ReturnCode
from mqbridge.bridge.everyplace.administration.origins import TABLE
from mqbridge.bridge.everyplace.administration.requests import Reply, Request, Result, read_reply, write_request
from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions.manager_properties import ManagerProperties
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.effects import Alarm, AskPartner, Audit, StartListener, StopListener
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.states import Event
from mqbridge.bridge.store.interface import AddMessage, PutRecord, RemoveMessage
from mqbridge.protocol.everyplace.calls import Done, Put, Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import Message, Style
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.reserved import ADMIN_ACTION, ADMIN_MAX_ATTEMPTS, ADMIN_PARAMS, ADMIN_RC
from support.everyplace_hosts import DirectHost, request, some_message

SUCCESS, FAILED, MIXED = ReturnCode.SUCCESS, ReturnCode.FAILED, ReturnCode.MIXED


def value(reply: Reply, field: str) -> object:
    return reply.request.parameters.get(field)


@pytest.mark.spec("E-093", "E-270", "E-272", "E-274", "E-275", "E-278", "E-279", "E-285")
def test_a_queue_is_created_inquired_updated_and_deleted() -> None:
    host = DirectHost()
    assert host.ask(Action.CREATE, "local", "ALARMS", qmqs=100).code is SUCCESS
    host.restart()
    assert value(host.ask(Action.INQUIRE, "local", "ALARMS", qmqs=None), "qmqs") == 100
    assert host.ask(Action.UPDATE, "local", "ALARMS", qmqs=1).code is SUCCESS
    assert host.put("ALARMS") == Done()
    full = host.put("ALARMS")
    assert isinstance(full, Refused)
    assert full.code is Code.Q_FULL
    refused = host.ask(Action.DELETE, "local", "ALARMS")
    assert refused.code is FAILED
    assert refused.reason.startswith("Code=203")
    host.get("ALARMS")
    assert host.ask(Action.DELETE, "local", "ALARMS").code is SUCCESS
    assert isinstance(host.put("ALARMS"), Refused)
    assert host.size("AdminQ") == 0


@pytest.mark.spec("E-280")
def test_an_update_that_is_right_in_part_is_mixed() -> None:
    host = DirectHost()
    host.ask(Action.CREATE, "local", "ALARMS")
    reply = host.ask(Action.UPDATE, "local", "ALARMS", qmqs=7, qp=10, qd="alarms", qcs=5)
    assert reply.code is MIXED
    assert "some was changed" in reply.reason
    assert set(reply.errors) == {"qp", "qcs"}
    assert reply.errors["qp"][0].startswith("Code=401; Queue_Priority (qp)")
    found = host.ask(Action.INQUIRE, "local", "ALARMS", qmqs=None, qp=None, qd=None)
    assert [value(found, each) for each in ("qmqs", "qp", "qd")] == [7, 4, "alarms"]
    assert host.ask(Action.UPDATE, "local", "ALARMS", nonsense=5).code is FAILED


@pytest.mark.spec("E-117", "E-141", "E-277", "E-280")
def test_aliases_are_added_and_removed_each_with_its_own_error() -> None:
    host = DirectHost()
    host.ask(Action.CREATE, "local", "ALARMS")
    assert host.ask(Action.ADD_ALIAS, "local", "ALARMS", qanl=("SIREN", "BELL")).code is SUCCESS
    assert host.put("BELL") == Done()
    reply = host.ask(Action.ADD_ALIAS, "local", "ALARMS", qanl=("HORN", "BELL"))
    assert reply.code is MIXED
    assert reply.errors["qanl"][0] == ""
    assert reply.errors["qanl"][1].startswith("Code=202")
    assert host.ask(Action.REMOVE_ALIAS, "local", "ALARMS", qanl=("BELL",)).code is SUCCESS
    assert isinstance(host.put("BELL"), Refused)
    assert host.put("HORN") == Done()
    host.restart()
    assert host.put("SIREN") == Done()
    assert host.size("ALARMS") == 3


@pytest.mark.spec("E-119", "E-131", "E-277")
def test_queue_managers_are_added_to_a_store_and_forward_queue_and_removed_when_nothing_waits() -> None:
    host = DirectHost()
    assert host.ask(Action.CREATE, "store-and-forward", "SAF", qqmnl=("MOON",)).code is SUCCESS
    assert host.ask(Action.ADD_ENTRY, "store-and-forward", "SAF", qqmnl=("MARS", "VENUS")).code is SUCCESS
    assert host.put("ANY", "MARS") == Done()
    assert host.ask(Action.CREATE, "store-and-forward", "OTHER", qqmnl=("MARS",)).reason.startswith("Code=202")
    reply = host.ask(Action.REMOVE_ENTRY, "store-and-forward", "SAF", qqmnl=("MARS", "VENUS"))
    assert reply.code is MIXED
    assert reply.errors["qqmnl"][0].startswith("Code=203")
    assert isinstance(host.put("ANY", "VENUS"), Refused)
    assert host.ask(Action.UPDATE, "store-and-forward", "SAF", qqmnl=("MOON",)).code is FAILED


@pytest.mark.spec("E-251", "E-254", "E-255", "E-277", "E-311")
def test_connections_and_their_aliases() -> None:
    host = DirectHost()
    host.ask(Action.CREATE, "local", "Q")
    assert host.ask(Action.CREATE, "connection", "MARS", cad="tcp", cep="mars:8081", cal=("RED",)).code is SUCCESS
    assert host.ask(Action.CREATE, "connection", "MARS").reason.startswith("Code=302")
    assert host.ask(Action.CREATE, "connection", "PHOBOS", cvi="MARS").code is SUCCESS
    assert host.ask(Action.CREATE, "connection", "SERVICE").code is SUCCESS
    assert host.put("Q", "SERVICE") == Done()
    assert host.ask(Action.ADD_ALIAS, "connection", "PHOBOS", cal=("MOONLET", "RED")).code is MIXED
    assert host.ask(Action.UPDATE, "connection", "MARS", cvi="PHOBOS", cad=None, cep=None).reason.startswith("Code=209")
    assert host.ask(Action.UPDATE, "connection", "MARS", cep="mars:1").code is SUCCESS
    assert value(host.ask(Action.INQUIRE_ALL, "connection", "MARS"), "cep") == "mars:1"
    assert host.ask(Action.DELETE, "connection", "PHOBOS").code is SUCCESS
    assert host.ask(Action.INQUIRE, "connection", "PHOBOS").reason.startswith("Code=301")
    host.restart()
    assert set(host.manager.connections) == {"MARS", "SERVICE"}
    assert host.manager.aliases() == {"RED": "MARS", "SERVICE": "EARTH"}


@pytest.mark.spec("E-231", "E-260", "E-261", "E-277")
def test_a_new_listener_does_not_run_until_it_is_started_or_the_queue_manager_is() -> None:
    host = DirectHost()
    assert host.ask(Action.CREATE, "listener", "TCP", lep=":8081", lto=2000, lmc=2, lke="a key").code is SUCCESS
    assert not host.manager.listeners["TCP"].started
    assert not [each for each in host.effects if isinstance(each, StartListener)]
    assert host.ask(Action.START, "listener", "TCP").code is SUCCESS
    (started,) = [each for each in host.effects if isinstance(each, StartListener)]
    assert (started.definition.endpoint, started.definition.timeout, started.definition.max_channels) == (
        ":8081",
        2000,
        2,
    )
    assert host.ask(Action.DELETE, "listener", "TCP").reason.startswith("Code=108")
    assert host.ask(Action.STOP, "listener", "TCP").code is SUCCESS
    assert StopListener("TCP") in host.effects
    all_of_it = host.ask(Action.INQUIRE_ALL, "listener", "TCP")
    assert value(all_of_it, "lst") is False
    assert "lke" not in all_of_it.request.parameters
    assert host.ask(Action.INQUIRE, "listener", "TCP", lke=None).code is FAILED
    host.restart()
    assert host.manager.listeners["TCP"].started
    host.ask(Action.STOP, "listener", "TCP")
    assert host.ask(Action.DELETE, "listener", "TCP").code is SUCCESS


@pytest.mark.spec("E-219", "E-274")
def test_the_queue_manager_is_changed_and_inquired_and_not_created() -> None:
    host = DirectHost()
    assert host.ask(Action.UPDATE, "queue-manager", qmd="home", qmct=1000).code is SUCCESS
    host.restart()
    reply = host.ask(Action.INQUIRE_ALL, "queue-manager")
    assert [value(reply, each) for each in ("admname", "qmd", "qmct", "qmdlq")] == [
        "EARTH",
        "home",
        1000,
        "DeadLetterQ",
    ]
    assert "AdminQ@EARTH" in value(reply, "qmqs")  # type: ignore[operator]
    assert host.ask(Action.CREATE, "queue-manager", "MARS").reason.startswith("Code=400")
    assert host.ask(Action.DELETE, "queue-manager").reason.startswith("Code=400")


@pytest.mark.spec("E-286")
def test_a_general_class_finds_any_queue_and_creates_none() -> None:
    host = DirectHost()
    host.queue(QueueKind.REMOTE, "ORDERS", "SATURN")
    host.queue(QueueKind.LOCAL, "ORDERS")
    host.queue(QueueKind.HOME_SERVER, "HOME", "MARS")
    assert value(host.ask(Action.INQUIRE, "queue", "AdminQ"), "admtype") == "administration"
    assert value(host.ask(Action.INQUIRE, "queue", "ORDERS"), "qqmn") == "EARTH"
    assert value(host.ask(Action.INQUIRE, "queue", "ORDERS", qqmn="SATURN"), "admtype") == "remote"
    assert value(host.ask(Action.INQUIRE, "remote", "HOME"), "admtype") == "home-server"
    assert host.ask(Action.INQUIRE, "local", "HOME").reason.startswith("Code=204")
    assert host.ask(Action.CREATE, "queue", "NEW").reason.startswith("Code=400")


@pytest.mark.spec("E-134", "E-461")
def test_the_end_of_a_request_its_effect_and_its_reply_are_one_transaction() -> None:
    host = DirectHost()
    message = write_request(request("EARTH", Action.CREATE, "local", "NEW"), Address("AdminReplyQ", "EARTH"))
    host.commits.clear()
    host.put("AdminQ", message=message)
    put, obeyed = host.commits
    assert [type(each) for each in put if not isinstance(each, PutRecord)] == [AddMessage]
    kinds = [type(each) for each in obeyed]
    assert kinds.count(RemoveMessage) == 1
    assert kinds.count(AddMessage) == 1
    assert any(isinstance(each, PutRecord) and b"NEW" in each.key for each in obeyed)


@pytest.mark.spec("E-134")
def test_requests_are_obeyed_one_at_a_time_in_order_of_arrival_whatever_their_priority() -> None:
    host = DirectHost()
    for number in range(5):
        message = write_request(request("EARTH", Action.CREATE, "local", f"Q{number}"), Address("AdminReplyQ", "EARTH"))
        message.priority = number
        host.manager.call(Put(Address("AdminQ", "EARTH"), message), lambda _: None, host.now)
    while host.commit():
        pass
    host.manager.timeout(host.now)
    host.manager.timeout(host.now)
    assert host.manager.queues.named(Address("Q1", "EARTH")) is None
    host.settle()
    names = [read_reply(each).request.name for each in host.browse("AdminReplyQ")]
    assert names == [f"Q{number}" for number in range(5)]


@pytest.mark.spec("E-271", "E-273", "E-278")
def test_a_reply_has_the_fields_of_its_request_and_comes_only_if_it_is_wanted() -> None:
    host = DirectHost()
    message = write_request(request("EARTH", Action.INQUIRE, "local", "AdminReplyQ"), Address("AdminReplyQ", "EARTH"))
    message.msg_id, message.correl_id = b"mine", b"thread"
    host.put("AdminQ", message=message)
    reply = host.get("AdminReplyQ")
    assert reply.style is Style.REPLY
    assert (reply.msg_id, reply.correl_id, reply.type) == (b"mine", b"thread", "Admin.local")
    assert reply.type_of(ADMIN_RC) is FieldType.BYTE
    assert reply.encoded(ADMIN_ACTION) == message.encoded(ADMIN_ACTION)
    assert reply.encoded(ADMIN_MAX_ATTEMPTS) == message.encoded(ADMIN_MAX_ATTEMPTS)
    host.put("AdminQ", message=write_request(request("EARTH", Action.CREATE, "local", "QUIET")))
    assert host.browse("AdminReplyQ") == []
    assert host.put("QUIET") == Done()


@pytest.mark.spec("E-276")
def test_a_request_that_fails_is_tried_again_at_the_interval_and_at_a_restart() -> None:
    host = DirectHost()
    wanted = request("EARTH", Action.DELETE, "local", "LATER")
    message = write_request(wanted, Address("AdminReplyQ", "EARTH"))
    message.put(ADMIN_MAX_ATTEMPTS, 4, FieldType.INT)
    host.put("AdminQ", message=message)
    assert host.size("AdminQ") == 1
    assert host.ask(Action.CREATE, "local", "OTHER").code is SUCCESS
    host.now += 60
    host.settle()
    host.restart()
    host.settle()
    assert (host.size("AdminQ"), host.size("AdminReplyQ")) == (1, 0)
    host.queue(QueueKind.LOCAL, "LATER")
    host.now += 60
    host.settle()
    assert host.reply().code is SUCCESS
    host.put("AdminQ", message=write_request(request("EARTH", Action.DELETE, "local", "LATER")))
    assert host.size("AdminQ") == 0
    assert not list(host.store.records(TABLE))


@pytest.mark.spec("E-276")
def test_after_the_last_attempt_the_reply_says_why() -> None:
    host = DirectHost()
    message = write_request(request("EARTH", Action.DELETE, "local", "NONE"), Address("AdminReplyQ", "EARTH"))
    message.put(ADMIN_MAX_ATTEMPTS, 2, FieldType.INT)
    host.put("AdminQ", message=message)
    host.now += 61
    host.settle()
    assert host.reply().reason.startswith("Code=204")
    message = write_request(request("EARTH", Action.DELETE, "local", "NONE"), Address("AdminReplyQ", "EARTH"))
    message.put(ADMIN_MAX_ATTEMPTS, 0, FieldType.INT)
    host.put("AdminQ", message=message)
    assert host.get("AdminReplyQ")[ADMIN_RC] == FAILED


def of_peer(host: DirectHost, message: Message, origin: str, peer: str) -> None:
    """A message comes from another queue manager, by transfer."""
    other = DirectHost(origin)
    message = message.copy()
    other.manager.identify(message, host.now)
    change = host.manager.place(message, Address("AdminQ", "EARTH"), host.now, peer)
    host.manager.submit(change, lambda _: None)
    host.settle()


@pytest.mark.spec("E-288")
def test_another_queue_manager_is_obeyed_only_if_it_is_an_administrator() -> None:
    host = DirectHost()
    message = write_request(request("EARTH", Action.CREATE, "local", "NEW"), Address("AdminReplyQ", "EARTH"))
    of_peer(host, message, "MOON", "MOON")
    reply = host.reply()
    assert reply.code is FAILED
    assert reply.reason.startswith("Code=103")
    assert [each.name for each in host.effects if isinstance(each, Alarm)] == ["MOON"]
    (audit,) = [each for each in host.effects if isinstance(each, Audit)]
    assert audit == Audit("MOON", "MOON", "create local NEW", 1, reply.reason)
    host.ask(Action.UPDATE, "queue-manager", qmadm=("MOON",))
    of_peer(host, message, "VENUS", "MOON")
    assert host.reply().code is FAILED, "passed on by an administrator, but not from one"
    of_peer(host, message, "MOON", "MOON")
    assert host.reply().code is SUCCESS
    assert not list(host.store.records(TABLE))


@pytest.mark.spec("E-288")
def test_the_servers_from_which_messages_are_pulled_are_administrators_unless_others_are_named() -> None:
    host = DirectHost()
    assert host.manager.administration.administrators == ()
    host.queue(QueueKind.HOME_SERVER, "HOME", "SATURN")
    assert host.manager.administration.administrators == ("SATURN",)
    host.store.commit([[Registry.put_properties(ManagerProperties(administrators=("ADM",)))]])
    host.restart()
    assert host.manager.administration.administrators == ("ADM",)


@pytest.mark.spec("E-288")
def test_a_request_of_no_administrator_is_not_passed_on() -> None:
    host = DirectHost()
    host.queue(QueueKind.STORE_AND_FORWARD, "SAF", ENTRIES=["MOON"])
    host.connection("MARS", adapter="tcp", endpoint="mars:1")
    message = write_request(request("MOON", Action.CREATE, "local", "NEW"))
    host.queue(QueueKind.REMOTE, "AdminQ", "MARS")
    for owner in ("MOON", "MARS"):
        refused = host.put("AdminQ", owner, message.copy(), peer="VENUS")
        assert isinstance(refused, Refused)
        assert refused.code is Code.NOT_ALLOWED
    assert not [each for each in host.effects if isinstance(each, AskPartner) and isinstance(each.call, Put)]
    assert host.put("AdminQ", "MOON", message.copy()) == Done(), "its own programs may"
    reply = message.copy()
    reply.put(ADMIN_RC, 0, FieldType.BYTE)
    assert host.put("AdminReplyQ", "MOON", reply, peer="VENUS") == Done()


@pytest.mark.spec("E-134", "E-568")
def test_what_is_no_administration_message_is_refused_to_programs_and_put_aside_from_others() -> None:
    host = DirectHost()
    refused = host.put("AdminQ")
    assert isinstance(refused, Refused)
    assert refused.code is Code.ADMIN_NOT_ADMIN_MSG
    of_peer(host, some_message(), "MOON", "MOON")
    assert host.size("AdminQ") == 0
    (aside,) = host.browse("DeadLetterQ")
    assert aside["text"] == "two apples"
    assert aside.resend
    assert [each for each in host.effects if isinstance(each, Alarm)]


@pytest.mark.spec("E-568")
def test_without_a_dead_letter_queue_it_stays_and_does_not_stop_the_next() -> None:
    host = DirectHost()
    host.ask(Action.DELETE, "local", "DeadLetterQ")
    of_peer(host, some_message(), "MOON", "MOON")
    assert host.size("AdminQ") == 1
    assert host.ask(Action.CREATE, "local", "NEW").code is SUCCESS


@pytest.mark.spec("E-271", "E-568")
def test_unknown_classes_actions_and_targets_are_answered() -> None:
    host = DirectHost()
    reply_to = Address("AdminReplyQ", "EARTH")
    unknown = write_request(request("EARTH", Action.CREATE, "local", "NEW"), reply_to)
    unknown.put(ADMIN_ACTION, 99, FieldType.INT)
    strange = write_request(request("EARTH", Action.CREATE, "local", "NEW"), reply_to)
    strange.type = "Admin.spaceship"
    elsewhere = write_request(request("MARS", Action.CREATE, "local", "NEW"), reply_to)
    broken = write_request(request("EARTH", Action.CREATE, "local", "NEW"), reply_to)
    broken.put(ADMIN_PARAMS, None, FieldType.FIELDS)
    for message, code in ((unknown, 400), (strange, 402), (elsewhere, 401), (broken, 401)):
        host.put("AdminQ", message=message)
        reply = host.get("AdminReplyQ")
        assert reply[ADMIN_RC] == FAILED
        assert reply["Admin_Reason"].startswith(f"Code={code}")
    assert host.ask(Action.START, "local", "AdminQ").reason.startswith("Code=400")
    assert host.ask(Action.START, "bridges").reason.startswith("Code=400"), "no bridge was registered"


@pytest.mark.spec("E-287")
def test_a_reply_for_a_queue_manager_that_is_away_waits_on_its_entry() -> None:
    host = DirectHost()
    host.queue(QueueKind.STORE_AND_FORWARD, "SAF", ENTRIES=["ADM"])
    message = write_request(request("EARTH", Action.CREATE, "local", "NEW"), Address("AdminReplyQ", "ADM"))
    host.put("AdminQ", message=message)
    assert host.size("SAF") == 1


def test_a_reply_over_a_synchronous_route_waits_here_until_it_is_there() -> None:
    host = DirectHost()
    host.connection("ADM", adapter="tcp", endpoint="adm:1")
    host.queue(QueueKind.REMOTE, "AdminReplyQ", "ADM")
    message = write_request(request("EARTH", Action.CREATE, "local", "NEW"), Address("AdminReplyQ", "ADM"))
    host.put("AdminQ", message=message)
    (asked,) = [each for each in host.effects if isinstance(each, AskPartner)]
    assert isinstance(asked.call, Put)
    assert not asked.call.message.resend
    asked.then(Refused(Code.ADAPTER_EXCEPTION, "nobody there"))
    host.settle()
    assert host.size("AdminQ") == 1
    host.effects.clear()
    host.now += 60
    host.settle()
    (asked,) = [each for each in host.effects if isinstance(each, AskPartner)]
    assert isinstance(asked.call, Put)
    assert asked.call.message.resend
    asked.then(Done())
    host.settle()
    assert host.size("AdminQ") == 0


def test_a_reply_that_cannot_be_put_goes_to_the_dead_letter_queue() -> None:
    host = DirectHost()
    message = write_request(request("EARTH", Action.CREATE, "local", "NEW"), Address("NOWHERE", "EARTH"))
    host.put("AdminQ", message=message)
    assert host.size("DeadLetterQ") == 1
    assert host.put("NEW") == Done()


@pytest.mark.spec("E-082", "E-083", "E-107", "E-282")
def test_expired_messages_are_removed_before_a_queue_is_counted_or_deleted() -> None:
    host = DirectHost()
    host.queue(QueueKind.LOCAL, "Q")
    live, dying = some_message(), some_message()
    dying.expire_at(int(host.now * 1000) + 10)
    host.put("Q", message=dying)
    host.put("Q", message=live)
    host.manager.timeout(host.now)
    host.now += 0.5
    assert host.size("Q") == 2
    reply = host.ask(Action.INQUIRE, "local", "Q", qcs=None)
    assert value(reply, "qcs") == 1
    again = some_message()
    again.expire_at(int(host.now * 1000) + 10)
    host.put("Q", message=again)
    host.now += 0.3
    assert host.ask(Action.DELETE, "local", "Q").reason.startswith("Code=203")
    assert host.size("Q") == 1


@pytest.mark.spec("E-110", "E-139", "E-283")
def test_the_store_of_a_queue_changes_only_while_it_is_empty() -> None:
    host = DirectHost()
    host.queue(QueueKind.LOCAL, "Q")
    host.put("Q")
    assert host.ask(Action.UPDATE, "local", "Q", qfd="memory:").errors["qfd"][0].startswith("Code=205")
    host.get("Q")
    assert host.ask(Action.UPDATE, "local", "Q", qfd="MsgLog:").code is SUCCESS


@pytest.mark.spec("E-110", "E-137")
@pytest.mark.parametrize("kind", ["local", "store-and-forward"])
def test_a_queue_has_no_store_of_its_own_and_says_so(kind: str) -> None:
    """Messages move from one queue to another in one transaction."""
    host = DirectHost()
    refused = host.ask(Action.CREATE, kind, "OWN", qfd="files:/tmp/own")
    assert refused.code is not SUCCESS
    assert "a queue manager of its own" in f"{refused.reason} {refused.errors}"
    assert host.ask(Action.CREATE, kind, "OWN", qfd="MsgLog:").code is SUCCESS
    assert "one transaction" in host.ask(Action.UPDATE, kind, "OWN", qfd="memory:").errors["qfd"][0]


@pytest.mark.spec("E-139")
def test_the_mode_of_a_remote_queue_changes_while_nothing_waits() -> None:
    host = DirectHost()
    host.connection("MARS", adapter="tcp", endpoint="mars:1")
    host.ask(Action.CREATE, "remote", "Q", qqmn="MARS", qm=1)
    host.put("Q", "MARS")
    assert host.ask(Action.UPDATE, "remote", "Q", qqmn="MARS", qm=0).code is FAILED
    queue = host.manager.queues.named(Address("Q", "MARS"))
    assert queue is not None
    assert queue.messages is not None
    host.manager.submit(queue.messages.held.move(next(iter(queue.messages.held.list)), Event.TRANSMITTED, None), bool)
    host.settle()
    assert host.ask(Action.UPDATE, "remote", "Q", qqmn="MARS", qm=0).code is SUCCESS
    assert host.put("Q", "MARS") is None, "it asks its owner now"
    host.restart()
    assert host.put("Q", "MARS") is None


class Bridges:
    """A resource of another package."""

    name = "bridges"
    actions = frozenset({Action.START})

    def perform(self, request: Request, now: float) -> Change[Result]:
        return Change(Result(SUCCESS, request.parameters, "started"))


@pytest.mark.spec("E-285", "E-289")
def test_resources_of_the_bridge_are_registered() -> None:
    host = DirectHost()
    host.manager.administration.register(Bridges())
    assert host.ask(Action.START, "bridges", children=True).reason == "started"
    assert host.ask(Action.STOP, "bridges").reason.startswith("Code=400")


@pytest.mark.spec("E-121", "E-229", "E-280")
def test_a_rule_that_is_not_registered_is_refused_by_name() -> None:
    host = DirectHost()
    host.ask(Action.CREATE, "local", "Q")
    wrong = host.ask(Action.UPDATE, "local", "Q", qr="weigh-it", qd="a description")
    assert wrong.code is MIXED
    assert wrong.errors["qr"][0].startswith("Code=102; queue-rule 'weigh-it' is not registered")
    assert host.ask(Action.CREATE, "local", "P", qr="weigh-it").code is FAILED
    assert host.manager.queues.named(Address("P", "EARTH")) is None
    assert host.ask(Action.UPDATE, "queue-manager", qmr="weigh-it").code is FAILED
    assert host.ask(Action.UPDATE, "local", "Q", qr="mandatory-id").code is SUCCESS
