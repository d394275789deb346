"""Run every bench that has a long form, and end with one table of all figures.

    python bench/all.py            short forms
    python bench/all.py --full     long ones

A bench that fails does not keep the others from running; the status is then 1.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from figures import FILE, load, table

HERE = Path(__file__).parent


def benches() -> list[Path]:
    """The programs of this folder that can be run without arguments."""
    return sorted(path for path in HERE.glob("*.py") if path.name != "all.py" and '"--full"' in path.read_text())


def main() -> int:
    failed = []
    with tempfile.TemporaryDirectory(prefix="mqbridge-bench-") as folder:
        file = Path(folder) / "figures"
        file.touch()
        environment = os.environ | {FILE: str(file)}
        try:
            for bench in benches():
                command = [sys.executable, str(bench), *sys.argv[1:]]
                if subprocess.run(command, cwd=HERE.parent, env=environment, check=False).returncode:
                    failed.append(bench.name)
        except KeyboardInterrupt:
            failed.append("the rest")
        print(table(load(file)))
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
