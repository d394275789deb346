"""Drafts of protocols: what the learner found, written as a description, a grammar, a dissector and a page.

`draft_protocol` learns from dialogues; `write_folder` writes everything. docs/learning.md says how it works.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .collecting import Collected, collect
    from .drafting import Drafted, DraftOptions, draft_protocol
    from .folder import write_folder
    from .summary import summary_lines

_PLACES = {
    "Collected": "collecting",
    "DraftOptions": "drafting",
    "Drafted": "drafting",
    "collect": "collecting",
    "draft_protocol": "drafting",
    "summary_lines": "summary",
    "write_folder": "folder",
}

__all__ = ["Collected", "DraftOptions", "Drafted", "collect", "draft_protocol", "summary_lines", "write_folder"]


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: the writers need no numpy, which the learner does."""
    if name not in _PLACES:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
