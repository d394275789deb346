"""Values that are made for each message: plain classes, compared, shown and pickled by what they hold."""

from __future__ import annotations

from typing import Any


class Value:
    """A value that is not changed once it is made."""

    __slots__ = ()

    def held(self) -> tuple[Any, ...]:
        """Return what it holds, in the order in which its class takes it."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and type(other) is type(self) and other.held() == self.held()

    def __hash__(self) -> int:
        return hash(self.held())

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.held()!r}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.held()
