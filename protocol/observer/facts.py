"""How classes of observations are made: quickly, for there are many and an analysis meets few of them.

A class is written as a data class is: annotations, defaults, and the fields of the base in front::

    class BatchBegun(Observation):
        batch: int
        luwid: bytes = b""

It has slots, is compared by identity, and says its fields in ``repr``. Its ``__init__`` is compiled when the first one
is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, dataclass_transform

_NEEDED: Final = object()


@dataclass_transform(eq_default=False)
class FactType(type):
    """The class of these classes. ``_fields``: default by name, in the order of the parameters."""

    _fields: dict[str, Any]

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> FactType:
        """Take the annotations as slots."""
        own = namespace.get("__annotations__", {})
        defaults = {key: namespace.pop(key, _NEEDED) for key in own}
        namespace["__slots__"] = tuple(own)
        namespace["__init__"] = _first
        if not bases:
            namespace["__repr__"] = _shown
        made = super().__new__(mcs, name, bases, namespace)
        made._fields = {**(getattr(bases[0], "_fields", {}) if bases else {}), **defaults}
        return made


def _first(self: Any, *values: Any, **named: Any) -> None:
    """``__init__`` of a class of which there was none yet."""
    kind: Any = type(self)
    made = _initialiser(kind._fields)
    kind.__init__ = made
    made(self, *values, **named)


def _initialiser(fields: dict[str, Any]) -> Callable[..., None]:
    parameters = ", ".join(key if value is _NEEDED else f"{key}=fields[{key!r}]" for key, value in fields.items())
    lines = [f"def __init__(self, {parameters}):", *(f"    self.{key} = {key}" for key in fields)]
    namespace: dict[str, Any] = {"fields": fields}
    exec("\n".join(lines), namespace)
    made: Callable[..., None] = namespace["__init__"]
    return made


def _shown(self: Any) -> str:
    """``__repr__`` of all of them."""
    return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in values_of(self).items())})"


def values_of(fact: Any) -> dict[str, Any]:
    """Values of one by the names of its fields."""
    return {key: getattr(fact, key) for key in type(fact)._fields}
