"""Twelve devices on a bad line, a gateway, and a queue manager of MQ behind it.

    make demo-everyplace
    python examples/demo_everyplace --messages 600 --devices 4

Each device is a process with a queue manager of its own. It puts messages for SATURN, whatever the line does; they go
over the gateway EARTH. Programs at SATURN put messages for the devices. The line delays what passes, breaks off, and
delivers bytes of broken connections late; devices, EARTH and SATURN are killed. At the end a table says what arrived.
Exit status 0: everything once and in order. Nothing is left behind, unless --keep says where the logs go.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import signal
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "demo"))  # its screen, queue managers and REST client serve here too

from commands import CommandFailed
from course import Course, Faults
from processes import StartFailed
from rest import Gone, Refused


def main() -> int:
    """Run the demo; its exit status."""
    parser = argparse.ArgumentParser(
        prog="demo_everyplace", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", type=count, default=12, help="how many devices (default: %(default)s)")
    parser.add_argument(
        "--messages", type=count, default=5000, help="how many messages each way (default: %(default)s)"
    )
    parser.add_argument("--cuts", type=int, default=100, help="how often a connection is cut (default: %(default)s)")
    parser.add_argument(
        "--kills",
        type=int,
        nargs=3,
        default=(10, 2, 1),
        metavar=("DEVICES", "EARTH", "SATURN"),
        help="how many devices are killed, and how often EARTH and SATURN (default: 10 2 1)",
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the logs here")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="mqbridge-demo-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        try:
            faults = Faults(options.cuts, *options.kills)
            with contextlib.closing(Course(folder, options.devices, options.messages, faults)) as course:
                return 0 if course.run() else 1
        except (StartFailed, CommandFailed, Gone, Refused, OSError) as failure:
            print(f"the demo has failed: {failure}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("interrupted; everything is ended", file=sys.stderr)
            return 130
        finally:
            if options.keep is not None:
                options.keep.mkdir(parents=True, exist_ok=True)
                for log in folder.glob("*.log"):
                    shutil.copy(log, options.keep)


def count(text: str) -> int:
    """A number of devices or messages."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError("a whole number from 1 on is needed")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
