"""The program at SATURN: it puts messages for the devices, each once, whatever becomes of SATURN meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Final

import letters
from processes import QueueManager
from rest import Gone, Rest

AT_ONCE: Final = 20
"""Messages that are put in one unit of work."""
TICK: Final = 0.05


class Sender(threading.Thread):
    """``counts``: how many messages each device is to get. ``put``: how many of them are on disk at SATURN.
    ``allowed``: how many for each device may be so far. ``failure``: why it has ended, if it has failed."""

    def __init__(self, saturn: QueueManager, counts: Mapping[str, int]) -> None:
        super().__init__(name="sender", daemon=True)
        self.put = dict.fromkeys(counts, 0)
        self.allowed = 0
        self.failure: BaseException | None = None
        self._saturn = saturn
        self._counts = counts
        self._stopping = threading.Event()

    @property
    def total(self) -> int:
        """How many messages are on disk."""
        return sum(self.put.values())

    def stop(self) -> None:
        """End it."""
        self._stopping.set()

    def run(self) -> None:
        try:
            while not self._stopping.is_set() and self.put != self._counts:
                moved = [device for device in self._counts if self._put_some(device)]
                if not moved:
                    self._stopping.wait(TICK)
        except Exception as failure:
            self.failure = failure

    def _put_some(self, device: str) -> bool:
        start = self.put[device]
        end = min(start + AT_ONCE, self._counts[device], self.allowed)
        if end <= start:
            return False
        self._put_all(device, [letters.write(f"SATURN.{device}", each) for each in range(start + 1, end + 1)])
        self.put[device] = end
        return True

    def _put_all(self, device: str, texts: list[str]) -> None:
        """Put messages in one unit of work. When SATURN dies meanwhile, queue MARK tells whether it was committed."""
        mark = texts[-1][:40]
        while not self._stopping.is_set():
            if self._saturn.ready is not None:
                rest = Rest(self._saturn.admin, "SATURN")
                try:
                    if mark not in [each["body"]["text"] for each in rest.browse("MARK", limit=1)]:
                        _put_unit(rest, device, mark, texts)
                    return
                except Gone:
                    pass
                finally:
                    rest.close()
            self._stopping.wait(TICK)


def _put_unit(rest: Rest, device: str, mark: str, texts: list[str]) -> None:
    unit = rest.begin()
    rest.get("MARK", limit=1, unit=unit)
    rest.put("MARK", [_message(mark)], unit=unit)
    rest.put("REPLIES", [_message(text) for text in texts], queue_manager=device, unit=unit)
    rest.commit(unit)


def _message(text: str) -> dict[str, Any]:
    return {"MQMD": {"Persistence": 1}, "body": {"text": text}}
