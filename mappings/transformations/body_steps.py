"""Steps that say what the data behind the headers are, and that convert them."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.mappings.conversion import DataEncoding, convert_message
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQRC

from .errors import TransformationError
from .header_chain import chain_of, describe_descriptor, state, statement_in_front, with_changed_header
from .step import Surroundings


@dataclass(frozen=True, slots=True)
class Describe:
    """States what the body is, in the last header or the descriptor; no byte of the body changes. None: as it was."""

    format: str | None = None
    ccsid: int | None = None
    encoding: int | None = None

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return "describe"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        chain = chain_of(message, surroundings.formats, surroundings.ccsid)
        last = len(chain.links)
        name, encoding, ccsid = statement_in_front(chain, last)
        statement = (
            name if self.format is None else self.format,
            encoding if self.encoding is None else self.encoding,
            ccsid if self.ccsid is None else self.ccsid,
        )
        if statement == (name, encoding, ccsid):
            return message
        if last:
            state(chain.links[-1].header.record, statement)
            return with_changed_header(message, chain, last - 1)
        result = message.copy()
        describe_descriptor(result, statement)
        return result


@dataclass(frozen=True, slots=True)
class Convert:
    """Converts headers and body. None: as the descriptor has it."""

    ccsid: int | None = None
    encoding: int | None = None

    @property
    def shown(self) -> str:
        """See `step.Action.shown`."""
        return "convert"

    def apply(self, message: Message, surroundings: Surroundings) -> Message:
        """See `step.Action.apply`."""
        result = message.copy()
        md = result.md
        encoding = md.encoding if self.encoding is None else self.encoding
        target = DataEncoding(encoding, md.coded_char_set_id if self.ccsid is None else self.ccsid)
        reason = convert_message(result, target, surroundings.ccsid)
        if reason:
            raise TransformationError(f"not converted: {MQRC(reason)}", reason)
        return result
