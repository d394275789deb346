"""Flows and segments of a capture file, given by path or as an open file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from mqbridge.captures.errors import CaptureError, DamagedCaptureError, DecryptionError, UnknownCaptureError
from mqbridge.captures.reading.chunks import ChunkReader
from mqbridge.captures.reading.embedded_keys import embedded_key_log, look_for_keys
from mqbridge.captures.reading.link_layers import NotRead
from mqbridge.captures.reading.packets import PacketReader
from mqbridge.captures.streams.flow_events import FlowEvent
from mqbridge.captures.streams.ordinary import OrdinaryFlowReader, Step, data_of
from mqbridge.captures.streams.segments import CapturedSegment, SegmentCutter, SegmentFault

Source = str | PathLike[str] | BinaryIO


class CaptureFlows:
    """Flow events of a pcap or pcapng file (also gzip and zstd), to be iterated once.

    ``further``: the other files of a rotated set, whose packets are numbered consecutively. ``keylog``: key log file
    for the decryption of TLS by tshark; keys in a pcapng file are used in any case. ``reader``: a reader of some flows;
    TLS is then not decrypted. Afterwards ``error`` says why reading stopped early (or None), ``decryption_error`` why
    nothing could be decrypted; ``packets``, ``bytes_read`` and ``unread`` are counts. No content makes it raise; a path
    that cannot be opened raises ``OSError`` when iteration begins.
    """

    def __init__(
        self,
        source: Source,
        keylog: str | PathLike[str] | None = None,
        reader: OrdinaryFlowReader | None = None,
        further: Sequence[str] = (),
    ) -> None:
        self._source = source
        self._further = further
        self._keylog = keylog
        self._reader = reader or OrdinaryFlowReader()
        self._looks_for_keys = keylog is None and reader is None
        self.decryption_error: DecryptionError | None = None
        self.error: CaptureError | None = None
        self.packets = 0
        self.bytes_read = 0

    @property
    def unread(self) -> Counter[NotRead]:
        """Number of packets without a TCP segment, by reason."""
        return self._reader.unread

    def __iter__(self) -> Iterator[FlowEvent]:
        for buffer, ordinary, events in self.steps():
            yield from data_of(buffer, ordinary)
            yield from events

    def steps(self) -> Iterator[Step]:
        """Yield the same as steps, in which ordinary packets are not copied into events."""
        with opened(self._source) as source:
            found, file = look_for_keys(source) if self._looks_for_keys else (self._keylog is not None, source)
            if found and not self._further:
                yield from self._decrypted(file)
                return
            if found:
                self.decryption_error = DecryptionError("it is in several files: make one of them with mergecap -a")
            yield from self._steps(file)

    def _steps(self, file: BinaryIO) -> Iterator[Step]:
        yield from self._steps_of_file(file, "")
        for path in self._further:
            name = os.path.basename(path)
            try:
                with open(path, "rb") as following:
                    yield from self._steps_of_file(following, f"{name}: ")
            except OSError as error:
                fault = DamagedCaptureError(self.bytes_read, self.packets, f"{name}: {error.strerror}")
                self.error = self.error or fault
        yield b"", [], self._reader.finish()

    def _steps_of_file(self, file: BinaryIO, name: str) -> Iterator[Step]:
        chunks, before = ChunkReader(file), self.packets
        for chunk in chunks:
            for ordinary, events in self._reader.receive_records(chunk.buffer, chunk.records, before + chunk.first):
                yield chunk.buffer, ordinary, events
        self._note(chunks, name)
        if chunks.key_log and self.decryption_error is None:
            self.decryption_error = DecryptionError("there are keys behind the first packets: unpack it into a file")

    def _note(self, read: ChunkReader | PacketReader, name: str = "") -> None:
        error = read.error
        if error is not None and name:  # the files before it can be read
            kind = DamagedCaptureError if isinstance(error, UnknownCaptureError) else type(error)
            error = kind(error.offset, error.packets, name + error.reason)
        self.error = self.error or error
        self.packets += read.packets
        self.bytes_read += read.bytes_read

    def _decrypted(self, source: BinaryIO) -> Iterator[Step]:
        # Imported here because few captures need it.
        from tempfile import TemporaryDirectory

        from mqbridge.captures.reading.decryption import decrypt, find_tshark, read_clear_pieces, unpack_for_tshark
        from mqbridge.captures.streams.clear_flows import ClearFlows, ends_of

        try:
            find_tshark()
        except DecryptionError as error:
            self.decryption_error = error
            yield from self._steps(source)
            return
        with TemporaryDirectory() as name:
            # The capture is read twice, by tshark and here.
            folder = Path(name)
            path = unpack_for_tshark(source, folder)
            embedded = embedded_key_log(path)
            with path.open("rb") as file:
                if not embedded and self._keylog is None:  # bytes that merely looked like keys
                    yield from self._steps(file)
                    return
                try:
                    exported = decrypt(path, self._keylog, folder, embedded)
                except DecryptionError as error:
                    self.decryption_error = error
                    yield from self._steps(file)
                    return
                with exported.open("rb") as clear, exported.open("rb") as again:
                    flows = ClearFlows(read_clear_pieces(clear), ends_of(read_clear_pieces(again)))
                    packets = PacketReader(file)
                    number, time = 0, 0.0
                    for packet in packets:
                        number, time = packet.number, packet.time
                        yield b"", [], flows.receive(self._reader.careful.receive_packet(packet), number, time)
                    self._note(packets)
                    yield b"", [], flows.receive(self._reader.finish(), number, time)


class CaptureSegments:
    """MQ segments of a pcap or pcapng file, to be iterated once; ``flows`` has the counts."""

    def __init__(self, source: Source, keylog: str | PathLike[str] | None = None) -> None:
        self.flows = CaptureFlows(source, keylog)

    def __iter__(self) -> Iterator[CapturedSegment | SegmentFault]:
        cutter = SegmentCutter()
        for event in self.flows:
            yield from cutter.receive_event(event)


def opened(source: Source) -> AbstractContextManager[BinaryIO]:
    """Return the file of a source as a context manager that closes it if it was a path."""
    return open(source, "rb") if isinstance(source, (str, PathLike)) else nullcontext(source)


def read_flows(source: Source, keylog: str | PathLike[str] | None = None) -> CaptureFlows:
    """Return the flow events of a capture, given by path or as an open binary file.

    TLS is decrypted if tshark is installed and the keys are in the capture or in ``keylog``, a key log file.
    """
    return CaptureFlows(source, keylog)


def read_segments(source: Source, keylog: str | PathLike[str] | None = None) -> CaptureSegments:
    """Return the MQ segments of a capture and the faults between them; ``keylog`` as for :func:`read_flows`."""
    return CaptureSegments(source, keylog)
