"""Definitions as rows of the registry: what is written is read, and what cannot be is refused (mqe.md 12, 13)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import DESCRIPTION, ListenerDefinition
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.store.memory import MemoryStore, MemoryTables
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

LISTENER = ListenerDefinition(
    "TCP", "tls", ":8081", "", 2000, 2, "key", "a certificate", "a key", "authorities", "the gate"
)


@pytest.mark.spec("E-224", "E-260")
def test_a_listener_is_read_as_it_was_written() -> None:
    store = MemoryStore(MemoryTables())
    store.commit([[Registry.put_listener(LISTENER), Registry.put_listener(ListenerDefinition("PLAIN"))]])
    assert list(Registry(store).listeners()) == [ListenerDefinition("PLAIN"), LISTENER]
    store.commit([[Registry.remove_listener("TCP")]])
    assert list(Registry(store).listeners()) == [ListenerDefinition("PLAIN")]
    assert "a key" not in repr(LISTENER)


@pytest.mark.spec("E-224", "E-251", "E-252")
def test_a_connection_is_read_as_it_was_written() -> None:
    store = MemoryStore(MemoryTables())
    connection = ConnectionDefinition("EARTH", "http", "earth:80", "/servlet/MQe", aliases=("HOME", "BASE"), user="me")
    store.commit([[Registry.put_connection(connection), Registry.put_connection(ConnectionDefinition("SELF"))]])
    assert list(Registry(store).connections()) == [connection, ConnectionDefinition("SELF")]


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"name": "a listener"}, Code.SYNTAX),
        ({"name": "x" * 231}, Code.TOO_LONG),
        ({"name": "TCP", "adapter": ""}, Code.CON_ADAPTER_REQUIRED),
        ({"name": "TCP", "timeout": -1}, Code.ADMIN_INVALID_FIELD),
        ({"name": "TCP", "max_channels": -1}, Code.ADMIN_INVALID_FIELD),
    ],
)
@pytest.mark.spec("E-260", "E-571")
def test_a_listener_that_cannot_be_is_refused(values: dict[str, Any], code: Code) -> None:
    with pytest.raises(EveryplaceError) as caught:
        ListenerDefinition(**values)
    assert caught.value.code is code


@pytest.mark.spec("E-240")
def test_a_listener_listens_on_port_8081_unless_another_is_said() -> None:
    assert ListenerDefinition("TCP").endpoint == ":8081"


@pytest.mark.spec("E-224")
def test_programs_keep_data_in_the_registry() -> None:
    store = MemoryStore(MemoryTables())
    store.commit([[Registry.put_user_data("route", b"north"), Registry.put_user_data("driver", b"me")]])
    store.commit([[Registry.remove_user_data("driver")]])
    assert [Registry(store).user_data(name) for name in ("route", "driver")] == [b"north", None]
    for name, value, code in (("a name", b"", Code.SYNTAX), ("long", bytes(65_537), Code.TOO_LONG)):
        with pytest.raises(EveryplaceError) as caught:
            Registry.put_user_data(name, value)
        assert caught.value.code is code


@pytest.mark.spec("E-224")
def test_a_property_that_is_too_long_is_refused() -> None:
    with pytest.raises(EveryplaceError) as caught:
        DESCRIPTION.checked("x" * 65_537)
    assert caught.value.code is Code.ADMIN_INVALID_FIELD
