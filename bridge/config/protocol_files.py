"""Descriptions of protocols on disk: a file in TOML, the files that its templates name, and those that are shipped."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

from mqbridge.mappings.templates import Protocol, TemplateError, files_of, read_protocol

SHIPPED: Final = ("mq-capture", "myopenq", "myopenq-framed")
"""Names of the descriptions that come with the package."""
MAX_FILE: Final = 4 << 20
"""Largest file in bytes: of a description, and of a template."""


def load_protocol(file: Path) -> Protocol:
    """Return the protocol that a file describes; templates stand in its folder. Raises `TemplateError`."""
    try:
        text = _content(file, str(file)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise TemplateError(str(file), line, "", "not UTF-8 text", "save the file in UTF-8") from None
    found = {}
    for name in files_of(text, str(file)):
        if name != Path(name).name or name in ("", ".", ".."):
            raise TemplateError(str(file), None, "template", f"{name!r} is no file in the folder of the description")
        found[name] = _content(file.parent / name, str(file))
    return read_protocol(text, str(file), found)


def shipped_protocol(name: str) -> Protocol:
    """Return one of the `SHIPPED` protocols. Raises ``KeyError`` for another name."""
    if name not in SHIPPED:
        raise KeyError(name)
    text = (files("mqbridge.mappings.templates") / "shipped" / f"{name}.toml").read_text(encoding="utf-8")
    return read_protocol(text, f"{name}.toml")


def _content(file: Path, description: str) -> bytes:
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TemplateError(description, None, "", f"{file.name} cannot be read: {reason}") from error
    if len(content) > MAX_FILE:
        raise TemplateError(description, None, "", f"{file.name} has more than {MAX_FILE} bytes", "is it a protocol?")
    return content
