"""A bare Twisted server without logic: each segment of a client gets its recorded answer.

    python bench/canned_server.py RECORDING

Only fields that must differ are patched: conversation and request ids, and message counts. So it shows the limit of
client, sockets and Twisted. It prints its port and serves until it is terminated. Sockets get the recorded
conversations in the order in which these were recorded.
"""

from __future__ import annotations

import pickle
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from canned_recording import Answers, Key, conversation_of, key_of
from twisted.internet import reactor
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol

from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import LARGEST_SEGMENT, SegmentReader

_SHARED = b"TSHM"
_IDS = struct.Struct(">II")
_INDEXES = struct.Struct("<II")
_IDS_AT, _TYPE_AT, _INDEXES_AT = 8, 17, 36 + 8
_STREAMED = frozenset({int(SegmentType.ASYNC_MESSAGE)})


class Canned(Protocol):
    """A connection that replays one recorded socket."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._reader = SegmentReader(LARGEST_SEGMENT)
        self._asked: dict[tuple[int, Key], int] = {}
        self._counted: dict[int, int] = {}

    def connectionMade(self) -> None:
        """Answer are small and wanted at once."""
        self.transport.setTcpNoDelay(True)  # type: ignore[union-attr]

    def dataReceived(self, data: bytes) -> None:
        """Answer everything that is whole."""
        out: list[bytes] = []
        for segment in self._reader.feed(data):
            conversation = conversation_of(segment)
            question = conversation, key_of(segment)
            turn = self._asked.get(question, 0)
            self._asked[question] = turn + 1
            known = self._answers.get(question)
            if known is None:
                continue
            for answer in known[min(turn, len(known) - 1)]:
                out.append(self._answer(conversation, segment.request_id, answer))
        if out:
            self.transport.write(b"".join(out))  # type: ignore[union-attr]

    def _answer(self, conversation: int, request: int, answer: bytes) -> bytes:
        if answer[:4] != _SHARED:
            return answer
        changed = bytearray(answer)
        if answer[_TYPE_AT] in _STREAMED:
            count = self._counted[conversation] = self._counted.get(conversation, 0) + 1
            _INDEXES.pack_into(changed, _INDEXES_AT, count, count)
        else:
            _IDS.pack_into(changed, _IDS_AT, conversation, request)
        return bytes(changed)


class CannedFactory(Factory):
    """Assigns recorded sockets to connections, in order."""

    def __init__(self, recordings: list[Answers]) -> None:
        self._recordings = recordings
        self._next = 0

    def buildProtocol(self, addr: IAddress) -> Canned:
        """The next one; round again when all were given out."""
        del addr
        turn, self._next = self._next, self._next + 1
        return Canned(self._recordings[turn % len(self._recordings)])


def main() -> int:
    recordings: list[Answers] = pickle.loads(Path(sys.argv[1]).read_bytes())
    port = reactor.listenTCP(0, CannedFactory(recordings), interface="127.0.0.1")  # type: ignore[attr-defined]
    print(port.getHost().port, flush=True)
    reactor.run()  # type: ignore[attr-defined]
    return 0


if __name__ == "__main__":
    sys.exit(main())
