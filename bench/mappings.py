"""Rate of reading and writing JMS messages, beside Construct for the structures and ElementTree for the folders; and of
message trees whose body is not touched, beside the same with the body.

    python bench/mappings.py            the table, interleaved rounds in one process
    python bench/mappings.py --full     more rounds

A text message with MQMD and MQRFH2 of three folders and six properties. "read" asks for everything: kind, headers,
properties with their types, body. "write" makes the message from the JMS message. "tree" reads one field of MQMD, of a
message with an XML body of 10 KiB.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure, ratios

sys.path.insert(0, str(Path(__file__).parents[1]))

from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms import JmsMessage, Typed
from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import message_tree
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import MD
from mqbridge.protocol.structures.rfh2 import FOLDER, RFH2

ROUND_SECONDS = 0.1
NOW = 1_700_000_000.0
THERE = Destination.parse("queue:///ORDERS.IN")
TO_REACH = {"read": (3, 25_000), "write": (3, 15_000), "tree": (30, 0)}
GOAL = {"read": 60_000, "write": 40_000}
ORDER = "".join(f"<Item id='{n}'><Name>Bolt {n}</Name><Price>{n}.50</Price></Item>" for n in range(170))
PROPERTIES = {
    "colour": Typed("red", "string"),
    "count": Typed(5, "i4"),
    "price": Typed(12.5, "r8"),
    "urgent": Typed(True, "boolean"),
    "number": Typed(1 << 40, "i8"),
    "customer": Typed("Miller & Sons", "string"),
}
CONVERTERS: dict[str, Callable[[str], object]] = {
    "string": str,
    "boolean": "1".__eq__,
    "i4": int,
    "i8": int,
    "r8": float,
}

Subject = Callable[[], object]


def jms_message() -> JmsMessage:
    return JmsMessage(
        "text",
        "an order of some hundred bytes " * 8,
        properties=PROPERTIES,
        correlation_id="order 4711",
        reply_to="queue://QM1/ANSWERS?persistence=2",
    )


def by_ours(message: Message) -> object:
    """Ask for all parts of a message."""
    jms = JmsMessage.of(message)
    return jms.kind, jms.headers, jms.properties, jms.body


def by_peers(message: Message) -> object:
    """The same facts by Construct and ElementTree, without the rules of JMS."""
    md = MD.grammar(message.order).parse(message.raw_md)
    data = message.data
    order = ByteOrder.BIG
    header = RFH2.grammar(order).parse(data)
    place, folders = RFH2.size, {}
    while place < header.struc_length:
        folder = FOLDER.grammar(order).parse(data[place:])
        place += 4 + folder.name_value_length
        root = ElementTree.fromstring(folder.name_value_data.decode().strip())
        folders[root.tag] = {each.tag: CONVERTERS[each.attrib.get("dt", "string")](each.text or "") for each in root}
    return md.msg_id.hex(), md.reply_to_q.decode().rstrip(), folders, data[place:].decode()


def written_by_peers(message: Message) -> Subject:
    """A function that builds the same bytes by Construct and ElementTree."""
    md = MD.grammar(message.order).parse(message.raw_md)
    data = message.data
    order = ByteOrder.BIG
    header = RFH2.grammar(order).parse(data)
    place, trees = RFH2.size, []
    while place < header.struc_length:
        folder = FOLDER.grammar(order).parse(data[place:])
        place += 4 + folder.name_value_length
        root = ElementTree.fromstring(folder.name_value_data.decode().strip())
        trees.append((root.tag, [(each.tag, dict(each.attrib), each.text) for each in root]))
    text = data[place:].decode()

    def build() -> bytes:
        parts = []
        for name, elements in trees:
            root = ElementTree.Element(name)
            for tag, attributes, content in elements:
                ElementTree.SubElement(root, tag, attributes).text = content
            raw = ElementTree.tostring(root)
            raw += b" " * (-len(raw) % 4)
            parts.append(FOLDER.grammar(order).build({"name_value_length": len(raw), "name_value_data": raw}))
        folders = b"".join(parts)
        header.struc_length = RFH2.size + len(folders)
        return bytes(MD.grammar(message.order).build(md) + RFH2.grammar(order).build(header) + folders + text.encode())

    return build


def tree_subjects() -> dict[str, Subject]:
    """Functions that read one MQMD field of a fresh tree, with the body touched and without."""
    given = Message.build(f"<Order>{ORDER}</Order>".encode(), format="MQSTR", reply_to_q="ANSWERS")
    raw, body, order = given.raw_md, given.data, given.order

    def field() -> object:
        return message_tree(Message(raw, body, order=order, ccsid=1208), domain="XMLNSC")["MQMD.ReplyToQ"]

    def field_and_body() -> object:
        tree = message_tree(Message(raw, body, order=order, ccsid=1208), domain="XMLNSC")
        return tree["MQMD.ReplyToQ"], tree["XMLNSC.Order.Item[2].Price"]

    assert field_and_body() == (field(), "1.50")
    return {"with body": field_and_body, "field": field}


def subjects() -> dict[str, dict[str, Subject]]:
    """The functions to time, by action and by way."""
    jms = jms_message()
    message = jms.message(THERE, now=NOW)
    assert JmsMessage.of(message).properties == PROPERTIES
    assert JmsMessage.of(message).headers.correlation_id == "order 4711"
    peers = written_by_peers(message)
    return {
        "read": {"Construct": lambda: by_peers(message), "JmsMessage": lambda: by_ours(message)},
        "write": {"Construct": peers, "JmsMessage": lambda: jms.message(THERE, now=NOW)},
        "tree": tree_subjects(),
    }


def once(subject: Subject) -> float:
    """Mean seconds of processor time of a call, over at least ``ROUND_SECONDS``."""
    calls = 0
    start = time.process_time()
    while (elapsed := time.process_time() - start) < ROUND_SECONDS:
        for _ in range(10):
            subject()
        calls += 10
    return elapsed / calls


def measure(rounds: int) -> None:
    """Print the table and the figures."""
    print(f"{'':8}{'':12}{'per second':>12}{'us':>8}{'ratio':>8}")
    for action, ways in subjects().items():
        seconds: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(rounds):
            for way, subject in ways.items():
                seconds[way].append(once(subject))
        medians = {way: statistics.median(measured) for way, measured in seconds.items()}
        beside, ours = ways
        for way, median in medians.items():
            print(f"{action:8}{way:12}{1 / median:12,.0f}{median * 1e6:8.2f}{medians[beside] / median:8.1f}")
        least, rate = TO_REACH[action]
        figure(f"mappings, {action}", beside, ratios(seconds[beside], seconds[ours]), least=least)
        if rate:
            rates = [1 / each for each in seconds[ours]]
            figure(f"mappings, {action}", "", rates, least=rate, goal=GOAL[action], unit="/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="more rounds")
    arguments = parser.parse_args()
    print("text message, MQMD and MQRFH2 with 3 folders and 6 properties; tree of a message with 10 KiB of XML")
    measure(15 if arguments.full else 7)


if __name__ == "__main__":
    main()
