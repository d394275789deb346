"""Messages at rest on queues of Everyplace with a compressor or cryptor."""

from __future__ import annotations

import contextlib
import random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.everyplace.creation import create
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.queues.entry import Entry
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.everyplace.security import private_registry
from mqbridge.bridge.everyplace.security.at_rest import MARK, Encryption, Protected
from mqbridge.bridge.everyplace.security.attributes import Attribute
from mqbridge.bridge.everyplace.security.cryptography import derived
from mqbridge.bridge.everyplace.security.security import OF_QUEUE, Security
from mqbridge.bridge.store.interface import AddMessage, RemoveMessage
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.protocol.everyplace.calls import Delete, Done, Get, Got, Outcome, Put, Refused
from mqbridge.protocol.everyplace.dump import dump
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace_security import INCARNATION, library, security

NOW: Final = 1_795_251_600.0
UID: Final = MessageUid("MOON", 5)
ORDERS: Final = Address("ORDERS", "MOON")
OTHER: Final = Address("OTHER", "MOON")


@pytest.fixture(autouse=True, scope="module")
def quick_pin() -> Any:
    """A PIN costs no time here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(private_registry, "stretched", lambda pin, salt: derived(pin.encode(), salt))
        yield


class Host:
    """A queue manager whose commits succeed at once."""

    def __init__(self, found: Security | None = None, store: MemoryStore | None = None) -> None:
        self.store = store or MemoryStore()
        if store is None:
            self.store.commit([create(self.store, "MOON", INCARNATION)])
        self.manager = QueueManager(self.store, random.Random(1), security=found)

    def define(self, address: Address = ORDERS, kind: QueueKind = QueueKind.LOCAL, **values: Any) -> Outcome:
        definition = QueueDefinition(kind, address)
        for name, value in values.items():
            definition.set(getattr(rows, name), value)
        found: list[Outcome] = []
        self.manager.define_queue(definition, found.append)
        self.commit()
        return found[0]

    def call(self, call: Any, peer: str = "") -> Outcome:
        found: list[Outcome] = []
        self.manager.call(call, found.append, NOW, peer)
        self.commit()
        return found[0]

    def put(self, text: str, address: Address = ORDERS) -> Outcome:
        message = Message()
        message["text"] = text
        return self.call(Put(address, message))

    def get(self, address: Address = ORDERS) -> Any:
        outcome = self.call(Get(address, Fields()))
        return outcome.message["text"] if isinstance(outcome, Got) else outcome

    def commit(self) -> None:
        for pending in self.manager.take_commits():
            self.manager.committed(pending, self.store.commit([pending.operations])[0])

    def queue(self, address: Address = ORDERS) -> Queue:
        return self.manager.resolve(address)[0]

    def row(self, address: Address = ORDERS) -> bytes:
        """What is on disk of the first message of a queue."""
        messages = self.queue(address).messages
        assert messages is not None
        entry = next(iter(messages.held.list))
        return self.store.read(messages.held.number, entry.position)

    def replace(self, entry: Entry, row: bytes, address: Address = ORDERS) -> None:
        """Somebody writes something else into the file."""
        number = self.queue(address).definition.number
        for operation in (RemoveMessage(number, entry.position), AddMessage(number, entry.position, entry.row(), row)):
            assert self.store.commit([[operation]]) == [None]


@pytest.mark.spec("E-095", "E-443", "E-447")
@pytest.mark.parametrize(
    "values",
    [
        {"CRYPTOR": "aes-gcm"},
        {"CRYPTOR": "aes-gcm", "COMPRESSOR": "zlib"},
        {"CRYPTOR": "aes-gcm", "AUTHENTICATOR": "key"},
    ],
)
def test_what_is_put_on_a_queue_with_a_cryptor_is_encrypted_on_disk(values: dict[str, Any]) -> None:
    moon = Host(security())
    assert moon.define(**values) == Done()
    moon.put("two apples" * 100)
    assert moon.row().startswith(MARK)
    assert b"apples" not in moon.row()
    assert moon.get() == "two apples" * 100


@pytest.mark.spec("E-095", "E-447")
def test_a_compressor_alone_needs_no_key() -> None:
    moon = Host()
    assert moon.define(COMPRESSOR="zlib") == Done()
    moon.put("two apples" * 100)
    assert len(moon.row()) < 200
    assert moon.get() == "two apples" * 100


@pytest.mark.spec("E-095")
def test_messages_are_read_after_a_restart_with_the_pin_and_refused_without() -> None:
    store = MemoryStore()
    found = security(store)
    moon = Host(found)
    moon.define(CRYPTOR="aes-gcm")
    moon.define(OTHER)
    moon.put("two apples")
    moon.put("plain", OTHER)
    without = Host(Security(library()), moon.store)
    assert without.get().code is Code.NOT_ALLOWED
    assert without.put("more").code is Code.NOT_ALLOWED
    assert without.get(OTHER) == "plain"
    stolen = Host(security(MemoryStore(), seed=2), moon.store)
    assert stolen.get().code is Code.STORE
    again = Host(found, moon.store)
    assert again.get() == "two apples"


@pytest.mark.spec("E-095")
def test_a_row_that_was_changed_or_moved_on_disk_is_refused() -> None:
    moon = Host(security())
    moon.define(CRYPTOR="aes-gcm")
    moon.define(OTHER, CRYPTOR="aes-gcm")
    moon.put("one")
    moon.put("two", OTHER)
    messages, others = moon.queue().messages, moon.queue(OTHER).messages
    assert messages is not None
    assert others is not None
    entry, other = next(iter(messages.held.list)), next(iter(others.held.list))
    row, plain = moon.row(), dump(messages.read(entry))
    forged = [plain, moon.row(OTHER), row[:-1], row[:20], MARK, b"", MARK + b"\1" + row[5:], MARK + b"\7" + row[5:]]
    forged += [row[:at] + bytes([row[at] ^ 1]) + row[at + 1 :] for at in range(len(row))]
    for data in forged:
        moon.replace(entry, data)
        refused = moon.get()
        assert isinstance(refused, Refused), data
        assert refused.code is Code.STORE
    moon.replace(entry, row)
    assert moon.get() == "one"
    assert moon.get(OTHER) == "two"
    assert other.uid != entry.uid
    moon.put("three")
    messages = moon.queue().messages
    assert messages is not None
    spoilt = next(iter(messages.held.list))
    moon.replace(spoilt, MARK)
    assert moon.call(Delete(ORDERS, spoilt.uid)) == Done()


@pytest.mark.spec("E-123")
def test_the_key_is_the_queue_managers_or_the_queues() -> None:
    found = security()
    definition = QueueDefinition(QueueKind.LOCAL, ORDERS)
    definition.set(rows.CRYPTOR, "aes-gcm")
    of_manager = found.at_rest(definition)
    definition.set(rows.TARGET_REGISTRY, OF_QUEUE)
    of_queue = found.at_rest(definition)
    row = of_queue.protect(UID, b"MQe\1data")
    assert of_queue.opened(UID, row) == b"MQe\1data"
    with pytest.raises(EveryplaceError):
        of_manager.opened(UID, row)


@pytest.mark.spec("E-446", "E-447", "E-571")
@pytest.mark.parametrize("values", [{"CRYPTOR": "aes-gcm"}, {"AUTHENTICATOR": "key"}])
def test_a_protected_queue_needs_the_library_and_a_private_registry(values: dict[str, Any]) -> None:
    refused = Host().define(**values)
    assert isinstance(refused, Refused)
    assert refused.code is Code.NOT_SUPPORTED
    assert "pip install cryptography" in refused.text
    refused = Host(Security(library())).define(**values)
    assert isinstance(refused, Refused)
    assert refused.code is Code.NOT_ALLOWED
    assert "private registry" in refused.text
    remote = Address("ORDERS", "EARTH")
    assert Host().define(remote, QueueKind.REMOTE, **values) == Done()
    assert isinstance(Host().define(remote, QueueKind.REMOTE, MODE=rows.ASYNCHRONOUS, **values), Refused)


@pytest.mark.spec("E-447")
@pytest.mark.parametrize("values", [{"CRYPTOR": "xor"}, {"COMPRESSOR": "rle"}, {"COMPRESSOR": "zlib-stream"}])
def test_other_cryptors_and_compressors_are_refused(values: dict[str, Any]) -> None:
    refused = Host(security()).define(**values)
    assert isinstance(refused, Refused)
    assert refused.code is Code.NOT_SUPPORTED


@pytest.mark.spec("E-518", "E-139", "E-095")
def test_a_cryptor_changes_on_an_empty_queue_alone_and_a_compressor_at_any_time() -> None:
    moon = Host(security())
    moon.define()
    moon.put("plain")
    errors = moon.manager.objects.queues.update(
        moon.queue(), {rows.CRYPTOR: "aes-gcm", rows.COMPRESSOR: "zlib", rows.TARGET_REGISTRY: OF_QUEUE}
    ).result
    assert {row: error.code for row, error in errors.items()} == {
        rows.CRYPTOR: Code.Q_IN_USE,
        rows.TARGET_REGISTRY: Code.Q_IN_USE,
    }
    moon.put("compressed")
    assert [moon.get(), moon.get()] == ["plain", "compressed"]
    assert not moon.manager.objects.queues.update(moon.queue(), {rows.CRYPTOR: "aes-gcm"}).result
    moon.put("encrypted")
    assert moon.row().startswith(MARK + b"\3")


@pytest.mark.spec("E-443", "E-444", "E-445")
def test_a_queue_tests_the_channel_over_which_a_message_came() -> None:
    moon = Host(security())
    moon.define(AUTHENTICATOR="key", CRYPTOR="aes-gcm")
    message = Message()
    message.identify(MessageUid("EARTH", 1))
    channels = moon.manager.security.channels
    channels["EARTH"] = Attribute("key", "", "", "MOON")
    refused = moon.call(Put(ORDERS, message), "EARTH")
    assert isinstance(refused, Refused)
    assert refused.code is Code.CHNL_ATTRIBUTES
    with pytest.raises(EveryplaceError) as caught:
        moon.manager.place(message, ORDERS, NOW, "EARTH")
    assert caught.value.code is Code.CHNL_ATTRIBUTES
    channels["EARTH"] = Attribute("key", "tls", "", "MOON")
    assert moon.call(Put(ORDERS, message), "EARTH") == Done()


@pytest.mark.spec("E-443")
def test_where_no_channel_is_involved_the_message_is_stored_protected_without_test() -> None:
    moon = Host(security())
    moon.define(AUTHENTICATOR="certificate", CRYPTOR="aes-gcm")
    message = Message()
    message.identify(MessageUid("EARTH", 1))
    moon.manager.submit(moon.manager.place(message, ORDERS, NOW), lambda done: None)
    moon.commit()
    assert moon.row().startswith(MARK)


@given(st.binary(max_size=80), st.booleans())
def test_any_row_is_read_or_refused(data: bytes, compressing: bool) -> None:
    encryption = Encryption(library(), bytes(32), "Q@MOON", random.Random(1))
    for at_rest in (
        Protected(compressing=compressing, encryption=encryption),
        Protected(compressing=compressing, encryption=None),
    ):
        for row in (data, MARK + data):
            with contextlib.suppress(EveryplaceError):
                at_rest.opened(UID, row)


@given(st.binary(max_size=200), st.booleans(), st.booleans())
def test_what_is_protected_comes_back(data: bytes, compressing: bool, encrypting: bool) -> None:
    encryption = Encryption(library(), bytes(32), "Q@MOON", random.Random(1)) if encrypting else None
    if not (compressing or encrypting):
        return
    at_rest = Protected(compressing=compressing, encryption=encryption)
    assert at_rest.opened(UID, at_rest.protect(UID, data)) == data
