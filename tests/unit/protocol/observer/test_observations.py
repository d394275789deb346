"""Classes of observations: what all of them have in common."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields

import pytest

from mqbridge.captures.rules import load
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import BytesLost, Observation, Place
from mqbridge.protocol.observer.channel import MessageJoined
from mqbridge.protocol.observer.observations import values_of

HERE = Direction.INITIATOR, Place(1.5, 2, 3)


def test_fields_come_by_position_or_name_those_of_the_base_in_front() -> None:
    told = {"direction": HERE[0], "place": HERE[1], "length": 4}
    assert values_of(BytesLost(*HERE, 4)) == {**told, "reason": ""}
    assert values_of(BytesLost(*HERE, 4, "why")) == {**told, "reason": "why"}
    assert values_of(BytesLost(reason="why", length=4, place=HERE[1], direction=HERE[0])) == {**told, "reason": "why"}


@pytest.mark.parametrize("values", [(), (*HERE, 1, "", 2)])
def test_what_fits_no_field_is_refused(values: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        BytesLost(*values)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        BytesLost(*HERE, 1, nothing=2)  # type: ignore[call-arg]


def test_each_is_itself_and_has_slots() -> None:
    one = BytesLost(*HERE, 1)
    assert one != BytesLost(*HERE, 1)
    assert len({one, one, BytesLost(*HERE, 1)}) == 2
    assert not hasattr(one, "__dict__")
    with pytest.raises(AttributeError):
        one.other = 1  # type: ignore[attr-defined]
    one.length = 5
    assert repr(one) == f"BytesLost(direction={HERE[0]!r}, place={HERE[1]!r}, length=5, reason='')"


def test_observations_are_copied_and_pickled() -> None:
    for told in (BytesLost(*HERE, length=4, reason="why"), MessageJoined(*HERE, 1, 2, 3, 4)):
        for other in (copy.copy(told), pickle.loads(pickle.dumps(told))):
            assert type(other) is type(told)
            assert values_of(other) == values_of(told)


def test_all_observations_are_such_records() -> None:
    watched = {rule.watches for rule in load().values()}
    assert len(watched) > 50
    for kind in watched:
        assert issubclass(kind, Observation)
        assert "__slots__" in vars(kind)
        names = [each.name for each in fields(kind)]
        assert names[:2] == ["direction", "place"]
        made = kind(*HERE, *range(len(names) - 2))
        assert list(values_of(made).values()) == [*HERE, *range(len(names) - 2)]
