"""The echo program at SATURN: answers every message of queue ECHO, in units of work.

    python echo.py unix:/…/admin.sock

In one unit of work it gets messages, puts the answers to the queues that the messages name, and replaces the message
on ECHO.COUNT that says how many it has answered. Whatever dies and whenever: either all of that has happened or none.
It says its count after every commit, and ends when the queue manager is gone.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import Any

from rest import Gone, Rest
from traffic import answer_to

TOGETHER = 200
"""Messages of one unit of work; it is also ended by some MiB."""
WAIT = 5.0
"""Seconds to wait for a message."""


def main() -> None:
    saturn = Rest(sys.argv[1], "SATURN")
    try:
        while True:
            answer_some(saturn)
    except (Gone, KeyboardInterrupt, BrokenPipeError):
        return


def answer_some(saturn: Rest) -> None:
    unit = saturn.begin()
    messages = saturn.get("ECHO", limit=TOGETHER, wait=WAIT, unit=unit)
    if not messages:
        saturn.backout(unit)
        return
    counts = saturn.get("ECHO.COUNT", limit=1, unit=unit)
    count = int(counts[0]["body"]["text"]) if counts else 0
    answers: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for message in messages:
        count += 1
        asked = message["MQMD"]
        descriptor = {"MsgType": 2, "Persistence": 1, "CorrelId": asked["MsgId"]}
        body = {"text": answer_to(message["body"]["text"], count)}
        answers[asked["ReplyToQ"], asked["ReplyToQMgr"]].append({"MQMD": descriptor, "body": body})
    for (queue, queue_manager), those in answers.items():
        saturn.put(queue, those, queue_manager=queue_manager, unit=unit)
    saturn.put("ECHO.COUNT", [{"MQMD": {"Persistence": 1}, "body": {"text": str(count)}}], unit=unit)
    saturn.commit(unit)
    print(count, flush=True)


if __name__ == "__main__":
    main()
