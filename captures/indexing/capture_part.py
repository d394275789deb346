"""A part of an indexed capture: some of its flows, read from the file that stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mqbridge.captures.capture_files import read_flows
from mqbridge.captures.indexing.indexed_flow import Block, IndexedFlow
from mqbridge.captures.indexing.part_pass import part_reader
from mqbridge.captures.reading.records import Record
from mqbridge.captures.streams.flow_events import FlowEvent
from mqbridge.captures.streams.ordinary import Step, data_of


@dataclass(slots=True, eq=False)
class CapturePart:
    """Flows of a capture that are read together; can be pickled and read by another process that has the file.

    ``path``: of the file; ``number``: from 0; ``flows``: what belongs to it; ``blocks``: what is read of the file, None
    for all of it. ``weight``: what the part is expected to cost, in bytes of ordinary traffic. ``keylog``: path of a
    key log file.
    """

    path: str
    number: int
    flows: list[IndexedFlow]
    blocks: list[Block] | None
    weight: int
    keylog: str | None = None

    def events(self) -> Iterator[FlowEvent]:
        """Give, for each flow of the part, the events that :func:`captures.read_flows` gives.

        Events of different flows can come in another order. Raises ``OSError`` when the file cannot be opened;
        what is no longer there of it counts as lost.
        """
        for buffer, ordinary, events in self.steps():
            yield from data_of(buffer, ordinary)
            yield from events

    def steps(self) -> Iterator[Step]:
        """The same in place of the events, for whoever takes ordinary packets where they lie."""
        if self.blocks is None:
            yield from read_flows(self.path, self.keylog).steps()
            return
        reader = part_reader(self.flows)
        with open(self.path, "rb") as file:
            for offset, length, first, layout in self.blocks:
                file.seek(offset)
                buffer, records = file.read(length), list[Record]()
                layout.copy().scan(buffer, 0, records)
                for ordinary, events in reader.receive_records(buffer, records, first):
                    yield buffer, ordinary, events
        yield b"", [], reader.finish()
