"""Lookup of one message's properties by name, as selectors need it; folders are parsed only as far as necessary.

Besides the properties in folders there are the fields of the descriptor, ``Root.MQMD.…``, and the synonyms of JMS
(mqi.md 15.3 and 15.4), by the rules of `mappings.jms_headers`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.mappings import jms_headers
from mqbridge.mappings.destinations import Destination, DestinationError
from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import ConversionError, StructureError

from .folders import as_mapping, folder_name, folder_texts, headers_of, property_folder
from .names import DESCRIPTOR_FIELDS, split_name
from .property import Value
from .quick_folders import beginnings, quick_header
from .quick_property import NotUsual, quick_property
from .quick_values import quick_values


def _never() -> Message:
    raise AssertionError("the message is there")


class PropertyView:
    """Looks up properties of a message.

    ``load`` gives the message when a property is first asked for that is not known without it. ``reads`` is called with
    the text of each folder that is taken apart. ``deadline`` is when the message expires, in milliseconds since the
    epoch and 0 for never, where its holder knows that better than the descriptor. Names are those of selectors; what
    the message does not have is None, and so is everything of a malformed descriptor.
    """

    __slots__ = ("_deadline", "_folders", "_load", "_message", "_reads", "_texts")

    def __init__(
        self,
        load: Callable[[], Message],
        reads: Callable[[str], None] | None = None,
        deadline: int | None = None,
    ) -> None:
        self._load = load
        self._reads = reads
        self._deadline = deadline
        self._message: Message | None = None
        self._texts: list[tuple[str, str]] | None = None
        """Names and texts of all folders, once this turns out not to be the usual case."""
        self._folders: dict[str, dict[str, Value]] = {}

    @classmethod
    def of(cls, message: Message) -> PropertyView:
        """Return the view of a message in memory."""
        view = cls(_never)
        view._message = message
        return view

    @property
    def message(self) -> Message:
        """The message."""
        if self._message is None:
            self._message = self._load()
        return self._message

    def get(self, name: str) -> Value:
        """Return the value of a property, a descriptor field or a synonym; None if there is none."""
        synonym = _SYNONYMS.get(name)
        if synonym is not None:
            try:
                return synonym(self)
            except (StructureError, ConversionError, DestinationError):
                return None
        key = DESCRIPTOR_FIELDS.get(name)
        if key is not None:
            return self.field(key)
        folder, inside = split_name(name)
        return self.folder(folder).get(inside)

    def field(self, key: str) -> Value:
        """Return a descriptor field by its name in `mappings.Descriptor`; text without trailing blanks."""
        try:
            value: Value = getattr(self.message.md, key)
        except (StructureError, ConversionError):
            return None
        return value

    def folder(self, name: str) -> dict[str, Value]:
        """Return values by their names inside a folder; folders of the same name are merged."""
        found = self._folders.get(name)
        if found is None:
            found = {}
            for text in self._texts_of(name):
                if self._reads is not None:
                    self._reads(text)
                values = quick_values(name, text)
                if values is not None:
                    found.update(values)
                    continue
                folder = property_folder(text)
                if folder is not None:
                    found.update(as_mapping(folder))
            self._folders[name] = found
        return found

    def _texts_of(self, name: str) -> list[str]:
        """Return the texts of the folders of a name."""
        if self._texts is None:
            message = self.message
            header, body = quick_header(message), message.body
            if header is not None and isinstance(body, bytes):
                known = beginnings(name)
                try:
                    return [
                        body[start:end].decode() for start, end in header.places if body.startswith(known, start, end)
                    ]
                except UnicodeDecodeError:
                    pass
            self._texts = [(folder_name(text), text) for text in folder_texts(headers_of(message))]
        return [text for each, text in self._texts if each == name]

    # --- synonyms of JMS -------------------------------------------------------------------------------------------

    def _correlation_id(self) -> Value:
        return jms_headers.selected_correlation_id(self.folder("jms").get("Cid"), self.message.md.correl_id)

    def _delivery_mode(self) -> Value:
        return jms_headers.delivery_mode(self.folder("jms").get("Dlv"), self.message.md.persistence)

    def _destination(self) -> Value:
        given = self.folder("jms").get("Dst")
        if given is not None:
            return given
        topic = self.folder("mqps").get("Top")
        return Destination.topic(topic).uri if isinstance(topic, str) else None

    def _expiration(self) -> Value:
        """Return milliseconds since the epoch, 0 for no expiry."""
        given = self.folder("jms").get("Exp")
        if not given and self._deadline is not None:
            return self._deadline
        return jms_headers.expiration(given, self.message.md.expiry, self._put_time())

    def _message_id(self) -> Value:
        return jms_headers.id_text(self.message.md.msg_id)

    def _priority(self) -> Value:
        return self.message.md.priority

    def _redelivered(self) -> Value:
        return self.message.md.backout_count > 0

    def _reply_to(self) -> Value:
        md = self.message.md
        found = jms_headers.reply_to(self.folder("jms").get("Rto"), md.reply_to_q, md.reply_to_q_mgr)
        return None if found is None else found.uri

    def _timestamp(self) -> Value:
        """Return milliseconds since the epoch."""
        given = self.folder("jms").get("Tms")
        return self._put_time() if given is None else given

    def _put_time(self) -> int | None:
        md = self.message.md
        return jms_headers.put_time(md.put_date, md.put_time)

    def _type(self) -> Value:
        return jms_headers.jms_type(self.folder("mcd"))

    def _app_id(self) -> Value:
        return self.message.md.put_appl_name

    def _delivery_count(self) -> Value:
        return self.message.md.backout_count + 1

    def _group_id(self) -> Value:
        md = self.message.md
        return jms_headers.group_id(self.folder("jms").get("Gid"), md.msg_flags, md.group_id)

    def _group_seq(self) -> Value:
        md = self.message.md
        return jms_headers.group_seq(self.folder("jms").get("Seq"), md.msg_flags, md.msg_seq_number)

    def _user_id(self) -> Value:
        return self.message.md.user_identifier


class PropertyLookUp:
    """Looks up properties of a message in memory as a `PropertyView` does, quicker if only one is asked for."""

    __slots__ = ("_message", "_view")

    def __init__(self, message: Message) -> None:
        self._message: Message | None = message
        self._view: PropertyView | Message = message

    def get(self, name: str) -> Value:
        """See `PropertyView.get`."""
        message, view = self._message, self._view
        if message is not None:
            self._message = None
            quick = quick_property(name)
            if quick is not None:
                value = quick.value(message)
                if value is not NotUsual:
                    return value  # type: ignore[return-value]
        if isinstance(view, Message):
            view = self._view = PropertyView.of(view)
        return view.get(name)


_SYNONYMS: Final[dict[str, Callable[[PropertyView], Value]]] = {
    "JMSCorrelationID": PropertyView._correlation_id,
    "JMSDeliveryMode": PropertyView._delivery_mode,
    "JMSDestination": PropertyView._destination,
    "JMSExpiration": PropertyView._expiration,
    "JMSMessageID": PropertyView._message_id,
    "JMSPriority": PropertyView._priority,
    "JMSRedelivered": PropertyView._redelivered,
    "JMSReplyTo": PropertyView._reply_to,
    "JMSTimestamp": PropertyView._timestamp,
    "JMSType": PropertyView._type,
    "JMSXAppID": PropertyView._app_id,
    "JMSXDeliveryCount": PropertyView._delivery_count,
    "JMSXGroupID": PropertyView._group_id,
    "JMSXGroupSeq": PropertyView._group_seq,
    "JMSXUserID": PropertyView._user_id,
}
