"""Messages of devices to queues of MQ, in the gateway's process and elsewhere, beside a message channel.

    python bench/everyplace_bridge.py            three rounds that count
    python bench/everyplace_bridge.py --full     nine, with more messages

A hundred devices in one process put their messages of 200 bytes, then they are connected and send; from the first byte
to the empty queue of the last device. The queue of MQ is in the gateway's process, or at a queue manager in another
one, which the gateway reaches as a client: puts under syncpoint ahead of their answers, a record of each batch on the
sync queue. The baseline is one message-channel pair as `channel.py` measures it: 2 KiB, persistent, batches of 50.
Rounds alternate; the first two warm up. Processor time is user and system time in microseconds a message: of the
gateway, of the queue manager elsewhere, and of the devices; of the channel, of its sender and its receiver.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from channel import channel_rate
from everyplace_gateway import FleetProcess, Gateway
from figures import figure, ratios
from rounds import collect
from servers import Ours
from workers import Pair

CLIENTS = 100
SIZE = 200
FAR = "FAR"
HERE_TO_REACH, FAR_TO_REACH, GOAL = 0.2, 0.1, 0.4
PERSISTENT = 1
_ORDERS = "DEFINE QLOCAL(ORDERS) DEFPSIST(YES) MAXDEPTH(999999999)\n"
HERE_OBJECTS = f"""{_ORDERS}
SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) GROUP('devices') AUTHADD(PUT)
SET AUTHREC OBJTYPE(QMGR) GROUP('devices') AUTHADD(CONNECT)
"""
FAR_OBJECTS = f"""{_ORDERS}
DEFINE QLOCAL(HUB.SYNCQ) DEFPSIST(YES)
DEFINE CHANNEL(HUB.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('hub')
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('hub') AUTHADD(CONNECT,INQ)
SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) PRINCIPAL('hub') AUTHADD(PUT)
SET AUTHREC PROFILE(HUB.SYNCQ) OBJTYPE(QUEUE) PRINCIPAL('hub') AUTHADD(PUT,GET,BROWSE,INQ)
"""
_DEFINITIONS = Template("""
[create mq-queue-manager FAR]
(ascii)b-bridge=MQ
(ascii)b-host=127.0.0.1

[create client-connection HUB.SVRCONN]
(ascii)b-bridge=MQ
(ascii)b-proxy=FAR
(int)b-port=$port
(ascii)b-sync-queue=HUB.SYNCQ

[create connection FAR]
(boolean)cmq=true

[create mq-bridge *@FAR]
(ascii)q-mq-bridge=MQ
(ascii)q-mq-q-mgr=FAR
(ascii)q-mq-client-con=HUB.SVRCONN

[start mq-queue-manager FAR]
(ascii)b-bridge=MQ
(boolean)b-affect-children=true
""")


class Round(NamedTuple):
    """Messages a second; microseconds of processor a message, as the title of the way says."""

    rate: float
    used: tuple[float, ...]


def devices(servers: tuple[Ours, ...], fleet: FleetProcess, each: int) -> Round:
    """A round of devices. ``servers``: the gateway, and the queue manager elsewhere if there is one."""
    before = [server.processor() for server in servers]
    found = fleet.ask({"size": SIZE, "each": each})
    used = [server.processor() - then for server, then in zip(servers, before, strict=True)]
    count = found["count"]
    return Round(count / found["seconds"], tuple(one / count * 1e6 for one in (*used, found["cpu"])))


def channel(pair: Pair, count: int) -> Round:
    """A round of the message channel, which stands still before and after."""
    rate, *used = channel_rate(pair, count, PERSISTENT)
    pair.sender.ask("stop")
    return Round(rate, tuple(used))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more and longer rounds")
    options = parser.parse_args()
    rounds, each, count = (9, 300, 30_000) if options.full else (3, 100, 10_000)
    print(f"everyplace_bridge: {CLIENTS} devices, {SIZE} bytes, {each} messages of each")
    with contextlib.ExitStack() as stack:

        def gateway(objects: str, definitions: str) -> Gateway:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mqbridge-bench-")))
            found = Gateway(folder, "tcp", objects, definitions)
            stack.callback(found.close)
            return found

        def fleet(of: Gateway, target: str) -> FleetProcess:
            found = FleetProcess(of, CLIENTS, target)
            stack.callback(found.close)
            return found

        far = Ours(FAR_OBJECTS, "--qmgr", FAR)
        stack.callback(far.close)
        near, away = gateway(HERE_OBJECTS, ""), gateway("", _DEFINITIONS.substitute(port=far.port))
        to_here, to_far = fleet(near, "ORDERS@BENCH"), fleet(away, f"ORDERS@{FAR}")
        pair = stack.enter_context(Pair())
        ways: dict[str, Callable[[], Round]] = {
            "channel": lambda: channel(pair, count),
            "here": lambda: devices((near.server,), to_here, each),
            "elsewhere": lambda: devices((away.server, far), to_far, each),
        }
        found = collect(ways, rounds, 10 if options.full else 4)
    titles = {"channel": "sender, receiver", "here": "gateway, devices", "elsewhere": "gateway, MQ, devices"}
    for name, those in found.items():
        rate = statistics.median(one.rate for one in those)
        used = " ".join(f"{statistics.median(values):.0f}" for values in zip(*(one.used for one in those), strict=True))
        print(f"  {name:<10} {rate:8,.0f}/s   processor us a message: {titles[name]} {used}")
        if name != "channel":
            rates = ([one.rate for one in each] for each in (those, found["channel"]))
            least = HERE_TO_REACH if name == "here" else FAR_TO_REACH
            figure(f"devices to a queue of MQ {name}", "channel pair", ratios(*rates), least=least, goal=GOAL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
