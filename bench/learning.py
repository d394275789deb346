"""Boundaries that the learner finds in messages of which they are known, counted as BinaryInferno counts them.

    python bench/learning.py            MQ channels and clients

Precision: boundaries found that are true; recall: true ones that are found; false positives: of the places that are no
boundary, those that were taken for one; means over all messages. Published means of the peers on protocols of their own
(NDSS 2023): BinaryInferno 0.69, 0.73, 0.04; Netzob 0.57, 0.42, 0.03; NEMESYS 0.31, 0.44, 0.11; NetPlier 0.29, 0.75,
0.22.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from learning_truth import Traffic, mq_channels, mq_clients

from mqbridge.captures.learning import Draft, learn
from mqbridge.captures.learning.framing import find_framing
from mqbridge.captures.learning.messages import in_order

TO_REACH = (0.75, 0.75, 0.04)
GOAL = (0.90, 0.85, 0.02)
TRAFFIC: Sequence[Callable[[], Traffic]] = (mq_channels, mq_clients)


def counted(draft: Draft, traffic: Traffic) -> tuple[float, float, float]:
    """Return precision, recall and false positives of a draft, means over all messages."""
    found = find_framing(traffic.streams)
    if found is None:
        return 0.0, 0.0, 0.0
    precision = recall = false = 0.0
    messages = 0
    for message in in_order(found[1]):
        true = traffic.boundaries.get(message.data, frozenset())
        kind = draft.kind_of(message)
        fields = kind.fields(message.data) if kind is not None else []
        claimed = {field.start for field in fields} - {0}
        right = len(claimed & true)
        others = len(message.data) - 1 - len(true)
        precision += right / len(claimed) if claimed else float(not true)
        recall += right / len(true) if true else 1.0
        false += len(claimed - true) / others if others > 0 else 0.0
        messages += 1
    return precision / messages, recall / messages, false / messages


def main() -> None:
    """Print a row for each kind of traffic, and their mean."""
    print(f"{'':<14}{'precision':>10}{'recall':>8}{'false':>8}{'explained':>11}{'seconds':>9}")
    rows = []
    for make in TRAFFIC:
        traffic = make()
        begun = time.process_time()
        draft = learn(traffic.streams)
        seconds = time.process_time() - begun
        rows.append(counted(draft, traffic))
        shown = "".join(f"{figure:>{width}.2f}" for figure, width in zip(rows[-1], (10, 8, 8), strict=True))
        print(f"{traffic.name:<14}{shown}{draft.explained:>11.2f}{seconds:>9.1f}")
    mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    print(f"{'mean':<14}{mean[0]:>10.2f}{mean[1]:>8.2f}{mean[2]:>8.2f}")
    print("at least       {:.2f}, {:.2f}, {:.2f}; goal {:.2f}, {:.2f}, {:.2f}".format(*TO_REACH, *GOAL))
    missed = mean[0] < TO_REACH[0] or mean[1] < TO_REACH[1] or mean[2] > TO_REACH[2]
    print("missed" if missed else "reached")


if __name__ == "__main__":
    main()
