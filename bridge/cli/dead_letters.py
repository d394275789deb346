"""The work of ``mqbridge dlqh``.

Messages are browsed on one connection, and moved or discarded on another, each in a unit of work of its own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Final

from mqbridge.bridge.message_json import field_values, message_from_json
from mqbridge.bridge.rest_client import RestClient, RestFailure, Unit
from mqbridge.mappings.dead_letter_rules import Discard, Leave, Move, RulesHandler, RulesTable
from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import MQBridgeError

from .message_lines import whole_lines

POLL: Final = 5.0
"""Seconds after which the queue is browsed again."""
_EVERYTHING: Final = 999_999_999
_BACK_HERE: Final = "it would come back to this queue"


class DeadLetters:
    """The handling of one dead-letter queue. ``say`` takes the lines of the report."""

    def __init__(
        self,
        browser: RestClient,
        worker: RestClient,
        queue: str,
        table: RulesTable,
        say: Callable[[str], None],
    ) -> None:
        self._browser = browser
        self._worker = worker
        self._queue = queue
        self._handler = RulesHandler(table)
        self._say = say
        self._reported: set[bytes] = set()
        self._moved = self._discarded = self._left = 0

    def run(self) -> None:
        """Handle messages until there is nothing more to wait for."""
        wait = self._handler.table.control.wait
        try:
            quiet_since = time.monotonic()
            while True:
                if self._handle_all():
                    quiet_since = time.monotonic()
                now, due = time.monotonic(), self._handler.next_attempt()
                end = None if wait is None or due is not None else quiet_since + wait
                if end is not None and now >= end:
                    return
                next_time = min(time for time in (now + POLL, due, end) if time is not None)
                time.sleep(max(next_time - now, 0.0))
        finally:
            self._say(f"{self._moved} moved, {self._discarded} discarded, {self._left} left on {self._queue}")

    def _handle_all(self) -> bool:
        """Handle every message that is there; return whether one was moved or discarded."""
        seen: set[bytes] = set()
        before = self._moved + self._discarded
        self._left = 0
        for line in self._browse():
            try:
                message = message_from_json(line)
            except MQBridgeError as error:  # of a message that REST cannot show in full
                self._say(f"a message is left: {error}")
                continue
            key = message.md.msg_id + message.md.correl_id
            if not self._handle(key, message):
                seen.add(key)
                self._left += 1
        self._handler.still_there(seen)
        self._reported &= seen
        return self._moved + self._discarded > before

    def _browse(self) -> Iterator[bytes]:
        chunks = self._browser.read(self._queue, takes=False, limit=_EVERYTHING)
        with closing(whole_lines(chunks)) as lines:
            yield from lines

    def _handle(self, key: bytes, message: Message) -> bool:
        """Do what the rules want with a message; return whether it is gone."""
        shown = message.md.msg_id.hex()
        while True:
            decision = self._handler.decide(key, message, time.monotonic())
            if isinstance(decision, Leave):
                if decision.why and key not in self._reported:
                    self._reported.add(key)
                    self._say(f"left {shown}: {decision.why}")
                return False
            what = f"{decision.rule.action.value} {shown}{_to(decision)}: rule of line {decision.rule.line}"
            fault = self._act(decision, message)
            if fault is None:
                self._say(what)
                self._handler.done(key)
                return True
            self._say(f"{what} failed: {fault}")
            self._handler.failed(key, decision.rule, time.monotonic())

    def _act(self, decision: Discard | Move, message: Message) -> str | None:
        """Carry out a decision; return why it failed, None if it did not. Raises `RestFailure` if the queue itself
        cannot be read."""
        if isinstance(decision, Move) and decision.queue == self._queue and self._is_here(decision.queue_manager):
            return _BACK_HERE
        unit = self._worker.unit(connection=True)
        fault: str | None = None
        try:
            if not self._taken(message, unit):
                fault = "another program has taken it"
            elif isinstance(decision, Move):
                fault = self._put(decision, unit)
        except BaseException:
            _back_out(unit)
            raise
        if fault is not None:
            _back_out(unit)
            return fault
        unit.commit()
        if isinstance(decision, Move):
            self._moved += 1
        else:
            self._discarded += 1
        return None

    def _is_here(self, queue_manager: str) -> bool:
        return queue_manager in ("", self._worker.queue_manager)

    def _taken(self, message: Message, unit: Unit) -> bool:
        """Get the message itself in a unit of work, and no other with the same ids."""
        query = {"messageId": message.md.msg_id.hex(), "correlationId": message.md.correl_id.hex()}
        found = b"".join(self._worker.read(self._queue, takes=True, unit=unit, query=query))
        if not found:
            return False
        got = message_from_json(found)
        return got.data == message.data and (got.md.put_date, got.md.put_time) == (
            message.md.put_date,
            message.md.put_time,
        )

    def _put(self, decision: Move, unit: Unit) -> str | None:
        """Put a message where the rule wants it; return why that fails, None if it does not."""
        message = decision.message
        document = {"MQMD": field_values(message), "body": {"hex": message.data.hex()}}
        query = {"context": "all"}
        if decision.queue_manager:
            query["rqmname"] = decision.queue_manager
        if decision.user:
            query["alternateUser"] = decision.user
        try:
            self._worker.put_lines(decision.queue, json.dumps(document).encode(), unit=unit, query=query)
        except RestFailure as error:
            return str(error).removeprefix("message 1: ")
        return None


def _to(decision: Discard | Move) -> str:
    if isinstance(decision, Discard):
        return ""
    return f" to {decision.queue}" + (f" at {decision.queue_manager}" if decision.queue_manager else "")


def _back_out(unit: Unit) -> None:
    with suppress(MQBridgeError):
        unit.backout()
