"""A link to a JMS provider, two Java programs, and what can go wrong between them.

    make demo-jms
    python examples/demo_jms --messages 700

A program with IBM's JMS client at mqbridge and one with Qpid JMS at Apache Artemis send each other messages of every
type, requests among them, which the other one answers; a link of mqbridge carries them over AMQP 1.0. Meanwhile
mqbridge and Artemis are killed. At the end a table says what arrived, and whether each field was read as it was sent.
Exit status 0: everything once, and equal; 1: not so; 2: something is not installed. Nothing is left behind, unless
--keep says where the logs go.
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

import artemis
from course import Course
from java_end import PROJECT
from maven import BuildFailed, NotAvailable, build
from needed import missing
from processes import StartFailed
from rest import Gone, Refused

NOT_AVAILABLE = 2


def main() -> int:
    """Run the demo; its exit status."""
    parser = argparse.ArgumentParser(
        prog="demo_jms", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--messages", type=count, default=2800, help="how many messages each way (default: %(default)s)"
    )
    parser.add_argument(
        "--duplicates",
        choices=("artemis", "none"),
        default="artemis",
        help="none: as with a provider that does not recognise duplicates; the table shows what comes twice then",
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the logs here")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    if what := missing(with_engine=True):
        print(what, file=sys.stderr)
        return NOT_AVAILABLE
    try:
        with tempfile.TemporaryDirectory(prefix="mqbridge-demo-", ignore_cleanup_errors=True) as name:
            prepare()
            try:
                with contextlib.closing(Course(Path(name), options.messages, options.duplicates)) as course:
                    return 0 if course.run() else 1
            finally:
                if options.keep is not None:
                    keep(Path(name), options.keep)
    except NotAvailable as reason:
        print(f"the demo cannot run: {reason}", file=sys.stderr)
        return NOT_AVAILABLE
    except (BuildFailed, StartFailed, artemis.StartFailed, Gone, Refused, OSError) as failure:
        print(f"the demo has failed: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; everything is ended", file=sys.stderr)
        return 130


def prepare() -> None:
    """Have Maven fetch Artemis and the libraries, and compile the programs."""
    if not (PROJECT / "target" / "done").exists():
        print("Maven fetches Apache Artemis and the clients of IBM and Qpid, once; that may take some minutes …")
    artemis.home()
    build(PROJECT)


def keep(folder: Path, target: Path) -> None:
    """Copy the logs of all processes."""
    target.mkdir(parents=True, exist_ok=True)
    for log in folder.rglob("*.log"):
        shutil.copy(log, target)


def count(text: str) -> int:
    """A number of messages."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError("a whole number from 1 on is needed")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
