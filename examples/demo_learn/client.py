"""The host's own client: it orders, and looks at each answer.

    python client.py PORT CONNECTIONS REQUESTS SEED

It prints how many requests it has sent and how many answers it accepted.
"""

from __future__ import annotations

import random
import socket
import sys
import time

from host import ALIVE, ANSWER, CODE_PAGE, PRICES, TAKEN, UNKNOWN, message, messages, request

PATIENCE = 20.0
PAUSE = 0.1
"""Seconds between connections: a recording of one second shows no clock."""


def accepts(number: int, identity: bytes, kind: int, body: bytes) -> bool:
    """Whether an answer is one to a request: its number and identity, and a code and words that go together."""
    if kind != ANSWER or body[:4] != number.to_bytes(4) or body[4:8] != identity:
        return False
    code, words = int.from_bytes(body[8:10]), body[14:].decode(CODE_PAGE)
    if code == UNKNOWN:
        return words == "NO SUCH ITEM"
    return code == TAKEN and bool(words)


def run(port: int, requests: int, dice: random.Random) -> tuple[int, int]:
    """Order on one connection; return requests and accepted answers."""
    accepted = 0
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.settimeout(PATIENCE)
        received = messages(connection)
        first = dice.randrange(1000, 9000)
        for number in range(first, first + requests):
            item = dice.choice([*PRICES, "MELON"])
            identity = dice.randbytes(4)
            action = dice.choice(["ORDER", "ORDER", "CANCEL"])
            connection.sendall(request(number, action, item, dice.randrange(1, 500), identity))
            accepted += accepts(number, identity, *next(received, (0, b"")))
            if not dice.randrange(10):
                connection.sendall(message(ALIVE, b""))
                accepted -= next(received, (0, b""))[0] != ALIVE
    return requests, accepted


def main() -> None:
    """Run some connections, one after the other."""
    port, connections, requests, seed = map(int, sys.argv[1:])
    dice = random.Random(seed)
    totals = []
    for _ in range(connections):
        totals.append(run(port, requests, dice))
        time.sleep(PAUSE)
    print(sum(sent for sent, _ in totals), sum(accepted for _, accepted in totals))


if __name__ == "__main__":
    main()
