"""Rules of JMS header fields: what descriptor and folders say together, and what each field is written as.

One module for all who ask: selectors, the setting of properties, JSON and JMS messages. Arguments are plain values:
elements of the folders ``jms`` and ``mcd`` (None where there is none) and fields of the descriptor. The rules are those
of jms-mapping.md 2 and 3.1, as IBM's client was seen to apply them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from mqbridge.protocol.constants import MQEI, MQMF, MQPER

from .destinations import Destination, DestinationError, DestinationKind, TargetClient
from .moment import put_moment

Value: TypeAlias = str | int | float | bool | bytes | None

ID: Final = "ID:"
ID_LENGTH: Final = 24
NO_ID: Final = bytes(ID_LENGTH)
PERSISTENT: Final = 2
NOT_PERSISTENT: Final = 1
KIND_OF_DOMAIN: Final[dict[str, str]] = {
    "jms_text": "text",
    "jms_bytes": "bytes",
    "jms_map": "map",
    "jms_stream": "stream",
    "jms_object": "object",
    "jms_none": "none",
}
"""Kinds of messages by the domain in ``mcd.Msd`` that JMS has for them; any other domain is somebody else's."""
DOMAIN_OF_KIND: Final = {kind: domain for domain, kind in KIND_OF_DOMAIN.items()}
_FULL_ID: Final = len(ID) + 2 * ID_LENGTH
_IN_GROUP: Final = int(MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP)
_REMEMBERED: Final = 512
"""Longest jms.Rto whose destination is remembered, in characters."""
_MCD: Final = "mcd://"
_FORMAT: Final = "?format="


# Reading -------------------------------------------------------------------------------------------------------------


def id_text(raw: bytes) -> str:
    """Return an id as JMS shows it."""
    return ID + raw.hex()


def correlation_id(given: Value, correl_id: bytes) -> Value:
    """Return JMSCorrelationID: jms.Cid whatever it looks like, else CorrelId (jms-mapping.md 2.2)."""
    if given is not None:
        return given
    return None if correl_id == NO_ID else ID + correl_id.hex()


def selected_correlation_id(given: Value, correl_id: bytes) -> Value:
    """Return what a selector compares with: a jms.Cid that is an id in full stands for CorrelId.

    IBM's client selects such ids by CorrelId itself (client-observed.md O-097), however they are written.
    """
    if isinstance(given, str) and not (len(given) == _FULL_ID and given.startswith(ID)):
        return given
    return None if correl_id == NO_ID else ID + correl_id.hex()


def delivery_mode(given: Value, persistence: int) -> Value:
    """Return JMSDeliveryMode: jms.Dlv, else 2 for a persistent message and 1 for any other."""
    if given is not None:
        return given
    return PERSISTENT if persistence == MQPER.PERSISTENT else NOT_PERSISTENT


def expiration(given: Value, expiry: int, since: int | None) -> Value:
    """Return JMSExpiration: jms.Exp, else Expiry from the millisecond ``since``; 0 for never, None if that is unknown.

    A jms.Exp of 0 counts as none: the message may have got its Expiry elsewhere.
    """
    if given:
        return given
    if expiry == MQEI.UNLIMITED:
        return 0
    return None if since is None else since + expiry * 100


def put_time(put_date: str, put_time_text: str) -> int | None:
    """Return milliseconds since the epoch of PutDate and PutTime, None if they are no time."""
    moment = put_moment(put_date, put_time_text)
    return None if moment is None else round(moment * 1000)


def reply_to(given: Value, queue: str, queue_manager: str, *, native: bool = False) -> Destination | None:
    """Return JMSReplyTo: the queue of the descriptor with the properties of jms.Rto, or jms.Rto where there is none.

    ``native``: the message has no MQRFH2, so its reply needs none either. Raises ``DestinationError`` for a jms.Rto
    that is no destination, unless the descriptor names one.
    """
    uri = given if isinstance(given, str) else ""
    if len(uri) <= _REMEMBERED:
        return _remembered_reply_to(uri, queue, queue_manager, native)
    return _reply_to(uri, queue, queue_manager, native)


def _reply_to(uri: str, queue: str, queue_manager: str, native: bool) -> Destination | None:
    if not queue:
        return Destination.parse(uri, conforming=False) if uri else None
    written = Destination(DestinationKind.QUEUE, queue, queue_manager)
    if uri:
        try:
            asked = Destination.parse(uri, conforming=False)
        except DestinationError:
            return written
        return Destination(DestinationKind.QUEUE, queue, queue_manager, asked.properties, asked.written)
    return written.with_property("targetClient", int(TargetClient.MQ)) if native else written


_remembered_reply_to = lru_cache(maxsize=1024)(_reply_to)


def jms_type(mcd: Mapping[str, Value]) -> Value:
    """Return JMSType: mcd.Type, or for a domain that is none of JMS's the URI ``mcd://domain/set/type?format=…``."""
    domain = mcd.get("Msd")
    if not isinstance(domain, str) or not domain or domain in KIND_OF_DOMAIN:
        return mcd.get("Type")
    parts = (mcd.get(name) for name in ("Set", "Type", "Fmt"))
    set_name, kind, form = (part if isinstance(part, str) else "" for part in parts)
    uri = f"{_MCD}{domain}/{set_name}/{kind}".rstrip("/")
    return f"{uri}{_FORMAT}{form}" if form else uri


def group_id(given: Value, msg_flags: int, raw: bytes) -> Value:
    """Return JMSXGroupID: jms.Gid, else GroupId of a message in a group."""
    if given is not None:
        return given
    return ID + raw.hex() if msg_flags & _IN_GROUP else None


def group_seq(given: Value, msg_flags: int, msg_seq_number: int) -> Value:
    """Return JMSXGroupSeq: MsgSeqNumber of a message in a group, else jms.Seq."""
    return msg_seq_number if msg_flags & _IN_GROUP else given


# Writing -------------------------------------------------------------------------------------------------------------


def identifier(text: str) -> bytes | None:
    """Return an id written as ``ID:`` and hexadecimal digits, cut or padded to 24 bytes; None for any other text.

    Raises ``ValueError`` for ``ID:`` in front of something else, which IBM's client refuses.
    """
    if not text.startswith(ID):
        return None
    digits = text[len(ID) :]
    raw = bytes.fromhex(digits)
    if len(raw) * 2 != len(digits):
        raise ValueError(text)
    return raw[:ID_LENGTH].ljust(ID_LENGTH, b"\0")


def id_bytes(text: str) -> bytes:
    """Return CorrelId or GroupId for a text: the id it is, or the first 24 bytes of its UTF-8 form.

    Raises ``ValueError`` as `identifier`.
    """
    raw = identifier(text)
    return _text_bytes(text) if raw is None else raw


def foreign_id_bytes(text: str) -> bytes:
    """Return what `id_bytes` does, but take the ``ID:`` of another provider, which anything may follow, for text."""
    try:
        return id_bytes(text)
    except ValueError:
        return _text_bytes(text)


def _text_bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")[:ID_LENGTH].ljust(ID_LENGTH, b"\0")


def type_elements(text: str) -> list[tuple[str, str]]:
    """Return the elements of folder ``mcd`` for a JMSType, without a domain for a plain one.

    ``mcd://domain/set/type?format=fmt`` names all four; parts that are left out are not written.
    """
    if not text.startswith(_MCD):
        return [("Type", text)]
    path, _, form = text.removeprefix(_MCD).partition(_FORMAT)
    domain, _, rest = path.partition("/")
    set_name, _, kind = rest.partition("/")
    parts = (("Msd", domain), ("Set", set_name), ("Type", kind), ("Fmt", form))
    return [(name, part) for name, part in parts if part]
