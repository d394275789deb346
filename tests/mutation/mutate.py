"""Mutation testing: does any test fail when one operator, number or branch of the code is changed?

``make mutation`` samples mutants of cosmic-ray with a fixed seed, runs the tests of their room on a copy of the
repository, and prints the rate of those that a test killed, and a diff of each survivor. Mutants in annotations and of
``if TYPE_CHECKING`` are left out: no run evaluates these. What survived so far, and why, stands in ``survivors.md``.
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

_SESSIONS: Final = (
    "tests/unit/bridge/queue_manager/test_session.py tests/unit/bridge/queue_manager/test_channel_session.py "
    "tests/stateful/bridge/queue_manager/test_sessions_replayed.py"
)
ROOMS: Final = {
    "protocol/channel": (
        "tests/unit/protocol/channel tests/playbook/protocol/test_channel_*.py "
        "tests/property/protocol/test_channel_pair.py tests/unit/protocol/mqi/test_opening.py"
    ),
    "bridge/queue_manager/session.py": _SESSIONS,
    "bridge/queue_manager/calls": (
        f"{_SESSIONS} tests/unit/bridge/queue_manager/connections tests/hostile/test_authority_reports.py "
        "tests/playbook/bridge/test_client_lists.py tests/playbook/bridge/test_client_resolved_names.py "
        "tests/playbook/bridge/test_client_topic_authorities.py"
    ),
    "bridge/store": "tests/unit/bridge/store tests/stateful/bridge/store",
}
"""The tests of each room that is mutated."""
REPOSITORY: Final = Path(__file__).parents[2]
LEFT_OUT: Final = shutil.ignore_patterns(".*", "*.egg-info", "__pycache__", "build", "dist")
TIMEOUT: Final = 300.0
"""Seconds after which a mutant counts as killed."""


def never_run(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return start and end (line, column) of each annotation and each ``if TYPE_CHECKING`` in a module."""
    found: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.arg, ast.AnnAssign)):
            found.append(node.annotation)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(node.returns)
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            found.append(node.test)
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
            evaluated_never[path] = never_run((folder / path).read_text(encoding="utf-8"))
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
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
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
