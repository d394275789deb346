"""Domains: which words name one, and which of them the body of a message has (jms-mapping.md 10.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from mqbridge.mappings.inferred import JMS_DOMAINS, RFH_DOMAIN_NAME
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.formats import Formats

from .content import Content
from .errors import ContentError
from .header_part import HeaderPart
from .jms_content import JmsContent
from .json_text import JsonContent
from .mime import MimeContent
from .paths import Step
from .plug_in import PlugInContent
from .xml_content import XmlContent

BLOB: Final = "BLOB"
CONTENTS: Final[dict[str, Content]] = {
    content.name: content
    for content in (
        XmlContent("XMLNSC", namespaces=True, compact=True),
        XmlContent("XMLNS", namespaces=True, compact=False),
        XmlContent("XML", namespaces=False, compact=False),
        JsonContent(),
        MimeContent(),
        JmsContent(stream=False),
        JmsContent(stream=True),
    )
}
"""Domains whose bodies are parsed, by name."""

MESSAGE_SETS: Final = frozenset(("MRM", "DFDL", "IDOC", "TDS", "DATAOBJECT", "SAP", "SIEBEL", "PEOPLESOFT"))
"""Domains that need a message set or schema; their bodies are BLOB."""

_WORDS: Final = {**{name.upper(): name for name in CONTENTS}, **{name: name for name in MESSAGE_SETS}, BLOB: BLOB}
_SAVED: Final = {word.upper(): name for word, name in JMS_DOMAINS.items()}
_WRITTEN: Final = {name: word for word, name in JMS_DOMAINS.items() if name != BLOB}


class Domain(NamedTuple):
    """``name``: as in paths. ``content``: None for opaque bytes. ``note``: why a named domain is not parsed."""

    name: str
    content: Content | None = None
    note: str = ""


def domain_word(word: str) -> str:
    """Return the domain that a word names, in any case; empty if none."""
    return _WORDS.get(word.upper(), "")


def saved_word(name: str) -> str:
    """Return the word for a domain in name-value data."""
    return _WRITTEN.get(name, name)


def domain_named(word: str) -> Domain:
    """Return the domain of a word that names one."""
    name = domain_word(word) or _SAVED[word.upper()]
    content = CONTENTS.get(name)
    note = f"domain {name} needs a message set: the body is {BLOB}" if name in MESSAGE_SETS else ""
    return Domain(BLOB if content is None else name, content, note)


def choose_domain(headers: Sequence[HeaderPart], last_format: str, default: str, formats: Formats) -> Domain:
    """Return the domain of the body behind headers.

    The Format of the last one, if it is an MQRFH or MQRFH2 and names one; else name-value data; else the default; else
    BLOB. A format of a plug-in names itself. Raises `ContentError` for name-value data that are malformed.
    """
    plug_in = formats.body(last_format)
    if plug_in is not None:
        return Domain(plug_in.name, PlugInContent(plug_in))
    if headers and headers[-1].may_name_domain and domain_word(last_format):
        return domain_named(last_format)
    for header in reversed(headers):
        word = named_domain(header) if header.may_name_domain else ""
        if domain_word(word) or word.upper() in _SAVED:
            return domain_named(word)
    plug_in = formats.body(default)
    if plug_in is not None:
        return Domain(plug_in.name, PlugInContent(plug_in))
    return domain_named(default) if default else Domain(BLOB)


def place_of_domain(header: HeaderPart) -> tuple[Step, ...]:
    """Return the steps, below a header, of the word that names the domain."""
    return (Step("mcd"), Step("Msd")) if header.name == "MQRFH2" else (Step(RFH_DOMAIN_NAME),)


def named_domain(header: HeaderPart) -> str:
    """Return the word in the name-value data of a header; empty if there is none. Raises `ContentError`."""
    variable = header.variable
    if variable is None:
        return ""
    try:
        found = variable.values(place_of_domain(header))
    except ContentError:
        raise
    except MQBridgeError as fault:
        raise ContentError(str(fault)) from None
    word = found[-1] if found else ""
    return word if isinstance(word, str) else ""


def save_domain(headers: Sequence[HeaderPart], word: str) -> bool:
    """Write the domain into the last MQRFH2 or MQRFH; return False if there is none (jms-mapping.md 10.1 rule 5)."""
    for header in reversed(headers):
        if header.may_name_domain and header.variable is not None:
            if named_domain(header) != word:
                header.variable.assign(place_of_domain(header), word)
            return True
    return False
