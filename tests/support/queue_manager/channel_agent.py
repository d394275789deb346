"""A message channel agent at the queue manager of a host, for tests of its session."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.queue_manager import Application, MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import GetMany
from mqbridge.bridge.queue_manager.calls.outcomes import Completion, Failed, Opened, RetrievedMany
from mqbridge.bridge.queue_manager.calls.requests import Open, Request
from mqbridge.bridge.queue_manager.session import ChannelSession
from mqbridge.protocol.constants import MQOO
from support.queue_manager.host import Host

EXCLUSIVE = int(MQOO.INPUT_EXCLUSIVE)


class Agent:
    """Keeps what its session tells it; the host's commits follow each request."""

    def __init__(self, host: Host, user: str = "mqchannel") -> None:
        self.host = host
        self.told: list[Completion] = []
        application = Application(user=user, appl_name="EARTH", channel="TO.EARTH")
        self.session = ChannelSession(host.queue_manager, application, self)
        self._hobj = 0

    def completed(self, _now: float) -> None:
        self.told += self.session.completions()

    def connection_stopped(self, _now: float) -> None:
        raise NotImplementedError

    def asks(self, request: Request) -> Any:
        """The outcome of a request, at once or when the store has answered; None where it still comes."""
        outcome = self.session.submit(request, self.host.now)
        self.host.pump()
        if outcome is None:
            self.completed(self.host.now)
            outcome = next((each for tag, each in self.told if tag == request.tag), None)
        return outcome

    def get_many(self, *, most: int = 50, room: int = 1 << 21, uncommitted: int = 0) -> RetrievedMany:
        """The first messages of the queue Q. Raises `MQError`."""
        if not self._hobj:
            opened = self.asks(Open(0, "Q", "", EXCLUSIVE))
            assert isinstance(opened, Opened)
            self._hobj = opened.hobj
        found = self.asks(GetMany(0, self._hobj, most, room, uncommitted))
        if isinstance(found, Failed):
            raise MQError(found.reason, found.detail)
        assert isinstance(found, RetrievedMany)
        return found
