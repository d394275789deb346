"""What functions return, raise and print."""

from __future__ import annotations

import pytest

from mqbridge.bridge.step_workers.frames import FunctionFailed
from mqbridge.bridge.step_workers.output import MAX_LINES
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import read_properties, without_properties
from mqbridge.mappings.transformations import Limits

from .conftest import Workers


def text(answer: object) -> str:
    assert isinstance(answer, tuple)
    assert isinstance(answer[0], Message)
    return answer[0].data.decode()


def failure(answer: object) -> FunctionFailed:
    assert isinstance(answer, FunctionFailed)
    return answer


def test_a_message_comes_back_byte_for_byte(shared: Workers) -> None:
    (answer,) = shared.calls("same", "hello")
    assert answer == (Message.build(b"hello", format="MQSTR", coded_char_set_id=1208, encoding=546),)


@pytest.mark.parametrize(("function", "texts"), [("drop", []), ("twice", ["ab", "abab"]), ("listed", ["ab", "ab"])])
def test_a_function_returns_none_or_several(shared: Workers, function: str, texts: list[str]) -> None:
    (answer,) = shared.calls(function, "ab")
    assert isinstance(answer, tuple)
    assert [without_properties(message).data.decode() for message in answer] == texts
    if function == "twice":
        assert [each.name for each in read_properties(answer[1])] == ["colour"]


def test_calls_are_made_in_order_by_one_process(shared: Workers) -> None:
    answers = [text(answer).split() for answer in shared.calls("number", *map(str, range(200)))]
    assert [(given, count) for given, _, count in answers] == [(str(each), str(each + 1)) for each in range(200)]
    assert len({pid for _, pid, _ in answers}) == 1


@pytest.mark.parametrize(
    ("function", "given", "reason", "said"),
    [
        ("fail", "", 2374, "raised ValueError at steps_of_tests.py, line"),
        ("fail_later", "", 2374, "raised ValueError at steps_of_tests.py, line"),
        ("leave", "", 2374, "raised SystemExit"),
        ("rubbish", "5", 2374, "returned int"),
        ("rubbish", "text", 2374, "returned str"),
        ("rubbish", "list", 2374, "returned list with int"),
        ("rubbish", "lambda", 2374, "returned function"),
        ("rubbish", "class", 2374, "returned type"),
        ("rubbish", "dict", 2374, "returned dict"),
        ("broken", "", 2374, "returned a message that cannot be sent"),
        ("long", "1001", 2031, "returned 1001 bytes of data, 1000 are allowed"),
        ("many", "11", 2374, "returned more than 10 messages"),
        ("endless", "", 2374, "returned more than 10 messages"),
    ],
)
def test_failures_are_told_without_data(shared: Workers, function: str, given: str, reason: int, said: str) -> None:
    limits = Limits(length=1000, messages=10)
    (bad,) = shared.calls(function, given, limits=limits)
    assert failure(bad).reason == reason
    assert said in failure(bad).text
    assert "secret" not in failure(bad).text


def test_messages_together_have_a_limit(shared: Workers) -> None:
    (answer,) = shared.calls("many", "8", limits=Limits(length=4, total=6))
    assert failure(answer) == FunctionFailed(
        2031, "steps_of_tests:many returned messages of more than 6 bytes together"
    )


def test_big_messages_pass(shared: Workers) -> None:
    size = 8 << 20
    (answer,) = shared.calls("long", str(size), limits=Limits(length=size))
    assert len(text(answer)) == size
    answers = shared.calls("same", *["x" * size] * 3, limits=Limits(length=size))
    assert [len(text(each)) for each in answers] == [size] * 3


def test_output_is_logged_and_a_flood_is_counted(workers: Workers) -> None:
    (answer,) = workers.calls("flood", "hello")
    assert text(answer) == "hello"
    workers.host.call(workers.workers.stop)
    lines = [inserts[1] for amq, inserts in workers.logged if amq == "AMQ5070"]
    assert str(lines[0]).startswith("line 0 x")
    assert all(len(str(line)) <= 500 for line in lines)
    assert len(lines) <= MAX_LINES + 1
    assert "lines left out" in str(lines[-1])


def test_the_frames_are_out_of_the_way_of_functions(shared: Workers) -> None:
    assert text(shared.calls("writes_everywhere", "hello")[0]) == "hello"
    assert text(shared.calls("reads_input", "hello")[0]) == "''"


def test_what_a_function_sends_itself_is_refused(shared: Workers) -> None:
    (answer,) = shared.calls("meddle", "hello")
    assert "its process sent what is no answer" in failure(answer).text


def test_processes_of_functions_do_not_hold_the_frames(shared: Workers) -> None:
    for function in ("forks", "parent"):
        assert text(shared.calls(function, "hello")[0]) == "hello"
