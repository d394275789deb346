from __future__ import annotations

from typing import Any

import pytest
from twisted.internet.task import Clock

from mqbridge.bridge.admin.errors import RestError
from mqbridge.bridge.admin.units import IDLE_LIMIT, MAX_FOR_USER, MAX_UNITS, RestUnit, Units
from mqbridge.bridge.security import Mechanism, WebRole, WebUser

OPERATOR = WebUser("root", WebRole.ADMINISTRATOR)


class Program:
    """Stands for the program of a unit: tells when it ends, and with it is backed out."""

    def __init__(self, ended: list[object]) -> None:
        self.ended = ended

    def end(self) -> None:
        self.ended.append(self)


class Context:
    """Units on a clock that the test moves."""

    def __init__(self) -> None:
        self.backed_out: list[object] = []
        self.clock = Clock()
        self.reactor = self.clock


@pytest.fixture
def context() -> Context:
    return Context()


@pytest.fixture
def units(context: Context) -> Units:
    return Units(context)  # type: ignore[arg-type]


def new_unit(context: Context, units: Units, channel: object = None) -> RestUnit:
    program: Any = Program(context.backed_out)
    return units.open(program, OPERATOR, channel=channel)


def test_thirty_idle_seconds_back_a_unit_out(context: Context, units: Units) -> None:
    unit = new_unit(context, units)
    context.clock.advance(IDLE_LIMIT - 1)
    units.release(units.use(unit.id, OPERATOR))
    context.clock.advance(IDLE_LIMIT - 1)
    assert len(units) == 1
    context.clock.advance(1)
    assert len(units) == 0
    assert len(context.backed_out) == 1
    with pytest.raises(RestError, match="no such unit"):
        units.use(unit.id, OPERATOR)


def test_a_request_may_take_longer_than_the_limit(context: Context, units: Units) -> None:
    unit = units.use(new_unit(context, units).id, OPERATOR)
    context.clock.advance(IDLE_LIMIT * 10)
    assert len(units) == 1
    units.release(unit)
    context.clock.advance(IDLE_LIMIT)
    assert len(units) == 0


def test_a_unit_that_ends_with_its_connection_has_no_limit(context: Context, units: Units) -> None:
    connection = object()
    new_unit(context, units, connection)
    context.clock.advance(IDLE_LIMIT * 10)
    assert units.holds(connection)
    units.connection_lost(connection)
    assert len(units) == 0
    assert context.clock.getDelayedCalls() == []


def test_a_unit_in_use_is_backed_out_when_its_request_has_ended(context: Context, units: Units) -> None:
    unit = units.use(new_unit(context, units).id, OPERATOR)
    units.backout_all()
    assert context.backed_out == []
    units.release(unit)
    assert len(context.backed_out) == 1
    assert len(units) == 0


def test_too_many_units_are_refused(context: Context, units: Units) -> None:
    for _ in range(MAX_UNITS):
        new_unit(context, units)
    with pytest.raises(RestError):
        new_unit(context, units)


def test_a_user_has_so_many_units_and_others_have_theirs(context: Context, units: Units) -> None:
    ann, bob = WebUser("ann", WebRole.USER, Mechanism.BASIC), WebUser("bob", WebRole.USER, Mechanism.LOGIN)
    program: Any = Program(context.backed_out)
    for _ in range(MAX_FOR_USER):
        units.open(program, ann)
    with pytest.raises(RestError, match="100 units of work are open"):
        units.open(program, ann)
    assert context.backed_out == [program]
    units.open(program, bob)


@pytest.mark.parametrize(
    ("owner", "other", "admitted"),
    [
        (WebUser("ann", WebRole.USER, Mechanism.BASIC), WebUser("ann", WebRole.USER, Mechanism.LOGIN), True),
        (WebUser("ann", WebRole.USER, Mechanism.BASIC), WebUser("bob", WebRole.USER, Mechanism.BASIC), False),
        (WebUser("ann", WebRole.ADMINISTRATOR, Mechanism.BASIC), WebUser("ann", WebRole.USER, Mechanism.BASIC), False),
        (OPERATOR, WebUser("mq", WebRole.ADMINISTRATOR), True),
    ],
)
def test_a_unit_is_that_of_its_user(
    context: Context, units: Units, owner: WebUser, other: WebUser, admitted: bool
) -> None:
    unit = units.open(Program(context.backed_out), owner)  # type: ignore[arg-type]
    if admitted:
        assert units.use(unit.id, other) is unit
    else:
        with pytest.raises(RestError, match="no such unit"):
            units.use(unit.id, other)
