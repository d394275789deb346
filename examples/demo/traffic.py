"""The messages of the demo: how long they are, what stands in them, and how they are told again when they come back."""

from __future__ import annotations

import base64
import random
import re
from typing import Any

SMALLEST = 100
LARGEST = 2 << 20
SEED = 1993
"""The year in which IBM announced MQSeries."""
_PICKED = 10
_ANSWER = re.compile(r"answer (\d+) to message (\d+)\n")


class Traffic:
    """``count`` messages of 100 bytes to 2 MiB, every order of magnitude as likely as another, ``total`` bytes in all.

    Where that would be more than ``total``, the longest of some messages picked by chance is made shorter, again and
    again.
    """

    def __init__(self, count: int, total: int, seed: int = SEED) -> None:
        source = random.Random(seed)
        self.sizes = [_log_uniform(source, LARGEST) for _ in range(count)]
        too_much = sum(self.sizes) - max(total, count * SMALLEST)
        while too_much > 0:
            index = max((source.randrange(count) for _ in range(_PICKED)), key=self.sizes.__getitem__)
            size = _log_uniform(source, self.sizes[index])
            too_much -= self.sizes[index] - size
            self.sizes[index] = size
        self._starts = [source.randrange(LARGEST) for _ in range(count)]
        self._letters = base64.b64encode(source.randbytes(2 * LARGEST)).decode()

    def __len__(self) -> int:
        return len(self.sizes)

    def text(self, number: int) -> str:
        """Message ``number``, counted from 1."""
        title = f"message {number}\n"
        start = self._starts[number - 1]
        return title + self._letters[start : start + self.sizes[number - 1] - len(title)]

    def read_answer(self, text: str) -> tuple[int, int, bool]:
        """(number of the answer, number of the message, whether the text is the one that was sent)."""
        title = _ANSWER.match(text)
        if title is None:
            return 0, 0, False
        answer, number = int(title[1]), int(title[2])
        known = 1 <= number <= len(self)
        return answer, number, known and text[title.end() :] == self.text(number).partition("\n")[2]


def answer_to(text: str, answer: int) -> str:
    """What the echo program says to a message: its own count, and the message."""
    return f"answer {answer} to {text}"


def request(text: str) -> dict[str, Any]:
    """The message as it is put: persistent, with a queue for the answer."""
    return {"MQMD": {"MsgType": 1, "Persistence": 1, "ReplyToQ": "ANSWERS"}, "body": {"text": text}}


def _log_uniform(source: random.Random, largest: int) -> int:
    return int(SMALLEST * (largest / SMALLEST) ** source.random())
