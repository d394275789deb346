"""Whether the learner says of the fields of MQ what they are: by what the grammars call them."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from learning_truth import Traffic, named_fields

from mqbridge.captures.learning import Draft, claims
from mqbridge.captures.learning.framing import find_framing
from mqbridge.captures.learning.messages import in_order
from mqbridge.protocol.grammar import Field

_UNNAMED: Final = frozenset({claims.UNKNOWN, claims.OPAQUE})
_LENGTHS: Final = ("length", "Length")
_BY_NAME: Final = {
    "SequenceNumber": {claims.SEQUENCE},
    "RequestId": {claims.SEQUENCE, claims.ECHO, claims.ID},
    "ConversationId": {claims.CONNECTION, claims.ECHO, claims.ID},
    "LUWID": {claims.ID, claims.CONNECTION, claims.SEQUENCE, claims.ECHO},
    "PutDate": {claims.TIME},
    "PutTime": {claims.TIME},
}
_BY_KIND: Final = {
    "char": {claims.TEXT, claims.ECHO},
    "bytes": {claims.ID, claims.ECHO, claims.CONNECTION},
    "int": {claims.NUMBER, claims.ENUMERATION, claims.FLAGS, claims.ECHO, claims.SEQUENCE, claims.COUNT},
}


def _right(field: Field, what: str, text: bool) -> bool:
    """Whether a field that varies is what is claimed of it. ``text``: the claim says that it is letters."""
    if field.name in _BY_NAME:
        return what in _BY_NAME[field.name]
    if any(each in field.name for each in _LENGTHS):
        return what == claims.LENGTH
    return what in _BY_KIND.get(field.kind, frozenset()) or (field.kind == "char" and text)


def meaning(draft: Draft, traffic: Traffic) -> tuple[int, int, int]:
    """Return how many fields there are in all kinds, how many have a claim of their own, and of how many it is right.

    A field that never varies in its kind is right as a constant. Each field of each kind counts once.
    """
    found = find_framing(traffic.streams)
    assert found is not None
    rows: defaultdict[tuple[int, bytes], list[bytes]] = defaultdict(list)
    for message in in_order(found[1]):
        kind = draft.kind_of(message)
        if kind is not None:
            rows[kind.name].append(message.data)
    total = named = right = 0
    for kind in draft.kinds:
        members = rows[kind.name]
        data = members[0]
        claimed = {(each.start, each.end): each.claim for each in kind.fields(data)}
        for start, end, field in named_fields(data):
            if field is None:
                continue
            total += 1
            claim = claimed.get((start, end))
            if claim is None or claim.what in _UNNAMED:
                continue
            named += 1
            constant = len({each[start:end] for each in members}) == 1
            if constant:
                right += claim.what in (claims.CONSTANT, claims.LENGTH)
            else:
                right += _right(field, claim.what, "alphabet" in claim.detail)
    return total, named, right
