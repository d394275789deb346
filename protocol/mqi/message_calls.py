"""The calls of a client that put and get messages, and their outcomes; see `calls`."""

from __future__ import annotations

from mqbridge.protocol.structures import Body, ObjectDescriptor
from mqbridge.protocol.structures.pmo import PutMessageOptions
from mqbridge.protocol.structures.sts import StatusReport

from .calls import Call, CallHead
from .spi_replies import put_reply


class Put(Call):
    """MQPUT or SPI PUT. Answer with ``replies.answer`` or ``refuse`` if it is ``wanted``. An asynchronous put is not:
    only MQSTAT and MQCMIT report its outcome.

    The reply repeats ``descriptor`` and ``options``: set message id, context, time and resolved names there.
    """

    __slots__ = ("data", "delay", "descriptor", "length", "options", "spi")

    def __init__(
        self,
        head: CallHead,
        descriptor: bytes,
        options: PutMessageOptions,
        data: bytes | list[bytes],
        length: int,
        *,
        wanted: bool,
        delay: int = 0,
        spi: bytes = b"",
    ) -> None:
        super().__init__(head, wanted=wanted)
        self.descriptor = descriptor
        """MQMD, version 1 or 2 (324 or 364 bytes)."""
        self.options = options
        self.data = data
        """Message data, in one piece or in the pieces in which they arrived."""
        self.length = length
        """Length of the data in bytes."""
        self.delay = delay
        """Delivery delay in milliseconds."""
        self.spi = spi
        """Header of the call for SPI PUT; empty for MQPUT."""

    def repeated(self) -> bytes:
        """Return MD, PMO and the length word."""
        if self.spi:
            return put_reply(self.spi, self.order, self.descriptor, self.options)
        return b"".join((self.descriptor, self.options.build(), self.word(self.length)))


class Put1(Put):
    """MQPUT1: a :class:`Put` with the object descriptor."""

    __slots__ = ("od",)

    def __init__(
        self,
        head: CallHead,
        od: ObjectDescriptor,
        descriptor: bytes,
        options: PutMessageOptions,
        data: bytes | list[bytes],
        length: int,
        *,
        wanted: bool,
    ) -> None:
        super().__init__(head, descriptor, options, data, length, wanted=wanted)
        self.od = od

    def repeated(self) -> bytes:
        """Return OD, MD, PMO and the length word."""
        return self.od.build() + super().repeated()


class Get(Call):
    """MQGET, on connections that are not shared. Answer with ``replies.get`` or ``refuse``, at the latest after
    GMO.WaitInterval; until then heartbeats are sent to the client."""

    __slots__ = ("buffer_length", "descriptor", "options")

    def __init__(self, head: CallHead, descriptor: bytes, options: Body, buffer_length: int) -> None:
        super().__init__(head)
        self.descriptor = descriptor
        """MQMD with the values to match, version 1 or 2."""
        self.options = options
        """GMO."""
        self.buffer_length = buffer_length

    def repeated(self) -> bytes:
        """Return MD, GMO and a length of 0."""
        return self.descriptor + self.options.build() + self.word(0)


class Stat(Call):
    """MQSTAT. Set the fields of ``report`` and answer with ``replies.answer``."""

    __slots__ = ("report", "status_type")

    def __init__(self, head: CallHead, status_type: int, report: StatusReport) -> None:
        super().__init__(head)
        self.status_type = status_type
        """MQSTAT_TYPE."""
        self.report = report

    def repeated(self) -> bytes:
        """Return type and STS."""
        return self.word(self.status_type) + self.report.build()


class Reserve(Call):
    """SPI RESERVE: message ids for asynchronous puts. Answer with ``replies.reserve``."""

    __slots__ = ("count", "spi", "tag_length")

    def __init__(self, head: CallHead, count: int, tag_length: int, spi: bytes) -> None:
        super().__init__(head)
        self.count = count
        """Number of ids requested."""
        self.tag_length = tag_length
        """Length of an id in bytes, 24."""
        self.spi = spi
        """Header of the call."""

    def repeated(self) -> bytes:
        """Return the header of the call only."""
        return self.spi
