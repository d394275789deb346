"""Whatever the code of a plug-in does, each door answers with a documented error, and the message stays as it was."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from mqbridge.bridge.decoding import decode
from mqbridge.bridge.message_json.view import MessageView
from mqbridge.bridge.queue_manager import GetOptions
from mqbridge.mappings.conversion import convert_message
from mqbridge.mappings.conversion.text import DataEncoding
from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import TreeError, message_tree
from mqbridge.protocol.chain import walk
from mqbridge.protocol.constants import MQGMO
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.formats import Formats
from support.formats import hostile
from support.gateway.stage import Stage

SEEDS = 60
SECONDS = 5.0
"""Of processor time at one door."""
LITTLE, BIG = DataEncoding(546, 1208), DataEncoding(273, 500)
WARNINGS = (0, *range(2110, 2120), 2150, 2190)
"""Of MQGET with conversion (mqi.md 14)."""
CONVERTING = GetOptions(int(MQGMO.NO_WAIT | MQGMO.CONVERT), encoding=273, ccsid=500)


def message(random: Random) -> Message:
    """Some hostile headers, with a hostile body behind them, cut now and then."""
    names = [random.choice((hostile.HEADER, hostile.LETTER)) for _ in range(random.randrange(3))]
    names.append(random.choice((hostile.BODY, hostile.LIST)))
    data = b""
    for name, behind in pairwise(names):
        follows = (546).to_bytes(4, "little") + (1208).to_bytes(4, "little") + behind.ljust(8).encode()
        end = random.choice((b"\x1c\0ab", b"\xff\xff", b"\0\0", b"\x1e\0abcd", b"\x01\0a"))
        data += (b"HOST" if name == hostile.HEADER else b"") + follows + end
    data += random.choice((b"", b"\x02\0\x01\0a\x01\0b", b"\xff\xff", random.randbytes(40)))
    data = data[: random.choice((len(data), len(data), random.randrange(len(data) + 1)))]
    return Message.build(data, format=names[0], encoding=546, coded_char_set_id=1208)


def chain(given: Message, formats: Formats, _: Random) -> None:
    found = walk(given.md.format, 546, 1208, given.data, formats)
    assert found.stopped is None or isinstance(found.stopped, MQBridgeError)


def tree(given: Message, formats: Formats, random: Random) -> None:
    read = message_tree(given, formats=formats)
    with suppress(TreeError):
        for _, value in read.items():
            assert not isinstance(value, dict)
    with suppress(TreeError):
        read[f"{random.choice((hostile.BODY, hostile.LIST, 'HOSTX'))}.a.b"] = 5
    with suppress(TreeError):
        read.message()


def dissection(given: Message, formats: Formats, _: Random) -> None:
    shown = decode(given.raw_md + given.data, formats=formats)
    json.dumps(shown)


def conversion(given: Message, formats: Formats, _: Random) -> None:
    converted = given.copy()
    reason = convert_message(converted, BIG, 1208, formats)
    assert reason in WARNINGS
    if not reason:
        assert converted.md.encoding == BIG.encoding


def view(given: Message, formats: Formats, _: Random) -> None:
    MessageView(given, formats)


DOORS: tuple[Callable[[Message, Formats, Random], None], ...] = (chain, tree, dissection, conversion, view)


@pytest.mark.parametrize("door", DOORS)
def test_a_door_survives_plug_ins(door: Callable[[Message, Formats, Random], None]) -> None:
    for seed in range(SEEDS):
        random = Random(seed)
        given = message(random)
        before = given.raw_md, given.data
        started = time.process_time()
        door(given, hostile.formats(random), random)
        assert time.process_time() - started < SECONDS, seed
        assert (given.raw_md, given.data) == before, seed


def test_programs_get_every_message_whatever_its_plug_in_does() -> None:
    random = Random(1)
    stage = Stage()
    station = stage.station("QM1", "DEFINE QLOCAL(Q)")
    station.manager._core.formats = hostile.formats(random)
    given = [message(random) for _ in range(60)]
    for each in given:
        station.put("Q", each.data, format=each.md.format, encoding=546, coded_char_set_id=1208)
        station.put("Q", b"good", format="MQSTR", encoding=546, coded_char_set_id=1208)

    def next_one() -> Any:
        found: list[Any] = []
        source = station.manager.local_queue("Q")
        station.call(lambda: found.append(station.manager.get(source, CONVERTING, None, stage.clock.now)))
        return found[0]

    for each in given:
        got = next_one()
        assert got.reason in WARNINGS
        if got.message.md.encoding == 546:
            assert got.message.data == each.data
        good = next_one()
        assert (good.reason, good.message.data) == (0, "good".encode("cp500"))
    stage.wait(1)
    assert station.contents("Q") == []


def test_a_channel_that_converts_goes_on_whatever_plug_ins_do() -> None:
    random = Random(2)
    stage = Stage()
    sender = "DEFINE CHANNEL(QM1.TO.QM2) CHLTYPE(SDR) XMITQ(QM2) CONNAME(QM2) CONVERT(YES) SHORTTMR(5)"
    one = stage.station("QM1", f"DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)\nDEFINE QLOCAL(QM2) USAGE(XMITQ)\n{sender}")
    two = stage.station("QM2", "DEFINE QLOCAL(R)\nDEFINE CHANNEL(QM1.TO.QM2) CHLTYPE(RCVR)")
    one.manager._core.formats = hostile.formats(random)
    one.types("START CHANNEL(QM1.TO.QM2)")
    stage.wait()
    for number in range(40):
        data = random.choice((b"", b"\0\x02\0\x01a\0\x01b", random.randbytes(20)))
        form = random.choice((hostile.BODY, hostile.LIST))
        one.put("R", data, "QM2", format=form, encoding=273, coded_char_set_id=1208, persistence=1)
        one.put("R", b"good %d" % number, "QM2", format="MQSTR", encoding=273, coded_char_set_id=1208, persistence=1)
    stage.wait(30)
    arrived, dead = two.contents("R"), one.contents("DLQ")
    assert [each for each in arrived if each.startswith(b"good")] == [b"good %d" % number for number in range(40)]
    assert len(arrived) + len(dead) == 80
    assert dead
