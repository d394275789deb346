"""The matrix of MQGMO options, cell by cell, as the notes print it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.getting.get_options import check_get_options
from mqbridge.protocol.constants import MQGMO, MQOO, MQRC
from support.queue_manager.host import Host
from support.queue_manager.option_tables import CELLS, NAMES, NEEDS_A_BROWSE_OPTION, NEVER, OPTIONS, ROWS


def reason_of(options: int) -> int:
    try:
        check_get_options(options)
    except MQError as error:
        return error.reason
    return 0


def test_the_matrix_is_symmetric() -> None:
    assert list(ROWS) == NAMES
    assert all(CELLS[one, other] == CELLS[other, one] for one, other in CELLS)


@pytest.mark.spec("mqi.md 7.2")
@pytest.mark.spec("mqi.md 21.1")
@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(NAMES, 2)))
def test_every_cell(one: str, other: str) -> None:
    pair = {one, other}
    options = int(OPTIONS[one] | OPTIONS[other])
    if CELLS[one, other] or pair & NEVER:
        assert reason_of(options) == MQRC.OPTIONS_ERROR
        return
    if pair & NEEDS_A_BROWSE_OPTION and not pair & {"BF", "BN", "BUC"}:
        assert reason_of(options) == MQRC.OPTIONS_ERROR
        # With a browse option the pair is in order unless that does not go with one of them.
        fitting = [each for each in ("BF", "BN", "BUC") if not any(CELLS[each, member] for member in pair)]
        assert all(reason_of(options | OPTIONS[each]) == 0 for each in fitting)
        return
    assert reason_of(options) == 0


OPENED: dict[str, int] = {
    "browse": MQOO.BROWSE,
    "input": MQOO.INPUT_SHARED,
    "both": MQOO.BROWSE | MQOO.INPUT_SHARED,
    "co-op": MQOO.BROWSE | MQOO.INPUT_SHARED | MQOO.CO_OP,
    "output": MQOO.OUTPUT,
}
BF = MQGMO.BROWSE_FIRST


@pytest.mark.spec("mqi.md 7.3")
@pytest.mark.parametrize(
    ("opened", "options", "more", "reason"),
    [
        ("input", BF, {}, MQRC.NOT_OPEN_FOR_BROWSE),
        ("output", BF, {}, MQRC.NOT_OPEN_FOR_BROWSE),
        ("browse", 0, {}, MQRC.NOT_OPEN_FOR_INPUT),
        ("browse", MQGMO.MSG_UNDER_CURSOR, {}, MQRC.NOT_OPEN_FOR_INPUT),
        ("input", MQGMO.MSG_UNDER_CURSOR, {}, MQRC.NOT_OPEN_FOR_BROWSE),
        ("browse", BF | MQGMO.LOCK, {}, 0),
        ("both", MQGMO.LOCK, {}, MQRC.OPTIONS_ERROR),
        ("both", MQGMO.MARK_BROWSE_HANDLE, {}, MQRC.OPTIONS_ERROR),
        ("both", BF | MQGMO.MARK_BROWSE_HANDLE, {}, 0),
        ("co-op", MQGMO.MARK_BROWSE_CO_OP, {}, MQRC.OPTIONS_ERROR),
        ("both", BF | MQGMO.MARK_BROWSE_CO_OP, {}, MQRC.OPTIONS_ERROR),
        ("co-op", BF | MQGMO.MARK_BROWSE_CO_OP, {}, 0),
        ("both", BF | MQGMO.UNMARK_BROWSE_CO_OP, {}, MQRC.OPTIONS_ERROR),
        ("co-op", MQGMO.UNMARK_BROWSE_CO_OP, {}, MQRC.OPTIONS_ERROR),
        ("co-op", BF | MQGMO.UNMARK_BROWSE_CO_OP, {}, 0),
        ("both", MQGMO.UNMARK_BROWSE_HANDLE, {}, MQRC.OPTIONS_ERROR),
        ("both", MQGMO.MARK_SKIP_BACKOUT, {}, MQRC.OPTIONS_ERROR),
        ("both", MQGMO.SET_SIGNAL, {}, MQRC.OPTIONS_ERROR),
        ("both", MQGMO.UNLOCK, {}, MQRC.OPTIONS_ERROR),
        ("both", MQGMO.LOGICAL_ORDER, {"gmo_version": 1}, MQRC.WRONG_GMO_VERSION),
        ("both", MQGMO.LOGICAL_ORDER, {"md_version": 1}, MQRC.WRONG_MD_VERSION),
        ("both", MQGMO.LOGICAL_ORDER, {}, 0),
        ("both", MQGMO.COMPLETE_MSG, {"match": 0x10}, MQRC.MATCH_OPTIONS_ERROR),
        ("both", MQGMO.NO_PROPERTIES | MQGMO.PROPERTIES_COMPATIBILITY, {}, MQRC.OPTIONS_ERROR),
    ],
)
def test_what_options_require(host: Host, opened: str, options: int, more: dict[str, Any], reason: int) -> None:
    host.put(host.local("Q"))
    handle = host.open("Q", OPENED[opened])
    if not reason:
        assert host.read(handle, options, **more) is not None
        return
    with pytest.raises(MQError) as caught:
        host.read(handle, options, **more)
    assert caught.value.reason == reason
    assert host.depth("Q") == 1
