"""Drafts that the template language takes: a field that it refuses becomes bytes."""

from __future__ import annotations

from collections.abc import Sequence

from mqbridge.captures.learning import KindKey
from mqbridge.mappings.templates import TemplateError, read_protocol

from .kind_drafts import KindDraft
from .specs import SizedBy
from .toml_form import transaction_lines

_HEAD = '[protocol]\nname = "trial"\n[framing]\nkind = "close"\n'


def make_valid(kinds: Sequence[KindDraft], key: KindKey | None) -> list[KindDraft]:
    """Let each kind be one that a description can have, and return those that were changed.

    The learner makes claims that the language cannot say, such as steps of a sequence beyond its limits.
    """
    return [each for each in kinds if not _is_valid(each, key) and _simplify(each, key)]


def _is_valid(each: KindDraft, key: KindKey | None) -> bool:
    try:
        read_protocol(_HEAD + "\n".join(transaction_lines(each, key)), "trial.toml")
    except TemplateError:
        return False
    return True


def _simplify(each: KindDraft, key: KindKey | None) -> bool:
    """Take away what is refused: first how one field is computed, or its type; then those of all fields."""
    measuring = {spec.length.field for spec in each.specs if isinstance(spec.length, SizedBy)}
    for spec in each.specs:
        before = dict(spec.keys)
        for keys in ({name: value for name, value in before.items() if name != "compute"}, {"type": "bytes"}):
            spec.keys = keys
            if spec.name not in measuring and _is_valid(each, key):
                return True
        spec.keys = before
    each.relax()
    for spec in each.specs:
        spec.keys = {"type": "bytes"}
    return True
