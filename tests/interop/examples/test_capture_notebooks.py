"""The notebooks about captures do what they say, with the captures that they make and with others."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mqbridge.captures.generate import Builder, ChannelTraffic, ClientTraffic, Scenario
from mqbridge.captures.generate.clients import ClientRun
from mqbridge.protocol.constants import MQGMO, SegmentType
from mqbridge.protocol.structures import MD
from support.captures.spark_captures import missing

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

PROJECT = Path(__file__).parents[3]
NOTEBOOKS = PROJECT / "examples" / "capture_notebooks"
LOST = "lost_between_two_captures"


class Done(NamedTuple):
    """A notebook that was run. ``error``: what it ended with, None where it came to its end."""

    output: str
    error: object


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a notebook of a name with arguments in a folder of its own."""
    monkeypatch.syspath_prepend(NOTEBOOKS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def run(name: str, *arguments: str) -> Done:
        sys.modules.pop("tables", None)  # it reads the arguments
        path = str(NOTEBOOKS / f"{name}.py")
        monkeypatch.setattr(sys, "argv", [path, *arguments])
        error = None
        try:
            runpy.run_path(path)
        except SystemExit as end:
            error = end.code
        finally:
            sys.modules.pop("tables", None)
        return Done(capsys.readouterr().out, error)

    return run


def run_in_a_process(name: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same for notebooks that start Spark, which stays with its process."""
    command = [sys.executable, "-W", "error", str(NOTEBOOKS / f"{name}.py"), *arguments]
    variables = {**os.environ, "PYTHONPATH": str(PROJECT)}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=200, check=False)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "slowest_calls",
            [
                "MQGET DEV.QUEUE.1 billing",
                "orders MQCLOSE",
                "0 calls without an answer",
                "2 gets that would wait, 10.0",
            ],
        ),
        (LOST, ["200 messages before, 197 after, 3 lost", "197 in both, 0 of them with another", "3 bodies are not"]),
        (
            "batch_size_over_time",
            ["TO.PLUTO 2026-01-01", "TO.VENUS 2026-01-01", " 50.0 ", "all batches were confirmed"],
        ),
        ("clear_text_passwords", ["Password in clear nightly 10.1.0.1 10.2.0.1:1414 BATCH.SVRCONN 2"]),
    ],
)
def test_a_notebook_answers_its_question(name: str, lines: list[str], run: Run) -> None:
    done = run(name)
    assert done.error is None
    shown = " ".join(done.output.split())
    for line in lines:
        assert line in shown
    assert "secret99" not in shown


# Lost messages


def told(shown: str) -> tuple[set[str], set[str]]:
    """Ids that are told to be lost: by message id, and by body."""
    by_id, _, by_body = shown.partition(" in both, ")
    ids = re.compile(r"^ *([0-9a-f]{48}) ", re.MULTILINE)
    return set(ids.findall(by_id)), set(ids.findall(by_body))


def channel_that_loses(*numbers: int) -> tuple[Builder, set[str]]:
    """A channel without the messages of these numbers, and their ids."""
    builder = Builder(seed=4)
    conversation = builder.channel(ChannelTraffic(sizes=[300 + number % 7 for number in range(60)]))
    ids = set()
    for number in sorted(numbers, reverse=True):
        line = conversation.find(SegmentType.MESSAGE_DATA, nth=number)
        data = conversation.lines[line].data
        ids.add(data[data.index(b"MD  ") + 48 :][:24].hex())
        conversation.remove(line)
    return builder, ids


def made_folder(folder: Path) -> set[str]:
    """A capture, and a folder with one of the same that lost three messages; their ids."""
    (folder / "after").mkdir()
    channel_that_loses()[0].build().save(folder / "before.pcap")
    lossy, lost = channel_that_loses(7, 31, 58)
    lossy.build().save(folder / "after" / "one.pcap")
    assert len(lost) == 3
    return lost


def test_the_messages_that_were_lost_are_found_and_no_others(run: Run, tmp_path: Path) -> None:
    lost = made_folder(tmp_path)
    done = run(LOST, "before.pcap", "after")
    assert done.error is None
    assert "60 messages before, 57 after, 3 lost" in done.output
    assert told(done.output) == (lost, lost)


@pytest.mark.interop("spark")
@pytest.mark.skipif(bool(missing()), reason=missing() or "Spark runs")
def test_spark_reads_for_a_notebook_as_well(run: Run, tmp_path: Path) -> None:
    made_folder(tmp_path)
    done = run_in_a_process(LOST, tmp_path, "before.pcap", "after", "--spark=local[1]")
    assert done.stdout == run(LOST, "before.pcap", "after").output, done.stderr


def program(bodies: Sequence[bytes]) -> Any:
    """Puts these bodies, the first of them under syncpoint and backed out, and gets the others back."""

    def work(run: ClientRun) -> None:
        assert run.open()
        descriptor = MD.codec(run.client.link.wire.writer.order)(version=2).build()
        for number, body in enumerate(bodies):
            options = 0x4 if number else 0x2
            run.done(run.client.calls.put(run.handle, descriptor, body, options, run.now))
            if not number:
                run.done(run.client.calls.backout(run.now))
                run.queue.clear()
        for _ in bodies[1:]:
            run.get(int(MQGMO.NO_SYNCPOINT))

    return work


def test_bodies_that_are_missing_are_found_where_messages_have_other_ids(run: Run, tmp_path: Path) -> None:
    bodies = [b"taken back", *(b"order %d" % (number % 9) for number in range(20))]  # most of them twice
    fewer = [bodies[0], *bodies[1:4], *bodies[6:20]]  # without 3, 4, and one 1
    for seed, there in enumerate((bodies, fewer)):
        clients = [ClientTraffic(program=program(there), queue_manager=f"QM{seed}")]
        Scenario(seed=seed, channels=(), clients=clients).build().save(tmp_path / f"{seed}.pcap")
    shown = run(LOST, "0.pcap", "1.pcap").output
    assert "20 messages before, 17 after, 20 lost" in shown
    assert "0 in both, 0 of them with another body\n3 bodies are not there after" in shown
    assert len(told(shown)[1]) == 3


def test_puts_that_do_not_tell_their_message_ids_are_left_out(run: Run, tmp_path: Path) -> None:
    for name, count in (("before", 3), ("after", 0)):
        clients = [ClientTraffic(asynchronous=True, puts=(10,) * count), ClientTraffic(puts=(10,))]
        Scenario(seed=1, channels=(), clients=clients).build().save(tmp_path / f"{name}.pcap")
    shown = run(LOST, "before.pcap", "after.pcap").output
    assert "before.pcap: 3 puts without a reply" in shown
    assert "1 messages before, 1 after" in shown


# What goes wrong


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("slowest_calls", ("nothing.pcap",), "slowest_calls.py: nothing.pcap: no such file or folder"),
        (LOST, ("only-one.pcap",), "usage: lost_between_two_captures.py BEFORE AFTER"),
    ],
)
def test_what_is_not_there_is_said_in_a_line(name: str, arguments: tuple[str, ...], said: str, run: Run) -> None:
    assert run(name, *arguments).error == said


def test_without_java_spark_is_said_to_need_it(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    Scenario(seed=1).build().save(tmp_path / "one.pcap")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    said = run("slowest_calls", "one.pcap", "--spark").error
    assert str(said).startswith("slowest_calls.py: Spark needs Java 17 or later")


@pytest.mark.parametrize("name", ["slowest_calls", "batch_size_over_time", "clear_text_passwords"])
def test_a_capture_without_what_is_asked_for_is_no_fault(name: str, run: Run, tmp_path: Path) -> None:
    Scenario(seed=1, channels=(), clients=()).build().save(tmp_path / "none.pcap")
    done = run(name, "none.pcap")
    assert done.error in (None, "no batches: these captures hold no message channel")
