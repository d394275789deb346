"""Names of XML in paths: ``{uri}name`` in namespaces, and the prefixes that stand for them in documents."""

from __future__ import annotations

import re
from typing import Final

from .errors import ContentError

XML_NAMESPACE: Final = "http://www.w3.org/XML/1998/namespace"
_LETTERS: Final = (
    "_A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_LOCAL: Final = re.compile(rf"[{_LETTERS}][{_LETTERS}\-.0-9\u00b7\u0300-\u036f\u203f\u2040]*+\Z")
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def check_text(text: str) -> str:
    """Return text that may stand in XML. Raises `ContentError`."""
    wrong = _FORBIDDEN.search(text)
    if wrong is not None:
        raise ContentError(f"XML has no character U+{ord(wrong[0]):04X}")
    return text


def check_xml_name(name: str, namespaces: bool) -> str:
    """Return a name of an element or attribute: ``name`` or ``{uri}name``, or without namespaces ``prefix:name``.

    Raises `ContentError`.
    """
    uri, local = split_name(name) if namespaces else ("", name)
    parts = [local] if namespaces else local.split(":", 1)
    if not all(map(_LOCAL.match, parts)) or uri == "http://www.w3.org/2000/xmlns/":
        raise ContentError(f"{name[:60]!r} is no name of XML")
    check_text(uri)
    return name


def split_name(name: str) -> tuple[str, str]:
    """Return the namespace, empty for none, and the name without it."""
    if name.startswith("{"):
        uri, brace, local = name[1:].partition("}")
        if brace:
            return uri, local
    return "", name


def is_declaration(name: str) -> bool:
    """Return whether an attribute declares a namespace."""
    return name == "xmlns" or name.startswith("xmlns:")


class Scope:
    """Namespaces by prefix, as they are declared around an element."""

    __slots__ = ("_declared", "_uris")

    def __init__(self) -> None:
        self._uris = {"": "", "xml": XML_NAMESPACE}
        self._declared: list[dict[str, str | None]] = []

    def enter(self, attributes: dict[str, str]) -> None:
        """Take the declarations of an element that begins."""
        self._declared.append({})
        self.add(attributes)

    def add(self, attributes: dict[str, str]) -> None:
        """Take further declarations of the element that has begun last."""
        hidden = self._declared[-1]
        for name, uri in attributes.items():
            if is_declaration(name):
                prefix = name[6:]
                hidden.setdefault(prefix, self._uris.get(prefix))
                self._uris[prefix] = uri

    def leave(self) -> None:
        """Forget the declarations of the element that ends."""
        for prefix, uri in self._declared.pop().items():
            if uri is None:
                del self._uris[prefix]
            else:
                self._uris[prefix] = uri

    def full(self, name: str, *, attribute: bool = False) -> str:
        """Return ``{uri}name`` for a name as written. Raises `ContentError` for a prefix that is not declared."""
        prefix, colon, local = name.rpartition(":")
        if not colon:
            uri = "" if attribute else self._uris[""]
            return f"{{{uri}}}{name}" if uri else name
        uri = self._uris.get(prefix, "")
        if not uri:
            raise ContentError(f"prefix {prefix[:60]} is not declared")
        return f"{{{uri}}}{local}"

    def prefix(self, uri: str, *, attribute: bool = False) -> str | None:
        """Return a prefix that stands for a namespace here; None if there is none. Attributes need one."""
        if uri == "" and (attribute or not self._uris[""]):
            return ""
        found = [prefix for prefix, known in self._uris.items() if known == uri and (prefix or not attribute)]
        return found[-1] if found and uri else None

    def free(self) -> str:
        """Return a prefix that is not declared here."""
        number = 1
        while f"ns{number}" in self._uris:
            number += 1
        return f"ns{number}"
