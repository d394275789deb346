"""Transformations: steps of routes that change messages (docs/routing.md).

`read_steps` reads them from a configuration, a `Run` applies them to a message, `explain` says what it did.
"""

from __future__ import annotations

from .errors import StepError, TransformationError
from .explaining import explain
from .reading import MAX_STEPS, read_steps
from .run import CallPython, Finished, Outcome, Run, StepFailed, apply_steps
from .step import Limits, PythonFunction, Step, Surroundings

__all__ = [
    "MAX_STEPS",
    "CallPython",
    "Finished",
    "Limits",
    "Outcome",
    "PythonFunction",
    "Run",
    "Step",
    "StepError",
    "StepFailed",
    "Surroundings",
    "TransformationError",
    "apply_steps",
    "explain",
    "read_steps",
]
