"""SC-15: failover by alias."""

from __future__ import annotations

import pytest

from mqbridge.protocol.everyplace.calls import ConfirmPut, Done, Put
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
