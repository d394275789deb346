"""Errors of the project, one tree.

::

    MQBridgeError                    base of every error that the project raises on purpose
    ├── ProtocolError                the partner broke the protocol; says what to tell it
    │   ├── FramingError             the byte stream is no run of segments (wrong id, wrong length, too long)
    │   └── StructureError           a structure inside a segment or message is malformed
    ├── LocalProtocolError           our own code asked a machine for something its state does not allow
    └── ConversionError              text or a number cannot be converted (unknown CCSID, encoding, bad digits)

Rooms above ``protocol`` derive their own errors from :class:`MQBridgeError`.
"""

from __future__ import annotations


class MQBridgeError(Exception):
    """Base of every error that the project raises on purpose."""


class LocalProtocolError(MQBridgeError):
    """A misuse by our own code: a call that the machine's state does not allow, or a value that cannot be sent.

    The connection is unaffected; nothing was sent to the partner.
    """


class ProtocolError(MQBridgeError):
    """The partner violated the protocol.

    ``status``: code of the STATUS_DATA segment that informs the partner (mq-wire.md 5.14), or None to send nothing.
    ``amq``: id of the log message, such as ``"AMQ9504"``. ``closes``: whether the connection ends. Class attributes of
    the same names hold the defaults of each class.
    """

    status: int | None = 0x10
    amq: str | None = "AMQ9504"
    closes: bool = True

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        amq: str | None = None,
        closes: bool | None = None,
    ) -> None:
        super().__init__(message)
        if status is not None:
            self.status = status
        if amq is not None:
            self.amq = amq
        if closes is not None:
            self.closes = closes


class FramingError(ProtocolError):
    """The byte stream cannot be split into segments: unknown header id, or an impossible or excessive segment
    length."""

    status: int | None = 0x0B
    amq: str | None = "AMQ9207"


class StructureError(ProtocolError):
    """A structure is malformed.

    ``structure``: its name, such as ``"RFH2"``. ``offset``: position of the fault in the given bytes, from 0.
    ``reason``: what is wrong, as one clause.
    """

    status: int | None = 0x0C

    def __init__(
        self,
        structure: str,
        offset: int,
        reason: str,
        *,
        status: int | None = None,
        amq: str | None = None,
        closes: bool | None = None,
    ) -> None:
        super().__init__(f"{structure} at offset {offset}: {reason}", status=status, amq=amq, closes=closes)
        self.structure = structure
        self.offset = offset
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return _structure_error, (self.structure, self.offset, self.reason, self.status, self.amq, self.closes)


def _structure_error(
    structure: str, offset: int, reason: str, status: int | None, amq: str | None, closes: bool
) -> StructureError:
    error = StructureError(structure, offset, reason, amq=amq, closes=closes)
    error.status = status
    return error


class ConversionError(MQBridgeError):
    """Text or a number cannot be converted: unknown CCSID or encoding, or a character or digit without counterpart."""
