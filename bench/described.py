"""Captures read by the description of their protocol: messages a second on one core, and Spark on two cores.

    python bench/described.py            a capture of 60 MB
    python bench/described.py --full     one of 1 GB

The capture is of the packets of myopenq.md 12.2: connections with messages of 500 bytes, each confirmed, read by
``mq-capture``. ``check`` is what ``mqbridge protocol check`` does; the table is ``protocol_messages`` of
``format("mq")``, in one task and in two of a warm session.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from figures import figure, ratios

sys.path.insert(0, str(Path(__file__).parents[1]))

from mqbridge.bridge.config.protocol_files import shipped_protocol
from mqbridge.captures.described import DescribedMessages, check
from mqbridge.captures.described.messages import ROLES
from mqbridge.captures.dialogues.captures import CaptureDialogues
from mqbridge.captures.generate import Replica
from mqbridge.captures.generate.conversation import MadeConnection, MadeConversation
from mqbridge.captures.spark import MqCapture, session
from mqbridge.captures.streams.flow_events import Endpoint
from mqbridge.mappings.templates import Context, Counters
from mqbridge.protocol.direction import Direction

PROTOCOL = "mq-capture"
SIZE, EACH = 500, 200
"""Bytes of a message as it travels, and messages of a connection."""
SHIPPED = Path(__file__).parents[1] / "mappings" / "templates" / "shipped"
A_SECOND, TIMES = 20_000, 1.7
MB = 1_000_000


def conversation() -> MadeConversation:
    """Return a connection: two packets of its start, then messages, each with a request to confirm and its answer."""
    protocol = shipped_protocol(PROTOCOL)
    context = Context(1_700_000_000.0, random.Random(1), Counters(), None)
    made = MadeConversation(begun=context.now, messages=EACH)
    now = made.begun
    addressed = {"queue": "ORDERS", "target-manager": "SATURN", "source-manager": "EARTH", "unit-of-work": bytes(8)}
    data = b"x" * (SIZE - len(protocol.write("message", {**addressed, "message": b""}, context, "initiator")))
    ask: dict[str, Any] = {"flags": 1, "unit-of-work": bytes(8)}

    def say(name: str, values: dict[str, Any], direction: Direction = Direction.INITIATOR) -> None:
        made.say(direction, protocol.write(name, values, context, ROLES[direction]), now)

    for flags, direction in zip((1, 0), Direction, strict=True):
        say("start", {"flags": flags, "channel": "TO.SATURN", "manager": "EARTH"}, direction)
    for _ in range(EACH):
        now += 0.001
        say("message", {**addressed, "message": data})
        say("confirm", ask)
        say("confirm", {**ask, "flags": 0}, Direction.RESPONDER)
    made.ended = now + 0.001
    return made


def timed(run: Callable[[], int]) -> tuple[float, int]:
    """Return seconds, and what was returned."""
    begun = time.perf_counter()
    found = run()
    return time.perf_counter() - begun, found


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="a capture of 1 GB")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    size = 1000 * MB if arguments.full else 60 * MB
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-captures-") as name:
        capture = Path(name) / "host.pcap"
        made = MadeConnection(Endpoint("10.0.0.1", 2000), Endpoint("10.0.0.2", 1414), conversation())
        with capture.open("wb") as file:
            Replica([made]).write(file, size=size)
        begun = time.process_time()
        result = check(DescribedMessages(shipped_protocol(PROTOCOL), CaptureDialogues(str(capture))))
        rate = result.messages / (time.process_time() - begun)
        assert result.complete, result.lines()
        print(f"check, one core: {rate:>10,.0f} messages/s of {result.messages:,}, {size / MB:,.0f} MB ({A_SECOND:,})")
        spark = session("local[2]")
        spark.dataSource.register(MqCapture)
        reader = spark.read.format("mq").option("protocol", str(SHIPPED / f"{PROTOCOL}.toml"))
        seconds: dict[int, list[float]] = {1: [], 2: []}
        for number in range(arguments.rounds + 1):
            for tasks, taken in seconds.items():
                table = reader.option("partitions", str(tasks)).load(str(capture)).where("message is not null")
                needed, count = timed(table.count)
                assert count == result.messages, (count, result.messages)
                if number:  # the first round warms
                    taken.append(needed)
        spark.stop()
    one, two = (statistics.median(taken) for taken in seconds.values())
    print(f"Spark, one task: {result.messages / one:>10,.0f} messages/s; two: {result.messages / two:>10,.0f}")
    figure("captures by a description of their protocol", "", [rate], least=A_SECOND, unit="/s")
    figure("the same on Spark, two cores", "one core", ratios(*seconds.values()), least=TIMES)


if __name__ == "__main__":
    main()
