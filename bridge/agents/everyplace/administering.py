"""Administration messages of operators: numbered requests to the gateway itself and to devices, and their replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from mqbridge.bridge.everyplace.administration.requests import Request, read_reply, write_request
from mqbridge.bridge.everyplace.administration.words import Words
from mqbridge.bridge.everyplace.creation import StandardQueue
from mqbridge.mappings.moment import Time, date_of
from mqbridge.protocol.everyplace.calls import Browse, Browsed, Delete, Done, Outcome, Put, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .agent import EveryplaceAgent

MAX_WORDS: Final = 1_000
_MARK: Final = b"REQ"
"""Beginning of the message id of a request, in front of its number; the reply has it too."""
_NUMBER: Final = 8
Numbered = Callable[["int | Refused"], None]
Replies = Callable[["list[dict[str, Any]] | Refused"], None]


class Administering:
    """Requests of one gateway's operators. A request is numbered by the time at which it is made, in milliseconds since
    1970; a number is not given twice."""

    def __init__(self, agent: EveryplaceAgent) -> None:
        self._agent = agent
        self._words = Words()
        self._last = 0

    def ask(self, target: str, words: Sequence[str], now: Time, then: Numbered) -> None:
        """Send a request, written as a command, to a queue manager; ``then`` gets its number when it is on disk."""
        try:
            if len(words) > MAX_WORDS:
                raise EveryplaceError(Code.SYNTAX, f"{len(words)} words; {MAX_WORDS} are allowed")
            request = self._words.request(words, target)
        except EveryplaceError as error:
            then(Refused(error.code, error.text))
            return
        self.send(request, now, then)

    def send(self, request: Request, now: Time, then: Numbered) -> None:
        """Send a request."""
        number = self._last = max(self._last + 1, int(date_of(now) * 1000))
        message = write_request(request, self._reply_queue)
        message.msg_id = _MARK + number.to_bytes(_NUMBER, "big")
        address = Address(StandardQueue.ADMINISTRATION.value, request.target)

        def put(outcome: Outcome) -> None:
            then(outcome if isinstance(outcome, Refused) else number)

        self._agent.call(Put(address, message), put, now)

    def requests(self, text: str) -> list[Request]:
        """Return the requests to the gateway that an ini file has. Raises `EveryplaceError` SYNTAX."""
        return self._words.requests_of_ini(text, self._agent.name)

    def replies(self, now: Time, then: Replies) -> None:
        """Give the replies that have come, in order; they stay until `forget`."""

        def found(outcome: Outcome) -> None:
            if not isinstance(outcome, Browsed):
                then(outcome if isinstance(outcome, Refused) else [])
                return
            rows = [row for message in outcome.messages if (row := self._row(message)) is not None]
            then(rows)

        self._agent.call(Browse(self._reply_queue, Fields()), found, now)

    def forget(self, number: int, now: Time, then: Callable[[Refused | None], None]) -> None:
        """Delete the reply to a request."""

        def found(outcome: Outcome) -> None:
            messages = outcome.messages if isinstance(outcome, Browsed) else ()
            uids = [each.uid for each in messages if number_of(each) == number and each.uid is not None]
            if not uids:
                then(Refused(Code.NOT_FOUND, f"there is no reply to request {number}"))
                return
            self._delete(uids[0], now, then)

        self._agent.call(Browse(self._reply_queue, Fields()), found, now)

    def _delete(self, uid: MessageUid, now: Time, then: Callable[[Refused | None], None]) -> None:
        def deleted(outcome: Outcome) -> None:
            then(None if isinstance(outcome, Done) else Refused(Code.NOT_FOUND, "the reply is gone"))

        self._agent.call(Delete(self._reply_queue, uid), deleted, now)

    @property
    def _reply_queue(self) -> Address:
        return Address(StandardQueue.ADMINISTRATION_REPLY.value, self._agent.name)

    def _row(self, message: Message) -> dict[str, Any] | None:
        number = number_of(message)
        if number is None:
            return None
        try:
            reply = read_reply(message)
            return {"request": number, "code": int(reply.code), "text": self._words.text(reply)}
        except EveryplaceError as error:
            return {"request": number, "code": None, "text": f"the reply cannot be read: {error.text}"}


def number_of(message: Message) -> int | None:
    """Return the number of the request that a message answers; None if it is none of ours."""
    mark = message.msg_id or b""
    if len(mark) != len(_MARK) + _NUMBER or not mark.startswith(_MARK):
        return None
    return int.from_bytes(mark[len(_MARK) :], "big")
