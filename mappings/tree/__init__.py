"""Message trees: properties, headers and body of a message by paths such as ``XMLNSC.Order.Item[2].Price``."""

from __future__ import annotations

from .blob import Blob
from .element import Element, Value
from .errors import TreeError
from .properties_part import EnteredBy
from .tree import MessageTree, message_tree

__all__ = ["Blob", "Element", "EnteredBy", "MessageTree", "TreeError", "Value", "message_tree"]
