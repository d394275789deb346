"""A pair of channel machines with a tap on the line, near the sender or near the receiver, as a capture has it."""

from __future__ import annotations

from typing import Any

from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import Ending
from support.channels.pair import Pair, ReceivingSide, SendingSide
from support.rules.observer_playbook import INITIATOR, RESPONDER, Watch


class TappedPair(Pair):
    """``watches``: one for each connection. ``passed``: all that passed on each, in the order of the tap."""

    def __init__(self, seed: int, sending: SendingSide, receiving: ReceivingSide, *, near_sender: bool) -> None:
        super().__init__(seed, sending, receiving)
        self.near_sender = near_sender
        self.watches: list[Watch] = []
        self.passed: list[list[tuple[Direction, bytes]]] = []

    def connect(self) -> None:
        super().connect()
        self.watches.append(Watch(now=self.now))
        self.passed.append([])

    def cut(self) -> None:
        if self.connected:
            self.watches[-1].end(self.random.choice([Ending.CLOSED, Ending.RESET]))
        super().cut()

    def tap(self, direction: Direction, data: bytes) -> None:
        if data:
            self.watches[-1].now = max(self.watches[-1].now, self.now)
            self.watches[-1].passes(direction, data)
            self.passed[-1].append((direction, data))

    def carry(self) -> bool:
        moved = False
        lines: list[tuple[Any, bytearray, Direction, bool]] = [
            (self.sending, self.there, INITIATOR, self.near_sender),
            (self.receiving, self.back, RESPONDER, not self.near_sender),
        ]
        for side, out, direction, at_exit in lines:
            for piece in side.machine.link.wire.take(4096):
                out += piece
                if at_exit:
                    self.tap(direction, piece)
        for (_, pipe, direction, at_exit), side in zip(lines, (self.receiving, self.sending), strict=True):
            if pipe:
                count = self.random.randint(1, len(pipe))
                data = bytes(pipe[:count])
                del pipe[:count]
                if not at_exit:
                    self.tap(direction, data)
                side.take(side.machine.link.receive_data(data, self.now))
                moved = True
        return moved
