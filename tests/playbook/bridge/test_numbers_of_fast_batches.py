"""Batches of fast messages are recorded behind; the record must never fall back behind a persistent one."""

from __future__ import annotations

import pytest

from support.channels.partner import Partner, calls_as_sender
from support.channels.playbook import end_of_batch, message
from support.gateway.stage import Stage, Station

CHANNEL = "VENUS.TO.MARS"
A, B, C, D = (letter * 8 for letter in (b"a", b"b", b"c", b"d"))


def three_fast_batches_on_a_slow_disk() -> tuple[Stage, Station, Partner]:
    """The record of the first is on disk, those of the others are on their way."""
    stage = Stage()
    mars = stage.station("MARS", f"DEFINE QLOCAL(TARGET)\nDEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR)")
    partner = calls_as_sender(stage)
    partner.sends_batch(1, luwid=A, persistence=0)
    mars._committing = True
    partner.sends_batch(2, luwid=B, persistence=0)
    partner.sends_batch(3, luwid=C, persistence=0)
    return stage, mars, partner


@pytest.mark.spec("channels.md 5.3")
@pytest.mark.parametrize("again", [False, True], ids=["same connection", "new connection"])
def test_a_persistent_batch_stays_the_last_on_disk(again: bool) -> None:
    stage, mars, partner = three_fast_batches_on_a_slow_disk()
    if again:
        partner.falls_silent()
        partner = calls_as_sender(stage)
    partner.sends(message(4, b"kept", luwid=D), end_of_batch(D))
    assert partner.hears() == []
    mars._committing = False
    mars.call(lambda: None)
    stage.wait(1)
    assert [one.luwid for one in partner.hears()] == [D]
    mars.restart()
    assert mars.contents("TARGET") == [b"kept"]
    row = mars.row(CHANNEL, saved=True)
    assert (row["LSTLUWID"], row["LSTSEQNO"]) == (D.hex().upper(), "4")


@pytest.mark.spec("channels.md 5.3")
def test_fast_batches_alone_are_recorded_when_the_disk_has_time() -> None:
    stage, mars, _ = three_fast_batches_on_a_slow_disk()
    mars._committing = False
    mars.call(lambda: None)
    stage.wait(1)
    mars.restart()
    assert mars.row(CHANNEL, saved=True)["LSTSEQNO"] == "3"
