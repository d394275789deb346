"""Python functions as steps."""

from __future__ import annotations

from typing import Final

from .errors import StepError
from .step import DEFAULT_TIME_LIMIT, PythonFunction

MAX_TIME_LIMIT: Final = 300.0
"""Longest time limit in seconds."""
MAX_TARGET: Final = 500
"""Longest ``"module:function"`` in characters."""


def python_function(target: object, time_limit: object = DEFAULT_TIME_LIMIT) -> PythonFunction:
    """Return the step that calls ``"module:function"``. Raises `StepError`."""
    if not isinstance(target, str):
        raise StepError(0, f'python = "module:function" is right, not {target!r}')
    module, _, function = target.partition(":")
    names = [*module.split("."), *function.split(".")]
    if len(target) > MAX_TARGET or not all(name.isidentifier() for name in names):
        raise StepError(0, f'python = "module:function" is right, not {target[:80]!r}')
    if isinstance(time_limit, bool) or not isinstance(time_limit, int | float) or not 0 < time_limit <= MAX_TIME_LIMIT:
        raise StepError(0, f"time_limit is a number of seconds up to {MAX_TIME_LIMIT:g}, not {time_limit!r}")
    return PythonFunction(target, float(time_limit))
