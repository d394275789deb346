"""Cases of the rules for performance, within and across connections (C-7nn)."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.captures.generate.cases.making import (
    CALLED,
    both_say,
    case,
    channel,
    client,
    delayed,
    end_marked,
    marked,
)
from mqbridge.captures.generate.clients import ClientRun
from mqbridge.captures.generate.scenario import Builder, Make
from mqbridge.captures.rules import limits
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.mqi_client import ClientParameters

_PUT_REPLY: Final = SegmentType.MQPUT_REPLY
_SPLIT: Final[dict[str, Any]] = {
    "puts": (5_000,) * (limits.MIN_SPLIT + 2),
    "client": {"transmission_size": 1_024},
    "server": {"transmission_size": 1_024},
}
_USUAL_SIZE: Final = ClientParameters(channel_name="any").transmission_size
_UNITS: Final[dict[str, Any]] = {"puts": (100,) * (limits.MIN_UNITS + 5), "syncpoint": True}
_NO_LIMIT: Final[dict[str, Any]] = {
    "sender": {"max_message_length": 0, "transmission_size": 65_535},
    "receiver": {"max_message_length": 0, "transmission_size": 65_535},
}


def _opens(count: int, puts: int) -> Any:
    """Return a program that opens the queue ``count`` times and puts ``puts`` messages each time."""

    def program(run: ClientRun) -> None:
        for _ in range(count):
            run.open()
            for _ in range(puts):
                run.put(100)
            run.close()

    return program


def _many(count: int, *, spread: float | None = None, **traffic: Any) -> Make:
    """Return ``count`` clients of one host."""

    def make(builder: Builder) -> None:
        builder.spread = builder.spread if spread is None else spread
        for _ in range(count):
            client(**traffic)(builder)

    return make


case(
    "C-701",
    client(
        *both_say("max_transmission_size", _USUAL_SIZE),
        end_marked,
        **_SPLIT,
    ),
    client(**_SPLIT),
)
case("C-702", client(end_marked, commit_every=1, **_UNITS), client(commit_every=5, **_UNITS))
case(
    "C-703",
    client(end_marked, empty_gets=limits.MIN_EMPTY_GETS),
    client(empty_gets=limits.MIN_EMPTY_GETS, wait=0.1),
)
case(
    "C-704",
    channel(marked(SegmentType.MESSAGE_DATA, nth=-1), sizes=(limits.LARGE_MESSAGE + 1,), **_NO_LIMIT),
    channel(sizes=(limits.LARGE_MESSAGE,), **_NO_LIMIT),
)
case("C-705", client(end_marked, program=_opens(limits.MIN_OPENS, 1)), client(program=_opens(limits.MIN_OPENS, 2)))
case(
    "C-706",
    client(delayed(_PUT_REPLY, limits.SLOW_CALL + 1.0, direction=CALLED)),
    client(delayed(_PUT_REPLY, limits.SLOW_CALL - 0.1, direction=CALLED)),
)
case(
    "C-707",
    client(end_marked, quiet=limits.IDLE_SESSION + 60.0),
    client(quiet=limits.IDLE_SESSION - 60.0),
)
case(
    "C-720",
    _many(limits.STORM_CONNECTS, puts=()),
    _many(limits.STORM_CONNECTS, puts=(), spread=2 * limits.STORM_SECONDS / limits.STORM_CONNECTS),
)
case("C-721", _many(limits.MIN_SHORT_SESSIONS, puts=(10,)), _many(limits.MIN_SHORT_SESSIONS, puts=(10, 10, 10)))
case("C-722", _many(limits.MIN_LEFT_SESSIONS, disconnects=False), _many(limits.MIN_LEFT_SESSIONS))
case(
    "C-723",
    _many(limits.CONCURRENT_SESSIONS + 1, puts=(), quiet=1.0),
    _many(limits.CONCURRENT_SESSIONS, puts=(), quiet=1.0),
)
