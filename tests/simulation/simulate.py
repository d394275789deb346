"""Runs the fault simulation: many seeds in parallel, or one seed with its event log.

    python tests/simulation/simulate.py --seeds 10000
    python tests/simulation/simulate.py --seed 4711
    python tests/simulation/simulate.py --clients --seeds 1000
    python tests/simulation/simulate.py --links --seeds 1000
    python tests/simulation/simulate.py --damage 0.7 --seeds 1000
    python tests/simulation/simulate.py --tls --seeds 1000
    python tests/simulation/simulate.py --routes --seeds 1000
    python tests/simulation/simulate.py --everyplace --seeds 10000
    python tests/simulation/simulate.py --myopenq --seeds 10000
    python tests/simulation/simulate.py --clients --seed 4711 --record run.lives
    python tests/simulation/simulate.py --play run.lives

Ends with status 0 only if nothing was lost, doubled or reordered; with ``--damage`` the disk of a queue manager that
died has lost or damaged a block that often, and only what its repair said may be lost; with ``--tls`` the channels are
inside TLS. What came to the queue manager of clients can be recorded, and is played again without programs, network and
faults; what comes of it then is compared with what came of it. (A file that is played is a pickle: play only your own.)
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mqbridge.bridge.endpoints.tls_sessions import TlsSessions
from support.linking.link_scenario import LinkScenario
from support.myopenq.scenario import MyOpenQScenario
from support.simulation.client_scenario import ClientScenario
from support.simulation.everyplace_scenario import EveryplaceScenario
from support.simulation.recording import differences, load, save
from support.simulation.route_scenario import RouteScenario
from support.simulation.scenario import NAMES, Scenario
from support.tls.repositories import sessions

Kind = Callable[[int], Scenario | ClientScenario | LinkScenario | RouteScenario | EveryplaceScenario | MyOpenQScenario]


@cache
def certificates() -> Mapping[str, TlsSessions]:
    """What makes sessions of TLS in this process; read at once, so nothing is left on disk."""
    with tempfile.TemporaryDirectory() as folder:
        made = sessions(Path(folder), *NAMES)
        for each in made.values():
            each.refresh()
        return made


def secured(damage_rate: float, seed: int) -> Scenario:
    """Channels inside TLS."""
    return Scenario(seed, damage_rate, certificates())


def run_seed(kind: Kind, seed: int) -> tuple[int, list[str], int, int]:
    """(seed, problems, messages that were put, deaths of queue managers)."""
    scenario = kind(seed)
    try:
        problems = scenario.run()
    except Exception:
        problems = [traceback.format_exc()]
    deaths = sum(node.deaths for node in scenario.nodes.values())
    return seed, problems, scenario.messages, deaths


def show(kind: Kind, seed: int) -> int:
    scenario = kind(seed)
    try:
        problems = scenario.run()
    except Exception:
        problems = [traceback.format_exc()]
    print("\n".join(scenario.events))
    print(f"seed {seed}: {'; '.join(problems) or 'nothing is wrong'}")
    return 1 if problems else 0


def record(seed: int, file: Path) -> int:
    """Runs a seed of clients and stores what came to the queue manager."""
    problems, lives = ClientScenario(seed).run_recorded()
    save(lives, file)
    steps = sum(len(life.steps) for life in lives)
    print(f"seed {seed}: {'; '.join(problems) or 'nothing is wrong'}; {len(lives)} lives, {steps} steps in {file}")
    return 1 if problems else 0


def play(file: Path) -> int:
    """Plays stored lives again."""
    found = differences(load(file))
    print("\n".join(found) or "the same outcomes, the same rows")
    return 1 if found else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=300, help="how many seeds, from 0")
    parser.add_argument("--seed", type=int, help="one seed, with its event log")
    parser.add_argument("--clients", action="store_true", help="clients at one queue manager, not channels between two")
    parser.add_argument("--links", action="store_true", help="a link to a scripted JMS provider")
    parser.add_argument("--damage", type=float, default=0.0, help="how often a disk is damaged at a restart, 0 to 1")
    parser.add_argument("--tls", action="store_true", help="channels inside TLS")
    parser.add_argument("--routes", action="store_true", help="routes at one queue manager, with a store that dies")
    parser.add_argument("--everyplace", action="store_true", help="devices of Everyplace behind a chain of gateways")
    parser.add_argument("--myopenq", action="store_true", help="remote queues of MyOpenQ between two queue managers")
    parser.add_argument("--record", type=Path, help="a file for what came to the queue manager of --clients --seed")
    parser.add_argument("--play", type=Path, help="such a file, to be played again")
    options = parser.parse_args()
    if options.play is not None:
        return play(options.play)
    if options.record is not None:
        if not options.clients or options.seed is None:
            parser.error("--record needs --clients and --seed")
        return record(options.seed, options.record)
    kind: Kind = ClientScenario if options.clients else partial(Scenario, damage_rate=options.damage)
    if options.tls:
        kind = partial(secured, options.damage)
    if options.links:
        kind = LinkScenario
    if options.routes:
        kind = RouteScenario
    if options.everyplace:
        kind = EveryplaceScenario
    if options.myopenq:
        kind = MyOpenQScenario
    if options.seed is not None:
        return show(kind, options.seed)
    began = time.perf_counter()
    bad, messages, deaths = [], 0, 0
    with ProcessPoolExecutor() as pool:
        for seed, problems, count, died in pool.map(partial(run_seed, kind), range(options.seeds), chunksize=10):
            messages += count
            deaths += died
            if problems:
                bad.append(seed)
                print(f"seed {seed}: {problems[0][:300]}", flush=True)
    took = time.perf_counter() - began
    print(
        f"{options.seeds} seeds, {messages} messages, {deaths} deaths of a queue manager in {took:.0f} s: "
        + (f"{len(bad)} seeds failed: {bad[:20]}" if bad else "nothing lost, doubled or reordered")
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
