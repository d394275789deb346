"""The run of the demo from its first process to its table."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Final

from artemis import PASSWORD, USER, Artemis
from java_end import JavaEnd
from judge import COLUMNS, DIRECTIONS, TO_ARTEMIS, TO_MQ, Judge
from ports import free_ports
from processes import QueueManager
from rest import Rest
from rich.markup import escape
from screen import Screen

HERE: Final = Path(__file__).parent
QUEUES: Final = ("FROM.MQ", "TO.MQ", "ANSWERS", "LINK.ANSWERS", "MARK.SENDER", "MARK.RECEIVER", "MARK.ANSWERS")
"""Addresses of Artemis, made beforehand: one that comes and goes with its users forgets the ids of its messages."""
LINK: Final = """
[[link]]
name = "demo"
endpoint = "{endpoint}"
user = "{user}"
password_file = "artemis.pw"
send = [{{ queue = "TO.ARTEMIS", address = "FROM.MQ" }}]
receive = [{{ address = "TO.MQ", queue = "FROM.ARTEMIS" }}]
reply_queue = "LINK.ANSWERS"
reply_address = "LINK.ANSWERS"
longest_retry = 2
duplicates = "{duplicates}"
"""
KILLS: Final = (1 / 3, 2 / 3)
"""Shares of the messages after whose arrival the gateway is killed, and Artemis."""
AHEAD: Final = 200
"""Messages that a program may send beyond those that have arrived in both directions."""
PILE: Final = 400
"""Messages for Artemis that pile up before a kill. They go in a burst then, and the kill happens in its midst: of many
messages only one side knows at that moment that the other one has them."""
PILE_WAIT: Final = 5.0
"""Most seconds for that."""
GLANCE: Final = 0.002
STANDSTILL: Final = 60.0
"""Seconds without any progress after which the demo gives up."""
STRAY_WAIT: Final = 1.0
"""Seconds to wait for messages that should not be there."""
TICK: Final = 0.05
SHOWN: Final = 5
TOLD: Final = ("type", "number", "amqp_condition", "amqp_description")
"""Properties of a dead letter that are shown: what it was, and what was wrong with it."""


class Course:
    """Artemis, the gateway with its link, the two programs, and the kills.

    ``messages``: in each direction. ``duplicates``: the setting of the link. Raises `StartFailed` of its processes, and
    `NotAvailable`.
    """

    def __init__(self, folder: Path, messages: int, duplicates: str) -> None:
        self._messages = messages
        self._judge = Judge()
        self._screen = Screen({**dict.fromkeys(DIRECTIONS, messages), "replies": 0})
        self._folder = folder
        self._killed = 0
        self._ends: list[JavaEnd] = []
        ports = free_ports()
        self._port = next(ports)
        self._artemis: Artemis | None = None
        self._artemis_ports = next(ports), next(ports)
        (folder / "artemis.pw").write_text(f"{PASSWORD}\n", "utf-8")
        self._gateway = QueueManager(
            "GATEWAY",
            folder,
            (HERE / "gateway.mqsc").read_text("utf-8"),
            listen=f"tcp:{self._port}:interface=127.0.0.1",
            more=LINK.format(endpoint=f"tcp:127.0.0.1:{self._artemis_ports[0]}", user=USER, duplicates=duplicates),
        )

    def run(self) -> bool:
        """Everything; whether every message arrived once, as it was sent."""
        screen = self._screen
        screen.say(
            f"{self._messages:,} persistent messages of all types go each way between two Java programs: one with IBM's"
            " JMS client at\nthe gateway, mqbridge, one with Qpid JMS at Apache Artemis. Some are requests, which are"
            " answered.\nMeanwhile the gateway and Artemis are killed.\n"
        )
        screen.start()
        self._artemis = Artemis(self._folder / "artemis", *self._artemis_ports, queues=QUEUES, anonymous=False)
        self._artemis.start()
        screen.tell(f"Artemis runs as process {self._artemis.pid}")
        self._gateway.start()
        screen.tell(f"the gateway runs as process {self._gateway.pid}")
        self._start_programs()
        complete = self._watch()
        screen.stop()
        return self._report(complete)

    def close(self) -> None:
        """End everything that was started; an impatient Ctrl-C does not get in between."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._screen.stop()
        for end in self._ends:
            end.stop()
        self._gateway.quiesce()
        if self._artemis is not None:
            self._artemis.kill()
        self._gateway.wait()

    def _start_programs(self) -> None:
        there, back = self._judge.ways[TO_ARTEMIS], self._judge.ways[TO_MQ]
        for name, provider, port, queues, ways in (
            ("the program with IBM's client", "IBM", self._port, ("TO.ARTEMIS", "FROM.ARTEMIS"), (there, back)),
            ("the program with Qpid JMS", "QPID", self._artemis_ports[0], ("TO.MQ", "FROM.MQ"), (back, there)),
        ):
            arguments = [provider, str(port), USER, PASSWORD, *queues, str(self._messages)]
            self._ends.append(JavaEnd(name, self._folder / provider, arguments, *ways))
        for end in self._ends:
            end.wait_until_ready()
            self._screen.tell(f"{end.name} runs as process {end.pid}")
        self._screen.expect("replies", sum(end.requests for end in self._ends))

    # While it runs

    def _watch(self) -> bool:
        """Move the bars and kill, until everything has arrived; False when that will not be."""
        last, since = (-1, -1, -1), time.monotonic()
        while last != (self._messages, self._messages, self._requests):
            counts = self._counts()
            if counts != last:
                last, since = counts, time.monotonic()
            self._screen.move(*counts)
            if problem := self._problem(time.monotonic() - since):
                self._screen.tell(f"[red]{problem}[/red]")
                return False
            arrived = min(counts[:2])
            for end in self._ends:
                end.allow(min(arrived + AHEAD, self._messages))
            if self._killed < len(KILLS) and arrived >= KILLS[self._killed] * self._messages:
                self._pile_up()
                (self._kill_gateway, self._kill_artemis)[self._killed]()
                self._killed += 1
            time.sleep(TICK)
        time.sleep(STRAY_WAIT)
        return True

    @property
    def _requests(self) -> int:
        return sum(end.requests for end in self._ends)

    def _counts(self) -> tuple[int, int, int]:
        there, back = self._judge.ways[TO_ARTEMIS], self._judge.ways[TO_MQ]
        replies = there.replies_received + back.replies_received
        return there.messages_received, back.messages_received, replies

    def _problem(self, still: float) -> str:
        for end in self._ends:
            if end.ended is not None:
                return f"{end.name} has ended with status {end.ended}: {end.complaint}"
        return f"nothing has moved for {STANDSTILL:g} seconds" if still > STANDSTILL else ""

    def _on_the_way(self) -> tuple[int, ...]:
        """How many messages are, in each direction."""
        return tuple(way.messages_sent - way.messages_received for way in self._judge.ways.values())

    def _pile_up(self) -> None:
        """Stop Artemis until many messages wait for it, and let it go on until some of them have arrived."""
        assert self._artemis is not None
        there = self._judge.ways[TO_ARTEMIS]
        arrived = there.messages_received
        pile = min(PILE, self._messages - arrived)
        self._ends[0].allow(arrived + pile)
        self._screen.tell(f"Artemis is stopped (SIGSTOP) until {pile} messages wait for it")
        os.kill(self._artemis.pid, signal.SIGSTOP)
        _wait(lambda: there.messages_sent >= arrived + pile)
        os.kill(self._artemis.pid, signal.SIGCONT)
        _wait(lambda: there.messages_received >= arrived + pile // 4)

    def _kill_gateway(self) -> None:
        self._gateway.kill()
        self._say_killed("the gateway")
        began = time.monotonic()
        self._gateway.start()
        self._say_back("the gateway", self._gateway.pid, began)

    def _kill_artemis(self) -> None:
        assert self._artemis is not None
        self._artemis.kill()
        self._say_killed("Artemis")
        began = time.monotonic()
        self._artemis.start()
        self._say_back("Artemis", self._artemis.pid, began)

    def _say_killed(self, name: str) -> None:
        there, back = self._on_the_way()
        self._screen.tell(f"[red]{name} is killed[/red] (SIGKILL), with {there} and {back} messages on their way")

    def _say_back(self, name: str, pid: int, began: float) -> None:
        took = time.monotonic() - began
        self._screen.tell(f"{name} runs again as process {pid}, {took:.1f} s after its death")

    # At the end

    def _report(self, complete: bool) -> bool:
        screen, rows = self._screen, self._judge.rows()
        exact = complete and all(row.exact for row in rows)
        kills = ("nothing was killed", "the gateway was killed", "the gateway and Artemis were killed once each")
        screen.say(f"\nIn {screen.elapsed:.1f} seconds; {kills[self._killed]}:")
        screen.table(COLUMNS, (row.figures for row in rows))
        first = {(each.direction, each.message.type, each.field): each for each in self._judge.differences()}
        for each in islice(first.values(), SHOWN):
            what = f"{each.field} was sent as {each.sent}, received as {each.received}"
            screen.say(f"[red]{each.direction}, {each.message.type} {each.message.number}:[/red] {escape(what)}")
        if any(row.lost for row in rows):
            self._show_dead_letters()
        if exact:
            screen.say(
                "[green]Every message has arrived once, equal field by field; every request has its reply.[/green]"
            )
        else:
            screen.say("[red]Not every message has arrived once, equal field by field, with its reply.[/red]")
        return exact

    def _show_dead_letters(self) -> None:
        for letter in Rest(self._gateway.admin, "GATEWAY").browse("DEAD.LETTERS", limit=SHOWN):
            properties = letter["properties"]
            told = [str(properties[name]["value"]) for name in TOLD if name in properties]
            self._screen.say(f"[red]On the dead-letter queue:[/red] {escape(', '.join(told))}")


def _wait(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + PILE_WAIT
    while not condition() and time.monotonic() < until:
        time.sleep(GLANCE)
