"""Printed dumps as dialogues: frames by their headers, other bytes as messages of whoever stands above them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mqbridge.captures.reading.link_layers import LINKTYPE_RAW
from mqbridge.captures.reading.packets import Packet
from mqbridge.captures.streams.flows import FlowReader
from mqbridge.protocol.direction import Direction

from .dump_text import Block, missing_rows, read_blocks
from .events import Began, Ended, Event, Lost, Sent
from .flows import FlowDialogues
from .frames import link_of, repaired


class _Printed(NamedTuple):
    """A block with its bytes; ``link``: of a frame, else None."""

    block: Block
    data: bytes
    link: int | None


class DumpDialogues:
    """See `events.Dialogues`. ``port``: of the responder, for frames; None for all."""

    are_messages = True

    def __init__(self, text: str, port: int | None = None) -> None:
        self._port = port
        self.notes: list[str] = []
        self.remarks: list[str] = []
        self._printed = list(self._read(read_blocks(text)))

    def __bool__(self) -> bool:
        """Whether the text is a dump."""
        return bool(self._printed)

    def __iter__(self) -> Iterator[Event]:
        if any(each.link is not None for each in self._printed):
            yield from self._frames()
        else:
            yield Began(1)
            for each in self._printed:
                first = each.block.rows[0]
                side = Direction.RESPONDER if first.indented else Direction.INITIATOR
                yield Sent(1, side, each.block.time, each.data, first.line)
            yield Ended(1, True)

    def _read(self, blocks: list[Block]) -> Iterator[_Printed]:
        for block in blocks:
            if lines := missing_rows(block):
                self.notes.append(f"line {lines[0]}: bytes are missing in this row; its packet is left out")
                continue
            data = block.data
            link = link_of(data)
            if block.surplus:
                right = None if link is None else repaired(block, link)
                for number, count in block.surplus.items():
                    row = block.rows[number]
                    how = "found by the TCP checksum" if right is not None else "the last ones are left out"
                    self.remarks.append(
                        f"line {row.line}: the row at {row.label:#06x} has {count} byte{'s' * (count > 1)} too many "
                        f"({row.data.hex(' ')}); {how}"
                    )
                data = data if right is None else right
            yield _Printed(block, data, link)

    def _frames(self) -> Iterator[Event]:
        """Connections of frames. Those who print dumps leave packets out: behind a gap another connection begins."""
        reader = FlowReader()
        dialogues = FlowDialogues(self._port, says_lost=False)
        others = sum(each.link is None for each in self._printed)
        flow_events = [
            event
            for number, each in enumerate(self._printed, 1)
            for event in reader.receive_packet(
                Packet(number, each.block.time, each.link or LINKTYPE_RAW, each.data, len(each.data))
            )
        ]
        connection = 0
        numbers: dict[int, int] = {}
        begun: dict[int, Began] = {}
        for event in dialogues.events([*flow_events, *reader.finish()]):
            if isinstance(event, Began):
                connection += 1
                numbers[event.connection], begun[event.connection] = connection, event
                yield event._replace(connection=connection)
            elif isinstance(event, Lost):
                yield Ended(numbers[event.connection], False)
                connection += 1
                numbers[event.connection] = connection
                yield begun[event.connection]._replace(connection=connection, from_start=False)
            else:
                yield event._replace(connection=numbers[event.connection])
        if others:
            self.notes.append(f"{others} blocks are no frames, beside others that are: they are left out")
        self.notes += dialogues.notes
        self.remarks += dialogues.remarks
