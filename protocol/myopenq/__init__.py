"""MyOpenQ, the text protocol of a small queue manager of 2003: packets, answers and both ends (myopenq.md).

A connection is plain or framed, as the listener says (M-036). In plain mode it carries one packet, and an answer of
text to the end of the connection. In framed mode it carries any number, each answer with its status and length; CREATE
ends with a time-out and the name of the queue at the other manager, GET with a time to wait.
"""

from __future__ import annotations

from .answers import MAX_PAYLOAD, SUCCESS, Answer, AnswerReader
from .codes import Code, MoqError
from .digests import DIGEST_SIZE, Stamps, digest, verify
from .initiator import Answered, Initiator, Unanswered
from .names import MAX_NAME, queue_name
from .packets import MAX_MESSAGE, REMEMBERED, Command, Packet, PacketReader, build_packet
from .requests import (
    BareRequest,
    Browse,
    Create,
    Get,
    NamedRequest,
    Put,
    QueueType,
    Request,
    read_request,
    write_request,
)
from .responder import Asked, Ended, Misread, Responder

__all__ = [
    "DIGEST_SIZE",
    "MAX_MESSAGE",
    "MAX_NAME",
    "MAX_PAYLOAD",
    "REMEMBERED",
    "SUCCESS",
    "Answer",
    "AnswerReader",
    "Answered",
    "Asked",
    "BareRequest",
    "Browse",
    "Code",
    "Command",
    "Create",
    "Ended",
    "Get",
    "Initiator",
    "Misread",
    "MoqError",
    "NamedRequest",
    "Packet",
    "PacketReader",
    "Put",
    "QueueType",
    "Request",
    "Responder",
    "Stamps",
    "Unanswered",
    "build_packet",
    "digest",
    "queue_name",
    "read_request",
    "verify",
    "write_request",
]
