"""PURGE: the messages that are on a queue are removed, in steps of a bounded size (M-070, M-072)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mqbridge.bridge.agents.gateway.carriers import CarrierHost
from mqbridge.bridge.agents.linking.source import SourceQueue
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.requests import Commit, Settle
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time

STEP: Final = 1000
"""Most messages of one transaction."""


class Purge:
    """One PURGE. ``rows``: returns what is written with the last step; ``then``: called at the end."""

    __slots__ = ("_host", "_left", "_program", "_rows", "_source", "_then", "_tokens")

    def __init__(
        self,
        program: ChannelProgram,
        host: CarrierHost,
        queue: str,
        rows: Callable[[], Sequence[Operation]],
        then: Callable[[MQError | None], None],
    ) -> None:
        self._program = program
        self._host = host
        self._source = SourceQueue(program, queue, lambda: None)
        self._rows = rows
        self._then = then
        found = host.manager.queue(queue)
        self._left = 0 if found is None else found.visible
        self._tokens: tuple[bytes, ...] = ()

    def begin(self) -> None:
        """Remove the first messages. Raises `MQError`."""
        self._step(self._host.now)

    def _step(self, now: Time) -> None:
        found = self._source.get(max(min(STEP, self._left), 1), 0, now) if self._left else None
        tokens = () if found is None else found.tokens
        self._left = self._left - len(tokens) if tokens else 0
        self._tokens = tokens
        rows = () if self._left else tuple(self._rows())
        self._program.commit(Commit(self._program.next_tag(), rows, tokens), self._removed, now)

    def _removed(self, error: MQError | None) -> None:
        now = self._host.now
        if error is None and self._left:
            try:
                self._step(now)
            except MQError as failure:
                error = failure
            else:
                return
        if error is not None:
            self._program.session.submit(Settle(0, back=self._tokens), now)
        self._source.close(now)
        self._then(error)
