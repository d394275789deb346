"""Captures as dialogues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike

from mqbridge.captures.capture_files import CaptureFlows, Source
from mqbridge.captures.reading.link_layers import NotRead
from mqbridge.captures.streams.ordinary import Step, data_of

from .events import Event
from .flows import FlowDialogues

_OTHER_TRAFFIC = (NotRead.NOT_IP, NotRead.NOT_TCP)


class StepDialogues:
    """Dialogues of flows that something else reads; see `events.Dialogues`. ``steps``: as `CaptureFlows.steps` yields
    them; ``port``: of the responder, None for all."""

    are_messages = False

    def __init__(self, steps: Iterable[Step], port: int | None = None) -> None:
        self._steps = steps
        self._dialogues = FlowDialogues(port)
        self.notes: list[str] = []
        self.remarks: list[str] = []

    def __iter__(self) -> Iterator[Event]:
        for buffer, ordinary, events in self._steps:
            yield from self._dialogues.events(data_of(buffer, ordinary))
            yield from self._dialogues.events(events)
        self.notes, self.remarks = self._dialogues.notes, self._dialogues.remarks


class CaptureDialogues:
    """See `events.Dialogues`. ``port``: of the responder, None for all; ``keylog``: of TLS, as `read_flows` has it."""

    are_messages = False

    def __init__(self, source: Source, port: int | None = None, keylog: str | PathLike[str] | None = None) -> None:
        self._flows = CaptureFlows(source, keylog)
        self._dialogues = FlowDialogues(port)
        self.notes: list[str] = []
        self.remarks: list[str] = []

    def __iter__(self) -> Iterator[Event]:
        yield from self._dialogues.events(self._flows)
        faults = (self._flows.decryption_error, self._flows.error)
        self.notes = [f"capture: {fault}" for fault in faults if fault is not None]
        self.notes += [
            f"packets not read: {count} ({reason.value})"
            for reason, count in sorted(self._flows.unread.items(), key=lambda each: each[0].value)
            if reason not in _OTHER_TRAFFIC
        ]
        self.notes += self._dialogues.notes
        self.remarks = self._dialogues.remarks
