"""MQGET of client programs on connections that are not shared: request and reply."""

from __future__ import annotations

from functools import partial
from typing import Final

from mqbridge.bridge.agents.svrconn.descriptors import for_client
from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.bridge.agents.svrconn.unsent_bodies import UnsentBody
from mqbridge.bridge.queue_manager import MQError, RetrievedMessage
from mqbridge.bridge.queue_manager.calls import requests
from mqbridge.bridge.queue_manager.calls.outcomes import Done
from mqbridge.bridge.queue_manager.calls.requests import Settle, Unlock, Wanted
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS, NO_ID
from mqbridge.mappings.descriptor import reader
from mqbridge.mappings.moment import Time
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import MQCCSI, MQGMO, MQMO, MQRC, ByteOrder
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_2
from mqbridge.protocol.mqi import Get

_IDS: Final = {order: reader(order, "msg_id", "correl_id") for order in ByteOrder}
_GROUP: Final = {order: reader(order, "group_id", "msg_seq_number", "offset") for order in ByteOrder}
_FORM: Final = {order: reader(order, "encoding", "coded_char_set_id") for order in ByteOrder}
_NAME: Final = 48
_MAX_LENGTH: Final = (1 << 31) - 1
_CONVERT: Final = int(MQGMO.CONVERT)
_UNLOCK: Final = int(MQGMO.UNLOCK)
_TRUNCATED_FAILED: Final = int(MQRC.TRUNCATED_MSG_FAILED)
_OLD_MATCH: Final = int(MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID)
_TOKEN_VERSION: Final = 3
_NO_GROUP: Final = (NO_ID, 1, 0)
_NO_TOKEN: Final = bytes(16)
_NO_FORM: Final = (NATIVE_ORDER.encoding, int(MQCCSI.Q_MGR))


def wanted_by(call: Get) -> Wanted:
    """The selection of an MQGET. Raises `MQError` 2005."""
    record, raw, order = call.options.record, call.descriptor, call.order
    if call.buffer_length > _MAX_LENGTH:
        raise MQError(MQRC.BUFFER_LENGTH_ERROR, str(call.buffer_length - 2 * (_MAX_LENGTH + 1)))
    second = len(raw) == MQMD_LENGTH_2
    msg_id, correl_id = _IDS[order](raw)
    group_id, msg_seq_number, offset = _GROUP[order](raw) if second else _NO_GROUP
    encoding, ccsid = _FORM[order](raw) if record.options & _CONVERT else _NO_FORM
    return Wanted(
        record.options,
        record.match_options if record.version > 1 else _OLD_MATCH,
        msg_id,
        correl_id,
        group_id,
        msg_seq_number,
        offset,
        record.msg_token if record.version >= _TOKEN_VERSION else _NO_TOKEN,
        call.buffer_length,
        record.version,
        2 if second else 1,
        encoding,
        ccsid,
    )


def get(program: Hconn, call: Get, now: Time) -> None:
    """MQGET."""
    program.connected()
    wanted, tag = wanted_by(call), program.next_tag()
    if wanted.options & _UNLOCK:
        program.ask(call, Unlock(tag, call.handle, wanted), _unlocked, now)
    else:
        interval = call.options.record.wait_interval
        program.ask(call, requests.Get(tag, call.handle, wanted, interval), _answer, now)


def _unlocked(program: Hconn, call: Get, outcome: Done, _now: Time) -> None:
    program.reply(call, outcome.reason)


def _answer(program: Hconn, call: Get, got: RetrievedMessage, now: Time) -> None:
    version = 2 if len(call.descriptor) == MQMD_LENGTH_2 else 1
    call.descriptor, message = for_client(got.message, version, call.ccsid)
    record, token = call.options.record, got.token
    record.resolved_q_name = call.field(got.queue_name, _NAME)
    record.group_status = call.field(str(got.group_status.value), 1)
    record.segment_status = call.field(str(got.segment_status.value), 1)
    record.segmentation = call.field(str(got.segmentation.value), 1)
    record.msg_token = token
    record.returned_length = len(message.body)
    taken = not record.options & BROWSE_OPTIONS and got.reason != _TRUNCATED_FAILED
    try:
        data = program.unsent_bodies.data(message.body, token, stays=taken, tells=True)
    except MQError:
        if taken:
            program.connected().submit(Settle(0, back=(token,)), now)
        raise
    if got.held and not isinstance(data, UnsentBody):
        settled = partial(_settled, got, data)
        program.ask(call, Settle(program.next_tag(), (token,)), settled, now)  # it is gone for good before it goes out
    else:
        _reply(program, call, got, data)


def _settled(
    got: RetrievedMessage, data: bytes | list[bytes], program: Hconn, call: Get, _outcome: object, _now: Time
) -> None:
    _reply(program, call, got, data)


def _reply(program: Hconn, call: Get, got: RetrievedMessage, data: bytes | list[bytes] | UnsentBody) -> None:
    reason = got.reason
    program.machine.replies.get(call, data, full_length=got.length, comp_code=1 if reason else 0, reason=reason)
