"""One call on its way to another queue manager, however long it and its outcome are."""

from __future__ import annotations

from collections.abc import Callable

from mqbridge.bridge.everyplace.transfer.conversation import expected
from mqbridge.bridge.everyplace.transfer.parts_in import WINDOW
from mqbridge.protocol.everyplace.batches import Have, Part, write_body
from mqbridge.protocol.everyplace.calls import Call, Outcome, Refused, call_fields, read_outcome, reference_fields
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.frames import Frame, Kind
from mqbridge.protocol.everyplace.handshakes import Failure, read_greeting
from mqbridge.protocol.everyplace.uid import MessageUid

from .calling_line import CallingLine
from .long_bodies import Bodies, is_long, part_of


class SentCall:
    """``name``: this queue manager and a number of its own. ``then``: gets the outcome; never, if the line is cut."""

    def __init__(self, line: CallingLine, name: MessageUid, call: Call, then: Callable[[Outcome], None]) -> None:
        self._line = line
        self._name = name
        self._body = call_fields(call).body()
        self._then = then
        self._next = self._on_the_way = 0
        self._came = Bodies()
        self._asked = 0
        self._ended = False
        if is_long(self._body):
            self._send_parts()
        else:
            line.ask(Kind.REQUEST, self._body, self._answered)

    # The call

    def _send_parts(self) -> None:
        while self._on_the_way < WINDOW and self._next < len(self._body):
            part = part_of(self._name, self._body, self._next)
            self._next += len(part.data)
            self._on_the_way += 1
            self._line.ask(Kind.PART, write_body(part), self._has)

    def _has(self, frame: Frame) -> None:
        self._on_the_way -= 1
        try:
            found = expected(frame, Kind.HAVE, Have)
        except EveryplaceError as error:
            self._end(Refused(error.code, error.text))
            return
        if found.offset == len(self._body):
            self._body = b""
            self._line.ask(Kind.REQUEST, reference_fields(self._name).body(), self._answered)
        elif not self._ended:
            self._send_parts()

    # The outcome

    def _answered(self, frame: Frame) -> None:
        try:
            if frame.kind is Kind.ERROR:
                failure = read_greeting(Kind.ERROR, frame.body)
                assert isinstance(failure, Failure), "the body of an ERROR"
                raise failure.error()
            if frame.kind is Kind.PART:
                self._part_came(expected(frame, Kind.PART, Part))
            else:
                self._end(read_outcome(Fields.of_body(frame.body)))
        except EveryplaceError as error:
            self._end(Refused(error.code, error.text))

    def _part_came(self, part: Part) -> None:
        have = self._came.add(part)
        if have == part.length:
            outcome = read_outcome(Fields.of_body(self._came.take(part.uid)))
            self._line.ask(Kind.HAVE, write_body(Have(part.lane, part.uid, have)), lambda _: self._end(outcome))
            return
        if not part.data:
            raise EveryplaceError(Code.DATA, "an answer stops before its end")
        self._asked = max(self._asked, have)
        while self._asked < min(part.length, have + WINDOW * len(part.data)):
            self._line.ask(Kind.HAVE, write_body(Have(part.lane, part.uid, self._asked)), self._answered)
            self._asked += len(part.data)

    def _end(self, outcome: Outcome) -> None:
        if not self._ended:
            self._ended = True
            self._then(outcome)
