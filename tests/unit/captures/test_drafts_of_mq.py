"""Drafts of what our channels and clients say, of which the learner knows nothing; and what the language refuses."""

from __future__ import annotations

import io

import pytest

pytest.importorskip("numpy")

from mqbridge.captures.dialogues import open_dialogues
from mqbridge.captures.drafts import Collected, collect, draft_protocol
from mqbridge.captures.drafts.toml_form import description
from mqbridge.captures.drafts.valid import make_valid
from mqbridge.captures.generate import Scenario
from mqbridge.mappings.templates import TemplateError, read_protocol
from support.learning.made_protocols import orders, streams_of


@pytest.mark.spec("M-172")
def test_channels_and_clients_are_recognised_and_built_back() -> None:
    capture = Scenario(seed=5, repeat=6).build().data
    drafted = draft_protocol(collect(open_dialogues(io.BytesIO(capture), 1414)))
    assert drafted.protocol is not None, drafted.notes
    assert drafted.tried.messages > 100
    assert drafted.tried.all_right
    assert drafted.protocol.framing["initiator"] == drafted.protocol.framing["responder"]


def test_a_field_that_no_description_can_have_is_bytes() -> None:
    drafted = draft_protocol(Collected(streams_of(orders)))
    kind = next(each for each in drafted.kinds if any(spec.name == "number" for spec in each.specs))
    spec = next(spec for spec in kind.specs if spec.name == "number")
    spec.keys["compute"] = {"kind": "sequence", "step": 1 << 40}
    draft = drafted.draft
    with pytest.raises(TemplateError):
        read_protocol(description("a", draft.framing, draft.key, drafted.kinds, []), "a.toml")
    assert make_valid(drafted.kinds, draft.key) == [kind]
    assert "compute" not in spec.keys
    read_protocol(description("a", draft.framing, draft.key, drafted.kinds, []), "a.toml")
    assert make_valid(drafted.kinds, draft.key) == []
