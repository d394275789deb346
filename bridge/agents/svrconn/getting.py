"""MQGET of a client whose connection is not shared: request and reply."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.agents.svrconn.descriptors import for_client
from mqbridge.bridge.agents.svrconn.waits import UNLIMITED, ProgramWait, check_wait
from mqbridge.bridge.queue_manager import GetOptions, Got, MQError, SearchGoesOn, Waiter
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS
from mqbridge.mappings.descriptor import reader
from mqbridge.protocol.constants import MQGMO, MQMO, MQRC
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_2
from mqbridge.protocol.mqi import Get

if TYPE_CHECKING:
    from mqbridge.bridge.agents.svrconn.hconn import Hconn

_IDS: Final = {order: reader(order, "msg_id", "correl_id") for order in ("big", "little")}
_GROUP: Final = {order: reader(order, "group_id", "msg_seq_number", "offset") for order in ("big", "little")}
_FORM: Final = {order: reader(order, "encoding", "coded_char_set_id") for order in ("big", "little")}
_NAME: Final = 48
_MAX_LENGTH: Final = (1 << 31) - 1
_CONVERT: Final = int(MQGMO.CONVERT)
_OLD_MATCH: Final = int(MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID)
_TOKEN_VERSION: Final = 3


def options_of(program: Hconn, call: Get) -> GetOptions:
    """What an MQGET asks for. Raises `MQError` 2005."""
    record, raw = call.options.record, call.descriptor
    if call.buffer_length > _MAX_LENGTH:
        raise MQError(MQRC.BUFFER_LENGTH_ERROR, str(call.buffer_length - 2 * (_MAX_LENGTH + 1)))
    msg_id, correl_id = _IDS[call.order](raw)
    options = GetOptions(
        record.options,
        record.match_options if record.version > 1 else _OLD_MATCH,
        msg_id,
        correl_id,
        max_length=call.buffer_length,
        application=program.application,
        gmo_version=record.version,
        md_version=2 if len(raw) == MQMD_LENGTH_2 else 1,
    )
    if len(raw) == MQMD_LENGTH_2:
        options.group_id, options.msg_seq_number, options.offset = _GROUP[call.order](raw)
    if record.version >= _TOKEN_VERSION:
        options.token = record.msg_token
    if record.options & _CONVERT:
        options.encoding, options.ccsid = _FORM[call.order](raw)
    return options


class WaitingGet(ProgramWait):
    """An MQGET that holds its reply back."""

    __slots__ = ("began", "call", "program")

    def __init__(self, program: Hconn, call: Get, began: float) -> None:
        super().__init__()
        self.program = program
        self.call = call
        self.began = began

    @property
    def called(self) -> bool:
        """It always is a get."""
        return True

    def attempt(self, now: float) -> None:
        """Gets, or begins to wait. Raises `MQError`."""
        call, connection = self.call, self.program.connected()
        options = options_of(self.program, call)
        if options.options & MQGMO.UNLOCK:
            reason = connection.unlock(call.handle, options, now)
            self.program.reply(call, reason)
            return
        check_wait(call.options.record.options, call.options.record.wait_interval)
        options.in_turns, options.search = self.program.end.manager.turns, self.search
        try:
            got = connection.get(call.handle, options, now, held=True)
        except SearchGoesOn:
            self.program.end.searches.add(self, self.program, now)
            return
        except BaseException:
            self.search.end()
            raise
        self.search.end()
        if got is not None:
            self._deliver(got, now)
        elif options.options & MQGMO.WAIT:
            interval = call.options.record.wait_interval
            until = None if interval == UNLIMITED else self.began + interval / 1000
            connection.wait(call.handle, options, until, self, now)
        else:
            raise MQError(MQRC.NO_MSG_AVAILABLE)

    def woken(self, waiter: Waiter, reason: int, now: float) -> None:
        """The wait has ended, or goes on."""
        connection = self.program.connection
        if connection is None:
            return
        try:
            got = connection.awakened(waiter, reason, now, held=True)
            self.search.end()
            if got is not None:
                self._deliver(got, now)
        except SearchGoesOn:
            self.program.end.searches.add(self, self.program, now)
        except MQError as error:
            self.search.end()
            self.program.fail(self.call, error)

    def search_on(self, now: float) -> None:
        """It is our turn again."""
        try:
            self.attempt(now)
        except MQError as error:
            self.program.fail(self.call, error)

    def search_ended(self, reason: int) -> None:
        """The client does not want it any more."""
        self.program.fail(self.call, MQError(reason))

    def _deliver(self, got: Got, now: float) -> None:
        call, program = self.call, self.program
        version = 2 if len(call.descriptor) == MQMD_LENGTH_2 else 1
        call.descriptor, message = for_client(got.message, version, call.ccsid)
        record = call.options.record
        record.resolved_q_name = call.field(got.queue.name, _NAME)
        record.group_status = call.field(str(got.group_status.value), 1)
        record.segment_status = call.field(str(got.segment_status.value), 1)
        record.segmentation = call.field(str(got.segmentation.value), 1)
        record.msg_token = got.token
        record.returned_length = len(message.body)
        taken = not record.options & BROWSE_OPTIONS and got.reason != MQRC.TRUNCATED_MSG_FAILED
        read = partial(program.has, got) if taken else _nothing
        try:
            data = program.on_their_way.data(message.body, got, stays=taken, read=read)
        except MQError:
            if taken:
                program.connected().put_back([got], now)
            raise
        program.end.machine.replies.get(
            call, data, full_length=got.length, comp_code=1 if got.reason else 0, reason=got.reason
        )
        program.end.answered()


def _nothing() -> None:
    """The message stays on its queue."""


def get(program: Hconn, call: Get, now: float) -> None:
    """MQGET."""
    WaitingGet(program, call, now).attempt(now)
