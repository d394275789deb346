from __future__ import annotations

from typing import Any

import pytest
from twisted.internet.task import Clock

from mqbridge.bridge.admin.errors import RestError
from mqbridge.bridge.admin.units import IDLE_LIMIT, MAX_UNITS, Units


class Manager:
    """Stands for the queue manager: counts what is backed out."""

    def __init__(self) -> None:
        self.backed_out: list[object] = []

    def begin(self, owner: object) -> object:
        return object()

    def backout(self, unit: object, now: float) -> None:
        self.backed_out.append(unit)


class Context:
    """Units on a clock that the test moves."""

    def __init__(self) -> None:
        self.manager = Manager()
        self.clock = Clock()
        self.driver: Any = self
        self.reactor = self.clock

    def now(self) -> float:
        return self.clock.seconds()

    def pump(self) -> None:
        """Nothing to perform."""


@pytest.fixture
def context() -> Context:
    return Context()


@pytest.fixture
def units(context: Context) -> Units:
    return Units(context.manager, context)  # type: ignore[arg-type]


def test_thirty_idle_seconds_back_a_unit_out(context: Context, units: Units) -> None:
    unit = units.open()
    context.clock.advance(IDLE_LIMIT - 1)
    units.release(units.use(unit.id))
    context.clock.advance(IDLE_LIMIT - 1)
    assert len(units) == 1
    context.clock.advance(1)
    assert len(units) == 0
    assert len(context.manager.backed_out) == 1
    with pytest.raises(RestError, match="no such unit"):
        units.use(unit.id)


def test_a_request_may_take_longer_than_the_limit(context: Context, units: Units) -> None:
    unit = units.use(units.open().id)
    context.clock.advance(IDLE_LIMIT * 10)
    assert len(units) == 1
    units.release(unit)
    context.clock.advance(IDLE_LIMIT)
    assert len(units) == 0


def test_a_unit_that_ends_with_its_connection_has_no_limit(context: Context, units: Units) -> None:
    connection = object()
    units.open(channel=connection)
    context.clock.advance(IDLE_LIMIT * 10)
    assert units.holds(connection)
    units.connection_lost(connection)
    assert len(units) == 0
    assert context.clock.getDelayedCalls() == []


def test_a_unit_in_use_is_backed_out_when_its_request_has_ended(context: Context, units: Units) -> None:
    unit = units.use(units.open().id)
    units.backout_all()
    assert context.manager.backed_out == []
    units.release(unit)
    assert len(context.manager.backed_out) == 1
    assert len(units) == 0


def test_too_many_units_are_refused(units: Units) -> None:
    for _ in range(MAX_UNITS):
        units.open()
    with pytest.raises(RestError):
        units.open()
