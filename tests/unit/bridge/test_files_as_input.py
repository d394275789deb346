"""Files of a folder as messages: the input alone, and in a queue manager that is killed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqbridge.bridge.agents.routing.taken import Taken
from mqbridge.bridge.client.message import Message
from mqbridge.bridge.inputs import InputError, files
from mqbridge.bridge.inputs.files import FilesInput
from support.processes.failing_starts import FailingStarts
from support.processes.running_service import MakeService, wait_for


class PlayedSink:
    """A route that answers when the play says so."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.offered: list[tuple[bytes, bytes, Callable[[Taken], None]]] = []
        self.known: list[bytes] = []
        self.calls: list[Callable[[], None]] = []
        self.problems: list[str] = []
        self.refuses = False

    def offer(
        self, message: Message, identity: bytes, then: Callable[[Taken], None], mark: bytes = b""
    ) -> Callable[[], None]:
        self.offered.append((message.data, identity, then))
        if self.refuses:
            then(Taken.NOT)
        return lambda: None

    def forget(self, identity: bytes) -> None:
        self.known.remove(identity)

    def identities(self) -> dict[bytes, bytes]:
        return dict.fromkeys(self.known, b"")

    def later(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        self.calls.append(call)
        return lambda: self.calls.remove(call)

    def problem(self, text: str) -> None:
        self.problems.append(text)

    def look(self, times: int = 2) -> list[bytes]:
        """Time passes; what is offered then."""
        before = len(self.offered)
        for _ in range(times):
            self.calls.pop()()
        return [data for data, _, _ in self.offered[before:]]

    def answer(self, taken: Taken) -> list[bytes]:
        """What was offered is answered; what is offered then."""
        offered, self.offered = self.offered, []
        for _, identity, then in offered:
            if taken is Taken.NOW:
                self.known.append(identity)
            then(taken)
        return [data for data, _, _ in self.offered]


@pytest.fixture
def sink(tmp_path: Path) -> PlayedSink:
    (tmp_path / "in").mkdir()
    return PlayedSink(tmp_path)


def begin(sink: PlayedSink, **settings: Any) -> FilesInput:
    made = FilesInput({"folder": "in", **settings}, sink)
    made.start()
    return made


def write(sink: PlayedSink, name: str, data: bytes, time: int) -> Path:
    file = sink.folder / "in" / name
    file.write_bytes(data)
    os.utime(file, ns=(time, time))
    return file


def test_files_are_offered_oldest_first_and_removed_once_they_are_taken(sink: PlayedSink) -> None:
    newer, older = write(sink, "a", b"newer", 2), write(sink, "b", b"older", 1)
    begin(sink)
    assert sink.look() == [b"older", b"newer"]
    assert sink.look() == []
    assert newer.exists()
    sink.answer(Taken.NOW)
    assert [each.exists() for each in (newer, older)] == [False, False]
    assert len(sink.known) == 2
    sink.look(1)
    assert sink.known == []


def test_a_file_of_the_same_name_time_and_length_is_another_one(sink: PlayedSink) -> None:
    write(sink, "a", b"one", 1)
    begin(sink)
    sink.look()
    _, first, _ = sink.offered[0]
    sink.answer(Taken.NOW)
    write(sink, "a", b"two", 1)
    assert sink.look() == [b"two"]
    assert sink.offered[0][1] != first


def test_a_file_that_still_changes_is_left_alone(sink: PlayedSink) -> None:
    write(sink, "a", b"part", 1)
    begin(sink)
    assert sink.look(1) == []
    write(sink, "a", b"part and more", 2)
    assert sink.look(1) == []
    assert sink.look(1) == [b"part and more"]


def test_a_file_that_is_not_taken_is_offered_again(sink: PlayedSink) -> None:
    file = write(sink, "a", b"data", 1)
    begin(sink)
    sink.look()
    sink.answer(Taken.NOT)
    assert file.exists()
    assert sink.look(1) == [b"data"]


def test_behind_a_file_that_is_not_taken_no_other_is_read(sink: PlayedSink) -> None:
    for number in range(3):
        write(sink, str(number), b"%d" % number, number)
    begin(sink)
    sink.refuses = True
    assert sink.look() == [b"0"]
    sink.refuses = False
    assert sink.look(1) == [b"0", b"1", b"2"]


def test_only_so_many_bytes_are_on_their_way(sink: PlayedSink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES_AT_ONCE", 10)
    for number in range(4):
        write(sink, str(number), b"%d" % number * 6, number)
    begin(sink)
    assert sink.look() == [b"0" * 6, b"1" * 6]
    assert sink.look() == []
    assert sink.answer(Taken.NOW) == [b"2" * 6, b"3" * 6]


def test_the_next_files_are_offered_as_soon_as_there_is_room(sink: PlayedSink) -> None:
    for number in range(130):
        write(sink, f"{number:03}", b"%d" % number, number)
    begin(sink)
    assert sink.look() == [b"%d" % number for number in range(50)]
    write(sink, "060", b"changed", 1000)
    (sink.folder / "in" / "061").unlink()
    assert sink.answer(Taken.NOW)[:11] == [b"%d" % number for number in range(50, 60)] + [b"62"]


def test_nothing_is_offered_after_the_stop(sink: PlayedSink) -> None:
    for number in range(60):
        write(sink, f"{number:03}", b"%d" % number, number)
    made = begin(sink)
    sink.look()
    made.stop()
    assert sink.answer(Taken.NOW) == []


def test_a_folder_that_cannot_be_read_forgets_nothing(sink: PlayedSink, monkeypatch: pytest.MonkeyPatch) -> None:
    write(sink, "a", b"data", 1)
    made = FilesInput({"folder": "in"}, sink)
    sink.known.append(b"of a file")
    (sink.folder / "in" / "a").unlink()
    (sink.folder / "in").rmdir()
    made.start()
    assert (sink.known, len(sink.problems)) == ([b"of a file"], 1)


def test_a_file_that_was_taken_before_a_crash_is_removed_without_a_message(sink: PlayedSink) -> None:
    file = write(sink, "a", b"data", 1)
    begin(sink)
    sink.look()
    _, identity, _ = sink.offered[0]
    sink.known.append(identity)
    sink.answer(Taken.BEFORE)
    sink.look(1)
    assert (file.exists(), sink.known) == (False, [])


def test_identities_of_files_that_are_gone_are_forgotten_at_the_start(sink: PlayedSink) -> None:
    write(sink, "a", b"data", 1)
    begin(sink)
    sink.look()
    here = sink.offered[0][1]
    sink.known += [b"gone", here]
    begin(sink)
    assert sink.known == [here]


def test_patterns_folders_hidden_files_and_links_are_passed_over(sink: PlayedSink) -> None:
    for name in ("a.xml", "b.txt", ".c.xml"):
        write(sink, name, name.encode(), 1)
    (sink.folder / "in" / "d.xml").mkdir()
    (sink.folder / "in" / "e.xml").symlink_to(sink.folder / "in" / "b.txt")
    begin(sink, pattern="*.xml")
    assert sink.look() == [b"a.xml"]


def test_a_folder_that_is_gone_is_said_once(sink: PlayedSink) -> None:
    begin(sink)
    (sink.folder / "in").rmdir()
    sink.look(3)
    assert len(sink.problems) == 1
    (sink.folder / "in").mkdir()
    write(sink, "a", b"data", 1)
    assert sink.look() == [b"data"]


def test_nothing_is_looked_for_after_the_stop(sink: PlayedSink) -> None:
    made = begin(sink)
    made.stop()
    assert sink.calls == []


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"folder": "none"}, "folder"),
        ({"folder": 5}, "folder"),
        ({"folder": "in", "patern": "*"}, "patern"),
        ({"folder": "in", "ccsid": 0}, "ccsid"),
        ({"folder": "in", "ccsid": "x"}, "ccsid"),
        ({"folder": "in", "interval": 0.001}, "interval"),
        ({"folder": "in", "persistent": 1}, "persistent"),
        ({}, ""),
    ],
)
def test_wrong_settings(sink: PlayedSink, settings: dict[str, Any], key: str) -> None:
    with pytest.raises(InputError) as caught:
        FilesInput(settings, sink)
    assert caught.value.key == key


CONFIGURATION = """
[[route]]
name = "files"
input = { kind = "files", folder = "incoming", interval = 0.05 }
to = "DEV.QUEUE.1"
"""


def test_each_file_becomes_one_message_though_the_queue_manager_is_killed(
    make_service: MakeService, tmp_path: Path
) -> None:
    folder = tmp_path / "incoming"
    folder.mkdir()
    (tmp_path / "files.toml").write_text(CONFIGURATION)
    service = make_service(options=("--config", str(tmp_path / "files.toml")))
    for round_ in range(3):
        for number in range(40):
            hidden = folder / ".new"
            hidden.write_text(f"{round_} {number}")
            hidden.rename(folder / f"{round_}.{number}")
        wait_for("the first messages", lambda: len(list(folder.iterdir())) < 40)
        service.restart(kill=True)
    wait_for("all files", lambda: not list(folder.iterdir()))
    texts = [message["body"]["text"] for message in service.browse("DEV.QUEUE.1")]
    assert sorted(texts) == sorted(f"{round_} {number}" for round_ in range(3) for number in range(40))


@pytest.mark.parametrize(
    ("was", "becomes", "what"),
    [
        ('folder = "incoming"', 'folder = "nowhere"', "is no folder"),
        ('kind = "files"', 'kind = "smoke"', "no plug-in offers inputs of kind 'smoke'"),
        ('kind = "files", ', "", "an input has a 'kind'"),
        ("interval = 0.05", "intervall = 1", "unknown key 'intervall'"),
        ('to = "DEV', 'when = "a = \'b\'"\nto = "DEV', "every message of its input"),
    ],
)
def test_a_wrong_input_prevents_the_start(
    failing_starts: FailingStarts, tmp_path: Path, was: str, becomes: str, what: str
) -> None:
    (tmp_path / "incoming").mkdir()
    assert was in CONFIGURATION
    (tmp_path / "wrong.toml").write_text(CONFIGURATION.replace(was, becomes))
    status, log = failing_starts.start(tmp_path, "--config", str(tmp_path / "wrong.toml"))
    assert status == 2
    assert what in log
    assert "wrong.toml, line " in log
