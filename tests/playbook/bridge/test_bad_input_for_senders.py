"""Bad input for a sender: the rows of the table in docs/protocol.md for partners of ours that answer wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqbridge.protocol.constants import SegmentType
from support.channels.partner import Listening, Partner, to_venus
from support.channels.playbook import THEY, initial_data, message, resync, status
from support.gateway.bad_input_table import Row, rows
from support.gateway.stage import Stage, Station

pytestmark = pytest.mark.faulty_traffic

CHANNEL = "MARS.VENUS"


class Scene:
    """MARS, which is to send two messages to VENUS, and has a channel to PLUTO with a batch that waits."""

    def __init__(self) -> None:
        self.stage: Stage
        self.mars: Station
        self.stage, self.mars, self.venus = to_venus("HBINT(10) SHORTTMR(5)")
        self.mars.types_all(
            """
            DEFINE QLOCAL(PLUTO) USAGE(XMITQ)
            DEFINE QREMOTE(FARTHER) RNAME(TARGET) RQMNAME(PLUTO)
            DEFINE CHANNEL(MARS.PLUTO) CHLTYPE(SDR) XMITQ(PLUTO) CONNAME(PLUTO) HBINT(0)
            """
        )
        self.mars.put("FARTHER", b"aside")
        self.mars.types("START CHANNEL(MARS.PLUTO)")
        self.aside = Listening(self.stage, "PLUTO").agrees()
        self.mars.put_many("FAR", b"one", b"two")

    def starts(self) -> None:
        self.mars.types(f"START CHANNEL({CHANNEL})")

    def in_doubt(self) -> Partner:
        """The batch has been sent, its confirmation was never given; VENUS is called again."""
        self.starts()
        self.venus.agrees().hangs_up()
        self.stage.wait(5)
        partner = self.venus.agrees(2)
        partner.hears_one(SegmentType.RESYNC_DATA)
        return partner

    def is_unharmed(self, *, in_doubt: bool) -> None:
        """PLUTO's batch ends well, and VENUS gets both messages, once, when it behaves."""
        assert self.mars.row("MARS.PLUTO")["INDOUBT"] == "YES"
        self.aside.confirms(self.aside.hears()[-1].luwid)
        assert self.mars.depth("PLUTO") == 0
        assert self.mars.row("MARS.PLUTO")["LSTSEQNO"] == "1"
        self.mars.types(f"STOP CHANNEL({CHANNEL})")
        if in_doubt:
            self.mars.types(f"RESOLVE CHANNEL({CHANNEL}) ACTION(BACKOUT)")
        calls = len(self.venus.partners)
        self.starts()
        partner = self.venus.agrees(calls + 1)
        heard = partner.hears()
        assert [one.body[-3:] for one in heard if one.type == SegmentType.MESSAGE_DATA] == [b"one", b"two"]
        assert [one.number for one in heard if one.type == SegmentType.MESSAGE_DATA] == [1, 2]
        partner.confirms(heard[-1].luwid)
        assert self.mars.depth("VENUS") == 0


Scenario = Callable[[Scene], Partner]
SCENARIOS: dict[str, Scenario] = {}


def case(name: str) -> Callable[[Scenario], Scenario]:
    def register(scenario: Scenario) -> Scenario:
        SCENARIOS[name] = scenario
        return scenario

    return register


@case("records that cannot come from the same history")
def _(scene: Scene) -> Partner:
    partner = scene.in_doubt()
    partner.sends(resync(b"another " * 1, 17, flags=0))
    return partner


@case("answer to RESYNC_DATA in another layout")
def _(scene: Scene) -> Partner:
    partner = scene.in_doubt()
    partner.sends(THEY.build(SegmentType.RESYNC_DATA, b"RD  \1\0\0\0\0"))
    return partner


@case("confirmation of another batch")
def _(scene: Scene) -> Partner:
    scene.starts()
    partner = scene.venus.agrees()
    partner.hears()
    partner.sends(status(luwid=b"another1"))
    return partner


@case("segment that no receiver sends")
def _(scene: Scene) -> Partner:
    scene.mars.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) BATCHINT(60000)")
    scene.starts()
    partner = scene.venus.agrees()
    partner.hears()
    partner.sends(message(1))
    scene.mars.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) BATCHINT(0)")
    return partner


@case("wrong struct id in an answer")
def _(scene: Scene) -> Partner:
    scene.starts()
    partner = scene.venus.is_called()
    partner.hears()
    partner.sends(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    return partner


@case("sequence wrap that differs in the answer")
def _(scene: Scene) -> Partner:
    scene.starts()
    partner = scene.venus.is_called()
    partner.hears()
    partner.sends(initial_data(flags=0, channel_name=CHANNEL, sequence_wrap=1000))
    return partner


@case("no answer to INITIAL_DATA")
def _(scene: Scene) -> Partner:
    scene.starts()
    partner = scene.venus.is_called()
    scene.stage.wait(30)
    return partner


@case("no answer at the end of a batch")
def _(scene: Scene) -> Partner:
    scene.starts()
    partner = scene.venus.agrees()
    scene.stage.wait(21)
    return partner


@case("connection lost before the end of a batch")
def _(scene: Scene) -> Partner:
    scene.mars.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) BATCHINT(60000)")
    scene.starts()
    partner = scene.venus.agrees()
    partner.hangs_up()
    scene.mars.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) BATCHINT(0)")
    return partner


@case("connection lost while confirmation is waited for")
def _(scene: Scene) -> Partner:
    scene.starts()
    partner = scene.venus.agrees()
    partner.hangs_up()
    return partner


def test_every_row_has_a_play() -> None:
    assert {row.case for row in rows("sender")} == set(SCENARIOS)


@pytest.mark.spec("mq-wire.md 5.14")
@pytest.mark.spec("channels.md 6.4")
@pytest.mark.parametrize("row", rows("sender"), ids=lambda row: row.case)
def test_bad_answers_harm_nobody_else(row: Row) -> None:
    scene = Scene()
    partner = SCENARIOS[row.case](scene)
    if row.code is not None:
        told = partner.hears()[-1]
        assert (told.type, told.code, told.flags) == (SegmentType.STATUS_DATA, row.code, row.flags)
    assert partner.gone
    assert scene.mars.logged(row.amq)
    assert scene.mars.status(CHANNEL) == row.state
    assert (scene.mars.row(CHANNEL)["INDOUBT"] == "YES") is row.in_doubt
    scene.is_unharmed(in_doubt=row.in_doubt)


@pytest.mark.spec("channels.md 5.2")
def test_an_answer_lost_at_any_byte() -> None:
    """However much of the partner's answers arrives, the messages stay until the whole confirmation is there."""
    agreed = initial_data(flags=0, channel_name=CHANNEL, heartbeat_interval=10)
    for length in range(0, len(agreed), 5):
        scene = Scene()
        scene.starts()
        partner = scene.venus.is_called()
        partner.hears()
        partner.sends(agreed[:length])
        partner.hangs_up()
        assert scene.mars.status(CHANNEL) == "RETRYING"
        assert len(scene.mars.contents("VENUS")) == 2
    for length in range(29):
        scene = Scene()
        scene.starts()
        partner = scene.venus.agrees()
        luwid = partner.hears()[-1].luwid
        partner.sends(status(luwid=luwid)[:length])
        partner.hangs_up()
        assert (scene.mars.row(CHANNEL)["INDOUBT"] == "NO") is (length == 28)
        scene.stage.wait(5)
        again = scene.venus.agrees(2)
        if length < 28:
            assert again.hears_one(SegmentType.RESYNC_DATA).luwid == luwid
            again.sends(resync(luwid, 2, flags=0))
        assert scene.mars.depth("VENUS") == 0
        assert scene.mars.row(CHANNEL)["LSTSEQNO"] == "2"
