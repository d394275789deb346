"""Bodies of map and stream messages as text (jms-mapping.md 6).

``<map><elt name="N1" dt='i4'>5</elt></map>``, or in the older form ``<map><N1 dt='i4'>5</N1></map>``, and
``<stream><elt dt='i4'>5</elt></stream>``. Texts are escaped as in folders; a name in the attribute ``name`` is not, so
it stands between its quotes as it is: this is how IBM's client writes and reads it. The reader looks at each character
once, and knows no documents, declarations, comments or groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .errors import JmsFormatError
from .typed import Typed
from .values import NULL, element, typed_text

MAX_ENTRIES: Final = 1_000_000
"""Most entries of a map or stream."""
_ENTRY: Final = "elt"
_TOKEN: Final = re.compile(
    r"""\s*+<([^\s<>/="']++)((?:\s++[^\s<>/="']++=(?:"[^"]*+"|'[^']*+')){0,4}+)\s*+(?:/>|>([^<]*+)</\1\s*+>)"""
)
_ATTRIBUTE: Final = re.compile(r"""([^\s=]++)=(?:"([^"]*+)"|'([^']*+)')""")
_QUICK: Final = re.compile(r"""<elt(?: name="([^"]*+)")?+(?: dt='([a-z0-9.]++)')?+>([^<]*+)</elt>""")
_TRAILING: Final = " \t\r\n\0"
_XML_NAME: Final = re.compile(r"[^\W\d][\w.-]*\Z")


def read_map(text: str) -> dict[str, Typed]:
    """Return the entries of a map body by name, in order; the last of several counts. Raises `JmsFormatError`."""
    entries: dict[str, Typed] = {}
    for tag, name, value in _entries(text, "map"):
        if name is None:
            if tag == _ENTRY:
                raise JmsFormatError("an entry of the map has no name")
            name = tag
        entries[name] = value
    return entries


def read_stream(text: str) -> tuple[Typed, ...]:
    """Return the values of a stream body. Raises `JmsFormatError`."""
    return tuple(value for _, _, value in _entries(text, "stream"))


def write_map(entries: dict[str, Typed], *, compatible: bool = False) -> str:
    """Return the body of a map. ``compatible``: in the older form. Raises `JmsFormatError` for a name that it cannot
    have: a quotation mark, or in the older form what is no name of XML."""
    parts = ["<map>"]
    for name, value in entries.items():
        if compatible:
            if not _XML_NAME.match(name) or name == _ENTRY:
                raise JmsFormatError(f"{name[:60]!r} can name no element of a map body in the older form")
            parts.append(element(name, name, value))
        elif '"' in name:
            raise JmsFormatError(f"{name[:60]!r} can name no entry of a map body: IBM's client does not escape quotes")
        else:
            parts.append(element(f'elt name="{name}"', _ENTRY, value))
    parts.append("</map>")
    return "".join(parts)


def write_stream(values: tuple[Typed, ...]) -> str:
    """Return the body of a stream; its bytes have digits in capitals, as IBM's client writes them there alone."""
    return f"<stream>{''.join([_streamed(value) for value in values])}</stream>"


def _streamed(value: Typed) -> str:
    content = value.value
    if isinstance(content, bytes):
        return f"<{_ENTRY} dt='{value.dt}'>{content.hex().upper()}</{_ENTRY}>"
    return element(_ENTRY, _ENTRY, value)


def _entries(text: str, root: str) -> Iterator[tuple[str, str | None, Typed]]:
    """Yield tag, attribute ``name`` and value of each entry."""
    text = text.strip(_TRAILING)
    begin, end = f"<{root}>", f"</{root}>"
    if text == f"<{root}/>":
        return
    if not text.startswith(begin) or not text.endswith(end) or len(text) < len(begin) + len(end):
        raise JmsFormatError(f"the body of a {root} message is no <{root}>")
    place, stop = len(begin), len(text) - len(end)
    count = 0
    while place < stop:
        count += 1
        if count > MAX_ENTRIES:
            raise JmsFormatError(f"more than {MAX_ENTRIES} entries")
        quick = _QUICK.match(text, place, stop)
        if quick is not None:
            name, dt, content = quick.groups()
            yield _ENTRY, name, typed_text(dt or "", content)
            place = quick.end()
            continue
        token = _TOKEN.match(text, place, stop)
        if token is None:
            if not text[place:stop].strip():
                return
            raise JmsFormatError(f"no entry of a {root} at character {place}")
        yield _entry(token)
        place = token.end()


def _entry(token: re.Match[str]) -> tuple[str, str | None, Typed]:
    name: str | None = None
    dt, null = "", False
    for key, double, single in _ATTRIBUTE.findall(token[2]):
        value = double or single
        if key == "name":
            name = value
        elif key == "dt":
            dt = value
        elif key == "xsi:nil":
            null = value == "true"
    return token[1], name, NULL if null else typed_text(dt, token[3] or "")
