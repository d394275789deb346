"""Transformers: messages of Everyplace as messages of MQ, and back (mqe.md 18.4).

A definition names one, with parameters behind a colon: ``json``. `TRANSFORMERS` has those that are supplied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .base import BaseTransformer
from .jms import JmsTransformer
from .json import JsonTransformer
from .transformer import Outgoing, Transformer

__all__ = ["TRANSFORMERS", "BaseTransformer", "JmsTransformer", "JsonTransformer", "Outgoing", "Transformer"]


def _factory(kind: Callable[[], Transformer]) -> Callable[[str], Transformer]:
    def made(parameters: str) -> Transformer:
        transformer = kind()
        transformer.activate(parameters.split())
        return transformer

    return made


TRANSFORMERS: Final = {
    "base": _factory(BaseTransformer),
    "jms": _factory(JmsTransformer),
    "json": _factory(JsonTransformer),
}
"""The supplied transformers by name; each is made from its parameters, words in a text. Raises `EveryplaceError`
ADMIN_INVALID_FIELD for those that it does not have."""
