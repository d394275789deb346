"""The effect of a gateway of Everyplace."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from mqbridge.mappings.moment import Time


class EveryplaceUser(Protocol):
    """The agent behind the effect, as the driver sees it."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    def turn(self, now: Time) -> None:
        """Do what calls from outside have caused: commits are submitted, effects performed."""
        ...


class ServeEveryplace(NamedTuple):
    """Give the agent its turn, then open the connections that it wants and send what its connections have."""

    agent: EveryplaceUser
