"""A program of MQ that asks a sensor, wherever it is, and shows its readings meanwhile.

    python examples/everyplace/ask.py mq://127.0.0.1:1417/SATURN MOON 'interval 0.5'

The request waits at the gateway until the device connects; its answer comes to queue ANSWERS.
"""

from __future__ import annotations

import argparse

import mqbridge
from mqbridge.protocol.constants import MQMT


def main() -> None:
    parser = argparse.ArgumentParser(description="Ask a sensor.")
    parser.add_argument("url", help="the queue manager of the gateway, mq://host:port/SATURN")
    parser.add_argument("device", help="the device, such as MOON")
    parser.add_argument("command", help="such as 'interval 0.5', or state")
    parser.add_argument("--wait", type=float, default=60.0, help="seconds for the answer [60]")
    arguments = parser.parse_args()
    with mqbridge.connect(arguments.url, application="ask") as qm:
        asked = qm.put(
            "COMMANDS",
            arguments.command,
            queue_manager=arguments.device,
            persistent=True,
            msg_type=MQMT.REQUEST,
            reply_to_q="ANSWERS",
        )
        answer = qm.get("ANSWERS", wait=arguments.wait, correl_id=asked)
        for reading in qm.browse("READINGS"):
            print("reading:", reading.text)
        print("answer:", answer.text if answer is not None else "none yet; the device is away")


if __name__ == "__main__":
    main()
