"""Replacement of a recorded client's credentials, because recordings hold no passwords.

User id and password of CONAUTH_INFO and USERID_DATA are replaced (mq-wire.md 5.2, 5.3). Passwords are sent in clear
text: without TLS, the offered level is the highest at which clients do so; inside TLS no protection is offered
(client-observed.md O-022).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mqbridge.captures.differential import fields_of
from mqbridge.protocol import inferred
from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.errors import MQBridgeError, StructureError
from mqbridge.protocol.framing import Segment
from mqbridge.protocol.structures import conauth_form
from mqbridge.protocol.text import encode_text

_MASKS: Final = frozenset((0x2A, 0x5C, 0xEE))  # asterisks in ASCII and EBCDIC; as the public capture of 2025 has them
_UNUSED: Final = b"\xff" * 20
_NO_PROTECTION: Final = b"\0\0" + b"\xff" * 18
_LENGTH: Final = slice(4, 8)  # of a segment, always big-endian


@dataclass(slots=True)
class ReplayCredentials:
    """User and password to send in place of the recorded ones."""

    user: str
    """User id."""
    password: str = field(default="", repr=False)
    """Password in clear text; empty for none."""
    secured: bool = False
    """The connection is inside TLS."""

    def put_into(self, segment: Segment) -> bytes:
        """Return a segment with these credentials; segments without credentials are returned unchanged."""
        if segment.type == SegmentType.INITIAL_DATA:
            return self._initial_data(segment)
        if segment.type == SegmentType.USERID_DATA:
            return self._user_data(segment)
        if segment.type == SegmentType.CONAUTH_INFO:
            return self._conauth(segment)
        return segment.data

    def _initial_data(self, segment: Segment) -> bytes:
        data = bytearray(segment.data)
        for found in fields_of(segment):
            if found.key == "ID.PAL" and self.secured:
                data[found.place] = _NO_PROTECTION
            elif self.secured:
                continue
            elif found.key == "ID.FapLevel":
                data[found.offset] = min(found.value, inferred.CLEAR_PASSWORD_FAP_LEVEL)
            elif found.key == "ID.PAL":
                data[found.place] = _UNUSED
        return bytes(data)

    def _user_data(self, segment: Segment) -> bytes:
        data = bytearray(segment.data)
        for found in fields_of(segment):
            text = {"UID.UserId": self.user.upper()[:12], "UID.LongUserId": self.user}.get(found.key)
            if found.key == "UID.Password" and found.value.strip(b" \0"):
                text = self.password
            if text is not None and found.value.strip(b" \0"):
                fill = b"\0" if found.value.endswith(b"\0") else _text(" ", segment.ccsid)
                raw = _text(text, segment.ccsid)[: found.size].ljust(found.size, fill)
                data[found.place] = raw
        return bytes(data)

    def _conauth(self, segment: Segment) -> bytes:
        body, order = segment.body, segment.order
        try:
            form = conauth_form(body, order)
            values = {key: value for key, value in form.parse(body, 0, order).items() if not key.startswith("_")}
        except StructureError:
            return segment.data
        user, password = _text(self.user, segment.ccsid), _text(self.password, segment.ccsid)
        values |= {"user_id_length": len(user), "password_length": len(password)}
        values |= {"user_id_max_length": len(user), "password_max_length": len(password)}
        values |= {"user_id": user, "password": password, "padding": b""}
        made = form.build(values, order)
        if segment.conversation_id:
            made += bytes(-len(made) % 4)
        data = bytearray(segment.data[: segment.length - len(body)] + made)
        data[_LENGTH] = len(data).to_bytes(4, "big")
        return bytes(data)


def password_is_masked(segment: Segment) -> bool:
    """Return whether a segment contains a password that was masked by the recorder."""
    for found in fields_of(segment):
        if found.key == "UID.Password":
            value = bytes(found.value).strip(b" \0")
        elif found.key == "CAUT.rest":
            value = _password_of(segment)
        else:
            continue
        if value and len(set(value)) == 1 and value[0] in _MASKS:
            return True
    return False


def _password_of(segment: Segment) -> bytes:
    try:
        return bytes(conauth_form(segment.body, segment.order).parse(segment.body, 0, segment.order).password)
    except StructureError:
        return b""


def _text(text: str, ccsid: int) -> bytes:
    try:
        return encode_text(text, ccsid)
    except MQBridgeError:
        return text.encode("ascii", "replace")
