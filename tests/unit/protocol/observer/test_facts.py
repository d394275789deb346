"""Classes of observations: what their metaclass makes of annotations."""

from __future__ import annotations

import copy
import pickle

import pytest

from mqbridge.captures.rules import load
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import BytesLost, Observation, Place
from mqbridge.protocol.observer.facts import FactType, values_of

HERE = Direction.INITIATOR, Place(1.5, 2, 3)


class Seen(metaclass=FactType):
    """Some fact."""

    place: int
    note: str = "none"


class SeenTwice(Seen):
    """More of it."""

    again: int = 0

    @property
    def both(self) -> int:
        """Both places."""
        return self.place + self.again


def test_fields_come_by_position_or_name_those_of_the_base_in_front() -> None:
    assert values_of(Seen(1)) == {"place": 1, "note": "none"}
    assert values_of(SeenTwice(1, "noted", 2)) == {"place": 1, "note": "noted", "again": 2}
    assert values_of(SeenTwice(again=2, place=1)) == {"place": 1, "note": "none", "again": 2}
    assert SeenTwice(1, again=2).both == 3


@pytest.mark.parametrize("values", [(), (1, "", 2)])
def test_what_fits_no_field_is_refused(values: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        Seen(*values)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Seen(1, nothing=2)  # type: ignore[call-arg]


def test_each_is_itself_and_has_slots() -> None:
    one = Seen(1)
    assert one != Seen(1)
    assert len({one, one, Seen(1)}) == 2
    assert not hasattr(SeenTwice(1), "__dict__")
    with pytest.raises(AttributeError):
        one.other = 1  # type: ignore[attr-defined]
    one.place = 5
    assert repr(one) == "Seen(place=5, note='none')"


def test_the_first_of_a_base_says_nothing_to_its_classes() -> None:
    class Base(metaclass=FactType):
        one: int

    class Derived(Base):
        two: int

    Base(1)
    assert values_of(Derived(1, 2)) == {"one": 1, "two": 2}


def test_observations_are_copied_and_pickled() -> None:
    lost = BytesLost(*HERE, length=4, reason="why")
    for other in (copy.copy(lost), pickle.loads(pickle.dumps(lost))):
        assert type(other) is BytesLost
        assert values_of(other) == values_of(lost)


def test_all_observations_are_such_facts() -> None:
    watched = {rule.watches for rule in load().values()}
    assert len(watched) > 50
    for kind in watched:
        assert type(kind) is FactType
        assert issubclass(kind, Observation)
        names = list(kind._fields)
        assert names[:2] == ["direction", "place"]
        made = kind(*HERE, *range(len(names) - 2))
        assert list(values_of(made).values()) == [*HERE, *range(len(names) - 2)]
