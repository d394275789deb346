"""Where packets are missing or late the two directions of a connection come in the order of what they acknowledge."""

from __future__ import annotations

from collections.abc import Iterable

from mqbridge.captures import Direction, Endpoint, FlowData, FlowEnd, FlowGap, FlowReader, Packet
from mqbridge.captures.generate import LinkType, packet_template
from mqbridge.captures.reading.link_layers import ACK, FIN, LINKTYPE_RAW, PSH, SYN
from mqbridge.captures.streams.causal_order import PATIENCE

ENDS = {Direction.INITIATOR: Endpoint("10.0.0.1", 50_000), Direction.RESPONDER: Endpoint("10.0.0.2", 1414)}
TEMPLATES = {
    direction: packet_template(LinkType.RAW, direction, end, ENDS[direction.other]) for direction, end in ENDS.items()
}
ASKING, ANSWERING = Direction.INITIATOR, Direction.RESPONDER
HELLO = b"TSH " + bytes(24)


class Talk:
    """Packets of a connection as they were sent; those that are lost or late are chosen from ``packets``."""

    def __init__(self, *, whole: bool = True) -> None:
        self.next = {ASKING: 1_000, ANSWERING: 9_000}
        self.packets: list[bytes] = []
        if whole:
            self.add(ASKING, SYN)
            self.add(ANSWERING, SYN | ACK)

    def add(self, direction: Direction, flags: int, data: bytes = b"") -> int:
        acknowledgement = self.next[direction.other] if flags & ACK else 0
        self.packets.append(TEMPLATES[direction].packet(self.next[direction], acknowledgement, flags, data))
        self.next[direction] += len(data) + bool(flags & (SYN | FIN))
        return len(self.packets) - 1

    def say(self, direction: Direction, data: bytes) -> int:
        return self.add(direction, ACK | PSH, data)


def told(packets: Iterable[bytes]) -> list[str]:
    """What is told: bytes of the one who asks in small letters, of the other in capitals; holes by their length."""
    reader, out = FlowReader(), []
    for number, data in enumerate(packets, 1):
        for event in reader.receive_packet(Packet(number, float(number), LINKTYPE_RAW, data, len(data))):
            out.append(event)
    out += reader.finish()
    shown = []
    for event in out:
        if isinstance(event, FlowData) and event.data != HELLO:
            shown.append(event.data.decode())
        elif isinstance(event, FlowGap):
            shown.append(f"{event.direction.value[0]}-{event.length}")
        elif isinstance(event, FlowEnd):
            shown.append(f"{event.direction.value[0]}.")
    return shown


def rounds(count: int) -> Talk:
    talk = Talk()
    talk.say(ASKING, HELLO)
    talk.say(ANSWERING, HELLO)
    for number in range(count):
        talk.say(ASKING, f"ask{number}".encode())
        talk.say(ANSWERING, f"ANS{number}".encode())
    return talk


def test_a_late_question_comes_in_front_of_its_answer() -> None:
    packets = rounds(3).packets
    late = packets[6:7]
    assert told(packets[:6] + packets[7:8] + late + packets[8:]) == ["ask0", "ANS0", "ask1", "ANS1", "ask2", "ANS2"]


def test_a_lost_question_is_a_hole_in_front_of_its_answer() -> None:
    packets = rounds(3).packets
    assert told(packets[:6] + packets[7:]) == ["ask0", "ANS0", "i-4", "ANS1", "ask2", "ANS2"]


def test_a_lost_answer_is_a_hole_behind_its_question() -> None:
    packets = rounds(3).packets
    assert told(packets[:7] + packets[8:]) == ["ask0", "ANS0", "ask1", "r-4", "ask2", "ANS2"]


def test_a_long_hole_is_told_in_the_parts_that_answers_need() -> None:
    packets = rounds(4).packets
    # All answers from the second on are lost but the last.
    kept = packets[:7] + packets[8:9] + packets[10:]
    assert told(kept) == ["ask0", "ANS0", "ask1", "r-4", "ask2", "r-4", "ask3", "ANS3"]


def test_waiting_ends() -> None:
    talk = rounds(PATIENCE * 2)
    packets = talk.packets
    reader = FlowReader()
    seen = []
    for number, data in enumerate(packets[:6] + packets[7:], 1):
        seen += [
            (number, event)
            for event in reader.receive_packet(Packet(number, 0.0, LINKTYPE_RAW, data, len(data)))
            if isinstance(event, FlowGap)
        ]
    ((number, _),) = seen
    assert number <= PATIENCE + 10


def test_the_end_of_a_direction_comes_behind_its_bytes() -> None:
    talk = rounds(2)
    talk.add(ASKING, FIN | ACK)
    talk.add(ANSWERING, FIN | ACK)
    packets = talk.packets
    assert told(packets[:6] + packets[7:]) == ["ask0", "ANS0", "i-4", "ANS1", "i.", "r."]


def test_a_capture_that_begins_late_is_in_order_too() -> None:
    packets = rounds(6).packets
    assert told(packets[4:]) == [text for number in range(6) for text in (f"ask{number}", f"ANS{number}")]


def test_an_acknowledgement_of_a_lost_end_is_no_hole() -> None:
    talk = rounds(1)
    talk.add(ANSWERING, FIN | ACK)
    talk.say(ASKING, b"more")
    packets = talk.packets
    assert told([*packets[:-2], packets[-1]]) == ["ask0", "ANS0", "more"]


def of_one_side(talk: Talk, direction: Direction) -> list[bytes]:
    port = (1414).to_bytes(2, "big")
    return [packet for packet in talk.packets if (packet[22:24] == port) is (direction is ASKING)]


def test_answers_that_nobody_captured_are_holes() -> None:
    talk = rounds(3)
    assert told(of_one_side(talk, ASKING)) == [f"r-{len(HELLO)}", "ask0", "r-4", "ask1", "r-4", "ask2"]
    talk.add(ASKING, ACK)
    talk.add(ASKING, FIN | ACK)
    assert told(of_one_side(talk, ASKING)) == [f"r-{len(HELLO)}", "ask0", "r-4", "ask1", "r-4", "ask2", "r-4", "i."]


def test_one_side_of_a_capture_that_begins_late() -> None:
    talk = rounds(10)
    holes = [f"r-4 ask{number}" for number in range(2, 10)]
    assert " ".join(told(of_one_side(talk, ASKING)[3:])) == " ".join(["ask1", *holes])
    holes = [f"i-4 ANS{number}" for number in range(2, 10)]
    assert " ".join(told(of_one_side(talk, ANSWERING)[3:])) == " ".join(["ANS1", *holes])


def test_answers_that_come_late_are_no_holes() -> None:
    talk = rounds(3)
    packets = talk.packets[4:]  # begins in the middle
    assert told([packets[0], packets[2], packets[1], *packets[3:]]) == ["ask0", "ANS0", "ask1", "ANS1", "ask2", "ANS2"]


def test_what_one_side_says_is_not_held_for_long() -> None:
    reader, told_of = FlowReader(), []
    packets = of_one_side(rounds(PATIENCE * 3), ASKING)
    for number, data in enumerate(packets, 1):
        for event in reader.receive_packet(Packet(number, 0.0, LINKTYPE_RAW, data, len(data))):
            if isinstance(event, FlowData):
                told_of.append(number - event.packet)
    assert len(told_of) >= 2 * PATIENCE - 2
    assert max(told_of) <= PATIENCE


def test_holes_of_both_directions_are_told_in_the_parts_that_what_follows_needs() -> None:
    packets = rounds(5).packets  # handshake, greetings, then questions and answers by turns
    lost = {3, 7, 8, 9, 11}  # a greeting; the second answer, the third question with its answer, the fourth answer
    kept = [packet for place, packet in enumerate(packets) if place not in lost]
    assert told(kept) == ["r-28", "ask0", "ANS0", "ask1", "i-4", "r-8", "ask3", "r-4", "ask4", "ANS4"]
