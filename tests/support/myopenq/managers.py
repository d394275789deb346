"""Queue managers as processes, each with a door of MyOpenQ, and a remote queue from one to the other."""

from __future__ import annotations

from pathlib import Path

from mqbridge import moq
from mqbridge.bridge.agents.myopenq.digest_lists import TABLE
from mqbridge.bridge.store import open_store
from support.gateway_device import gateway_of
from support.processes.ports import free_port
from support.processes.running_service import MakeService, RunningService, wait_for

SOURCE, TARGET = "ORDERS", "TARGET"


class Manager:
    """One queue manager. Its door keeps its port over restarts."""

    def __init__(self, make_service: MakeService, folder: Path, name: str, settings: str = "") -> None:
        self.port = free_port()
        text = f'[[myopenq]]\nmode = "framed"\nendpoint = "tcp:{self.port}:interface=127.0.0.1"\n{settings}\n'
        self.service: RunningService = gateway_of(make_service, folder / name, text, name)

    def client(self) -> moq.MoqClient:
        """A program that calls its door; its packets have no digests."""
        return moq.MoqClient("127.0.0.1", self.port, moq.Access(framed=True))

    def create(self, queue: moq.Create) -> None:
        with self.client() as client:
            client.create(queue)

    def count(self, queue: str) -> int:
        with self.client() as client:
            return client.count(queue)

    def wait_for_count(self, queue: str, number: int, limit: float = 60.0) -> None:
        wait_for(f"{number} messages on {queue}", lambda: self.count(queue) == number, limit)

    def take_all(self, queue: str) -> list[bytes]:
        """The messages of a queue, which leave it."""
        with self.client() as client:
            return [client.get(queue) for _ in range(client.count(queue))]

    def digests(self) -> int:
        """The number of digests on disk. It must have been stopped."""
        store = open_store("lmdb", self.service.data)
        try:
            return sum(1 for _ in store.records(TABLE))
        finally:
            store.close()


def remote(port: int, name: str = SOURCE, target: str = TARGET, **values: int) -> moq.Create:
    """A remote queue that leads to a manager on this machine."""
    return moq.Create(name, 99_999, 1024, moq.QueueType.REMOTE, "127.0.0.1", port, remote_name=target, **values)


def local(name: str = TARGET) -> moq.Create:
    return moq.Create(name, 99_999, 1024, moq.QueueType.LOCAL)
