"""A program of the queue manager in this process: a session with the authority of a device (E-392: no host name)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Protocol

from mqbridge.bridge.agents.everyplace.mq.program import DONE, GetOutcome, GotMq, MqFailure, PutOutcome, Take, Wanted
from mqbridge.bridge.queue_manager import Application, MQError, QueueManager, RetrievedMessage
from mqbridge.bridge.queue_manager.calls import requests
from mqbridge.bridge.queue_manager.calls.agent_requests import DisposeUndelivered
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Opened, Outcome
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.options import NO_ID
from mqbridge.bridge.queue_manager.putting.on_behalf import named_authority
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.bridge.security.users import CHANNEL_USER, EVERYBODY_ELSE
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQAT, MQGMO, MQMO, MQOO, MQPMO, MQRC
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

APPLICATION: Final = "mqbridge everyplace"
_PUT: Final = int(MQPMO.SYNCPOINT | MQPMO.FAIL_IF_QUIESCING)
_QUIESCING: Final = int(MQGMO.FAIL_IF_QUIESCING)
_TAKES: Final = {
    Take.GET: int(MQGMO.SYNCPOINT) | _QUIESCING,
    Take.BROWSE_FIRST: int(MQGMO.BROWSE_FIRST) | _QUIESCING,
    Take.BROWSE_NEXT: int(MQGMO.BROWSE_NEXT) | _QUIESCING,
    Take.UNDER_CURSOR: int(MQGMO.MSG_UNDER_CURSOR | MQGMO.SYNCPOINT) | _QUIESCING,
}


class LocalHost(Protocol):
    """What local programs need. ``mq``: the queue manager. ``now``: time of the last call from outside."""

    mq: QueueManager
    now: Time

    def moved(self) -> None:
        """Something has been answered: what follows from it is to be done."""
        ...


class LocalProgram:
    """One program. ``user``: whose authority counts; empty for the gateway itself, which may do everything.

    Raises `EveryplaceError` NOT_ALLOWED for a device with the name of a user of MQ, whose authorities it would have.
    """

    broken = False
    takes_rows = True
    ahead = None

    def __init__(self, host: LocalHost, user: str) -> None:
        self._host = host
        self._user = user
        application = self._application(user)
        if user:
            _require_device(host.mq, user)
            host.mq.security.authorities.admit_device(user)
        options = ConnectOptions(application=application, program=self, inside=True, checked=bool(user))
        self._session = Session(host.mq, options, host.now)
        self._tag = 0
        self._waiting: dict[int, Callable[[Outcome], None]] = {}
        self._handles: dict[tuple[str, int], int] = {}
        self._got = 0

    @staticmethod
    def _application(user: str) -> Application:
        return Application(user=user, appl_type=MQAT.QMGR, appl_name=APPLICATION)

    # Calls

    def put(self, queue: str, queue_manager: str, message: Message, then: Callable[[PutOutcome], None]) -> None:
        """See `MqProgram`."""
        tag = self._next_tag()
        order, ccsid = message.order, message.ccsid
        request = requests.PutOne(tag, queue, queue_manager, message.raw_md, message.body, _PUT, order, ccsid)
        self._ask(tag, request, partial(_ended, then))

    def dispose(
        self,
        message: Message,
        reason: int,
        destination: tuple[str, str],
        dead_letter_queue: str,
        then: Callable[[PutOutcome], None],
    ) -> None:
        """See `MqProgram`."""
        queue, queue_manager = destination
        tag = self._next_tag()
        request = DisposeUndelivered(
            tag,
            queue,
            queue_manager or self._host.mq.name,
            message.raw_md,
            message.body,
            message.order,
            message.ccsid,
            reason,
            use_dead_letter_queue=True,
            fast=False,
            user=self._user or _putter(message),
            dead_letter_queue=dead_letter_queue,
        )
        device, self._session.application = self._session.application, self._application("")
        outcome = self._submit(request)  # done at once
        self._session.application = device
        assert outcome is not None, "it is put under syncpoint"
        _ended(then, outcome)

    def get(self, wanted: Wanted, then: Callable[[GetOutcome], None]) -> None:
        """See `MqProgram`."""
        key = wanted.queue, open_options(wanted)
        handle = self._handles.get(key)
        if handle is None:
            opened = self._submit(requests.Open(0, wanted.queue, "", key[1]))
            if isinstance(opened, Failed):
                then(_failure(opened))
                return
            assert isinstance(opened, Opened)
            handle = self._handles[key] = opened.hobj
        found = requests.Wanted(
            get_options(wanted),
            match_options(wanted),
            wanted.msg_id or NO_ID,
            wanted.correl_id or NO_ID,
        )
        tag = self._got = self._next_tag()

        def got(outcome: Outcome) -> None:
            if isinstance(outcome, RetrievedMessage):
                message = outcome.message
                then(GotMq(message.copy(message.data)))
                return
            assert isinstance(outcome, Failed)
            if outcome.reason not in (MQRC.NO_MSG_AVAILABLE, MQRC.NO_MSG_UNDER_CURSOR):
                self._close(key)
            then(_failure(outcome))

        self._ask(tag, requests.Get(tag, handle, found, int(wanted.wait * 1000)), got)

    def _close(self, key: tuple[str, int]) -> None:
        """Close a handle, perhaps of a queue that is gone or was changed."""
        handle = self._handles.pop(key, None)
        if handle is not None:
            self._submit(requests.Close(0, handle, 0))

    def stop_waiting(self) -> None:
        """See `MqProgram`."""
        if self._got in self._waiting:
            self._submit(requests.Cancel(0, self._got, int(MQRC.NO_MSG_AVAILABLE)))

    def commit(self, rows: Sequence[Operation], then: Callable[[PutOutcome], None]) -> None:
        """See `MqProgram`."""
        tag = self._next_tag()
        self._ask(tag, requests.Commit(tag, tuple(rows)), partial(_ended, then))

    def back_out(self, then: Callable[[PutOutcome], None]) -> None:
        """See `MqProgram`."""
        tag = self._next_tag()
        self._ask(tag, requests.Backout(tag), partial(_ended, then))

    def end(self) -> None:
        """See `MqProgram`."""
        self._waiting.clear()
        self._handles.clear()
        self._session.lost(self._host.now)

    # What the queue manager calls

    def completed(self, now: Time) -> None:
        """Pass on outcomes that have come."""
        for tag, outcome in self._session.completions():
            then = self._waiting.pop(tag, None)
            if then is not None:
                then(outcome)
        self._host.moved()

    def connection_stopped(self, now: Time) -> None:
        """Do nothing: no operator sees this session."""

    # Parts

    def _next_tag(self) -> int:
        self._tag += 1
        return self._tag

    def _submit(self, request: Any) -> Outcome | None:
        try:
            return self._session.submit(request, self._host.now)
        except MQError as error:
            return Failed(error.completion, error.reason, error.detail)
        except MQBridgeError as error:  # an invalid descriptor
            return Failed(2, int(MQRC.MD_ERROR), str(error))

    def _ask(self, tag: int, request: Any, then: Callable[[Outcome], None]) -> None:
        outcome = self._submit(request)
        if outcome is None:
            self._waiting[tag] = then
        else:
            then(outcome)


def _require_device(mq: QueueManager, name: str) -> None:
    users = mq.security.users
    if name == CHANNEL_USER or users.find(name) is not None or users.is_privileged(name):
        raise EveryplaceError(Code.NOT_ALLOWED, f"{name} is a user of {mq.name}, so no device may have this name there")


def _putter(message: Message) -> str:
    """Return who has put a message, as far as its descriptor says."""
    try:
        return named_authority(None, message)
    except MQBridgeError:
        return EVERYBODY_ELSE


def open_options(wanted: Wanted) -> int:
    """Return the options with which a queue is opened."""
    options = int(MQOO.FAIL_IF_QUIESCING)
    if wanted.take is not Take.GET:
        options |= int(MQOO.BROWSE)
    if wanted.take is Take.GET or wanted.removes:
        options |= int(MQOO.INPUT_EXCLUSIVE if wanted.exclusive else MQOO.INPUT_SHARED)
    return options


def get_options(wanted: Wanted) -> int:
    """Return the options of an MQGET."""
    return _TAKES[wanted.take] | (int(MQGMO.WAIT) if wanted.wait else 0)


def match_options(wanted: Wanted) -> int:
    """Return by what an MQGET selects."""
    match = int(MQMO.MATCH_MSG_ID) if wanted.msg_id else 0
    return match | (int(MQMO.MATCH_CORREL_ID) if wanted.correl_id else 0)


def _failure(outcome: Failed) -> MqFailure:
    return MqFailure(outcome.reason, outcome.detail)


def _ended(then: Callable[[PutOutcome], None], outcome: Outcome) -> None:
    then(_failure(outcome) if isinstance(outcome, Failed) else DONE)
