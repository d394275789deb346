"""Two queue managers, an echo program, and everything that can go wrong between them.

    make demo
    python examples/demo --messages 300 --size-limit 3000000

Persistent messages go from EARTH to SATURN over a message channel, a program at SATURN answers each of them, the
answers come back over a second channel; meanwhile SATURN is killed and the connections are cut. At the end a table
says what arrived, and what passed on the lines is judged. Exit status 0: everything once and in order, and no error on
the lines. Nothing is left behind, unless --keep says where.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from processes import StartFailed
from rest import Gone, Refused
from scenario import Scenario


def main() -> int:
    """Runs the demo; its exit status."""
    parser = argparse.ArgumentParser(
        prog="demo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=10_000, help="how many messages (default: %(default)s)")
    parser.add_argument(
        "--size-limit", type=int, default=500 << 20, help="bytes of all messages together (default: %(default)s)"
    )
    parser.add_argument("--kills", type=int, default=2, help="how often SATURN is killed (default: %(default)s)")
    parser.add_argument("--cuts", type=int, default=5, help="how often the lines are cut (default: %(default)s)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the logs and a capture of what passed here")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="mqbridge-demo-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        try:
            scenario = Scenario(folder, options.messages, options.size_limit, options.kills, options.cuts)
            with contextlib.closing(scenario):
                exact = scenario.run()
                return 0 if scenario.conforms() and exact else 1
        except (StartFailed, Gone, Refused, OSError) as failure:
            print(f"the demo has failed: {failure}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("interrupted; everything is ended", file=sys.stderr)
            return 130
        finally:
            if options.keep is not None:
                keep(folder, options.keep)


def keep(folder: Path, target: Path) -> None:
    """Copies what is worth a look."""
    target.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        if file.suffix in (".log", ".pcap", ".mqsc", ".toml"):
            shutil.copy(file, target)
    print(f"To see what passed between the queue managers: mqbridge decode {target / 'demo.pcap'}")


if __name__ == "__main__":
    sys.exit(main())
