"""The operator hears of certificates that expire: at the start, and again when less time is left."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from twisted.internet.task import Clock

from mqbridge.bridge.config import Configuration
from mqbridge.bridge.config.settings import QueueManagerSettings
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.objects import Kind, Objects, define_supplied
from mqbridge.bridge.service.channel_keys import ChannelKeys
from mqbridge.bridge.service.expiry_watch import INTERVAL, ExpiryWatch
from mqbridge.bridge.store.memory import MemoryStore
from support.tls.authority import Authority

DAY = 86_400


def keys_of(data: Path, **attributes: str) -> ChannelKeys:
    objects = Objects("EARTH", 0.0)
    define_supplied(objects, 0.0)
    if attributes:
        objects.alter(Kind.QMGR, "EARTH", dict(attributes), 0.0)
    configuration = Configuration(queue_manager=QueueManagerSettings(name="EARTH", data=data))
    return ChannelKeys(configuration, QueueManager("EARTH", MemoryStore(), objects, 0.0))


def test_each_certificate_is_told_of_once_for_each_of_the_days_ahead(tmp_path: Path) -> None:
    authority = Authority()
    for label, days in (("soon", 8.5), ("later", 300)):
        authority.issue(f"CN={label}", valid=(-30, days), curve=True).save(tmp_path / "ssl" / f"{label}.pem")
    start, clock, told = time.time(), Clock(), []
    watch = ExpiryWatch(clock, keys_of(tmp_path), lambda: start + clock.seconds(), lambda *line: told.append(line))
    watch.start()
    for _ in range(10):
        clock.advance(INTERVAL)
    assert [(amq, inserts[:-1]) for amq, inserts in told] == [
        ("AMQ5056", ("soon", 8)),
        ("AMQ5056", ("soon", 6)),
        ("AMQ5056", ("soon", 0)),
        ("AMQ5057", ("soon",)),
    ]
    watch.stop()
    assert clock.getDelayedCalls() == []


def test_without_a_key_repository_there_is_nothing_to_tell(tmp_path: Path) -> None:
    keys, told = keys_of(tmp_path), []
    ExpiryWatch(Clock(), keys, time.time, lambda *line: told.append(line)).start()
    assert told == []
    keys.refresh()


@pytest.mark.spec("tls.md T-05")
@pytest.mark.parametrize(
    ("attributes", "folder", "label"),
    [
        ({}, "ssl", "ibmwebspheremqearth"),
        ({"SSLKEYR": "keys", "CERTLABL": "mine"}, "keys", "mine"),
        ({"SSLKEYR": "/etc/keys"}, "/etc/keys", "ibmwebspheremqearth"),
    ],
)
def test_the_repository_and_the_label_are_those_of_the_queue_manager(
    tmp_path: Path, attributes: dict[str, str], folder: str, label: str
) -> None:
    keys = keys_of(tmp_path, **attributes)
    assert (keys.folder, keys.label) == (tmp_path / folder, label)
