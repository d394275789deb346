"""The step that makes a message a JMS message of another kind (jms-mapping.md 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.mappings.jms import JmsMessage
from mqbridge.mappings.jms_headers import DOMAIN_OF_KIND, KIND_OF_DOMAIN
from mqbridge.mappings.message import Message
from mqbridge.mappings.properties import Property, PropertyView
from mqbridge.protocol.chain import HeaderChain
from mqbridge.protocol.constants import MQFMT, MQRC, MQTYPE

from .errors import StepError, TransformationError
from .header_chain import chain_of, state, statement_in_front, with_changed_header
from .header_steps import AddFolders
from .property_editing import with_property, without_property
from .step import Surroundings

_TEXTS: Final = frozenset(("text", "map", "stream"))
"""Kinds whose body is text."""
_RFH2: Final = "RFH2"


@dataclass(frozen=True, slots=True)
class BecomeJms:
    """Says in ``mcd`` and Format that the body is one of a JMS message of this kind; no byte of it changes. A message
    without MQRFH2 gets one."""

    kind: str

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return f"jms {self.kind}"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        domain = DOMAIN_OF_KIND[self.kind]
        chain = chain_of(message, surroundings.formats, surroundings.ccsid)
        if not _leading(chain):
            folder = f"<mcd><Msd>{domain}</Msd></mcd>".encode()
            message = AddFolders((folder,)).apply(message, surroundings)
        else:
            message = self._with_domain(message, domain, surroundings)
        message = self._with_format(message, surroundings)
        made = JmsMessage.of(message)
        if made.kind != self.kind:
            raise TransformationError("the first folder mcd is not the one that can be set", MQRC.RFH_FORMAT_ERROR)
        if self.kind in _TEXTS:
            made.body  # noqa: B018  raises where the body is none of this kind
        return message

    @staticmethod
    def _with_domain(message: Message, domain: str, surroundings: Surroundings) -> Message:
        """Return the message with another domain; what the old one said of it, and that the body is null, goes."""
        there = PropertyView.of(message).folder("mcd")
        given = there.get("Msd")
        if given == domain and "msgbody" not in there:
            return message
        gone = {"msgbody"} | (set() if given is None or given in KIND_OF_DOMAIN else {"Set", "Fmt"})
        for name in sorted(gone & set(there)):
            message = without_property(message, f"mcd.{name}", surroundings)
        return with_property(message, Property("mcd.Msd", MQTYPE.STRING, domain), surroundings)

    def _with_format(self, message: Message, surroundings: Surroundings) -> Message:
        """Return the message with the Format of this kind in the last MQRFH2 of those in front. Raises
        `TransformationError`."""
        chain = chain_of(message, surroundings.formats, surroundings.ccsid)
        number = _leading(chain)
        behind = len(chain.links) > number
        name, encoding, ccsid = statement_in_front(chain, number)
        if self.kind == "none" and (behind or len(message.body) > chain.body_offset):
            raise TransformationError("the message has a body, and JMS messages of kind none have none")
        if behind and self.kind != "bytes":
            raise TransformationError(f"header {chain.links[number].name} stands in front of the body")
        if self.kind in _TEXTS:
            wanted = str(MQFMT.STRING)
        else:
            wanted = name if self.kind == "bytes" and name != MQFMT.STRING else ""
        if wanted == name:
            return message
        state(chain.links[number - 1].header.record, (wanted, encoding, ccsid))
        return with_changed_header(message, chain, number - 1)


def _leading(chain: HeaderChain) -> int:
    """Return how many MQRFH2 a JMS client sees: those in front of all other headers."""
    number = 0
    while number < len(chain.links) and chain.links[number].name == _RFH2:
        number += 1
    return number


def become_jms(kind: object) -> BecomeJms:
    """Return the step for a kind. Raises `StepError`."""
    if not isinstance(kind, str) or kind not in DOMAIN_OF_KIND:
        raise StepError(0, f'{{ jms = "text" }} is right; kinds are {", ".join(DOMAIN_OF_KIND)}, not {kind!r}')
    return BecomeJms(kind)
