"""The stage of bad input of clients: programs at work while one of them does what it should not."""

from __future__ import annotations

from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, SegmentType, StatusCode
from support.clients.playbook import Answer
from support.clients.program import SCRIPT, ClientProgram, GotMessage, calls, comes, connects, with_clients

BOTH = int(MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.BROWSE | MQOO.INQUIRE)
IN_UNIT = int(MQPMO.SYNCPOINT)
OBJECTS = """
    DEFINE QLOCAL(ASIDE)
    DEFINE QLOCAL(KEPT)
    DEFINE QLOCAL(WAITED)
"""
OTHER = 3
"""The second conversation of the bad client."""


class ClientScene:
    """MARS with a program in a unit of work, one that waits for a message, and a bad one.

    The bad one has a unit of work too, and so has a second conversation on its socket, unless it shares none.
    ``bad``: whose answers are looked at; ``case``: what it does, for whoever plays it.
    """

    def __init__(self, conversations: int = 10, *, case: str = "") -> None:
        self.case = case
        self.conversations = conversations
        self.stage, self.mars = with_clients(OBJECTS, conversations=conversations)
        self.venus = self.stage.station("VENUS", SCRIPT.format(conversations=0))
        """Another queue manager, whose clients share nothing."""
        self.mars.put_many("KEPT", b"kept", b"stays")
        self.aside = connects(self.stage, conversations=conversations)
        self.aside_handle = self.aside.opens("ASIDE", BOTH)
        kept = self.aside.opens("KEPT", BOTH)
        assert self.aside.puts(b"aside", self.aside_handle, IN_UNIT, persistence=1).outcome == (0, 0)
        assert self._gets(self.aside, kept).data == b"kept"
        self.waiter = connects(self.stage, conversations=conversations)
        waited = self.waiter.opens("WAITED", BOTH)
        if conversations:
            wait = self.waiter.request_msgs(waited, 0x18, get_msg_options=int(MQGMO.WAIT), wait_interval=-1)
        else:
            wait = self.waiter.get_segment(waited, int(MQGMO.WAIT), gmo={"wait_interval": -1})
        assert self.waiter.sends(wait) == []
        self.bad = connects(self.stage, conversations=conversations)
        self.handle = self.bad.opens("TARGET", BOTH)
        assert self.bad.puts(b"bad", self.handle, IN_UNIT).outcome == (0, 0)
        if conversations:
            self.begins_another()

    def begins_another(self) -> None:
        """A second conversation on the bad client's socket, with a message in its unit of work."""
        self.bad.sends(self.bad.socket_action(OTHER, 1))
        assert self.bad.asks(self.bad.mqconn("MARS", conversation=OTHER)).outcome == (0, 0)
        self.bad.conversation = OTHER
        self.other_handle = self.bad.opens("TARGET", BOTH)
        assert self.bad.puts(b"other", self.other_handle, IN_UNIT).outcome == (0, 0)
        self.bad.conversation = 1

    def _gets(self, client: ClientProgram, handle: int) -> GotMessage:
        syncpoint = int(MQGMO.SYNCPOINT)
        got = client.takes(handle, syncpoint) if self.conversations else client.gets(handle, syncpoint)
        assert got is not None
        return got

    # What the play does

    def caller(self) -> ClientProgram:
        """A bad client that has said nothing yet; the one before leaves in good order."""
        before = self.bad
        assert before.backs_out() == (0, 0)
        before.breaks_off()
        self.bad = calls(self.stage)
        return self.bad

    def newcomer(self) -> ClientProgram:
        """A bad client that has agreed, and not yet connected; the one before leaves in good order."""
        assert self.bad.backs_out() == (0, 0)
        self.bad.breaks_off()
        self.bad = comes(self.stage, conversations=self.conversations)
        return self.bad

    def says(self, *segments: bytes, seconds: float = 0.05) -> list[Answer]:
        return self.bad.sends(*segments, seconds=seconds)

    def reason(self, *segments: bytes) -> int:
        """The reason code with which the only answer fails or warns."""
        answer = self.bad.asks(*segments)
        assert answer.api.comp_code, answer
        return int(answer.api.reason)

    # What has become of everybody

    def is_cut_off(self, answers: list[Answer], *codes: StatusCode) -> None:
        """The bad client was told a code, in a TSHC once it shares its connection, and its connection has ended."""
        last = answers[-1]
        assert (last.type, last.flags) == (SegmentType.STATUS_DATA, 0x0A), last
        assert last.struc_id in (b"TSH ", b"TSHC")
        assert last.code in codes, last.code
        assert self.bad.gone

    def is_unharmed(self) -> None:
        """The others go on, and so does the bad client where it is still there; nothing was lost or put twice."""
        assert self.aside.commits() == (0, 0)
        assert self.mars.contents("ASIDE") == [b"aside"]
        assert self.mars.contents("KEPT") == [b"stays"]
        self.mars.put("WAITED", b"waited for")
        self.stage.wait(0.05)
        (answer,) = self.waiter.hears()
        assert b"waited for" in answer.body
        assert self.mars.depth("WAITED") == 0
        if self.bad.gone:
            assert (self.mars.contents("TARGET"), self.mars.depth("TARGET")) == ([], 0)
            assert len(self.mars.gateway.connections) == 2
            return
        expected = [b"bad"]
        assert self.bad.commits() == (0, 0)
        if self.conversations:
            self.bad.conversation = OTHER
            assert self.bad.commits() == (0, 0)
            expected.append(b"other")
            self.bad.conversation = 1
        assert self.mars.contents("TARGET") == expected
        assert self.bad.puts(b"again", self.handle).outcome == (0, 0)
        for data in [*expected, b"again"]:
            assert self.mars.got("TARGET").data == data


def reasons_of(answers: list[Answer]) -> list[int]:
    """The reason codes of answers in order."""
    return [int(answer.api.reason) for answer in answers]
