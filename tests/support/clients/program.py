"""A client program played by hand against a whole queue manager: it makes calls on the wire and hears the answers.

The calls are those of ``clients.playbook``: little-endian, CCSID 819, on conversation 1 of a shared connection, or on
one that is not shared.
"""

from __future__ import annotations

from typing import Any

from mqbridge.protocol.constants import MQCC, MQGMO, SegmentType
from mqbridge.protocol.framing import SegmentReader
from mqbridge.protocol.structures import API, ASYNC, make_od
from mqbridge.protocol.structures.gmo import make_gmo, parse_gmo
from mqbridge.protocol.structures.md import MD
from mqbridge.protocol.structures.pmo import make_pmo
from mqbridge.protocol.structures.sts import make_sts, parse_sts
from support.clients.playbook import Answer, ClientPlay, initial_data
from support.gateway.stage import Stage, Station
from support.simulation.network import CALLER, Stream

CHANNEL = "CLIENTS"
CHECK = 0x1E
"""RequestFlags of a get without wait, with its selection."""
BODY = API.size
"""Where the structures of a reply begin."""
MD_SIZE = MD.size


class ClientProgram(ClientPlay):
    """One connection of a client."""

    def __init__(self, stage: Stage, stream: Stream, side: int) -> None:
        super().__init__(None)
        self.stage = stage
        self.gone = False
        """Our side has ended the connection, or it broke."""
        self.answers_heartbeats = True
        self._stream, self._side = stream, side
        self._reader = SegmentReader(1 << 30)
        self._heard: list[Answer] = []
        self._selection = 0

    # The network's side

    def received(self, data: bytes) -> None:
        for one in self._reader.feed(data):
            if one.type == SegmentType.HEARTBEAT and self.answers_heartbeats:
                self._stream.send(self._side, self.heartbeat(0x30))
                continue
            self._heard.append(
                Answer(
                    SegmentType(one.type),
                    one.struc_id,
                    one.conversation_id,
                    one.request_id,
                    one.flags1,
                    bytes(one.body),
                    one.length,
                    one.order,
                    one.ccsid,
                )
            )

    def lost(self) -> None:
        self.gone = True

    # What it says

    def sends(self, *segments: bytes, seconds: float = 0.05) -> list[Answer]:
        """Sends segments, or any bytes, and gives us a moment to act; what was heard since the last question."""
        self._stream.send(self._side, b"".join(segments))
        self.stage.wait(seconds)
        return self.hears()

    def hears(self) -> list[Answer]:
        """What was heard since the last question."""
        heard, self._heard = self._heard, []
        return heard

    def asks(self, *segments: bytes) -> Answer:
        """Sends segments that have one answer."""
        (answer,) = self.sends(*segments)
        return answer

    def breaks_off(self) -> None:
        """The client is gone without a word."""
        self._stream.close(self._side, abort=True)
        self.stage.wait(0.05)

    # Calls, and what comes of them

    def opens(self, name: str, options: int, **header: Any) -> int:
        """MQOPEN of a queue that must work; the handle."""
        answer = self.asks(self.mqopen(name, options, **header))
        assert answer.outcome == (0, 0)
        return int(answer.api.object_handle)

    def puts(self, data: bytes, handle: int, options: int = 0, pmo: dict[str, Any] | None = None, **md: Any) -> Answer:
        """MQPUT; the answer. ``md``: fields of the descriptor."""
        return self.asks(self.put_segment(data, handle, options, pmo, **md))

    def put_segment(
        self, data: bytes, handle: int, options: int = 0, pmo: dict[str, Any] | None = None, **md: Any
    ) -> bytes:
        order = self.writer.order
        fields = {"version": 2, "expiry": -1, "persistence": 0, "coded_char_set_id": 819, "encoding": 0x222, **md}
        head = MD.codec(order)(**fields).build() + make_pmo(order, 2, options=options, **(pmo or {})).build()
        return self.call(SegmentType.MQPUT, head, self.word(len(data)), data, handle=handle)

    def puts1(self, name: str, data: bytes, options: int = 0, **md: Any) -> Answer:
        """MQPUT1; the answer."""
        order = self.writer.order
        fields = {"version": 2, "expiry": -1, "persistence": 0, "coded_char_set_id": 819, "encoding": 0x222, **md}
        head = make_od(order, object_name=name.ljust(48).encode()).build() + MD.codec(order)(**fields).build()
        head += make_pmo(order, 2, options=options).build()
        return self.asks(self.call(SegmentType.MQPUT1, head, self.word(len(data)), data, handle=-1))

    def get_segment(
        self, handle: int, options: int = 0, *, room: int = 1 << 20, gmo: dict[str, Any] | None = None, **md: Any
    ) -> bytes:
        """MQGET, of a connection that is not shared. ``md``: fields of the descriptor."""
        order = self.writer.order
        head = MD.codec(order)(**{"version": 2, **md}).build()
        head += make_gmo(order, 3, **{"options": options, "match_options": 0, **(gmo or {})}).build()
        return self.call(SegmentType.MQGET, head, self.word(room), handle=handle)

    def gets(self, handle: int, options: int = 0, **values: Any) -> GotMessage:
        """MQGET; the answer."""
        return GotMessage.of_reply(self.asks(self.get_segment(handle, options, **values)))

    def takes(self, handle: int, options: int = 0, *, room: int = -1, **selection: Any) -> GotMessage | None:
        """A get without wait on a shared connection; None for 2033."""
        self._selection += 1
        answers = self.sends(
            self.request_msgs(
                handle,
                CHECK,
                get_msg_options=options | MQGMO.NO_WAIT,
                max_msg_length=room,
                selection_index=self._selection,
                **selection,
            )
        )
        assert answers[-1].type == SegmentType.NOTIFICATION, answers
        if len(answers) == 1:
            return None
        return GotMessage.of_stream(answers[0])

    def status_of_puts(self, kind: int = 0) -> Any:
        """MQSTAT; the STS in the answer."""
        answer = self.asks(self.mqstat(kind))
        assert answer.outcome == (0, 0)
        return parse_sts(answer.body, API.size + 4, answer.order).record

    def mqstat(self, kind: int = 0) -> bytes:
        return self.call(SegmentType.MQSTAT, self.word(kind), make_sts(self.writer.order).build())

    def commits(self) -> tuple[int, int]:
        """MQCMIT; its outcome."""
        return self.asks(self.call(SegmentType.MQCMIT)).outcome

    def backs_out(self) -> tuple[int, int]:
        """MQBACK; its outcome."""
        return self.asks(self.call(SegmentType.MQBACK)).outcome

    def disconnects(self) -> tuple[int, int]:
        """MQDISC; its outcome."""
        return self.asks(self.call(SegmentType.MQDISC)).outcome


class GotMessage:
    """A message as a client has it: completion code and reason, descriptor, data, whole length."""

    def __init__(self, comp_code: int, reason: int, raw_md: bytes, data: bytes, length: int, order: Any) -> None:
        self.comp_code, self.reason, self.data, self.length = comp_code, reason, data, length
        self.md = MD.codec(order).parse(raw_md) if raw_md else None

    @classmethod
    def of_reply(cls, answer: Answer) -> GotMessage:
        """Out of an MQGET reply."""
        at = BODY + MD_SIZE
        gmo = parse_gmo(answer.body, at, answer.order)
        at += gmo.known
        length = int.from_bytes(answer.body[at : at + 4], answer.order.endian)
        api = answer.api
        md = answer.body[BODY : BODY + MD_SIZE]
        data = b"" if api.comp_code == MQCC.FAILED else answer.body[at + 4 :]
        return cls(api.comp_code, api.reason, md, data, length, answer.order)

    @classmethod
    def of_stream(cls, answer: Answer) -> GotMessage:
        """Out of an ASYNC_MESSAGE of one segment."""
        head = answer.stream
        start = answer.body.index(b"MD  ", ASYNC.size)
        data = answer.body[start + MD_SIZE : start + MD_SIZE + head.segment_length]
        md = answer.body[start : start + MD_SIZE]
        return cls(1 if head.reason_code else 0, head.reason_code, md, data, head.actual_msg_length, answer.order)


SCRIPT = f"""
    DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SHARECNV({{conversations}}) MCAUSER('app')
    DEFINE QLOCAL(TARGET)
"""


def with_clients(script: str = "", *, conversations: int = 10, **limits: Any) -> tuple[Stage, Station]:
    """Queue manager MARS with channel CLIENTS and queue TARGET."""
    stage = Stage()
    return stage, stage.station("MARS", SCRIPT.format(conversations=conversations) + script, **limits)


def calls(stage: Stage, host: str = "MARS", address: str = CALLER) -> ClientProgram:
    """A client that has opened a connection, and said nothing."""
    found: list[ClientProgram] = []

    def made(stream: Stream) -> ClientProgram:
        found.append(ClientProgram(stage, stream, 0))
        return found[0]

    assert stage.call(host, made, address)
    return found[0]


def comes(stage: Stage, *, conversations: int = 10, host: str = "MARS", address: str = CALLER) -> ClientProgram:
    """A client has agreed on everything; it has not yet connected."""
    client = calls(stage, host, address)
    values: dict[str, Any] = {"channel_name": CHANNEL, "q_mgr_name": host, "conv_per_socket": conversations}
    values |= {"max_message_size": 104857600}
    for _ in range(3):
        answer = client.asks(initial_data(client.writer, **values))
        assert answer.type == SegmentType.INITIAL_DATA, answer
        if not answer.flags:
            break
        agreed = answer.id.record
        for field in ("fap_level", "max_transmission_size", "max_message_size", "heartbeat_interval", "ccsid"):
            values[field] = getattr(agreed, field)
    client.shared = conversations > 0
    client.conversation = int(client.shared)
    return client


def connects(stage: Stage, *, conversations: int = 10, host: str = "MARS", **caller: Any) -> ClientProgram:
    """A client that is connected."""
    client = comes(stage, conversations=conversations, host=host, **caller)
    answer = client.asks(client.mqconn(host))
    assert answer.outcome == (0, 0), answer.outcome
    return client
