"""Kinds of a draft with their names, fields and the messages that they were learnt from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mqbridge.captures.learning import Draft, Exchange, Kind, KindName, Message, Session
from mqbridge.captures.learning.claims import CONSTANT, ECHO, ENUMERATION, FLAGS, NUMBER, OPAQUE, TEXT, UNKNOWN
from mqbridge.captures.learning.fields.texts import ALPHABETS

from .layouts import relaxed, specs_of
from .specs import Spec, spec_of

ROLES: Final = ("initiator", "responder")
MAX_VALUES: Final = 8
"""Most different values that are listed of a field."""
_SAMPLE: Final = 400
_PART_OF_TEXT: Final = (ENUMERATION, FLAGS, NUMBER, OPAQUE, UNKNOWN)
"""Claims that text competes with; dates, decimals and padded names are fields of their own."""
_LETTERS: Final = {alphabet.name: frozenset(alphabet.letters) for alphabet in ALPHABETS}


@dataclass(slots=True)
class KindDraft:
    """A kind as a transaction. ``rows``: a sample of its messages; ``shortest``: bytes of the shortest of all;
    ``is_relaxed``: its layout does not fit all messages, so the end is one field."""

    kind: Kind
    name: str
    specs: list[Spec]
    rows: list[bytes] = field(default_factory=list)
    is_relaxed: bool = False

    @property
    def role(self) -> str:
        """The end that sends it."""
        return ROLES[self.kind.side]

    def relax(self) -> None:
        """Let everything behind the fields at fixed places be one field."""
        self.specs = relaxed(self.specs, self.kind.sizes[0])
        self.is_relaxed = True
        count_values(self)


def kind_drafts(draft: Draft, messages: Sequence[Message]) -> list[KindDraft]:
    """Return the kinds of a draft, named by what they do in the session."""
    rows: defaultdict[KindName, list[bytes]] = defaultdict(list)
    seen: Counter[KindName] = Counter()
    counts = {kind.name: kind.count for kind in draft.kinds}
    for message in messages:
        name = message.side, draft.key.of(message.data) if draft.key is not None else b""
        step = max(counts.get(name, 0) // _SAMPLE, 1)
        if name in counts and not seen[name] % step and len(rows[name]) < _SAMPLE:
            rows[name].append(message.data)
        seen[name] += 1
    names = kind_names(draft)
    found = []
    for kind in draft.kinds:
        each = KindDraft(kind, names[kind.name], specs_of(kind.layout), rows[kind.name])
        if kind.read < kind.count:
            each.relax()
        _join_tail(each)
        count_values(each)
        found.append(each)
    _join_echoes(draft, {each.kind.name: each for each in found})
    return found


def exchanges_of(session: Session) -> list[Exchange]:
    """Return the exchanges of a session without those that only seem to be: where sides take turns, the next request
    follows an answer as an answer follows a request."""
    first = [each for each in session.exchanges if each.request[0] == session.begins]
    asked, answers = {each.request for each in first}, {each.answer for each in first}
    return [
        *first,
        *(
            each
            for each in session.exchanges
            if each.request[0] != session.begins and each.request not in answers and each.answer not in asked
        ),
    ]


def kind_names(draft: Draft) -> dict[KindName, str]:
    """Return a name for each kind: what it is in the session, with the value of the key where several are the same."""
    session = draft.session
    words: dict[KindName, str] = {kind.name: "message" for kind in draft.kinds}
    if session is not None:
        words |= {each.answer: "answer" for each in exchanges_of(session)}
        words |= {each.request: "request" for each in exchanges_of(session)}
        words |= {each.kind: "heartbeat" for each in session.heartbeats}
    kinds = {kind.name for kind in draft.kinds}
    common = Counter(word for name, word in words.items() if name in kinds)
    values = Counter((words[kind.name], kind.value) for kind in draft.kinds)
    found = {}
    for kind in draft.kinds:
        name = words[kind.name]
        if common[name] > 1:
            digits = f"-{kind.value.hex()}" if kind.value else ""
            twice = values[name, kind.value] > 1
            name = f"{name}{digits}" + (f"-{ROLES[kind.side]}" if twice or not digits else "")
        found[kind.name] = name
    return found


def count_values(each: KindDraft) -> None:
    """Note of the fields at fixed places which values come most often."""
    for spec in each.specs:
        if spec.start is None or not isinstance(spec.length, int) or spec.claim.what == CONSTANT:
            continue
        values = Counter(row[spec.start : spec.start + spec.length] for row in each.rows)
        if values:
            spec.most = values.most_common(1)[0][0]
            spec.values = values.most_common() if len(values) <= MAX_VALUES else []


def _join_tail(each: KindDraft) -> None:
    """Let text that goes to the end begin where all messages have text, also where short ones end soon."""
    tail = each.specs[-1]
    if tail.claim.what != TEXT or tail.length != "rest" or not each.rows:
        return
    letters = _LETTERS.get(tail.claim.detail.get("alphabet", ""), frozenset())
    while len(each.specs) > 1:
        spec = each.specs[-2]
        if spec.claim.what not in _PART_OF_TEXT or spec.start is None or not isinstance(spec.length, int):
            break
        if not all(letters.issuperset(row[spec.start : spec.start + spec.length]) for row in each.rows):
            break
        del each.specs[-2]
        tail.start = spec.start
    if tail.name.startswith(TEXT):
        tail.name = TEXT if all(spec.name != TEXT for spec in each.specs[:-1]) else f"{TEXT}-{tail.start}"


def _join_echoes(draft: Draft, kinds: Mapping[KindName, KindDraft]) -> None:
    """Let echoes be copied from the field that they repeat, where all requests have it at that place."""
    if draft.session is None:
        return
    for each in kinds.values():
        asked = [
            kinds[e.request] for e in exchanges_of(draft.session) if e.answer == each.kind.name and e.request in kinds
        ]
        for spec in list(each.specs):
            if spec.claim.what != ECHO or spec.claim.detail.get("own") or not asked:
                continue
            sources = [_at(other, spec.claim.detail.get("of", -1), spec.length) for other in asked]
            first = sources[0]
            if first is None or any(source is None or source.name != first.name for source in sources):
                continue
            if first.length != spec.length:
                _shorten(each, spec, first)
            kept = ("type", "order", "form", "format", "ccsid", "pad", "sign", "values", "flags")
            spec.keys = {key: first.keys[key] for key in kept if key in first.keys}
            spec.keys["compute"] = {"kind": "copy", "field": first.name}
            if not any(other.name == first.name for other in each.specs if other is not spec):
                spec.name = first.name


def _at(each: KindDraft, place: int, length: object) -> Spec | None:
    """Return the field at a place, which is no longer than ``length``."""
    for spec in each.specs:
        if spec.start == place and isinstance(spec.length, int) and isinstance(length, int) and not spec.is_constant:
            return spec if spec.length <= length else None
    return None


def _shorten(each: KindDraft, spec: Spec, source: Spec) -> None:
    """Let an echo end where the field ends that it repeats; that the bytes behind it are equal too is chance."""
    assert isinstance(spec.length, int), "echoes have a length"
    assert isinstance(source.length, int), "so have their sources"
    assert spec.start is not None, "echoes have a place"
    behind = spec.start + source.length
    claim = spec.claim._replace(start=behind, end=spec.start + spec.length, what=UNKNOWN, detail={}, chance=0.0)
    rest = spec_of(claim, behind, spec.length - source.length)
    rest.name = f"{rest.name}-{behind}"
    each.specs.insert(each.specs.index(spec) + 1, rest)
    spec.length = source.length
    spec.claim = spec.claim._replace(end=behind)
