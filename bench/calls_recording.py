"""Recorded calls of IBM's JMS client: what programs of `jms` said to our server, and its answers.

A file of ``recorded/`` has the lines of ``tests/vectors/ibm-client``: ``C>`` a segment of IBM's client, ``S>`` one of
our server, each whole and in hexadecimal digits, in the order in which they passed a relay.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

from programs import ASKED, ASYNC, BATCH, FLOW, SIZE

from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import LARGEST_SEGMENT, Segment, SegmentReader

FOLDER = Path(__file__).parent / "recorded"
PUT, PUT1, REQUEST = int(SegmentType.MQPUT), int(SegmentType.MQPUT1), int(SegmentType.REQUEST_MSGS)
COMMIT, STATUS = int(SegmentType.MQCMIT), int(SegmentType.MQSTAT)
STREAM = 1
"""Request id of requests for the messages of a consumer, other than those that look whether there are any."""

Call = tuple[int, int]
"""Conversation and segment type of a call."""
Read = tuple[Call, ...]
"""Calls that arrive together."""


@dataclass(frozen=True, slots=True)
class Calls:
    """A kind of program, and the turn that is repeated.

    ``java``: the round of ``JmsRounds``, with its queue. ``before``: what comes once before the first turn. ``turn``:
    reads in order, in which ``messages`` are put and got; ``silent``: puts have no replies. Each conversation says what
    it said when it was recorded, in its own order; the order between conversations is fixed here, since that of a
    recording is up to chance.
    """

    name: str
    title: str
    java: tuple[object, ...]
    before: tuple[Read, ...]
    turn: tuple[Read, ...]
    messages: int
    silent: bool = False


_PRODUCER, _CONSUMER = 3, 7
_ASKING, _ANSWERING = 3, 5
_put, _get = (_PRODUCER, PUT), (_CONSUMER, REQUEST)
_HALF = BATCH // 2
_BEGUN: tuple[Read, ...] = (*((_put,),) * BATCH, ((_PRODUCER, COMMIT),))

CALLS = {
    each.name: each
    for each in (
        Calls(
            "batches",
            f"persistent, transactions of {BATCH}",
            ("flow", FLOW, 3 * BATCH, SIZE, BATCH, 1),
            _BEGUN,
            (*((_put,), (_get,)) * BATCH, ((_PRODUCER, COMMIT),), ((_CONSUMER, COMMIT),)),
            BATCH,
        ),
        Calls(
            "async",
            f"persistent, transactions of {BATCH}, DEFPRESP(ASYNC)",
            ("flow", ASYNC, 3 * BATCH, SIZE, BATCH, 1),
            (*_BEGUN, ((_PRODUCER, STATUS),)),
            (
                (_put,) * _HALF,
                *((_get,),) * _HALF,
                (*(_put,) * _HALF, (_PRODUCER, COMMIT)),
                ((_PRODUCER, STATUS),),
                *((_get,),) * _HALF,
                ((_CONSUMER, COMMIT),),
            ),
            BATCH,
            silent=True,
        ),
        Calls(
            "alone",
            "persistent, each message committed alone",
            ("flow", FLOW, 3, SIZE, 0, 1),
            (),
            ((_get,), (_put,), ((_CONSUMER, COMMIT),)),
            1,
        ),
        Calls(
            "ask",
            "request and reply, non-persistent",
            ("ask", ASKED, 3, SIZE, "threads"),
            (),
            (((_ANSWERING, REQUEST),), ((_ASKING, PUT),), ((_ASKING, REQUEST),), ((_ANSWERING, PUT1),)),
            1,
        ),
    )
}  # fmt: skip
"""The kinds of programs by name. A consumer of transactions is one behind the producer, as programs at full speed are;
otherwise it waits when a message is put. Asynchronous puts are read many at once, up to the size of a read; behind the
commit the client asks whether all went well."""


def path_of(name: str, folder: Path = FOLDER) -> Path:
    """The file of a kind of program."""
    return folder / f"{name}.hex.txt.gz"


def load(name: str, folder: Path = FOLDER) -> list[tuple[bool, Segment]]:
    """Read a recording: segments in order, and whether the client said them. Raises ``OSError``."""
    found = []
    for line in gzip.decompress(path_of(name, folder).read_bytes()).decode("ascii").splitlines():
        if not line.startswith("#"):
            side, digits = line.split()
            (segment,) = SegmentReader(LARGEST_SEGMENT).feed(bytes.fromhex(digits))
            found.append((side == "C>", segment))
    return found


def save(name: str, said: list[tuple[bool, Segment]], folder: Path = FOLDER) -> None:
    """Write a recording."""
    lines = [
        "# client: IBM MQ classes for JMS (javax.jms), com.ibm.mq.allclient 9.4.3.0",
        f"# step: {CALLS[name].title}; queue manager mqbridge, one socket",
        *(f"{'C>' if asks else 'S>'} {segment.data.hex()}" for asks, segment in said),
    ]
    path_of(name, folder).write_bytes(gzip.compress("\n".join(lines).encode("ascii") + b"\n", mtime=0))


def is_call(segment: Segment) -> bool:
    """Whether a client's segment is one of the calls that are repeated: from the first one on, all are."""
    return segment.type == PUT or (segment.type == REQUEST and segment.request_id == STREAM)
