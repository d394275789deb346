"""Rate of parsing and building the headers of MESSAGE_DATA, beside Construct, whose grammars the codec is derived from.

    python bench/codec.py            the table, interleaved rounds in one process
    python bench/codec.py --full     more rounds

TSH, MSH, XQH and MD version 1 of a real packet, 476 bytes. "prefix" builds TSH and MSH from the fields that change from
message to message, as a sender does in front of an MQXQH that it has.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mqbridge.protocol.constants import ByteOrder

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from figures import figure, ratios

from mqbridge.protocol.layouts.builders import MessagePrefixBuilder
from mqbridge.protocol.structures import MESSAGE_PREFIX, SEGMENT_HEADERS
from support.captures.vectors import thesis

ROUND_SECONDS = 0.1
TO_REACH, GOAL = 80, 150
CHANGING = (
    "tsh_seg_length",
    "tsh_control_flags1",
    "tsh_luwid",
    "msh_sequence_number",
    "msh_data_length",
    "msh_message_length",
)

Subject = Callable[[], object]


def subjects() -> dict[str, dict[str, Subject]]:
    """The functions to time, by action and by way."""
    packet = thesis(3)[: SEGMENT_HEADERS.size]
    grammar = SEGMENT_HEADERS.grammar(ByteOrder.LITTLE)
    container = grammar.parse(packet)
    codec = SEGMENT_HEADERS.codec(ByteOrder.LITTLE)
    record = codec.parse(packet)
    prefix = MESSAGE_PREFIX.codec(ByteOrder.LITTLE).parse(packet)
    patch, behind = MessagePrefixBuilder(prefix).build, packet[MESSAGE_PREFIX.size :]
    values = [getattr(record, key) for key in CHANGING]
    assert grammar.build(container) == record.build() == patch(*values) + behind == packet
    return {
        "parse": {"Construct": lambda: grammar.parse(packet), "derived": lambda: codec.parse(packet)},
        "build": {
            "Construct": lambda: grammar.build(container),
            "derived": record.build,
            "prefix": lambda: patch(*values) + behind,
        },
    }


def once(subject: Subject) -> float:
    """Mean processor seconds of a call, over at least ``ROUND_SECONDS``."""
    calls = 0
    start = time.process_time()
    while (elapsed := time.process_time() - start) < ROUND_SECONDS:
        for _ in range(100):
            subject()
        calls += 100
    return elapsed / calls


def measure(rounds: int) -> None:
    """Print the table."""
    print(f"{'':8}{'':12}{'per second':>12}{'us':>8}{'ratio':>8}")
    for action, ways in subjects().items():
        seconds: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(rounds):
            for way, subject in ways.items():
                seconds[way].append(once(subject))
        medians = {way: statistics.median(measured) for way, measured in seconds.items()}
        for way, median in medians.items():
            print(f"{action:8}{way:12}{1 / median:12,.0f}{median * 1e6:8.2f}{medians['Construct'] / median:8.1f}")
        times = ratios(seconds["Construct"], seconds["derived"])
        figure(f"codec: MESSAGE_DATA headers, {action}", "Construct", times, least=TO_REACH, goal=GOAL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="more rounds")
    arguments = parser.parse_args()
    print("MESSAGE_DATA headers (TSH, MSH, XQH, MD), 476 bytes")
    measure(15 if arguments.full else 7)


if __name__ == "__main__":
    main()
