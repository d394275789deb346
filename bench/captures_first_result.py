"""Time of ``mqbridge replay`` for a small capture, from its start to its end, beside tshark.

    python bench/captures_first_result.py            the table
    python bench/captures_first_result.py --full     more rounds

A real capture of 1,514 packets. Both programs are started anew for each round, in turn; wall time. Neither Spark nor
Arrow may be loaded.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from figures import figure
from measured_process import run

ROOT = Path(__file__).parents[1]
CAPTURE = str(ROOT / "tests" / "vectors" / "jms-client" / "jms-put-sessions.pcap.gz")
TO_REACH = 1.0
HEAVY = ("pyspark", "pandas", "pyarrow", "numpy")


def loaded() -> list[str]:
    """The heavy packages that a report has loaded."""
    program = (
        "import sys; from click.testing import CliRunner; from mqbridge.bridge.cli import cli;"
        f" assert CliRunner().invoke(cli, ['replay', {CAPTURE!r}]).exit_code in (0, 1);"
        f" print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return found.stdout.split()


def measure(rounds: int) -> None:
    """Print the table and the figure."""
    heavy = loaded()
    ours = [sys.executable, "-m", "mqbridge", "replay"]
    subjects = {
        "mqbridge replay": [*ours, CAPTURE],
        "mqbridge replay --json": [*ours, "--json", CAPTURE],
        "tshark -r": ["tshark", "-n", "-r", CAPTURE],
        "tshark --version": ["tshark", "--version"],
    }
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(rounds):
        for name, command in subjects.items():
            seconds[name].append(run(command).wall)
    for name, measured in seconds.items():
        print(f"  {name:25}{statistics.median(measured):8.3f} s{min(measured):8.3f} s at the least")
    print(f"  loaded: {', '.join(heavy) or 'none of ' + ', '.join(HEAVY)}")
    figure("report on a small capture", "", seconds["mqbridge replay"], least=TO_REACH, unit="s", lower=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="more rounds")
    arguments = parser.parse_args()
    if shutil.which("tshark") is None:
        sys.exit("tshark is not installed")
    print("a report on a small capture, from the start of the program")
    measure(15 if arguments.full else 7)


if __name__ == "__main__":
    main()
