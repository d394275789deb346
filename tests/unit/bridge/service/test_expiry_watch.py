"""The operator hears of certificates that expire: at the start, and again when less time is left."""

from __future__ import annotations

import time
from pathlib import Path

from twisted.internet.task import Clock

from mqbridge.bridge.service.expiry_watch import INTERVAL, ExpiryWatch
from support.tls.authority import Authority
from support.tls.keys_of_channels import keys_of

DAY = 86_400


def test_each_certificate_is_told_of_once_for_each_of_the_days_ahead(tmp_path: Path) -> None:
    authority = Authority()
    for label, days in (("soon", 8.5), ("later", 300)):
        authority.issue(f"CN={label}", valid=(-30, days), curve=True).save(tmp_path / "ssl" / f"{label}.pem")
    start, clock, told = time.time(), Clock(), []
    watch = ExpiryWatch(clock, keys_of(tmp_path)[0], lambda: start + clock.seconds(), lambda *line: told.append(line))
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
    keys, told = keys_of(tmp_path)[0], []
    ExpiryWatch(Clock(), keys, time.time, lambda *line: told.append(line)).start()
    assert told == []
    keys.refresh()
