"""Mutation testing: does any test fail when one operator, number or branch of the code is changed?

``make mutation`` samples mutants of cosmic-ray with a fixed seed, runs the tests of their room on a copy of the
repository, and prints the rate of those that a test killed, and a diff of each survivor. Mutants in annotations are
left out: nothing evaluates these.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

ROOMS: Final = {
    "protocol/channel": (
        "tests/unit/protocol/channel tests/playbook/protocol/test_channel_*.py "
        "tests/property/protocol/test_channel_pair.py"
    ),
    "bridge/queue_manager/session.py": (
        "tests/unit/bridge/queue_manager/test_session.py tests/stateful/bridge/queue_manager/test_sessions_replayed.py"
    ),
    "bridge/queue_manager/calls": (
        "tests/unit/bridge/queue_manager/test_session.py tests/unit/bridge/queue_manager/connections "
        "tests/stateful/bridge/queue_manager/test_sessions_replayed.py"
    ),
    "bridge/store": "tests/unit/bridge/store tests/stateful/bridge/store",
}
"""The tests of each room that is mutated."""
REPOSITORY: Final = Path(__file__).parents[2]
LEFT_OUT: Final = shutil.ignore_patterns(".*", "*.egg-info", "__pycache__", "build", "dist")
TIMEOUT: Final = 300.0
"""Seconds after which a mutant counts as killed."""


def annotations(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return start and end (line, column) of each annotation in a module."""
    found: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.arg, ast.AnnAssign)):
            found.append(node.annotation)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(node.returns)
    return [
        ((each.lineno, each.col_offset), (each.end_lineno or 0, each.end_col_offset or 0)) for each in found if each
    ]


def sample(database: Any, folder: Path, most: int, seed: int) -> None:
    """Keep ``most`` of a session's mutants, chosen by ``seed``, and mark all others as skipped."""
    result = importlib.import_module("cosmic_ray.work_item")
    candidates, skipped, evaluated_never = [], [], {}
    for item in database.work_items:
        mutation = item.mutations[0]
        path = str(mutation.module_path)
        if path not in evaluated_never:
            evaluated_never[path] = annotations((folder / path).read_text(encoding="utf-8"))
        inside = any(start <= mutation.start_pos < end for start, end in evaluated_never[path])
        place = (path, mutation.start_pos, mutation.operator_name, mutation.occurrence)
        (skipped if inside else candidates).append((place, item.job_id))
    candidates.sort()
    chosen = {job for _, job in random.Random(seed).sample(candidates, min(most, len(candidates)))}
    print(f"  {len(candidates)} mutants, {len(chosen)} of them tried", flush=True)
    for _, job in candidates + skipped:
        if job not in chosen:
            database.set_result(job, result.WorkResult(worker_outcome=result.WorkerOutcome.SKIPPED))


def mutate(room: str, folder: Path, most: int, seed: int) -> tuple[int, int]:
    """Try mutants of a room in a copy of the repository; return how many were killed, and how many were tried."""
    work_db = importlib.import_module("cosmic_ray.work_db")
    tests = " ".join(
        str(path.relative_to(folder)) for pattern in ROOMS[room].split() for path in sorted(folder.glob(pattern))
    )
    configuration, session = folder / "mutation.toml", folder / "mutation.sqlite"
    session.unlink(missing_ok=True)
    command = f"{sys.executable} -m pytest -q -x -p no:cacheprovider {tests}"
    configuration.write_text(
        f'[cosmic-ray]\nmodule-path = "{room}"\ntimeout = {TIMEOUT}\nexcluded-modules = []\n'
        f'test-command = "{command}"\n[cosmic-ray.distributor]\nname = "local"\n',
        encoding="utf-8",
    )
    cosmic_ray = [sys.executable, "-m", "cosmic_ray.cli"]
    subprocess.run([*cosmic_ray, "init", configuration, session], cwd=folder, check=True)
    with work_db.use_db(str(session)) as database:
        sample(database, folder, most, seed)
    subprocess.run(command.split(), cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*cosmic_ray, "exec", configuration, session], cwd=folder, check=True)
    killed = tried = 0
    with work_db.use_db(str(session)) as database:
        for _, result in database.results:
            if result.test_outcome is None:
                continue
            tried += 1
            if result.test_outcome.value == "survived":
                print(result.diff, flush=True)
            else:
                killed += 1
    return killed, tried


def main() -> None:
    """Mutate the rooms and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=60, help="mutants tried in each room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("rooms", nargs="*", default=list(ROOMS), metavar="ROOM", help=", ".join(ROOMS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "mutated"
        shutil.copytree(REPOSITORY, folder, symlinks=True, ignore=LEFT_OUT)
        rates = []
        for room in options.rooms:
            print(room, flush=True)
            rates.append((room, *mutate(room, folder, options.most, options.seed)))
    for room, killed, tried in rates:
        print(f"{room}: {killed} of {tried} mutants killed ({100 * killed / max(1, tried):.0f} %)")


if __name__ == "__main__":
    main()
