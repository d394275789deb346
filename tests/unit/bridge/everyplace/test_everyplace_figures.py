"""The topologies of mqe.md 17, figure by figure: build the resources, put the message, look where it is.

Figures with MQ (E-357 to E-362) and with an HTTP proxy (E-367) have tests beside the bridge and the endpoints.
"""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.administration.actions import Action, ReturnCode
from mqbridge.bridge.everyplace.administration.requests import read_reply, write_request
from mqbridge.bridge.everyplace.creation import StandardQueue
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.protocol.everyplace.calls import Done, Outcome, Refused
from mqbridge.protocol.everyplace.errors import Code
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World
from support.everyplace_hosts import request

LATER = 600.0
"""Seconds within which what was away is found again."""


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def local(world: World) -> Station:
    """``L`` of the figures."""
    return world.queue_manager("L")


@pytest.fixture
def target(world: World) -> Station:
    """``T`` of the figures."""
    return world.queue_manager("T")


def refused(outcome: Outcome) -> Code:
    assert isinstance(outcome, Refused), outcome
    return outcome.code


@pytest.mark.spec("E-335", "E-313")
def test_figure_10_a_local_queue(local: Station) -> None:
    local.local("LocalQueue")
    assert local.put("LocalQueue@L", "a") == Done()
    assert local.texts("LocalQueue") == ["a"]
    assert local.get("LocalQueue")["text"] == "a"


@pytest.mark.spec("E-336", "E-141", "E-314")
def test_figures_11_and_12_an_alias_of_a_queue(local: Station) -> None:
    local.local("LocalQueue", ALIASES=["LocalQueueAlias"])
    assert local.put("LocalQueueAlias@L", "a") == Done()
    assert local.texts("LocalQueue") == ["a"]
    assert local.manager.resolve(Address("LocalQueueAlias", "L"))[1] == Address("LocalQueue", "L")


@pytest.mark.spec("E-337", "E-310")
def test_figures_13_and_14_an_alias_of_a_queue_manager(local: Station) -> None:
    local.local("LocalQueue")
    local.alias("AliasQM")
    assert local.put("LocalQueue@AliasQM", "a") == Done()
    assert local.texts("LocalQueue@L") == ["a"]


@pytest.mark.spec("E-338", "E-310", "E-314")
def test_figure_15_both_aliases(local: Station) -> None:
    local.local("LocalQueue", ALIASES=["LocalQueueAlias"])
    local.alias("AliasQM")
    assert local.put("LocalQueueAlias@AliasQM", "a") == Done()
    assert local.texts("LocalQueue") == ["a"]


@pytest.mark.spec("E-339", "E-313", "E-320", "E-321")
@pytest.mark.parametrize("synchronous", [True, False])
def test_figures_16_to_20_a_remote_queue(world: World, local: Station, target: Station, *, synchronous: bool) -> None:
    target.local("TargetQueue")
    local.connection("T")
    local.remote("TargetQueue", "T", synchronous=synchronous)
    assert local.put("TargetQueue@T", "a") == Done()
    world.run()
    assert target.texts("TargetQueue") == ["a"]


@pytest.mark.spec("E-340", "E-191", "E-262")
@pytest.mark.parametrize("missing", ["listener", "connection", "target queue"])
def test_figures_16_to_20_with_something_missing(world: World, local: Station, target: Station, missing: str) -> None:
    target.away = missing == "listener"
    if missing != "target queue":
        target.local("TargetQueue")
    if missing != "connection":
        local.connection("T")
    local.remote("Sync", "T", synchronous=True)
    local.remote("TargetQueue", "T")
    codes = {"listener": Code.ADAPTER_EXCEPTION, "connection": Code.CON_UNKNOWN, "target queue": Code.Q_UNKNOWN}
    assert refused(local.put("Sync@T", "a")) is codes[missing]
    assert local.put("TargetQueue@T", "a") == Done()
    world.run(30)
    assert len(local.stored("TargetQueue@T")) == 1


@pytest.mark.spec("E-341", "E-314", "E-329")
def test_figures_21_to_23_a_remote_queue_named_after_an_alias(world: World, local: Station, target: Station) -> None:
    target.local("TargetQueue", ALIASES=["QueueAlias"])
    local.connection("T")
    local.remote("QueueAlias", "T")
    target.away = True
    assert local.put("QueueAlias@T", "a") == Done()
    (waiting,) = local.stored("QueueAlias@T").held.list
    assert waiting.target == Address("QueueAlias", "T")
    target.away = False
    world.run(LATER)
    assert target.texts("TargetQueue") == ["a"]


def two_modes(local: Station, target: Station) -> None:
    target.local("TargetQueue", ALIASES=["Sync", "Async"])
    local.connection("T")
    local.remote("Sync", "T", synchronous=True)
    local.remote("Async", "T")


@pytest.mark.spec("E-342", "E-128")
def test_figures_24_and_25_online(local: Station, target: Station) -> None:
    two_modes(local, target)
    assert local.put("Sync@T", "a") == Done()
    assert len(target.stored("TargetQueue")) == 1


@pytest.mark.spec("E-343", "E-129")
def test_figures_26_and_27_offline(world: World, local: Station, target: Station) -> None:
    two_modes(local, target)
    target.away = True
    assert local.put("Async@T", "a") == Done()
    assert refused(local.put("Sync@T", "b")) is Code.ADAPTER_EXCEPTION
    assert len(local.stored("Async@T")) == 1
    target.away = False
    local.network.trigger(local.now)
    world.run()
    assert target.texts("TargetQueue") == ["a"]


@pytest.mark.spec("E-344", "E-144")
def test_figure_1_put_in_one_mode_and_got_in_the_other(world: World) -> None:
    one, two = world.queue_manager("MQE1"), world.queue_manager("MQE2")
    one.local("MY_Q_ASYNC", ALIASES=["MY_Q_SYNC"])
    two.connection("MQE1")
    two.remote("MY_Q_ASYNC", "MQE1")
    two.remote("MY_Q_SYNC", "MQE1", synchronous=True)
    assert two.put("MY_Q_ASYNC@MQE1", "a") == Done()
    world.run()
    assert two.get("MY_Q_SYNC@MQE1")["text"] == "a"
    assert len(one.stored("MY_Q_ASYNC")) == 0


@pytest.mark.spec("E-345", "E-315", "E-324")
def test_figures_28_to_30_store_and_forward(world: World, local: Station, target: Station) -> None:
    target.local("TargetQ")
    target.local("OtherQ")
    local.store_and_forward("SafQueue", ["T"], forward="T")
    assert local.put("TargetQ@T", "a") == Done()
    assert local.put("OtherQ@T", "b") == Done()
    assert len(local.stored("SafQueue@T")) == 2
    local.connection("T")
    local.network.trigger(local.now)
    world.run(LATER)
    assert (target.texts("TargetQ"), target.texts("OtherQ")) == (["a"], ["b"])
    assert len(local.stored("SafQueue@T")) == 0


@pytest.mark.spec("E-346", "E-214")
def test_figure_30_with_the_first_queue_missing(world: World, local: Station, target: Station) -> None:
    target.local("OtherQ")
    local.connection("T")
    local.store_and_forward("SafQueue", ["T"], forward="T")
    local.put("TargetQ@T", "a")
    local.put("OtherQ@T", "b")
    world.run(30)
    assert target.texts("OtherQ") == []
    assert len(local.stored("SafQueue@T")) == 2
    assert any("TargetQ" in each for each in local.alarms)


@pytest.mark.spec("E-347", "E-316")
def test_figure_31_the_more_specific_one_wins(world: World, local: Station, target: Station) -> None:
    target.local("TargetQueue", ALIASES=["QueueAlias"])
    local.connection("T")
    local.store_and_forward("SafQueue", ["T"], forward="T")
    local.remote("TargetQueue", "T", synchronous=True)
    assert local.put("TargetQueue@T", "a") == Done()
    assert len(target.stored("TargetQueue")) == 1
    target.away = True
    world.cut_all("L", "T")
    assert local.put("QueueAlias@T", "b") == Done()
    assert len(local.stored("SafQueue@T")) == 1
    target.away = False
    world.run(LATER)
    assert target.texts("TargetQueue") == ["a", "b"]


@pytest.mark.spec("E-348", "E-349", "E-320")
@pytest.mark.parametrize("count", [3, 5])
def test_figures_32_to_34_a_chain(world: World, count: int) -> None:
    names = [f"QM{number}" for number in range(count)]
    chain = [world.queue_manager(name) for name in names]
    for station, following in zip(chain, names[1:], strict=False):
        station.connection(following)
        station.store_and_forward("SafQueue", [names[-1]], forward=following)
    chain[-1].local("TargetQ")
    assert chain[0].put(f"TargetQ@{names[-1]}", "a") == Done()
    world.run()
    assert chain[-1].texts("TargetQ") == ["a"]
    assert len(world.wires) == count - 1, "each knows its next one alone"
    assert all(len(each.stored(f"SafQueue@{after}")) == 0 for each, after in zip(chain, names[1:], strict=False))


def home(local: Station, server: Station, *queues: str) -> None:
    """``L`` pulls from ``R``, which has no connection to it."""
    server.store_and_forward("SafQueue", [local.name])
    for queue in queues:
        local.local(queue)
    local.connection(server.name)
    local.home_server(server.name)


@pytest.mark.spec("E-350", "E-135", "E-325")
def test_figures_35_to_37_a_home_server(world: World, local: Station) -> None:
    server = world.queue_manager("R")
    local.away = True
    home(local, server, "TargetQueue")
    assert server.put("TargetQueue@L", "a") == Done()
    world.run()
    assert len(server.stored("SafQueue")) == 1
    local.away = False
    local.network.trigger(local.now)
    world.run(LATER)
    assert local.texts("TargetQueue") == ["a"]
    assert len(server.stored("SafQueue")) == 0
    home_server = local.manager.queues.named(Address("HOME", "R"))
    assert home_server is not None
    assert home_server.messages is None


@pytest.mark.spec("E-351", "E-133")
def test_figure_36_with_the_queue_missing(world: World, local: Station) -> None:
    server = world.queue_manager("R")
    home(local, server, StandardQueue.DEAD_LETTER.value)
    assert server.put("Missing@L", "a") == Done()
    world.run(LATER)
    assert local.texts("DeadLetterQ") == ["a"]


@pytest.mark.spec("E-352", "E-287")
def test_figure_38_administration_of_a_device_that_is_away(world: World, local: Station) -> None:
    server = world.queue_manager("R")
    local.away = True
    home(local, server)
    local.define(QueueKind.ADMINISTRATION, "AdminQ")
    local.remote("AdminReplyQ", "R")
    server.local("AdminReplyQ")
    message = write_request(request("L", Action.CREATE, "local", "NEW"), Address("AdminReplyQ", "R"))
    assert server.put("AdminQ@L", message) == Done()
    world.run(30)
    assert len(server.stored("SafQueue")) == 1
    local.away = False
    local.network.trigger(local.now)
    world.run(LATER)
    assert local.put("NEW", "a") == Done()
    (reply,) = server.browse("AdminReplyQ")
    assert read_reply(reply).code is ReturnCode.SUCCESS


@pytest.mark.spec("E-353", "E-254", "E-322", "E-323")
@pytest.mark.parametrize("at_relay", ["synchronous", "asynchronous", "store and forward", "discovery"])
def test_figures_39_to_41_over_another(world: World, local: Station, target: Station, at_relay: str) -> None:
    relay = world.queue_manager("R")
    target.local("TargetQueue")
    local.connection("R")
    local.connection("T", via="R")
    local.remote("TargetQueue", "T", synchronous=True)
    relay.connection("T")
    if at_relay == "store and forward":
        relay.store_and_forward("SafQueue", ["T"], forward="T")
    elif at_relay != "discovery":
        relay.remote("TargetQueue", "T", synchronous=at_relay == "synchronous")
    assert local.put("TargetQueue@T", "a") == Done()
    world.run()
    assert target.texts("TargetQueue") == ["a"]


def two_servers(world: World) -> tuple[Station, Station, Station]:
    client = world.queue_manager("CLIENT")
    servers = world.queue_manager("ServerQM"), world.queue_manager("BackupQM")
    for server in servers:
        server.local("TargetQueue")
        client.connection(server.name)
        client.remote("TargetQueue", server.name)
    return client, *servers


def move_alias(client: Station, alias: str, old: str, new: str) -> None:
    """Delete an alias and create it anew."""
    connections = client.manager.objects.connections
    if old:
        client.expect_done(
            lambda then: client.manager.define(lambda: connections.change_aliases(old, [alias], add=False), then)
        )
    client.expect_done(
        lambda then: client.manager.define(lambda: connections.change_aliases(new, [alias], add=True), then)
    )


@pytest.mark.spec("E-354", "E-355", "E-310")
def test_figures_42_to_45_an_alias_that_moves(world: World) -> None:
    client, server, backup = two_servers(world)
    move_alias(client, "Server", "", "ServerQM")
    assert client.put("TargetQueue@Server", "a") == Done()
    world.run()
    move_alias(client, "Server", "ServerQM", "BackupQM")
    assert client.put("TargetQueue@Server", "b") == Done()
    world.run()
    assert (server.texts("TargetQueue"), backup.texts("TargetQueue")) == (["a"], ["b"])


@pytest.mark.spec("E-356", "E-312")
def test_figure_45_another_server_takes_over_address_and_name(world: World) -> None:
    client, server = world.queue_manager("CLIENT"), world.queue_manager("ServerQM")
    server.local("TargetQueue")
    client.connection("ServerQM")
    assert client.put("TargetQueue@ServerQM", "a") == Done()
    backup = world.queue_manager("BackupQM")
    backup.local("TargetQueue")
    backup.alias("ServerQM")
    world.cut_all("CLIENT", "ServerQM")
    server.away = True
    client.connection("ServerQM", at="BackupQM")
    assert client.put("TargetQueue@ServerQM", "b") == Done()
    assert (server.texts("TargetQueue"), backup.texts("TargetQueue")) == (["a"], ["b"])


@pytest.mark.spec("E-363", "E-255", "E-312")
def test_figure_65_a_server_with_two_names(world: World) -> None:
    server = world.queue_manager("SERVER23QM")
    server.local("SERVICEQ")
    server.alias("SERVICEQM")
    client = world.queue_manager("DEVICE")
    client.connection("SERVER23QM")
    client.connection("SERVICEQM", via="SERVER23QM")
    assert client.put("SERVICEQ@SERVER23QM", "a") == Done()
    assert client.put("SERVICEQ@SERVICEQM", "b") == Done()
    assert server.texts("SERVICEQ") == ["a", "b"]


@pytest.mark.spec("E-364", "E-310")
def test_figure_66_an_alias_on_the_device(world: World) -> None:
    device = world.queue_manager("DEVICE")
    servers = [world.queue_manager(f"SERVER{number}QM") for number in (23, 24)]
    for server in servers:
        server.local("Q")
        device.connection(server.name)
    move_alias(device, "SERVICEXQM", "", "SERVER23QM")
    assert device.put("Q@SERVICEXQM", "a") == Done()
    move_alias(device, "SERVICEXQM", "SERVER23QM", "SERVER24QM")
    assert device.put("Q@SERVICEXQM", "b") == Done()
    assert [server.texts("Q") for server in servers] == [["a"], ["b"]]
    assert all(server.manager.aliases() == {} for server in servers)


@pytest.mark.spec("E-365", "E-366", "E-322")
def test_figure_67_a_name_that_the_server_maps(world: World) -> None:
    device, server = world.queue_manager("DEVICE"), world.queue_manager("SERVER23QM")
    server.local("Q")
    server.alias("SERVICEXQM")
    device.connection("SERVER23QM")
    device.connection("SERVICEXQM", via="SERVER23QM")
    device.remote("Q", "SERVICEXQM")
    server.away = True
    assert device.put("Q@SERVICEXQM", "a") == Done()
    (waiting,) = device.stored("Q@SERVICEXQM").held.list
    assert waiting.target == Address("Q", "SERVICEXQM"), "the name is still in the flow"
    server.away = False
    world.run(LATER)
    assert server.texts("Q") == ["a"]
    real = world.queue_manager("SERVICEXQM")
    real.local("Q")
    server.connection("SERVICEXQM")
    server.store_and_forward("SafQueue", ["SERVICEXQM"], forward="SERVICEXQM")
    assert device.put("Q@SERVICEXQM", "b") == Done()
    world.run()
    assert (server.texts("Q"), real.texts("Q")) == (["a"], ["b"])


@pytest.mark.spec("E-256")
def test_a_connection_to_another_queue_manager_than_its_name_says_is_refused(world: World, local: Station) -> None:
    other = world.queue_manager("X")
    other.local("Q")
    local.connection("T", at="X")
    assert refused(local.put("Q@T", "a")) is Code.CON_INVALID_NAME
    assert other.texts("Q") == []


@pytest.mark.spec("E-132", "E-326")
def test_an_entry_is_not_pushed_while_its_target_pulls_and_goes_the_other_way_afterwards(
    world: World, local: Station
) -> None:
    server = world.queue_manager("R")
    local.local("Q")
    server.store_and_forward("SAF", ["L"], forward="L")
    local.connection("R")
    local.home_server("R")
    world.run(1)
    server.connection("L")
    for number in range(3):
        assert server.put("Q@L", f"{number}") == Done()
        world.run(1)
    assert local.texts("Q") == ["0", "1", "2"]
    assert [(wire.caller.name, wire.called.name) for wire in world.wires] == [("L", "R")]
    local.expect_done(lambda then: local.manager.define(lambda: local.manager.objects.connections.delete("R"), then))
    local.kill()
    for number in range(3, 6):
        assert server.put("Q@L", f"{number}") == Done()
    world.run(60)
    assert local.texts("Q") == [f"{number}" for number in range(6)]
    assert [(wire.caller.name, wire.called.name) for wire in world.wires] == [("R", "L")]
    local.connection("R")
    local.network.trigger(local.now)
    world.run(60)
    server.put("Q@L", "6")
    server.kill()
    local.network.trigger(local.now)
    world.run(LATER)
    assert local.texts("Q") == [f"{number}" for number in range(7)]
    assert server.alarms == []
    assert len(server.stored("SAF@L")) == 0
