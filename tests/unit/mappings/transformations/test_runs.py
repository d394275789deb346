"""Runs: steps applied to messages, and Python functions asked for."""

from __future__ import annotations

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import read_properties
from mqbridge.mappings.transformations import CallPython, Finished, Limits, Run, StepFailed, explain, read_steps
from mqbridge.protocol.errors import LocalProtocolError

SET = {"set": "usr.seen", "value": True}
CALL = {"python": "shop.steps:price", "time_limit": 2}


def message(data: bytes = b"hello") -> Message:
    return Message.build(data, format="MQSTR", coded_char_set_id=1208, encoding=546)


def names(made: Message) -> list[str]:
    return [each.name for each in read_properties(made)]


def test_a_run_without_steps_gives_the_message_itself() -> None:
    given = message()
    assert Run((), given).advance() == Finished((given,))


def test_a_step_leaves_the_message_given_as_it_is() -> None:
    given = message()
    before = given.raw_md, given.data
    outcome = Run(read_steps([SET]), given).advance()
    assert isinstance(outcome, Finished)
    assert names(outcome.messages[0]) == ["seen"]
    assert (given.raw_md, given.data) == before


def test_a_function_is_asked_for_and_its_answer_goes_on() -> None:
    run = Run(read_steps([CALL, SET]), message(), limits=Limits(length=1000))
    asked = run.advance()
    assert asked == CallPython("shop.steps:price", message(), 2.0, Limits(length=1000))
    assert run.advance() == asked
    run.answered([message(b"a"), message(b"b")])
    outcome = run.advance()
    assert isinstance(outcome, Finished)
    assert [each.data[-1:] for each in outcome.messages] == [b"a", b"b"]
    assert [names(each) for each in outcome.messages] == [["seen"], ["seen"]]


def test_a_function_is_called_for_each_message_in_order() -> None:
    run = Run(read_steps([CALL, CALL]), message())
    run.advance()
    run.answered([message(b"a"), message(b"b")])
    for text in (b"a", b"b"):
        asked = run.advance()
        assert isinstance(asked, CallPython)
        assert asked.message.data == text
        run.answered([message(text * 2)])
    assert run.advance() == Finished((message(b"aa"), message(b"bb")))


def test_a_message_may_be_dropped() -> None:
    run = Run(read_steps([CALL, SET]), message())
    run.advance()
    run.answered([])
    assert run.advance() == Finished(())


def test_a_function_that_failed_ends_the_run() -> None:
    steps = read_steps([SET, CALL])
    run = Run(steps, message())
    run.advance()
    run.failed(2374, "raised ValueError")
    assert run.advance() == run.advance() == StepFailed(steps[1], 2374, "raised ValueError")


@pytest.mark.parametrize(("answer", "reason"), [([b"a" * 11], 2031), ([b"a"] * 4, 2374)])
def test_answers_have_limits(answer: list[bytes], reason: int) -> None:
    run = Run(read_steps([CALL]), message(), limits=Limits(length=10, messages=3))
    run.advance()
    run.answered([message(each) for each in answer])
    outcome = run.advance()
    assert isinstance(outcome, StepFailed)
    assert outcome.reason == reason


def test_steps_do_not_make_messages_longer_than_the_limit() -> None:
    outcome = Run(read_steps([SET]), message(), limits=Limits(length=20)).advance()
    assert isinstance(outcome, StepFailed)
    assert outcome.reason == 2031


def test_answers_that_nobody_asked_for_are_refused() -> None:
    run = Run(read_steps([SET]), message())
    with pytest.raises(LocalProtocolError):
        run.answered([])
    run.advance()
    with pytest.raises(LocalProtocolError):
        run.failed(2374, "")
    with pytest.raises(LocalProtocolError):
        explain(run)
