"""A trigger monitor: starts the programs that trigger messages ask for.

``python examples/trigger_monitor.py URL INITIATION.QUEUE [HOW MANY]`` gets from the initiation queue, and starts what
the process definition names (APPLICID) with the trigger data in character form (MQTMC2) as its first argument and
ENVRDATA behind it, as IBM's monitor does. It ends after so many programs, or never. A queue that starts its reader::

    DEFINE QLOCAL(STARTS)
    DEFINE PROCESS(ORDERS.READER) APPLICID('python read_orders.py')
    DEFINE QLOCAL(ORDERS) TRIGGER TRIGTYPE(FIRST) PROCESS(ORDERS.READER) INITQ(STARTS)
"""

from __future__ import annotations

import shlex
import subprocess
import sys

import mqbridge

NAMES_END = 4 + 4 + 48 + 48 + 64
"""Where the application type of an MQTM stands, four bytes; in front of it texts, behind it texts."""
APPLICATION, ENVIRONMENT = slice(172, 428), slice(428, 556)


def command(trigger: bytes, queue_manager: str) -> list[str]:
    """The program and its arguments: MQTM in, MQTMC2 out."""
    texts = trigger[8:NAMES_END] + b"    " + trigger[NAMES_END + 4 :] + queue_manager.encode().ljust(48)
    program, more = trigger[APPLICATION].decode(), trigger[ENVIRONMENT].decode()
    return [*shlex.split(program), "TMC    2" + texts.decode(), *shlex.split(more)]


def main(url: str, name: str, times: str = "0") -> None:
    started: list[subprocess.Popen[bytes]] = []
    with mqbridge.connect(url, application="trigger monitor") as qm, qm.queue(name) as queue:
        own_name = qm.inquire("QMNAME")["QMNAME"]
        while not int(times) or len(started) < int(times):
            message = queue.get(wait=10)
            if message is not None and message.md.format == "MQTRIG":
                started.append(subprocess.Popen(command(bytes(message.data), own_name)))
    for program in started:
        program.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
