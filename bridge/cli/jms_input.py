"""Messages of ``mqbridge put --jms``: descriptor and data as a JMS client makes them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any, Final

import click

from mqbridge.bridge.message_json import field_values, make_property
from mqbridge.bridge.message_json.jms_bodies import GivenBody, jms_body
from mqbridge.mappings.jms import JmsMessage, Typed
from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import MQBridgeError

from .put_destination import PutDestination
from .put_input import MAX_BATCH, MAX_BATCH_BYTES, Batch, PutRequest, input_stream

_BINARY: Final = ("bytes", "object")
JMS_HEADERS: Final = {
    "JMSType": "type",
    "JMSCorrelationID": "correlation_id",
    "JMSReplyTo": "reply_to",
    "JMSXGroupID": "group_id",
    "JMSXGroupSeq": "group_seq",
}
"""Header fields that are given as properties, and the arguments of ``JmsMessage``."""
_OWN: Final = frozenset(
    (
        "StrucId", "Version", "MsgId", "BackoutCount", "UserIdentifier", "AccountingToken", "ApplIdentityData",
        "PutApplType", "PutApplName", "PutDate", "PutTime", "ApplOriginData",
    )
)  # fmt: skip
"""Fields of the descriptor that the queue manager sets."""
_PLAIN: Final = field_values(Message.build())
_PERSISTENT, _NON_PERSISTENT, _TENTH = 2, 1, 100


def jms_message(kind: str, request: PutRequest, target: PutDestination) -> tuple[dict[str, Any], bytes]:
    """Return descriptor fields by IBM's names, and data. Raises ``click.UsageError`` for a body, property or
    destination that a JMS message cannot have."""
    try:
        message = _message(kind, request, target)
    except MQBridgeError as error:
        raise click.UsageError(str(error)) from error
    values = field_values(message)
    fields = {name: value for name, value in values.items() if name not in _OWN and value != _PLAIN.get(name)}
    return {"Format": values["Format"], "Persistence": values["Persistence"], **fields}, message.data


def _message(kind: str, request: PutRequest, target: PutDestination) -> Message:
    given = request.fields
    now = time.time()
    arguments: dict[str, Any] = {}
    properties: dict[str, Typed] = {}
    for name, value in request.properties.items():
        if name in JMS_HEADERS:
            arguments[JMS_HEADERS[name]] = _header(name, value["value"])
        else:
            read = make_property(name, value["type"], value["value"])
            properties[name] = Typed(read.value, read.type)
    if "CorrelId" in given:
        arguments["correlation_id"] = bytes.fromhex(given["CorrelId"])
    if "ReplyToQ" in given:
        arguments["reply_to"] = _reply_to(given["ReplyToQ"], given["ReplyToQMgr"])
    if "Persistence" in given:
        arguments["delivery_mode"] = _PERSISTENT if given["Persistence"] else _NON_PERSISTENT
    if "Priority" in given:
        arguments["priority"] = given["Priority"]
    if "Expiry" in given:
        arguments["expiration"] = int(now * 1000) + given["Expiry"] * _TENTH
    jms = JmsMessage(kind, _body(kind, request), properties=properties, **arguments)
    return jms.message(target.destination, now=now)


def _header(name: str, text: str) -> str | int:
    if name != "JMSXGroupSeq":
        return text
    try:
        return int(text)
    except ValueError:
        raise click.UsageError(f"JMSXGroupSeq is a number, not {text[:40]!r}") from None


def _reply_to(queue: str, queue_manager: str) -> str:
    return queue if "://" in queue else f"queue://{queue_manager}/{queue}"


def _body(kind: str, request: PutRequest) -> GivenBody:
    """Return the body that the command's text, file or standard input gives."""
    if request.text is not None or kind == "none":
        return jms_body(kind, request.text or "")
    with input_stream(request.file) as stream:
        data = stream.read()
    if kind in _BINARY:
        return data
    try:
        return jms_body(kind, data.decode())
    except UnicodeDecodeError as error:
        raise click.UsageError(f"a body of kind {kind} is text in UTF-8: {error}") from error


def jms_batches(fields: dict[str, Any], data: bytes, count: int) -> Iterator[Batch]:
    """Yield a message ``count`` times, in requests."""
    line = json.dumps({"MQMD": fields, "body": {"hex": data.hex()}}).encode()
    most = max(1, min(MAX_BATCH, MAX_BATCH_BYTES // len(line)))
    while count:
        number = min(count, most)
        yield Batch(b"\n".join([line] * number), number)
        count -= number
