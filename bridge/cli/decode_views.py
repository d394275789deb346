"""``mqbridge decode --view``: the message as JMS and as a tree, beside its structures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from mqbridge.bridge.message_bytes import message_of_bytes
from mqbridge.bridge.message_json.jms import jms_document, jms_lines
from mqbridge.mappings.jms import JmsMessage
from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import MessageTree, message_tree
from mqbridge.protocol.dissection import Findings
from mqbridge.protocol.errors import MQBridgeError

VIEWS: Final = ("jms", "tree")
_INDENT: Final = "  "


class MessageViews:
    """The views of one message that were asked for. What cannot be shown is an error among the findings."""

    def __init__(
        self,
        wanted: Sequence[str],
        data: bytes,
        findings: Findings,
        *,
        ccsid: int | None,
        encoding: int | None,
        message_format: str | None,
    ) -> None:
        self._jms: dict[str, Any] | None = None
        self._tree: MessageTree[Message] | None = None
        try:
            message = message_of_bytes(
                data, ccsid=ccsid, encoding=encoding, message_format=message_format, formats=findings.formats
            )
        except MQBridgeError:  # the structures say what is wrong
            return
        if "jms" in wanted:
            try:
                self._jms = jms_document(JmsMessage.of(message))
            except MQBridgeError as error:
                findings.errors.append(f"JMS: {error}")
        if "tree" in wanted:
            try:
                self._tree = message_tree(message, formats=findings.formats)
            except MQBridgeError as error:
                findings.errors.append(f"tree: {error}")
            else:
                findings.errors += _malformed(self._tree)

    def document(self) -> dict[str, Any]:
        """Return the members of ``--json``."""
        shown: dict[str, Any] = {}
        if self._jms is not None:
            shown["jms"] = self._jms
        if self._tree is not None:
            shown["tree"] = self._tree.plain()
        return shown

    def lines(self) -> Iterator[str]:
        """Yield the views as text."""
        if self._jms is not None:
            yield "JMS"
            yield from (_INDENT + line for line in jms_lines(self._jms))
        if self._tree is not None:
            yield "Tree"
            yield from ((_INDENT + line).rstrip() for line in self._tree.lines())


def _malformed(tree: MessageTree[Message]) -> Iterator[str]:
    """Yield the errors of the parts that cannot be parsed."""
    for name, error in tree.faults().items():
        yield f"tree: {name}: {error}"
