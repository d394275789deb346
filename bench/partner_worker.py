"""A queue manager whose transmission queue a partner sends with packets of 2003, driven as `channel_worker` is.

    python bench/partner_worker.py partner FOLDER PORT 1

PORT: of a queue manager on this machine with receiver channel BENCH.1.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from channel_worker import Worker, queue_name, reactor
from twisted.internet.stdio import StandardIO

from mqbridge.bridge.agents.partner.partner import Partner
from mqbridge.bridge.agents.partner.settings import PartnerSettings
from mqbridge.bridge.config.protocol_files import shipped_protocol
from mqbridge.bridge.endpoints.host_connections import HostConnections, Reach
from mqbridge.bridge.links.places import Place
from mqbridge.protocol.constants import MQMODE


class PartnerWorker(Worker):
    """Executes the commands, one after the other."""

    def __init__(self, folder: str, port: int) -> None:
        super().__init__("send", folder, port, 1, {})
        settings = PartnerSettings(name="saturn", send=queue_name(0), values={"channel": "BENCH.1"})
        host = self.gateway.channel_manager
        self.partner = Partner(settings, shipped_protocol("mq-capture"), host, random.SystemRandom())
        self.gateway.carriers.add(self.partner)
        reaches = {"saturn": Reach(Place("127.0.0.1", port).endpoint)}
        self.driver.host_effect = HostConnections(self.driver, reaches, lambda _: None).perform

    def do_start(self) -> None:
        began = time.perf_counter()
        self.partner.start(self.driver.now())
        self.driver.pump()
        self.say(started=began)

    def do_stop(self) -> None:
        self.partner.stop(MQMODE.QUIESCE, self.driver.now())
        self.driver.pump()
        self.say_when(lambda: self.partner.quiet, stopped=True)


def main() -> None:
    StandardIO(PartnerWorker(sys.argv[2], int(sys.argv[3])))
    reactor.run()


if __name__ == "__main__":
    main()
