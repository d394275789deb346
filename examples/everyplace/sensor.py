"""A sensor: a device that puts readings whether there is a network or not, and answers requests when there is one.

    python3 mqe.pyz create moon.mqe --gateway mqes://earth:8081 --token 7QK2-… --mq SATURN
    python3 mqe.pyz admin moon.mqe create queue COMMANDS
    PYTHONPATH=mqe.pyz python3 sensor.py moon.mqe READINGS@SATURN

A reading is a text such as ``21.5``, each at most a day old when it is delivered. A request to ``COMMANDS@MOON`` is
``interval 0.5``, or anything else for the state of the sensor; its reply goes where the request says, with the message
id of the request as correlation id.
"""

from __future__ import annotations

import argparse
import random
import signal
import threading

from mqbridge.everyplace import EveryplaceError, Message, NoMatchingMessage, QueueManager, Style, text_message, text_of

COMMANDS = "COMMANDS"
A_DAY = 24 * 3600 * 1000


class Sensor:
    """``interval``: seconds between two readings."""

    def __init__(self, device: QueueManager, target: str) -> None:
        self._device = device
        self._target = target
        self.interval = 1.0
        self._count = 0
        self._ended = threading.Event()

    def measure(self) -> None:
        """Put readings until it is ended."""
        while not self._ended.wait(self.interval):
            reading = text_message(f"{random.gauss(21, 0.5):.1f}")
            reading.expire_after(A_DAY)
            self._device.put(self._target, reading)
            self._count += 1

    def answer(self) -> None:
        """Answer requests until it is ended."""
        while not self._ended.is_set():
            try:
                request = self._device.wait(COMMANDS, timeout=1)
            except NoMatchingMessage:
                continue
            except EveryplaceError:
                return  # it is closed
            self._reply(request, self._obey(request))

    def _obey(self, request: Message) -> str:
        try:
            command, _, value = text_of(request).partition(" ")
            if command == "interval":
                self.interval = max(float(value), 0.01)
        except (EveryplaceError, ValueError) as error:
            return f"refused: {error}"
        return f"{self._count} readings, one each {self.interval:g} s"

    def _reply(self, request: Message, text: str) -> None:
        queue, queue_manager = request.reply_to
        if not queue:
            return
        reply = text_message(text)
        reply.style = Style.REPLY
        reply.correl_id = request.msg_id
        self._device.put(f"{queue}@{queue_manager or self._device.name}", reply)

    def end(self) -> None:
        """End both."""
        self._ended.set()


def main() -> None:
    parser = argparse.ArgumentParser(description="A sensor on a device.")
    parser.add_argument("file", help="the file of the queue manager")
    parser.add_argument("target", help="where readings go, such as READINGS@SATURN")
    arguments = parser.parse_args()
    with QueueManager.open(arguments.file, alarm=lambda alarm: print(f"{alarm.name}: {alarm.text}")) as device:
        sensor = Sensor(device, arguments.target)
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, lambda *_: sensor.end())
        answering = threading.Thread(target=sensor.answer)
        answering.start()
        print(f"{device.name} measures", flush=True)
        sensor.measure()
        answering.join()


if __name__ == "__main__":
    main()
