"""Flows of packets as dialogues: connections of one port or of all, whatever they carry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from mqbridge.captures.streams.flow_events import (
    CloseReason,
    Flow,
    FlowClosed,
    FlowData,
    FlowEvent,
    FlowGap,
    FlowOpened,
)
from mqbridge.captures.streams.recognition import StreamKind
from mqbridge.protocol.direction import Direction

from .events import Began, Ended, Event, Lost, Sent

MAX_NAMED: Final = 5
"""Connections that notes name; of further ones they give the number."""


@dataclass(slots=True)
class _Open:
    """A flow that is told. ``swapped``: its responder is the end that the reader of flows guessed as initiator."""

    swapped: bool
    held: list[Sent] = field(default_factory=list)


class FlowDialogues:
    """Turns events of flows into those of dialogues. ``port``: of the responder; None for all. ``says_lost``: whether
    notes name connections of which bytes are missing.

    Bytes inside TLS are not told; `notes` says of which connections.
    """

    def __init__(self, port: int | None, *, says_lost: bool = True) -> None:
        self._port = port
        self._says_lost = says_lost
        self._open: dict[int, _Open] = {}
        self._encrypted: dict[str, str] = {}
        self._lossy: dict[str, int] = {}
        self._late: list[str] = []
        self.connections = 0

    def events(self, flow_events: Iterable[FlowEvent]) -> Iterator[Event]:
        """Yield what flow events say."""
        for event in flow_events:
            if isinstance(event, FlowOpened):
                yield from self._begin(event.flow)
            elif (known := self._open.get(event.flow.id)) is None:
                continue
            elif isinstance(event, FlowData):
                yield from self._send(event, known)
            elif isinstance(event, FlowGap):
                name = _name(event.flow, known.swapped)
                self._lossy[name] = self._lossy.get(name, 0) + event.length
                yield Lost(event.flow.id, _direction(event.direction, known), event.length)
            elif isinstance(event, FlowClosed):
                del self._open[event.flow.id]
                yield from known.held
                yield Ended(event.flow.id, event.reason in (CloseReason.ENDED, CloseReason.RESET))

    @property
    def notes(self) -> list[str]:
        """What could not be told."""
        found = []
        if not self.connections:
            where = "" if self._port is None else f" to port {self._port}"
            found.append(f"there is no TCP connection{where}")
        if self._encrypted:
            names = [f"{name}{about}" for name, about in self._encrypted.items()]
            found.append(f"TLS, of which nothing can be read without its keys (--keylog): {_some(names)}")
        if self._lossy and self._says_lost:
            names = [f"{name} ({length} bytes)" for name, length in self._lossy.items()]
            found.append(f"bytes are lost: {_some(names)}")
        return found

    @property
    def remarks(self) -> list[str]:
        """What was assumed."""
        if not self._late:
            return []
        return [f"the beginning is missing, who called whom is judged by ports: {_some(self._late)}"]

    def _begin(self, flow: Flow) -> Iterator[Event]:
        ports = flow.initiator.port, flow.responder.port
        if self._port is not None and self._port not in ports:
            return
        swapped = not flow.from_syn and self._port is not None and ports[1] != self._port
        if self._port is not None and ports[1] != self._port and not swapped:
            return  # a connection that comes from this port
        self._open[flow.id] = _Open(swapped)
        self.connections += 1
        ends = (flow.responder, flow.initiator) if swapped else (flow.initiator, flow.responder)
        if not flow.from_syn:
            self._late.append(_name(flow, swapped))
        yield Began(flow.id, str(ends[0]), str(ends[1]), ends[1].port, flow.from_syn)

    def _send(self, event: FlowData, known: _Open) -> Iterator[Event]:
        flow = event.flow
        if flow.kind is StreamKind.TLS:
            known.held.clear()
            hello = flow.tls
            about = [] if hello is None else [hello.version, hello.server_name]
            self._encrypted[_name(flow, known.swapped)] = "".join(f", {each}" for each in about if each)
            return
        sent = Sent(flow.id, _direction(event.direction, known), event.time, event.data, event.packet)
        if flow.kind is StreamKind.UNKNOWN and flow.from_syn:
            known.held.append(sent)
            return
        if known.held:
            yield from known.held
            known.held.clear()
        yield sent


def _direction(direction: Direction, known: _Open) -> Direction:
    return direction.other if known.swapped else direction


def _name(flow: Flow, swapped: bool) -> str:
    return f"{flow.responder} -> {flow.initiator}" if swapped else str(flow)


def _some(names: list[str]) -> str:
    more = len(names) - MAX_NAMED
    return "; ".join(names[:MAX_NAMED]) + (f"; and {more} more" if more > 0 else "")
