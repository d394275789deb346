"""SC-15: failover by alias."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace import routes_in_doubt
from mqbridge.bridge.everyplace.routes_in_doubt import TABLE
from mqbridge.bridge.everyplace.states import State
from mqbridge.bridge.store.interface import PutRecord
from mqbridge.protocol.everyplace.calls import Call, ConfirmGet, ConfirmPut, Done, Get, Got, Put, Undo
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import Station, World, text_message

HOUR = 3600.0


def move(client: Station, old: str, new: str) -> None:
    """Delete the alias Server, and create it anew."""
    connections = client.manager.objects.connections
    if old:
        client.expect_done(
            lambda then: client.manager.define(lambda: connections.change_aliases(old, ["Server"], add=False), then)
        )
    client.expect_done(
        lambda then: client.manager.define(lambda: connections.change_aliases(new, ["Server"], add=True), then)
    )


def three() -> tuple[World, Station, Station, Station]:
    world = World()
    client, server, backup = (world.queue_manager(name) for name in ("CLIENT", "ServerQM", "BackupQM"))
    for each in (server, backup):
        each.local("Q")
        client.connection(each.name)
    return world, client, server, backup


@pytest.mark.spec("SC-15", "E-311", "E-312", "E-354", "E-355", "E-363", "E-364")
@pytest.mark.parametrize("synchronous", [True, False])
def test_the_alias_moves_and_the_program_is_unchanged(*, synchronous: bool) -> None:
    world, client, server, backup = three()
    for each in (server, backup):
        client.remote("Q", each.name, synchronous=synchronous)
    move(client, "", "ServerQM")
    assert client.put("Q@Server", "first") == Done()
    world.run()
    move(client, "ServerQM", "BackupQM")
    assert client.put("Q@Server", "second") == Done()
    world.run()
    assert (server.texts("Q"), backup.texts("Q")) == (["first"], ["second"])


@pytest.mark.spec("SC-15", "E-356", "E-365", "E-366")
def test_a_backup_takes_over_address_and_name() -> None:
    """BackupQM listens where ServerQM did, and has the alias ServerQM for itself."""
    world, client, server, backup = three()
    assert client.put("Q@ServerQM", "first") == Done()
    world.cut_all("CLIENT", "ServerQM")
    server.away = True
    backup.alias("ServerQM")
    client.connection("ServerQM", at="BackupQM")
    assert client.put("Q@ServerQM", "second") == Done()
    assert (server.texts("Q"), backup.texts("Q")) == (["first"], ["second"])


@pytest.mark.spec("SC-15", "E-204")
def test_what_is_in_doubt_keeps_its_route() -> None:
    """The alias moves between a put with confirm id and its confirm, which goes where the message is."""
    world, client, server, backup = three()
    move(client, "", "ServerQM")
    message = text_message("in doubt")
    assert client.ask(Put(Address("Q", "Server"), message, confirm=7)) == Done()
    uid = next(iter(server.stored("Q").held.list)).uid
    move(client, "ServerQM", "BackupQM")
    assert client.ask(ConfirmPut(Address("Q", "Server"), uid)) == Done()
    assert (server.texts("Q"), backup.texts("Q")) == (["in doubt"], [])
    assert client.put("Q@Server", "after") == Done()
    assert backup.texts("Q") == ["after"]
    world.run(HOUR)


def doubts(station: Station) -> int:
    return len(list(station.store.records(TABLE)))


@pytest.mark.spec("SC-15", "E-204")
@pytest.mark.parametrize("kind", ["synchronous", "asynchronous", "discovered"])
@pytest.mark.parametrize("undone", [True, False])
def test_what_is_in_doubt_keeps_its_route_over_a_crash_of_the_client(kind: str, *, undone: bool) -> None:
    """Without it, the confirm would find nothing at BackupQM and count as done, and the message would stay hidden."""
    world, client, server, backup = three()
    if kind != "discovered":
        for each in (server, backup):
            client.remote("Q", each.name, synchronous=kind == "synchronous")
    move(client, "", "ServerQM")
    message = text_message("in doubt")
    assert client.ask(Put(Address("Q", "Server"), message, confirm=7)) == Done()
    assert message.uid is not None
    assert doubts(client) == 1
    client.kill()
    move(client, "ServerQM", "BackupQM")
    client.kill()
    address = Address("Q", "Server")
    assert client.ask(Undo(address, 7) if undone else ConfirmPut(address, message.uid)) == Done()
    world.run()
    assert (server.texts("Q"), backup.texts("Q")) == ([] if undone else ["in doubt"], [])
    assert len(server.stored("Q")) == (0 if undone else 1)
    client.write()
    assert doubts(client) == 0
    assert client.put("Q@Server", "after") == Done()
    world.run()
    assert backup.texts("Q") == ["after"]


@pytest.mark.spec("SC-15", "E-204", "E-202")
@pytest.mark.parametrize("undone", [True, False])
def test_a_message_that_was_got_is_confirmed_where_it_was_after_a_crash(*, undone: bool) -> None:
    world, client, server, _backup = three()
    move(client, "", "ServerQM")
    server.put("Q", "to be got")
    found = client.ask(Get(Address("Q", "Server"), Fields(), confirm=8))
    assert isinstance(found, Got)
    assert found.message.uid is not None
    client.kill()
    move(client, "ServerQM", "BackupQM")
    address = Address("Q", "Server")
    assert client.ask(Undo(address, 8) if undone else ConfirmGet(address, found.message.uid)) == Done()
    world.run()
    assert server.texts("Q") == (["to be got"] if undone else [])
    assert len(server.stored("Q")) == (1 if undone else 0)


@pytest.mark.spec("SC-15", "E-204")
@pytest.mark.parametrize("steps", range(1, 9))
def test_a_crash_at_any_step_of_a_put_leaves_nothing_hidden(steps: int) -> None:
    """The program, which does not know what was done, undoes by its confirm id when the alias has moved."""
    world, client, server, backup = three()
    move(client, "", "ServerQM")
    for each in (server, backup):
        client.remote("Q", each.name, synchronous=True)
    call: Call = Put(Address("Q", "Server"), text_message("in doubt"), confirm=9)
    client.manager.call(call, lambda _: None, client.now)
    for _ in range(steps):
        world.step()
    client.kill()
    move(client, "ServerQM", "BackupQM")
    outcome = client.ask(Undo(Address("Q", "Server"), 9))
    assert outcome == Done() or getattr(outcome, "code", None) is Code.NOT_FOUND
    assert len(server.stored("Q")) == len(backup.stored("Q")) == 0


@pytest.mark.spec("E-204")
def test_routes_are_remembered_up_to_a_number_and_rows_that_are_damaged_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(routes_in_doubt, "_MOST", 3)
    _world, client, _server, _backup = three()
    client.remote("Q", "ServerQM", synchronous=True)
    for number in range(1, 6):
        assert client.ask(Put(Address("Q", "ServerQM"), text_message(str(number)), confirm=number)) == Done()
    assert doubts(client) == 3
    assert client.put("Q@ServerQM", "without confirm id") == Done()
    assert doubts(client) == 3
    assert client.store.commit([[PutRecord(TABLE, bytes(8), b"no row")]]) == [None]
    with pytest.raises(EveryplaceError, match="row 0 of routes in doubt is damaged"):
        client.kill()


@pytest.mark.spec("E-204", "E-364")
@pytest.mark.parametrize("undone", [True, False])
def test_what_waits_here_is_confirmed_although_its_address_leads_elsewhere_after_a_restart(*, undone: bool) -> None:
    world, client, server, backup = three()
    client.remote("Q", "Server", synchronous=False)
    client.connection("Server", via="ServerQM")
    message = text_message("in doubt")
    address = Address("Q", "Server")
    assert client.ask(Put(address, message, confirm=7)) == Done()
    assert message.uid is not None
    client.kill()
    client.expect_done(
        lambda then: client.manager.define(lambda: client.manager.objects.connections.delete("Server"), then)
    )
    move(client, "", "BackupQM")
    assert client.ask(Undo(address, 7) if undone else ConfirmPut(address, message.uid)) == Done()
    world.run(1)
    assert [each.state for each in client.stored("Q@Server").held.list] == ([] if undone else [State.UNLOCKED])
    assert len(server.stored("Q")) == len(backup.stored("Q")) == 0
