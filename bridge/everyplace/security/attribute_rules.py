"""Attribute rules: whether a channel is good enough for a queue, may be upgraded, or is refused (E-257, E-258)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import Final, Protocol

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .attributes import TLS, Attribute

DEFAULT: Final = "default"
_SAME: Final = frozenset(("", DEFAULT, "com.ibm.mqe.MQeAttributeRule", "examples.rules.AttributeRule"))
"""Names of the default rule; IBM's sample counts as equal to its default class."""


class AttributeRule(Protocol):
    """Decides for one queue or queue manager."""

    def satisfies(self, channel: Attribute, wanted: Attribute) -> bool:
        """Whether what a channel gives is enough."""
        ...

    def upgraded(self, channel: Attribute, wanted: Attribute) -> Attribute | None:
        """Return what a channel would have to give instead; None if this one may not be changed."""
        ...


class DefaultRule:
    """Each part at least as strong: a stronger authenticator, TLS for any cryptor, any compressor for another."""

    def satisfies(self, channel: Attribute, wanted: Attribute) -> bool:
        """See `AttributeRule`."""
        return (
            channel.proves(wanted.authenticator)
            and (not wanted.cryptor or bool(channel.cryptor))
            and (not wanted.compressor or bool(channel.compressor))
        )

    def upgraded(self, channel: Attribute, wanted: Attribute) -> Attribute | None:
        """Return the stronger of both in each part. A line cannot become TLS, nor another target's."""
        if (wanted.cryptor and not channel.cryptor) or (channel.target and wanted.target not in ("", channel.target)):
            return None
        proved = channel.proves(wanted.authenticator)
        authenticator = channel.authenticator if proved else wanted.authenticator
        return Attribute(authenticator, channel.cryptor, channel.compressor or wanted.compressor, channel.target)


class StrictRule:
    """Only a channel that gives exactly what is wanted, and is not changed."""

    def satisfies(self, channel: Attribute, wanted: Attribute) -> bool:
        """See `AttributeRule`."""
        cryptor = TLS if wanted.cryptor else ""
        return (channel.authenticator, channel.cryptor, channel.compressor) == (
            wanted.authenticator,
            cryptor,
            wanted.compressor,
        )

    def upgraded(self, channel: Attribute, wanted: Attribute) -> Attribute | None:
        """See `AttributeRule`."""
        return None


RULES: Final[dict[str, type[DefaultRule] | type[StrictRule]]] = {DEFAULT: DefaultRule, "strict": StrictRule}
"""The supplied rules by name."""


@unique
class Verdict(Enum):
    """What becomes of a channel."""

    REUSE = "reuse"
    UPGRADE = "upgrade"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Decision:
    """``attribute``: what the channel gives from then on."""

    verdict: Verdict
    attribute: Attribute


def decide(rule: AttributeRule, channel: Attribute, wanted: Attribute) -> Decision:
    """Return whether a channel is used as it is, upgraded or refused (E-258, E-442)."""
    if rule.satisfies(channel, wanted):
        return Decision(Verdict.REUSE, channel)
    upgraded = rule.upgraded(channel, wanted)
    if upgraded is not None and rule.satisfies(upgraded, wanted):
        return Decision(Verdict.UPGRADE, upgraded)
    return Decision(Verdict.REFUSE, channel)


def require(rule: AttributeRule, channel: Attribute, wanted: Attribute, queue: str) -> None:
    """Raise `EveryplaceError` CHNL_ATTRIBUTES for a channel over which a queue takes nothing (E-443)."""
    if not rule.satisfies(channel, wanted):
        raise EveryplaceError(Code.CHNL_ATTRIBUTES, f"{queue} demands {wanted}; the channel gives {channel}")


def same_rule(one: str, other: str) -> bool:
    """Whether two names mean the same rule (E-257)."""
    return one == other or (one in _SAME and other in _SAME)


def rule_name(name: str) -> str:
    """Return the name by which a rule is registered; an empty one and IBM's mean the default (E-257)."""
    return DEFAULT if name in _SAME else name


def rule_named(name: str) -> AttributeRule:
    """Return a rule by its name; the default one for an empty or unknown name (E-257)."""
    return RULES.get(rule_name(name), DefaultRule)()
