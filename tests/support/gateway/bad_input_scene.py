"""The stage of bad input: a queue manager with a good channel in a batch, and partners that do what they should not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from support.channels.partner import Partner, calls, calls_as_sender
from support.channels.playbook import L1, L3, end_of_batch, message
from support.gateway.stage import Stage

CHANNEL = "VENUS.TO.MARS"
ASIDE, NO_SUCH = b"ASIDE".ljust(48), b"NO.SUCH".ljust(48)
SCRIPT = f"""
    DEFINE QLOCAL(TARGET)
    DEFINE QLOCAL(ASIDE)
    DEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR) MRRTY(0)
    DEFINE CHANNEL(PLUTO.TO.MARS) CHLTYPE(RCVR)
"""


class Scene:
    """MARS with one committed message of VENUS, and PLUTO's channel with an open batch."""

    def __init__(self, **limits: Any) -> None:
        self.stage = Stage()
        self.mars = self.stage.station("MARS", SCRIPT, **limits)
        self.aside = calls_as_sender(self.stage, channel_name="PLUTO.TO.MARS", q_mgr_name="PLUTO", address="192.0.2.1")
        self.aside.sends(message(1, b"aside 1", luwid=L3, xqh_remote_q_name=ASIDE))
        venus = calls_as_sender(self.stage)
        venus.sends_batch(1, luwid=L1)
        venus.hangs_up()
        self.good: Partner | None = None
        """Goes on with the channel afterwards, if there is one that is no bad partner."""
        self.next_number = 2
        self.cure: Callable[[], object] = lambda: None

    def calls(self, *segments: bytes, **options: Any) -> Partner:
        return calls(self.stage, "MARS", *segments, **options)

    def says(self, *segments: bytes) -> Partner:
        """A partner that has started well says something wrong."""
        partner = calls_as_sender(self.stage)
        partner.sends(*segments)
        return partner

    def alters(self, attributes: str, back: str) -> None:
        self.mars.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) {attributes}")
        self.cure = lambda: self.mars.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) {back}")

    def is_unharmed(self) -> None:
        """PLUTO's batch ends well; VENUS goes on where it was; nothing was lost or put twice."""
        answer = self.aside.says(message(2, b"aside 2", luwid=L3, xqh_remote_q_name=ASIDE), end_of_batch(L3))
        assert [(one.luwid, one.flags) for one in answer] == [(L3, 0)]
        assert self.mars.contents("ASIDE") == [b"aside 1", b"aside 2"]
        self.cure()
        partner = self.good or calls_as_sender(self.stage)
        partner.hears()
        assert partner.sends_batch(self.next_number, luwid=b"good" * 2).flags == 0
        assert self.mars.contents("TARGET") == [b"message 1", b"message %d" % self.next_number]
        assert len(self.mars.gateway.connections) == 2
