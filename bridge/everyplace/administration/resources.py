"""What administration asks of each resource, and what most of them share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions.properties import Property, by_field
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields

from .actions import Action, ReturnCode
from .requests import Request, Result, error_text

Errors = dict[str, tuple[str, ...]]


class Resource(Protocol):
    """A resource (E-285). Others than those of this package are registered with `Administration.register`."""

    @property
    def name(self) -> str:
        """Its class."""
        ...

    @property
    def actions(self) -> Collection[Action]:
        """What it can do."""
        ...

    def perform(self, request: Request, now: float) -> Change[Result]:
        """Prepare an action: its operations are committed together with the end of the request and its reply.

        Raises `EveryplaceError` for what fails as a whole; `Unsettled` to be called again when a change has ended.
        """
        ...


class Values:
    """Parameters of a request, read by the rows of its resource. ``given``: those that are right, by row. ``errors``:
    why others are not. ``asked``: the rows that are named, with whatever value. ``count``: fields that were read."""

    def __init__(self, parameters: Fields, rows: Sequence[Property], passed: Collection[Property]) -> None:
        known = by_field(rows)
        self.given: dict[Property, Any] = {}
        self.errors: Errors = {}
        self.asked: list[Property] = []
        self.count = 0
        for field in parameters:
            row = known.get(field)
            if row in passed:
                continue
            self.count += 1
            if row is None:
                error = EveryplaceError(Code.ADMIN_INVALID_FIELD, f"this object has no property {field}")
                self.errors[field] = (error_text(error),)
                continue
            self.asked.append(row)
            if _is_null(parameters, field):
                self.given[row] = None
                continue
            try:
                self.given[row] = row.checked(row.read(parameters))
            except EveryplaceError as error:
                self.errors[field] = (error_text(error),)

    def result(self, request: Request, failed: Mapping[Property, EveryplaceError]) -> Result:
        """Return the result of an update, of which these rows failed too (E-280)."""
        errors = self.errors | {row.field: (error_text(error),) for row, error in failed.items()}
        return changed(request, errors, self.count)

    def check(self, request: Request) -> Result | None:
        """Return the result of an action that wants all of them right, if they are not."""
        if not self.errors:
            return None
        return Result(ReturnCode.FAILED, request.parameters, f"{request}: nothing was done", self.errors)


def changed(request: Request, errors: Errors, count: int) -> Result:
    """Return the result of an action on ``count`` things, some of which failed."""
    if not errors:
        return Result(ReturnCode.SUCCESS, request.parameters)
    failed = sum(sum(1 for text in texts if text) for texts in errors.values())
    if failed >= count:
        return Result(ReturnCode.FAILED, request.parameters, f"{request}: nothing was changed", errors)
    return Result(ReturnCode.MIXED, request.parameters, f"{request}: some was changed, some was not", errors)


def named(request: Request, row: Property, outcome: Sequence[EveryplaceError | None]) -> Result:
    """Return the result of adding or removing names, with a text for each that failed."""
    if not any(outcome):
        return changed(request, {}, len(outcome))
    texts = tuple("" if error is None else error_text(error) for error in outcome)
    return changed(request, {row.field: texts}, len(outcome))


def names_of(request: Request, row: Property) -> tuple[str, ...]:
    """Return the names that a request adds or removes. Raises `EveryplaceError` ADMIN_INVALID_FIELD."""
    if row.field not in request.parameters:
        raise row.invalid("it is to name what is added or removed")
    found: tuple[str, ...] = row.checked(row.read(request.parameters)) or ()
    return found


def inquire(
    request: Request,
    rows: Sequence[Property],
    passed: Collection[Property],
    value: Callable[[Property], Any],
) -> Result:
    """Return the values of the rows that an inquiry names, of all of them for INQUIRE_ALL (E-281)."""
    found, errors = Fields(), {}
    wanted = Values(request.parameters, rows, passed)
    if request.action is Action.INQUIRE_ALL:
        wanted.asked = [row for row in rows if row not in passed and not row.secret]
        wanted.errors = {}
    errors.update(wanted.errors)
    for row in (*passed, *wanted.asked):
        if row.secret:
            errors[row.field] = (error_text(row.invalid("it is never given back", Code.NOT_ALLOWED)),)
        else:
            found.put(row.field, value(row), row.type)
    said = len(found) > len(passed)
    code = ReturnCode.SUCCESS if not errors else ReturnCode.MIXED if said else ReturnCode.FAILED
    return Result(code, found, "" if not errors else f"{request}: some cannot be said", errors)


def require_name(request: Request) -> str:
    """Return the name of the object. Raises `EveryplaceError` ADMIN_INVALID_FIELD."""
    if not request.name:
        raise EveryplaceError(Code.ADMIN_INVALID_FIELD, f"{request} names no {request.resource}")
    return request.name


def _is_null(parameters: Fields, field: str) -> bool:
    encoded = parameters.encoded(field)
    return encoded is not None and encoded.data is None
