"""Types of fields: how bytes are a value, and back. Each has ``read(raw)``, which returns the value and whether writing
it gives the same bytes, and ``write(value, size)``, which raises ``ValueError`` with the reason. What is not of the
type is read as its bytes."""

from __future__ import annotations
