"""A program on the device MOON: puts numbered messages, each with a confirm id, and says how far it is.

Usage: putting_device.py FILE FIRST COUNT [UID]; ``UID``: of message FIRST, which was put and perhaps confirmed.
"""

from __future__ import annotations

import sys

from mqbridge.everyplace import Code, EveryplaceError, Message, MessageUid, QueueManager

QUEUE = "ORDERS@EARTH"


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main(file: str, first: int, count: int, uid: str) -> None:
    with QueueManager.open(file) as moon:
        if not uid:
            moon.undo(QUEUE, first + 1)
        for number in range(first, count):
            if number == first and uid:
                confirm(moon, MessageUid.parse(uid))
            else:
                message = Message()
                message["number"] = number
                message["noise"] = bytes(200)
                put = moon.put(QUEUE, message, confirm=number + 1)
                say("hidden", number, put)
                confirm(moon, put)
            say("done", number)
        say("end")
        sys.stdin.readline()


def confirm(moon: QueueManager, uid: MessageUid) -> None:
    """Confirm a put, perhaps again: one that is not there was confirmed before (E-198)."""
    try:
        moon.confirm_put(QUEUE, uid)
    except EveryplaceError as error:
        if error.code is not Code.NOT_FOUND:
            raise


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "")
