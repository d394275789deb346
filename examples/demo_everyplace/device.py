"""The program of one device: it puts its messages, while its queue manager sends them and pulls those for it.

    python device.py moon.mqe ORDERS@SATURN 400

It may be killed at any moment and started again. So that no message is put twice then, each is put with a confirm id
and stays hidden; its number and UID are written into ``moon.mqe.done``; then it is confirmed. A start undoes what was
put and not written down, and confirms what was written down. With ``--report`` it says what is on queue REPLIES.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

import letters

from mqbridge.everyplace import Code, EveryplaceError, MessageUid, QueueManager, text_of

REPLIES: Final = "REPLIES"
LOOK: Final = 0.5
"""Seconds between two looks at the queue."""
ALLOWED: Final = "allowed"
"""A file beside the queue manager's, with the number of the last message that may be put."""


class Sender:
    """Puts messages to a queue, each once, whatever happens in between."""

    def __init__(self, queue_manager: QueueManager, address: str, journal: Path) -> None:
        self._queue_manager = queue_manager
        self._address = address
        self._file = journal.open("a+", encoding="utf-8")
        self._file.seek(0)
        lines = [line.split() for line in self._file.read().split("\n")[:-1]]
        self.number = int(lines[-1][0]) if lines else 0
        with contextlib.suppress(EveryplaceError):  # nothing was put with it
            queue_manager.undo(address, self.number + 1)
        if lines:
            self._confirm(MessageUid(lines[-1][1], int(lines[-1][2])))

    def put(self) -> None:
        """Put the next message."""
        number = self.number + 1
        text = letters.write(self._queue_manager.name, number)
        uid = self._queue_manager.put(self._address, text, confirm=number)
        self._file.write(f"{number} {uid.origin} {uid.time}\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.number = number
        self._confirm(uid)

    def _confirm(self, uid: MessageUid) -> None:
        try:
            self._queue_manager.confirm_put(self._address, uid)
        except EveryplaceError as error:
            if error.code is not Code.NOT_FOUND:  # then it was confirmed before
                raise


def report(file: Path) -> None:
    """Print the messages on queue REPLIES, in order."""
    with QueueManager.open(file, connect=False) as queue_manager:
        for message in queue_manager.browse(REPLIES):
            print(json.dumps(letters.read(text_of(message))))


def run(file: Path, address: str, count: int) -> None:
    """Put messages, and say from time to time how many were put and how many have arrived."""
    with QueueManager.open(file) as queue_manager:
        sender = Sender(queue_manager, address, file.with_name(f"{file.name}.done"))
        due = 0.0
        while True:
            if sender.number < min(count, allowed(file)):
                sender.put()
            else:
                time.sleep(0.05)
            if time.monotonic() > due:
                arrived = len(queue_manager.browse(REPLIES, uids_only=True))
                print(json.dumps({"put": sender.number, "arrived": arrived}), flush=True)
                due = time.monotonic() + LOOK


def allowed(file: Path) -> int:
    """Return how many messages the demo allows so far."""
    try:
        return int((file.parent / ALLOWED).read_text("utf-8"))
    except (OSError, ValueError):
        return 0


def main() -> int:
    """Run the program; its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="the queue manager's")
    parser.add_argument("address", nargs="?", default="", help="QUEUE@QM that gets the messages")
    parser.add_argument("count", nargs="?", type=int, default=0, help="how many")
    parser.add_argument("--report", action="store_true", help="say what has arrived, and end")
    options = parser.parse_args()
    if options.report:
        report(options.file)
        return 0
    with contextlib.suppress(KeyboardInterrupt):
        run(options.file, options.address, options.count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
