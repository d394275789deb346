"""Works of a batch whose functions are called at once become what they become one after the other, in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.agents.routing.definitions import RouteDefinition, Source, SourceKind
from mqbridge.bridge.agents.routing.step_calls import StepAnswer
from mqbridge.bridge.agents.routing.works import Call, Work, Works
from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.message import Message
from mqbridge.mappings.transformations import CallPython, Finished, Limits, Run, StepFailed, Surroundings, read_steps

SURROUNDINGS, LIMITS = Surroundings(), Limits()
SET = {"set": "MQMD.Priority", "value": 5}
MARKS = st.text(st.sampled_from("-12!"), min_size=4, max_size=4)
"""What the functions of a message do, in turn: drop it, return it once or twice, fail."""


def message(text: str) -> Message:
    return Message.build(text.encode(), format="MQSTR")


def function(call: CallPython) -> StepAnswer:
    """Do what the first mark says, which the messages returned have no longer."""
    text = call.message.data.decode()
    if text[:1] == "!":
        return StepAnswer(reason=2374, text="it failed")
    times = {"-": 0, "2": 2}.get(text[:1], 1)
    return StepAnswer(tuple(message(text[1:] + "ab"[each]) for each in range(times)))


def routes(steps: list[list[bool]]) -> list[RouteDefinition]:
    """Routes of Python functions and other steps; each function has a name of its own."""
    made = []
    for number, each in enumerate(steps):
        items = [{"python": f"m:f{number}_{place}"} if calls else SET for place, calls in enumerate(each)]
        source = Source(SourceKind.QUEUE, "IN")
        made.append(RouteDefinition(f"r{number}", source, Destination.queue("OUT"), steps=read_steps(items)))
    return made


def one_after_the_other(works: list[Work], definitions: list[RouteDefinition]) -> tuple[list[object], list[CallPython]]:
    made: list[object] = []
    calls = []
    for work in works:
        if work.route < 0:
            made.append(())
            continue
        run = Run(definitions[work.route].steps, work.message, SURROUNDINGS, LIMITS)
        while isinstance(outcome := run.advance(), CallPython):
            calls.append(outcome)
            answer(outcome, run.answered, run.failed)
        made.append(outcome.messages if isinstance(outcome, Finished) else outcome.reason)
        assert isinstance(outcome, Finished | StepFailed)
    return made, calls


def answer(call: CallPython, answered: Callable[..., None], failed: Callable[..., None]) -> None:
    found = function(call)
    if found.reason:
        failed(found.reason, found.text)
    else:
        answered(found.messages)


@given(
    steps=st.lists(st.lists(st.booleans(), max_size=3), min_size=1, max_size=3),
    marks=st.lists(st.tuples(st.integers(-1, 2), MARKS), max_size=8),
    data=st.data(),
    any_order=st.booleans(),
)
def test_works_become_what_they_become_alone(
    steps: list[list[bool]], marks: list[tuple[int, str]], data: st.DataObject, any_order: bool
) -> None:
    definitions = routes(steps)
    all_works = [Work(b"", message(text), min(route, len(steps) - 1)) for route, text in marks]
    expected, sequence = one_after_the_other(all_works, definitions)
    works = Works(all_works, definitions, SURROUNDINGS, LIMITS)
    asked: list[CallPython] = []
    under_way: dict[str, deque[Call]] = {}

    def begin(calls: list[Call]) -> None:
        for each in calls:
            asked.append(each[1])
            under_way.setdefault(each[1].target, deque()).append(each)

    begin(works.start())
    ready = works.take_ready()
    while works.left:
        queue = under_way[data.draw(st.sampled_from([name for name, calls in under_way.items() if calls]))]
        queue.rotate(data.draw(st.integers(0, 3)) if any_order else 0)
        work, call = queue.popleft()
        begin(works.answered(work, function(call)))
        ready += works.take_ready()
    assert ready == all_works
    assert [each.made if each.failure is None else each.failure.reason for each in ready] == expected
    assert len(asked) == len(sequence)
    assert not any(under_way.values())
    if not any_order:
        for name in under_way:
            assert [each for each in asked if each.target == name] == [each for each in sequence if each.target == name]


def test_functions_are_called_for_all_works_at_once() -> None:
    all_works = [Work(b"", message(text), 0) for text in ("1", "2", "1")]
    works = Works(all_works, routes([[True, True]]), SURROUNDINGS, LIMITS)
    calls = works.start()
    assert [work for work, _ in calls] == all_works
    first, second, third = calls
    assert [call.target for _, call in works.answered(*_answer(first))] == ["m:f0_1"]
    (next_of_second,) = works.answered(*_answer(second))
    assert works.answered(*_answer(third)) == []
    both = works.answered(*_answer(next_of_second))
    assert [work for work, _ in both] == all_works[1:]


def _answer(call: Call) -> tuple[Work, StepAnswer]:
    return call[0], function(call[1])
