"""Messages as JSON, one object per message: the form of ``mqbridge get --json`` and of REST streams.

``{"MQMD": {…}, "headers": […], "headerBytes": "…", "properties": {…}, "body": {"length", "ccsid", "text", "hex"}}``:
the descriptor by IBM's field names; the header chain, dissected as by ``mqbridge decode`` and as bytes; its properties;
and the data behind the last header, with ``text`` if they are text.
"""

from __future__ import annotations

from .errors import MessageFormError
from .fields import FIELDS, field_values, md_fields
from .properties import PROPERTY_TYPES, PropertyError, make_property, properties_of, property_header
from .reading import message_from_json
from .view import MessageView
from .writing import message_pieces

__all__ = [
    "FIELDS",
    "PROPERTY_TYPES",
    "MessageFormError",
    "MessageView",
    "PropertyError",
    "field_values",
    "make_property",
    "md_fields",
    "message_from_json",
    "message_pieces",
    "properties_of",
    "property_header",
]
