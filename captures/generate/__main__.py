"""Generator of captures with known truth: ``python -m mqbridge.captures.generate made.pcap --channels 2 --clients 3``.

``--truth`` writes the results of a perfect judge as JSON lines; ``--size`` repeats the traffic until the file is that
large; ``--case C-201`` writes the capture that breaks a rule, ``--lawful`` with it the nearest lawful one.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from mqbridge.captures.generate.cases import load
from mqbridge.captures.generate.channels import ChannelTraffic
from mqbridge.captures.generate.clients import ClientTraffic
from mqbridge.captures.generate.links import LinkType
from mqbridge.captures.generate.replication import Replica
from mqbridge.captures.generate.scenario import MadeCapture, Scenario, capture_of

_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SIZE: Final = re.compile(r"(\d+)\s*([KMG]?)(?:i?B)?", re.IGNORECASE)


def size_of(text: str) -> int:
    """Return the bytes of ``10M``, ``2GiB`` or a plain number; units are powers of 1,024."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size: give bytes, or a number with K, M or G")
    return int(found[1]) * _UNITS[found[2].upper()]


def _share(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not within 0 and 1")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mqbridge.captures.generate", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("output", type=Path, help="pcap file to write")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same file (0)")
    parser.add_argument("--channels", type=int, default=1, help="message channels (1)")
    parser.add_argument("--clients", type=int, default=1, help="clients (1)")
    parser.add_argument("--messages", type=int, default=20, help="messages of each (20)")
    parser.add_argument("--bytes", type=size_of, default=1000, help="mean length of a message (1000)")
    parser.add_argument("--interval", type=float, default=0.001, help="seconds between two messages (0.001)")
    parser.add_argument("--link", choices=[link.value for link in LinkType], default="ethernet", help="kind of link")
    parser.add_argument("--ipv6", action="store_true", help="addresses of IP version 6")
    parser.add_argument("--port", type=int, default=1414, help="port of the listeners (1414)")
    parser.add_argument("--segment-size", type=int, default=1460, help="most payload of one packet (1460)")
    parser.add_argument("--duplicate", type=_share, default=0.0, help="share of packets that come twice")
    parser.add_argument("--reorder", type=_share, default=0.0, help="share of packets that come late")
    parser.add_argument("--lose", type=_share, default=0.0, help="share of packets with data that are lost")
    parser.add_argument("--late", type=_share, default=0.0, help="share of the beginning that is not there")
    parser.add_argument("--size", type=size_of, help="repeat everything until the file has this size: 10M, 2G")
    parser.add_argument("--truth", type=Path, help="write flows and segments as JSON lines")
    parser.add_argument("--case", help="the capture that breaks this rule, in place of all that")
    parser.add_argument("--lawful", action="store_true", help="with --case: the nearest lawful capture")
    return parser


def scenario_of(asked: argparse.Namespace) -> Scenario:
    """Return the scenario of a command line."""
    random = Random(asked.seed)

    def sizes() -> tuple[int, ...]:
        return tuple(round(random.expovariate(1 / max(asked.bytes, 1))) for _ in range(asked.messages))

    return Scenario(
        seed=asked.seed,
        channels=[
            ChannelTraffic(channel=f"TO.VENUS.{number + 1}", sizes=sizes(), interval=asked.interval)
            for number in range(asked.channels)
        ],
        clients=[
            ClientTraffic(user=f"app{number + 1}", puts=sizes(), gets=asked.messages, think=asked.interval)
            for number in range(asked.clients)
        ],
        link=LinkType(asked.link),
        segment_size=asked.segment_size,
        ipv6=asked.ipv6,
        port=asked.port,
        duplicate=asked.duplicate,
        reorder=asked.reorder,
        lose=asked.lose,
        late=asked.late,
    )


def truth_lines(made: MadeCapture) -> Iterator[str]:
    """Yield the truth as JSON lines, one for each flow, segment and marked place."""
    truth = made.truth
    for table, rows in (("flow", truth.flows), ("segment", truth.segments), ("place", truth.places)):
        for row in rows:
            values: dict[str, Any] = {key: _plain(value) for key, value in row._asdict().items()}
            yield json.dumps({"table": table, **values})


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float) else str(getattr(value, "value", value))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the requested capture; return 2 for a rule without a case, 1 for a file that cannot be written."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.case and asked.case not in load():
        parser.error(f"no case for rule {asked.case}")
    if asked.size and (asked.truth or asked.case):
        parser.error("--size goes with neither --truth nor --case")
    if not asked.case and asked.channels + asked.clients < 1:
        parser.error("nothing to generate: neither channels nor clients")
    try:
        sys.stdout.write(_write(asked) + "\n")
    except OSError as error:
        sys.stderr.write(f"{parser.prog}: {error.filename}: {error.strerror}\n")
        return 1
    return 0


def _write(asked: argparse.Namespace) -> str:
    if asked.size:
        connections = scenario_of(asked).builder().connections
        with asked.output.open("wb") as file:
            replica = Replica(connections, link=LinkType(asked.link), segment_size=asked.segment_size)
            written = replica.write(file, size=asked.size)
        return (
            f"{asked.output}: {written.packets:,} packets, {written.size:,} bytes, {written.flows:,} flows,"
            f" {written.segments:,} segments, {written.messages:,} messages"
        )
    if asked.case:
        case = load()[asked.case]
        made = capture_of(case.negative if asked.lawful else case.positive, asked.seed)
    else:
        made = scenario_of(asked).build()
    made.save(asked.output)
    if asked.truth:
        asked.truth.write_text("".join(line + "\n" for line in truth_lines(made)), encoding="utf-8")
    flows, said, places = made.truth
    segments = [segment for segment in said if segment.packet]  # others begin in packets that are not there
    marks = "".join(f"; marked: flow {place.flow}, packet {place.first}" for place in places)
    return f"{asked.output}: {len(made.packets):,} packets, {len(flows):,} flows, {len(segments):,} segments{marks}"


if __name__ == "__main__":
    sys.exit(main())
