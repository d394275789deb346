"""A queue manager with links to a provider, in a process of its own, driven as `channel_worker` is.

    python bench/link_worker.py link FOLDER PORT 1

PORT: where the provider accepts AMQP on this machine. Messages are put on SOURCE, as a JMS program writes them, and the
link ``out`` takes them to the address `ADDRESS_OUT`; the link ``in`` takes those of `ADDRESS_IN` to TARGET. Commands
besides those of a channel's worker: ``out`` and ``in`` (start the link; ``in`` answers when it is running), ``stop``
(both).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from channel_worker import DEEP, LARGEST, Worker, reactor
from twisted.internet.stdio import StandardIO

from mqbridge.bridge.agents.gateway.carriers import CarrierState
from mqbridge.bridge.config.carrier_settings import LinkReceiveSettings, LinkSendSettings, LinkSettings
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.body import Body, as_bytes
from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.jms import JmsMessage
from mqbridge.mappings.message import Message

ADDRESS_OUT, ADDRESS_IN = "bench.out", "bench.in"
THERE = Destination.queue("SOURCE")


class LinkWorker(Worker):
    """Executes the commands, one after the other."""

    def __init__(self, folder: str, port: int) -> None:
        super().__init__("link", folder, 0, 0, {})
        self.pairs = 1
        now, objects = time.time(), self.manager.objects
        changes = [objects.define(Kind.QLOCAL, "SOURCE", {"MAXDEPTH": DEEP, "MAXMSGL": LARGEST}, now)]
        changes.append(objects.define(Kind.QALIAS, "REMOTE.0", {"TARGET": "SOURCE"}, now))
        for change in changes:
            self.manager.submit(change.operations)
        endpoint = f"tcp:127.0.0.1:{port}"
        send = [LinkSendSettings(queue="SOURCE", address=ADDRESS_OUT)]
        receive = [LinkReceiveSettings(address=ADDRESS_IN, queue="TARGET")]
        links = [LinkSettings(name="out", endpoint=endpoint, send=send)]
        links.append(LinkSettings(name="in", endpoint=endpoint, receive=receive))
        self.add_links(links)

    def message(self, body: Body, persistence: int) -> Message:
        return JmsMessage("bytes", as_bytes(body), delivery_mode=persistence + 1).message(THERE, now=time.time())

    def do_out(self) -> None:
        began = time.perf_counter()
        self._start("out")
        self.say(started=began)

    def do_in(self) -> None:
        link = self._start("in")
        self.say_when(lambda: link.status(self.driver.now()).state is CarrierState.RUNNING, running=True)

    def _start(self, name: str) -> Any:
        (link,) = self.gateway.carriers.named(name)
        link.start(self.driver.now())
        self.driver.pump()
        return link

    def do_stop(self) -> None:
        for carrier in self.gateway.carriers:
            carrier.stop(0, self.driver.now())
        self.driver.pump()
        self.say_when(lambda: self.gateway.carriers.quiet, stopped=True)


def main() -> None:
    StandardIO(LinkWorker(sys.argv[2], int(sys.argv[3])))
    reactor.run()


if __name__ == "__main__":
    main()
