"""A program with a user's authorities at a `Station`, and what others do for it."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.queue_manager import Application, GetOptions, MQError, PutOptions
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQOO
from support.gateway.stage import Station
from support.queue_manager.mq_calls import MqCalls


class Session:
    """A program that is connected as ``user``, whose authorities count as those of any client."""

    def __init__(self, station: Station, user: str = "app") -> None:
        self.station = station
        options = ConnectOptions(application=Application(user=user, appl_name="hostile"), checked=True)
        self.connection = MqCalls(station.manager, options, station.clock.now)

    def put(self, queue: str, data: bytes = b"data", manager: str = "", *, alternate: str = "", **given: Any) -> int:
        """MQPUT1; 0, or the reason why not. ``options``: MQPMO bits; other fields are the descriptor's."""
        options = PutOptions(given.pop("options", 0), self.connection.application, delay=given.pop("delay", 0))
        message = Message.build(data, **{"expiry": -1, **given})
        station, done = self.station, list[MQError | None]()
        try:
            station.call(
                lambda: self.connection.put1(
                    queue, manager, message, options, station.clock.now, done.append, alternate_user=alternate
                )
            )
        except MQError as error:
            return error.reason
        station.stage.wait_until(lambda: done)
        return done[0].reason if done[0] is not None else 0

    def get(self, queue: str, options: int = 0) -> Message | None:
        """MQGET of the first message of a queue, for good."""
        station, found = self.station, list[Message | None]()

        def get() -> None:
            now = station.clock.now
            hobj = self.connection.open(queue, options=int(MQOO.INPUT_SHARED), now=now)
            got = self.connection.get(hobj, GetOptions(options | MQGMO.NO_WAIT), now)
            found.append(None if got is None else got.message)
            self.connection.close(hobj, 0, now)

        station.call(get)
        station.stage.wait(0.05)
        return found[0]

    def opens(self, queue: str, options: int) -> int:
        """MQOPEN; 0, or the reason why not."""
        try:
            self.connection.open(queue, options=int(options), now=self.station.clock.now)
        except MQError as error:
            return error.reason
        return 0
