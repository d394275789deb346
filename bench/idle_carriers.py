"""A channel pair beside idle routes and links of other queues, and the same pair without them, for `routes.py`.

Two pairs run at once and take turns in short rounds, so that what else the machine does meets both alike; and new pairs
are made several times, so that nothing of one process counts for all. At both ends of one pair there are `ROUTES`
routes and `LINKS` links, connected to a provider, whose queues stay empty. Processor time is that of sender and
receiver together; it varies less than the rate.
"""

from __future__ import annotations

import statistics
import sys
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from channel import channel_rate
from figures import figure, ratios
from idle_provider import IdleProvider
from workers import Pair

ROUTES, LINKS = 100, 100
WARM = 2_000
TO_REACH = 0.98


class Round(NamedTuple):
    """Messages a second, and processor time of both ends in microseconds a message."""

    rate: float
    processor: float


def measure(makings: int, rounds: int, count: int) -> None:
    """Make the pairs ``makings`` times, and take ``rounds`` of ``count`` messages with each; print the figures."""
    alone: list[Round] = []
    beside: list[Round] = []
    links = LINKS if find_spec("proton") else 0
    for making in range(makings):
        with ExitStack() as stack:
            provider = IdleProvider() if links else None
            if provider is not None:
                stack.callback(provider.close)
            pairs = [(stack.enter_context(Pair()), alone), (stack.enter_context(Pair()), beside)]
            for worker in (pairs[1][0].sender, pairs[1][0].receiver):
                worker.ask(f"idle {ROUTES}")
                if provider is not None:
                    worker.ask(f"links {links} {provider.port}")
            for pair, _ in pairs:
                one_round(pair, WARM)
            for number in range(rounds):
                for pair, found in pairs if (number + making) % 2 else reversed(pairs):
                    found.append(one_round(pair, count))
    report(alone, beside, links)


def one_round(pair: Pair, count: int) -> Round:
    """Send messages through a pair whose channel is stopped, and stop it again."""
    rate, sender, receiver = channel_rate(pair, count, 1)
    pair.sender.ask("stop")
    return Round(rate, sender + receiver)


def report(alone: list[Round], beside: list[Round], links: int) -> None:
    rates = ratios([each.rate for each in beside], [each.rate for each in alone])
    processors = ratios([each.processor for each in alone], [each.processor for each in beside])
    used = [statistics.median(each.processor for each in rounds) for rounds in (alone, beside)]
    what = (
        f"{ROUTES} idle routes and {links} idle links" if links else f"{ROUTES} idle routes (proton is not installed)"
    )
    print(
        f"  pair beside {what}: {len(rates)} rounds with, {len(rates)} without; "
        f"processor us a message {used[1]:.1f}, {used[0]:.1f} without"
    )
    for how, values in (("processor time", processors), ("rate", rates)):
        figure(f"channel pair beside idle carriers, by {how}", "the same without", values, least=TO_REACH)
