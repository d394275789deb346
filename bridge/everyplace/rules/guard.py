"""What becomes of the exceptions of rules (E-490)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from mqbridge.bridge.everyplace.effects import Level, Notice, Topic
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .parameters import split

Answer = TypeVar("Answer")


class Guard:
    """Calls hooks. ``tell``: gets notices of rules that fail; the text of an exception may hold what a filter or a
    message says, so it is left out. ``text``: name and parameters of the rule; ``what``: the operation, for texts."""

    __slots__ = ("_tell",)

    def __init__(self, tell: Callable[[Notice], None]) -> None:
        self._tell = tell

    def ask(self, what: str, hook: Callable[[], None], text: str, *, strict: bool) -> None:
        """Call a hook that may refuse by `RuleRefusal`. Raises `EveryplaceError` RULE.

        ``strict``: one that fails refuses too; else it counts as not called.
        """
        name = split(text)[0]
        try:
            hook()
        except Exception as error:  # a rule may be anybody's
            if isinstance(error, EveryplaceError) and error.code is Code.RULE:
                raise EveryplaceError(Code.RULE, f"{what}: rule {name}: {error.text}") from None
            self._warn(name, error)
            if strict:
                raise EveryplaceError(Code.RULE, f"{what}: rule {name} failed: {type(error).__name__}") from None

    def answer(self, hook: Callable[[], Answer], default: Answer, text: str) -> Answer:
        """Return what a hook says, or a default if it fails."""
        try:
            return hook()
        except Exception as error:  # a rule may be anybody's
            self._warn(split(text)[0], error)
            return default

    def observe(self, hook: Callable[[], object], text: str) -> None:
        """Call a hook that cannot refuse."""
        self.answer(hook, None, text)

    def _warn(self, name: str, error: Exception) -> None:
        self._tell(Notice(Topic.USER_BASE, Level.WARNING, name, f"rule {name} failed: {type(error).__name__}"))
