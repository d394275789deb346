"""Transformers: messages of Everyplace as messages of MQ, and back (mqe.md 18.4)."""

from __future__ import annotations

from .base import BaseTransformer
from .jms import JmsTransformer
from .json import JsonTransformer
from .transformer import Outgoing, Transformer

__all__ = ["BaseTransformer", "JmsTransformer", "JsonTransformer", "Outgoing", "Transformer"]
