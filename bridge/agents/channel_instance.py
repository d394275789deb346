"""A running instance of a channel of any type, and what DISPLAY CHSTATUS shows of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, Protocol

from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.mappings.moment import Time, date_of
from mqbridge.protocol.constants import MQMODE, StatusCode

_SUBSTATES: Final = {
    "END_OF_BATCH": "ENDOFBATCH",
    "SENDING": "SEND",
    "RECEIVING": "RECEIVE",
    "SERIALIZING": "SERIALIZE",
    "RESYNCHING": "RESYNCH",
    "HEARTBEATING": "HEARTBEAT",
    "NET_CONNECTING": "NETCONNECT",
    "IN_MQPUT": "INMQPUT",
    "IN_MQGET": "INMQGET",
    "IN_MQI_CALL": "INMQI",
}

_SHORT_NAME: Final = 256
"""MQ_SHORT_DNAME_LENGTH."""


class ChannelInstance(Protocol):
    """What runs a channel, on a conversation; operators can display and stop it.

    ``connection``: the connection it runs on. ``definition``: the channel's definition when the instance began.
    ``product``: the partner's product identifier. ``started_at``: time at which it became RUNNING, 0.0 before.
    """

    connection: PartnerConnection
    definition: Definition
    product: str
    started_at: Time

    @property
    def stopping(self) -> bool:
        """Whether it has been told to stop."""
        ...

    @property
    def partner(self) -> str:
        """Name of the partner's queue manager; empty for a client."""
        ...

    @property
    def status(self) -> str:
        """STATUS of DISPLAY CHSTATUS."""
        ...

    def row(self) -> StatusRow:
        """Its row of DISPLAY CHSTATUS."""
        ...

    def stop(self, mode: MQMODE, now: Time, status: StatusCode = StatusCode.USER_CLOSED) -> None:
        """Stop the instance: STOP CHANNEL, REFRESH SECURITY, or the queue manager ends. ``status``: for the partner,
        unless the queue manager ends."""
        ...


def common_row(instance: ChannelInstance, machine: Any) -> StatusRow:
    """The status fields that instances of all channel types have. ``machine``: the instance's protocol machine."""
    definition, counters = instance.definition, machine.link.wire.counters
    row: StatusRow = {
        "CHANNEL": definition.name,
        "CHLTYPE": definition.subtype,
        "CONNAME": instance.connection.peer,
        "STATUS": instance.status,
        "SUBSTATE": _substate_word(machine.substate),
        "RQMNAME": instance.partner,
        "STOPREQ": "YES" if instance.stopping else "NO",
        "MCASTAT": "RUNNING",
        "JOBNAME": "",
        "MSGS": counters.messages,
        "BUFSRCVD": counters.buffers_received,
        "BUFSSENT": counters.buffers_sent,
        "BYTSRCVD": counters.bytes_received,
        "BYTSSENT": counters.bytes_sent,
        "RPRODUCT": instance.product[:4],
        "RVERSION": instance.product[4:],
        "MONCHL": "OFF",
        **_tls_fields(instance.connection.tls),
    }
    if instance.started_at:
        row["CHSTADA"], row["CHSTATI"] = _date_and_time(instance.started_at)
        row |= {"COMPHDR": ("NONE", "NONE"), "COMPMSG": ("NONE", "NONE")}
    if counters.last_message is not None:
        row["LSTMSGDA"], row["LSTMSGTI"] = _date_and_time(counters.last_message)
    return row


def _tls_fields(tls: TlsConnection | None) -> StatusRow:
    """What was agreed by TLS (tls.md T-09). Keys are changed by TLS 1.3 alone, unseen, so none are ever counted."""
    certificate = tls.certificate if tls is not None else None
    return {
        "SECPROT": tls.protocol if tls is not None else "NONE",
        "SSLPEER": certificate.peer_name[:_SHORT_NAME] if certificate is not None else "",
        "SSLCERTI": str(certificate.issuer)[:_SHORT_NAME] if certificate is not None else "",
        "SSLCERTU": "",
        "SSLCIPH": tls.cipher_spec if tls is not None else "",
        "SSLKEYDA": "",
        "SSLKEYTI": "",
        "SSLRKEYS": 0,
    }


def status_word(value: object) -> str:
    """The MQSC word of an MQCHS value: ``RUNNING`` for ``MQCHS_RUNNING``."""
    return str(value).removeprefix("MQCHS_")


def _substate_word(value: object) -> str:
    name = str(value).removeprefix("MQCHSSTATE_").removeprefix("MQCHS_")
    return "" if name == "OTHER" else _SUBSTATES.get(name, name)


def _date_and_time(moment: Time) -> tuple[str, str]:
    stamp = datetime.fromtimestamp(date_of(moment), UTC)
    return stamp.strftime("%Y-%m-%d"), stamp.strftime("%H.%M.%S")
