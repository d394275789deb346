"""What the learner finds of protocols that are known, and how fast.

    python bench/learning.py [--seeds 100] [--quick] [--peers] [--peer NAME=COMMAND …]

Boundaries are counted as BinaryInferno counts them. Precision: boundaries found that are true; recall: true ones that
are found; false positives: of the places that are no boundary, those that were taken for one; means over all messages.
Nothing of the learner is tuned on the eight protocols built with scapy. ``--peers`` runs Netzob where it is installed;
``--peer`` runs any other program on the same messages: it gets a line of hexadecimal digits for each, and writes a line
of offsets, blanks between them. The published means stand beside (NDSS 2023, on protocols of their own).
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from learning_foreign import TALKS, foreign
from learning_meaning import meaning
from learning_truth import Traffic, mq_channels, mq_clients, myopenq

from mqbridge.captures.learning import Draft, Message, Piece, Stream, learn, learn_messages
from mqbridge.captures.learning.claims import OPAQUE, UNKNOWN
from mqbridge.captures.learning.framing import find_framing
from mqbridge.captures.learning.messages import in_order

Figures = tuple[float, float, float]
MQ_LEAST, MQ_GOAL = (0.75, 0.75, 0.04), (0.90, 0.85, 0.02)
FOREIGN_LEAST, FOREIGN_GOAL = (0.69, 0.73, 0.04), (0.80, 0.80, 0.04)
PUBLISHED = {
    "BinaryInferno": (0.69, 0.73, 0.04),
    "Netzob": (0.57, 0.42, 0.03),
    "NEMESYS": (0.31, 0.44, 0.11),
    "NetPlier": (0.29, 0.75, 0.22),
}
SPEED_MESSAGES, SPEED_BYTES, SPEED_SECONDS = 10_000, 500, 10.0


def messages_of(traffic: Traffic) -> list[Message]:
    """Return the messages that the learner cuts; none where it finds no framing."""
    found = find_framing(traffic.streams)
    return list(in_order(found[1])) if found is not None else []


def figures(messages: Iterable[Message], claimed: Callable[[Message], set[int]], traffic: Traffic) -> Figures:
    """Return precision, recall and false positives, means over all messages."""
    sums, count = [0.0, 0.0, 0.0], 0
    for message in messages:
        true = traffic.boundaries.get(message.data, frozenset())
        found = claimed(message) - {0}
        right = len(found & true)
        others = len(message.data) - 1 - len(true)
        sums[0] += right / len(found) if found else float(not true)
        sums[1] += right / len(true) if true else 1.0
        sums[2] += len(found - true) / others if others > 0 else 0.0
        count += 1
    return (sums[0] / count, sums[1] / count, sums[2] / count) if count else (0.0, 0.0, 0.0)


def counted(draft: Draft, traffic: Traffic) -> Figures:
    """Return the figures of a draft."""

    def claimed(message: Message) -> set[int]:
        kind = draft.kind_of(message)
        return {field.start for field in kind.fields(message.data)} if kind is not None else set()

    return figures(messages_of(traffic), claimed, traffic)


def framed(traffic: Traffic) -> bool:
    """Whether the messages are those that were sent, one in each piece."""
    found = find_framing(traffic.streams)
    return found is not None and all(list(ends) == list(accumulate(side.piece_sizes)) for side, ends in found[1])


def mean(rows: Sequence[Figures]) -> Figures:
    """Return the means of several rows."""
    return tuple(sum(column) / len(rows) for column in zip(*rows, strict=True))  # type: ignore[return-value]


def verdict(found: Figures, least: Figures, goal: Figures) -> str:
    """Return whether figures are those wanted."""

    def reaches(wanted: Figures) -> bool:
        return found[0] >= wanted[0] and found[1] >= wanted[1] and found[2] <= wanted[2]

    return "goal" if reaches(goal) else "reached" if reaches(least) else "MISSED"


def row(name: str, found: Figures, more: str = "") -> None:
    """Print a row."""
    print(f"{name:<24}{found[0]:>10.2f}{found[1]:>8.2f}{found[2]:>8.2f}{more}", flush=True)


def tried(traffic: Traffic) -> tuple[Figures, Draft]:
    """Learn, print a row, and return the figures."""
    begun = time.process_time()
    draft = learn(traffic.streams)
    seconds = time.process_time() - begun
    found = counted(draft, traffic)
    row(traffic.name, found, f"{draft.explained:>11.2f}{seconds:>9.1f}  {'right' if framed(traffic) else 'WRONG'}")
    return found, draft


def random_claims(seeds: int) -> tuple[int, int]:
    """Return how many claims are made of random streams and of random messages, and how many were looked at."""
    claims = looked = 0
    for seed in range(seeds):
        dice = Random(seed)
        for most in (0, 120):
            streams = [
                Stream(
                    number,
                    tuple(
                        Piece(place % 2, 50.0 * number + place, dice.randbytes(dice.randrange(8, most) if most else 48))
                        for place in range(30)
                    ),
                )
                for number in range(8)
            ]
            cut = [Message(each.number, one.side, one.time, one.data) for each in streams for one in each.pieces]
            drafts = [learn_messages(cut, streams)]
            if most:
                drafts.append(learn(streams))
                claims += drafts[1].framing is not None
            for draft in drafts:
                looked += 1
                claims += draft.key is not None
                claims += sum(
                    claim.what not in (OPAQUE, UNKNOWN) for kind in draft.kinds for claim in kind.layout.claims()
                )
    return claims, looked


def speed_traffic() -> list[Stream]:
    """Return messages of one size, of eight kinds, with fields of many sorts."""
    dice = Random(9)
    streams = []
    for number in range(20):
        pieces, now = [], 1.7e9 + 1000 * number
        for place in range(SPEED_MESSAGES // 20):
            now += dice.random() / 10
            kind = dice.randrange(4) + 4 * (place % 2)
            body = b"LDGR" + SPEED_BYTES.to_bytes(2, "big") + bytes([0, kind]) + (70_000 + place).to_bytes(4, "big")
            body += int(now * 1e6).to_bytes(8, "big") + dice.randbytes(16) + bytes([0, 0, 0, dice.choice([0, 1, 3, 5])])
            body += dice.choice([b"ALPHA", b"BETA", b"GAMMA RAY"]).ljust(48) + bytes(40 * kind)
            body += dice.randrange(100_000).to_bytes(4, "little") * (kind + 1)
            letters = bytes(dice.choice(b"abcdefgh ") for _ in range(60))
            pieces.append(Piece(place % 2, now, (body + letters + dice.randbytes(SPEED_BYTES))[:SPEED_BYTES]))
        streams.append(Stream(number, tuple(pieces)))
    return streams


def peers(commands: Sequence[str], traffics: Sequence[Traffic]) -> None:
    """Print what other programs find in the same messages, and their published means."""
    for name, published in PUBLISHED.items():
        row(f"{name}, published", published)
    for each in commands:
        name, _, command = each.partition("=")
        rows = []
        begun = time.perf_counter()
        for traffic in traffics:
            messages = messages_of(traffic)
            lines = "".join(f"{message.data.hex()}\n" for message in messages)
            output = subprocess.run(
                shlex.split(command), input=lines, capture_output=True, text=True, check=True
            ).stdout
            found = {
                message.data: {int(offset) for offset in line.split()}
                for message, line in zip(messages, output.splitlines(), strict=True)
            }
            rows.append(figures(messages, lambda message, found=found: found[message.data], traffic))
        row(f"{name}, here", mean(rows), f"{time.perf_counter() - begun:>20.1f}")


def netzob(traffics: Sequence[Traffic]) -> None:
    """Print what Netzob finds, where it is installed."""
    try:
        from netzob.all import Format, RawMessage, Symbol  # type: ignore[import-not-found]
    except ImportError as error:
        print(f"Netzob, here            not installed: {error}")
        return
    rows = []
    begun = time.perf_counter()
    for traffic in traffics:
        messages = messages_of(traffic)
        symbol = Symbol(messages=[RawMessage(message.data) for message in messages])
        Format.splitAligned(symbol, doInternalSlick=True)
        found = {
            message.data: set(accumulate(len(cell) for cell in cells))
            for message, cells in zip(messages, symbol.getCells(), strict=True)
        }
        rows.append(figures(messages, lambda message, found=found: found[message.data], traffic))
    row("Netzob, here", mean(rows), f"{time.perf_counter() - begun:>20.1f}")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description="Figures of the learner.")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--quick", action="store_true", help="boundaries of MQ alone")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    options = parser.parse_args()
    print(f"{'':<24}{'precision':>10}{'recall':>8}{'false':>8}{'explained':>11}{'seconds':>9}  framing")
    ours = [mq_channels(), mq_clients()]
    results = [tried(each) for each in ours]
    found = mean([each for each, _ in results])
    row("MQ, mean", found, f"  {verdict(found, MQ_LEAST, MQ_GOAL)}")
    meanings = [
        sum(column)
        for column in zip(*(meaning(draft, each) for (_, draft), each in zip(results, ours, strict=True)), strict=True)
    ]
    total, named, right = meanings
    print(f"meaning right, MQ: of {named} named {right / named:.2f} (0.85), of all {total} {right / total:.2f} (0.60)")
    if options.quick:
        return
    tried(myopenq())
    strangers = [foreign(name) for name in TALKS]
    found = mean([tried(each)[0] for each in strangers])
    row("the eight, mean", found, f"  {verdict(found, FOREIGN_LEAST, FOREIGN_GOAL)}")
    begun = time.process_time()
    draft = learn(speed_traffic())
    seconds = time.process_time() - begun
    print(f"{draft.messages} messages of {SPEED_BYTES} bytes: {seconds:.1f} s of one core ({SPEED_SECONDS:.0f} s)")
    claims, looked = random_claims(options.seeds)
    print(f"claims on random messages, {options.seeds} seeds, {looked} drafts: {claims} (0)")
    if options.peers or options.peer:
        peers(options.peer, strangers)
        netzob(strangers)


if __name__ == "__main__":
    main()
