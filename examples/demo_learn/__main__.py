"""A host whose protocol nobody has described: recorded, learnt, checked, and reached from a program of MQ.

    make demo-learn
    python examples/demo_learn --requests 600

A small host answers orders in a protocol that stands in its own program alone (host.py). Its client is recorded by
mqbridge record; mqbridge protocol learn drafts the description from what passed; other traffic is checked by it;
mqbridge protocol play takes the host's place for the same client; and a queue manager with a [[partner]] of this
description reaches the host: a program puts orders on a queue, and their answers come to its reply queue. Then messages
take the way of a thesis of 2003: from a tool of MyOpenQ over a remote queue and a bridge of templates to a receiver
channel. A table says what was right. Exit status 0: everything; 1: not so. Nothing is left behind, unless --keep says
where the files go.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import signal
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "demo"))  # its screen, queue managers and REST client serve here too

from course import Course, Failed
from processes import StartFailed
from rest import Gone, Refused

NOT_AVAILABLE = 2


def main() -> int:
    """Run the demo; its exit status."""
    parser = argparse.ArgumentParser(
        prog="demo_learn", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--requests", type=count, default=600, help="requests that are learnt from (default: %(default)s)"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep captures, drafts and logs here")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    if find_spec("numpy") is None:
        print("learning needs numpy: pip install 'mqbridge[learn]'", file=sys.stderr)
        return NOT_AVAILABLE
    with tempfile.TemporaryDirectory(prefix="mqbridge-demo-", ignore_cleanup_errors=True) as name:
        try:
            with contextlib.closing(Course(Path(name), options.requests)) as course:
                return 0 if course.run() else 1
        except (Failed, StartFailed, Gone, Refused, OSError) as failure:
            print(f"the demo has failed: {failure}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("interrupted; everything is ended", file=sys.stderr)
            return 130
        finally:
            if options.keep is not None:
                shutil.copytree(name, options.keep, dirs_exist_ok=True)


def count(text: str) -> int:
    """A number of requests, enough to learn from."""
    if not text.isdecimal() or int(text) < 100:
        raise argparse.ArgumentTypeError("a whole number from 100 on is needed")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
