"""``mqbridge`` whose reactor counts its polls: SIGUSR1 writes how many there were to the file of POLLS, as a line."""

from __future__ import annotations

import os
import signal

import mqbridge
from mqbridge.bridge.endpoints.lean_reactor import LeanReactor


def main() -> None:
    poll, polls = LeanReactor.doPoll, 0

    def counted(self: LeanReactor, timeout: float | None) -> bool:
        nonlocal polls
        polls += 1
        return poll(self, timeout)

    def tell(*_: object) -> None:
        with open(os.environ["POLLS"], "a", encoding="utf-8") as file:
            file.write(f"{polls}\n")

    LeanReactor.doPoll = counted  # type: ignore[method-assign]
    signal.signal(signal.SIGUSR1, tell)
    mqbridge.main()


if __name__ == "__main__":
    main()
