"""A device's files of versions 1 and 2, as releases wrote them: they are read for ever."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mqbridge.bridge.everyplace.secrets import FINGERPRINT, KEY, Secrets
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.store.sqlite import SqliteStore
from mqbridge.everyplace import NoMatchingMessage, QueueManager, text_of

VECTORS = Path(__file__).parents[4] / "vectors" / "everyplace"


@pytest.fixture(params=["device-v1.mqe.gz", "device-v2.mqe.gz"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    found = tmp_path / "moon.mqe"
    found.write_bytes(gzip.decompress((VECTORS / request.param).read_bytes()))
    return found


@pytest.mark.spec("E-224", "E-231")
def test_its_definitions_messages_and_their_states_are_there(file: Path) -> None:
    with QueueManager.open(file, connect=False) as moon:
        assert moon.name == "MOON"
        depths = {str(row.address): row.messages for row in moon.view.depths()}
        assert depths["ALARMS@MOON"] == 4
        assert depths["OutgoingQ@EARTH"] == 1
        assert {"AdminQ@MOON", "AdminReplyQ@MOON", "DeadLetterQ@MOON", "HomeServerQ@EARTH"} <= depths.keys()
        (order,) = moon.view.stored("ORDERS@SATURN")
        assert text_of(order) == "two apples"
        assert order.uid is not None
        assert moon.view.waiting("SATURN") == 1
        # One is got with a confirm id, one is locked, one was put with a confirm id.
        assert [each["text"] for each in moon.browse("SIREN")] == ["urgent", "long"]
        moon.undo("ALARMS", 9)
        urgent = moon.get("ALARMS")
        assert (urgent.priority, urgent.msg_id, urgent.reply_to) == (9, b"id", ("REPLIES", "MOON"))
        assert [each["text"] for each in moon.browse("ALARMS")] == ["later", "long"]
        assert moon.get("ALARMS", {"text": "long"})["data"] == bytes(range(256)) * 100
        moon.undo("ORDERS@EARTH", 7)
        assert moon.view.stored("ORDERS@EARTH") == []
        assert moon.put("ALARMS", "new") > order.uid
        with pytest.raises(NoMatchingMessage):
            moon.get("DeadLetterQ")


def test_its_secrets_are_there(file: Path) -> None:
    store = SqliteStore(file)
    found = Secrets(store, Security())
    assert (found.value("EARTH", KEY), found.value("EARTH", FINGERPRINT)) == (b"k" * 32, b"f" * 16)
    store.check()
    store.close()
