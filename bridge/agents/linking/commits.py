"""Commits that are being written, which take effect in the order in which they were asked for."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.agents.message_channel.channel_program import OnStored
from mqbridge.bridge.queue_manager import MQError

MOST: Final = 4
"""Commits that are being written, from which on no further one is begun; a slow store writes several together."""


@dataclass(slots=True)
class _Commit:
    """A commit, and how it was decided."""

    apply: OnStored
    decided: bool = False
    error: MQError | None = None


class OrderedCommits:
    """Commits of one session. One with nothing to write is decided while an earlier one is still being written; it
    waits for that one here, so that its messages do not overtake."""

    __slots__ = ("_commits",)

    def __init__(self) -> None:
        self._commits: deque[_Commit] = deque()

    def __len__(self) -> int:
        return len(self._commits)

    @property
    def full(self) -> bool:
        """Whether no further commit is to be begun."""
        return len(self._commits) >= MOST

    def add(self, apply: OnStored) -> OnStored:
        """Note a commit. Returns what is to be called with its outcome; ``apply`` is called with it in turn."""
        commit = _Commit(apply)
        self._commits.append(commit)

        def decided(error: MQError | None) -> None:
            commit.decided, commit.error = True, error
            while self._commits and self._commits[0].decided:
                first = self._commits.popleft()
                first.apply(first.error)

        return decided
