"""The smallest program with the Python client: put two messages, get them back, in one unit of work.

``python examples/python_client.py mq://127.0.0.1:1414/MQBRIDGE`` runs it against any queue manager; without a URL it
goes where MQSERVER says.
"""

from __future__ import annotations

import sys

import mqbridge

QUEUE = "DEV.QUEUE.1"


def main() -> None:
    with mqbridge.connect(sys.argv[1] if len(sys.argv) > 1 else None, application="example") as qm:
        with qm.transaction():
            qm.put(QUEUE, "hello", properties={"colour": "red"})
            qm.put(QUEUE, "world", properties={"colour": "blue"}, persistent=True)
        with qm.queue(QUEUE) as queue:
            print("selected:", [message.text for message in queue.browse(selector="colour = 'blue'")])
            with qm.transaction():
                for message in queue:
                    print(message.text, message.properties)


if __name__ == "__main__":
    main()
