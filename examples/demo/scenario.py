"""The run of the demo from its first process to its table."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from string import Template

from audit import COLUMNS, both_ways
from faults import Fault, plan
from processes import EchoProgram, QueueManager
from programs import Sender, Taker
from proxy import Capture, Cut, Line
from rest import Rest
from screen import Screen
from traffic import Traffic
from verdict import Judge
from year_2003 import play

BARS = "put at EARTH", "answered at SATURN", "answers back at EARTH"
RECORDED_SEGMENTS = 2000
"""Segments of each connection that the capture keeps."""
STANDSTILL = 60.0
"""Seconds without any progress after which the demo gives up."""
AHEAD = 0.15
"""Share of the messages that may be put beyond the next fault before it has happened: it is to meet some."""
STRAY_WAIT = 0.5
"""Seconds to wait for answers that should not be there."""
TICK = 0.05
IN_DOUBT_SETTLED = "AMQ8025"
"""Id of the line in the log of a queue manager: channel, LUWID, committed or backed out."""


def script(file: str, port: int) -> str:
    """The objects of a queue manager whose channel connects to a port."""
    return Template((Path(__file__).parent / file).read_text("utf-8")).substitute(port=port)


class Scenario:
    """Two queue managers, two lines, an echo program, the programs at EARTH, and the faults."""

    def __init__(self, folder: Path, messages: int, size_limit: int, kills: int, cuts: int) -> None:
        self.traffic = Traffic(messages, size_limit)
        self.screen = Screen(dict.fromkeys(BARS, messages))
        self.faults = plan(kills, cuts)
        self.kills = self.answered = 0
        self.echo: EchoProgram | None = None
        self._capture = (folder / "demo.pcap").open("wb")
        self.judge = Judge()
        capture = Capture(self._capture, RECORDED_SEGMENTS, self.judge.file)
        self.there = Line("EARTH.TO.SATURN", lambda: self.saturn.port(), capture, self._was_cut)
        self.back = Line("SATURN.TO.EARTH", lambda: self.earth.port(), capture, self._was_cut)
        self.past = Line("ch.clon.hp", lambda: self.saturn.port(), capture)
        self.earth = QueueManager("EARTH", folder, script("earth.mqsc", self.there.port))
        self.saturn = QueueManager("SATURN", folder, script("saturn.mqsc", self.back.port))
        self.sender: Sender
        self.taker: Taker

    def run(self) -> bool:
        """Everything; whether every message arrived once and in order."""
        screen, traffic = self.screen, self.traffic
        screen.say(
            f"{len(traffic):,} persistent messages, {sum(traffic.sizes) / 2**20:,.1f} MiB in all, go from queue manager"
            " EARTH to SATURN.\nA program there answers each, and the answers come back."
            " Meanwhile SATURN is killed, and the lines are cut.\n"
        )
        screen.start()
        for each in (self.earth, self.saturn):
            each.start()
            screen.tell(f"{each.name} runs as process {each.pid}")
        self._start_echo()
        self.sender = Sender(Rest(self.earth.admin, "EARTH"), traffic)
        self.taker = Taker(Rest(self.earth.admin, "EARTH"), traffic.read_answer)
        self._allow()
        self.sender.start()
        self.taker.start()
        complete = self._watch()
        self.taker.stop()
        screen.stop()
        exact = self._report(complete)
        return play(self.past.port, Rest(self.saturn.admin, "SATURN"), screen) and exact

    def conforms(self) -> bool:
        """Ends the two queue managers and the lines, and says whether what passed was as it has to be."""
        self._end_lines()
        return self.judge.verdict(self.screen)

    def close(self) -> None:
        """Ends everything that was started; an impatient Ctrl-C does not get in between."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.screen.stop()
        self._end_lines()
        self.judge.close()
        self._capture.close()

    def _end_lines(self) -> None:
        if self.echo is not None:
            self.echo.stop()
        for each in (self.earth, self.saturn):
            each.quiesce()
        for each in (self.earth, self.saturn):
            each.wait()
        for line in (self.there, self.back, self.past):
            line.close()

    # While it runs

    def _watch(self) -> bool:
        """Moves the bars and lets things go wrong until all answers are back; False when that will not be."""
        last, since = (-1, -1, -1), time.monotonic()
        while len(self.taker.arrived) < len(self.traffic):
            counts = self.sender.sent, self.answered, len(self.taker.arrived)
            if counts != last:
                last, since = counts, time.monotonic()
            self.screen.move(*counts)
            if problem := self._problem(time.monotonic() - since):
                self.screen.tell(f"[red]{problem}[/red]")
                return False
            if self.faults and counts[2] >= self.faults[0].share * len(self.traffic):
                self._let_happen(self.faults.pop(0))
                self._allow()
            time.sleep(TICK)
        time.sleep(STRAY_WAIT)
        self.screen.move(self.sender.sent, self.answered, len(self.taker.arrived))
        return True

    def _problem(self, still: float) -> str:
        for program in (self.sender, self.taker):
            if program.failure is not None:
                return f"the {program.name} has failed: {program.failure!r}"
        if self.echo is not None and self.echo.ended is not None:
            return f"the echo program has ended with status {self.echo.ended}"
        return f"nothing has moved for {STANDSTILL:g} seconds" if still > STANDSTILL else ""

    def _allow(self) -> None:
        """Lets the sender go on, as far as there will be something left for the next fault to meet."""
        share = self.faults[0].share + AHEAD if self.faults else 1.0
        self.sender.allowed = round(min(share, 1.0) * len(self.traffic))

    def _let_happen(self, fault: Fault) -> None:
        if fault.cut is None:
            self._kill_saturn()
        else:
            for line in (self.there, self.back):
                line.cut(fault.cut)

    def _was_cut(self, channel: str, where: Cut) -> None:
        self.screen.tell(f"[yellow]the line of {channel} is cut[/yellow] {where.value}")

    def _kill_saturn(self) -> None:
        self.saturn.kill()
        self.kills += 1
        self.screen.tell("[red]SATURN is killed[/red] (SIGKILL)")
        began = time.monotonic()
        self.saturn.start()
        took = time.monotonic() - began
        self.screen.tell(f"SATURN runs again as process {self.saturn.pid}, {took:.1f} s after its death")
        self._start_echo()

    def _start_echo(self) -> None:
        if self.echo is not None:
            self.echo.stop()
        self.echo = EchoProgram(self.saturn.admin)
        threading.Thread(target=self._follow, args=(self.echo,), daemon=True).start()

    def _follow(self, echo: EchoProgram) -> None:
        for count in echo.counts():
            self.answered = count

    # At the end

    def _report(self, complete: bool) -> bool:
        counted = Rest(self.saturn.admin, "SATURN").browse("ECHO.COUNT", limit=1)
        answered = int(counted[0]["body"]["text"]) if counted else 0
        rows = both_ways(self.sender.sent, answered, self.taker.arrived)
        for row, line, queue_manager in zip(rows, (self.there, self.back), (self.earth, self.saturn), strict=True):
            settled = [inserts for inserts in queue_manager.logged(IN_DOUBT_SETTLED) if inserts[0] == line.channel]
            for _, luwid, outcome in settled:
                if outcome == "committed":
                    line.batches.confirmed(bytes.fromhex(luwid))
            row.resolved, row.batches = len(settled), len(line.batches)
        damaged = sum(not right for _, _, right in self.taker.arrived)
        exact = complete and all(row.exact for row in rows) and not damaged
        self.screen.say(
            f"\nIn {self.screen.elapsed:.1f} seconds; SATURN was killed {self.kills} times,"
            f" {self.there.cuts + self.back.cuts} connections were cut:"
        )
        self.screen.table(["direction", *COLUMNS], ([row.name, *row.figures] for row in rows))
        if damaged:
            self.screen.say(f"[red]{damaged} messages have arrived with another text.[/red]")
        elif exact:
            self.screen.say("[green]Every message has arrived once, in order.[/green]")
        return exact
