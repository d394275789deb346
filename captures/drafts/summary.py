"""A draft in a few lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Final

from mqbridge.captures.learning import INITIATOR, Draft
from mqbridge.captures.learning.claims import CONSTANT, ENUMERATION, OPAQUE, TEXT, UNKNOWN
from mqbridge.captures.learning.few import MOST as MOST_COMPARED
from mqbridge.protocol.text import codec_for

from .drafting import Drafted
from .kind_drafts import ROLES, KindDraft, exchanges_of, kind_names
from .specs import CCSIDS, SizedBy, Spec

MAX_KINDS: Final = 40
"""Kinds of which fields are listed; report.html has all."""
_MAX_SHOWN: Final = 3
"""Values of a field that are shown."""
_MAX_TEXT: Final = 24


def summary_lines(drafted: Drafted) -> list[str]:
    """Return what was learnt, and what is missing."""
    draft = drafted.draft
    lines = []
    if draft.framing is not None:
        cut = f"{draft.messages:,} of {draft.messages:,} messages"
        lines.append(f"framing   {draft.framing.text:<58} {cut}")
    if drafted.kinds:
        lines.append(f"kinds     {kinds_text(drafted)}")
        for each in drafted.kinds[:MAX_KINDS]:
            lines += kind_lines(each)
        if len(drafted.kinds) > MAX_KINDS:
            lines.append(f"… and {len(drafted.kinds) - MAX_KINDS} more kinds")
        lines += [f"session   {text}" for text in session_texts(draft)]
    lines += [f"note      {note}" for note in drafted.notes]
    lines.append(conclusion(drafted))
    return lines


def kinds_text(drafted: Drafted) -> str:
    """Return what tells the kinds."""
    key = drafted.draft.key
    if key is None:
        return "one for each end" if len(drafted.kinds) > 1 else "one"
    place = f"byte {key.position}" if key.width == 1 else f"bytes {key.position}-{key.position + key.width - 1}"
    shown = ", ".join(f"{each.kind.value.hex()} {each.name}" for each in drafted.kinds[:8])
    return f"{place}: {shown}" + (f" and {len(drafted.kinds) - 8} more" if len(drafted.kinds) > 8 else "")


def kind_lines(each: KindDraft) -> Iterator[str]:
    """Yield a kind and its fields."""
    yield f"{each.name:<9} {each.kind.count:,} messages of the {each.role}"
    for spec in each.specs:
        if spec.claim.what != CONSTANT:
            yield f"{place(spec)}  {spec.name:<12} {spec.says:<36} {shown_values(spec, len(each.rows))}".rstrip()
    if each.is_relaxed:
        yield "          the end varies in a way that is not understood"


def place(spec: Spec) -> str:
    """Return the bytes of a field, ``..`` where they differ from message to message."""
    if spec.start is None:
        return "  ..- .."
    if not isinstance(spec.length, int):
        return f"{spec.start:>4}- .."
    last = spec.start + spec.length - 1
    return f"{spec.start:>4}-{last:>3}" if last > spec.start else f"{spec.start:>4}    "


def shown_values(spec: Spec, rows: int) -> str:
    """Return the values of a field where there are few, with how often they come."""
    if isinstance(spec.length, SizedBy):
        return f"as many bytes as {spec.length.field} says"
    if spec.blanked:
        return f"(blanked: {spec.blanked})"
    if spec.claim.what not in (ENUMERATION, TEXT) or not spec.values or rows <= MOST_COMPARED:
        return {UNKNOWN: "unknown", OPAQUE: "no meaning found"}.get(spec.claim.what, "")
    shown = [f"{_value(spec, value)} {round(100 * count / rows)} %" for value, count in spec.values[:_MAX_SHOWN]]
    return ", ".join(shown) + (" …" if len(spec.values) > _MAX_SHOWN else "")


def _value(spec: Spec, value: bytes) -> str:
    if spec.claim.what == TEXT:
        codec = codec_for(spec.keys.get("ccsid", CCSIDS["ascii"]))
        return repr(value.decode(codec, "replace").rstrip(" \0")[:_MAX_TEXT])
    return value.hex()


def session_texts(draft: Draft) -> Iterator[str]:
    """Yield what is known of the session."""
    session = draft.session
    if session is None:
        return
    names = kind_names(draft)
    for each in exchanges_of(session):
        if each.request in names and each.answer in names and each.answered >= 0.8 * each.tried:
            within = f" within {each.within:.2g} s" if isfinite(each.within) else ""
            often = "" if each.answered == each.tried else f", {each.answered:,} of {each.tried:,}"
            yield f"{names[each.request]} → {names[each.answer]}{within}{often}"
    for beat in session.heartbeats:
        if beat.kind in names:
            after = " of silence" if beat.silence else ""
            yield f"{names[beat.kind]} of the {ROLES[beat.kind[0]]} every {beat.period:.3g} s{after}"
    who = "initiator" if session.begins == INITIATOR else "responder"
    always = "" if session.begun == session.connections else f" in {session.begun:,} of {session.connections:,}"
    yield f"the {who} begins{always}"


def conclusion(drafted: Drafted) -> str:
    """Return the last line."""
    draft, tried = drafted.draft, drafted.tried
    if drafted.protocol is None:
        return "nothing is claimed"
    if tried.all_right:
        built = "every message builds back to its bytes"
    else:
        built = f"{tried.read.total():,} of {tried.messages:,} messages are recognised, {tried.built:,} build back"
    return f"explained {100 * draft.explained:.1f} % of bytes; {built}; {drafted.blanked} values blanked"
