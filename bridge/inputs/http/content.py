"""What Content-Type says of a body, in MQ's words."""

from __future__ import annotations

from mqbridge.bridge.admin.errors import UNSUPPORTED_TYPE, RestError, bad_request
from mqbridge.bridge.admin.exchange import RestExchange
from mqbridge.mappings.jms.charsets import ccsid_of
from mqbridge.mappings.jms.errors import JmsFormatError
from mqbridge.protocol.constants import MQFMT, ByteOrder
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.text import decode_text

_APPLICATION_TEXTS = ("application/json", "application/xml")
_SUFFIXES = ("+json", "+xml")


def format_and_ccsid(exchange: RestExchange) -> tuple[str, int]:
    """Return Format and CodedCharSetId for the Content-Type of a request: text, JSON and XML are MQSTR in the charset
    that it names, or UTF-8; all else has no format, and 0 for the queue manager's CCSID. Raises `RestError` 415 for a
    charset without a CCSID, and for an encoded body."""
    if (exchange.header("content-encoding") or "identity").strip().lower() != "identity":
        raise RestError(UNSUPPORTED_TYPE, "Content-Encoding: the body must not be compressed")
    kind = exchange.media_type
    if not (kind.startswith("text/") or kind in _APPLICATION_TEXTS or kind.endswith(_SUFFIXES)):
        return "", 0
    try:
        return str(MQFMT.STRING), ccsid_of(exchange.charset)
    except JmsFormatError as error:
        raise RestError(UNSUPPORTED_TYPE, f"Content-Type: no such charset: {exchange.charset[:40]!r}") from error


def check_text(body: bytes, ccsid: int, order: ByteOrder) -> None:
    """Raise `RestError` 400 for a body that is not text of its CCSID."""
    try:
        decode_text(body, ccsid, order=order)
    except ConversionError as error:
        raise bad_request(f"the body is not text of its charset: {error}") from error
