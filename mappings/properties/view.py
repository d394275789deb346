"""Lookup of one message's properties by name, as selectors need it; folders are parsed only as far as necessary.

Besides the properties in folders there are the fields of the descriptor, ``Root.MQMD.…``, and the synonyms of JMS
(mqi.md 15.3 and 15.4). Where a synonym stands for a field of the descriptor and for an element of a folder, the element
counts if it is there, but for the priority (jms-mapping.md 2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.mappings.destinations import Destination, DestinationKind
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import put_moment
from mqbridge.protocol.constants import MQEI, MQMF
from mqbridge.protocol.errors import ConversionError, StructureError

from .folders import as_mapping, folder_name, folder_texts, headers_of, property_folder
from .names import DESCRIPTOR_FIELDS, split_name
from .property import Value

_NO_ID: Final = bytes(24)
_IN_GROUP: Final = int(MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP)
_ID: Final = "ID:"
_ID_LENGTH: Final = len(_ID) + 48


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
        self._folders: dict[str, dict[str, Value]] = {}

    @classmethod
    def of(cls, message: Message) -> PropertyView:
        """Return the view of a message in memory."""
        return cls(lambda: message)

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
            except (StructureError, ConversionError):
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
            if self._texts is None:
                self._texts = [(folder_name(text), text) for text in folder_texts(headers_of(self.message))]
            found = {}
            for text_name, text in self._texts:
                if text_name != name:
                    continue
                if self._reads is not None:
                    self._reads(text)
                folder = property_folder(text)
                if folder is not None:
                    found.update(as_mapping(folder))
            self._folders[name] = found
        return found

    # --- synonyms of JMS -------------------------------------------------------------------------------------------

    def _correlation_id(self) -> Value:
        """Return the text that an application set; an id written in full is always CorrelId."""
        given = self.folder("jms").get("Cid")
        if isinstance(given, str) and not (given.startswith(_ID) and len(given) == _ID_LENGTH):
            return given
        correl_id = self.message.md.correl_id
        return None if correl_id == _NO_ID else _ID + correl_id.hex()

    def _delivery_mode(self) -> Value:
        """Return 2 for a persistent message, else 1."""
        given = self.folder("jms").get("Dlv")
        return self.message.md.persistence + 1 if given is None else given

    def _destination(self) -> Value:
        return self.folder("jms").get("Dst")

    def _expiration(self) -> Value:
        """Return milliseconds since the epoch, 0 for no expiry."""
        given = self.folder("jms").get("Exp")
        if given is not None:
            return given
        if self._deadline is not None:
            return self._deadline
        md = self.message.md
        if md.expiry == MQEI.UNLIMITED:
            return 0
        put = self._put_time()
        return put + md.expiry * 100 if isinstance(put, int) else None

    def _message_id(self) -> Value:
        return _ID + self.message.md.msg_id.hex()

    def _priority(self) -> Value:
        return self.message.md.priority

    def _redelivered(self) -> Value:
        return self.message.md.backout_count > 0

    def _reply_to(self) -> Value:
        given = self.folder("jms").get("Rto")
        md = self.message.md
        if given is not None or not md.reply_to_q:
            return given
        return Destination(DestinationKind.QUEUE, md.reply_to_q, md.reply_to_q_mgr).uri

    def _timestamp(self) -> Value:
        """Return milliseconds since the epoch."""
        given = self.folder("jms").get("Tms")
        return self._put_time() if given is None else given

    def _put_time(self) -> Value:
        md = self.message.md
        moment = put_moment(md.put_date, md.put_time)
        return None if moment is None else round(moment * 1000)

    def _type(self) -> Value:
        """Return the JMSType, or the URI ``mcd://domain/set/type?format=…`` of a message outside JMS's own classes."""
        mcd = self.folder("mcd")
        domain = mcd.get("Msd")
        if not isinstance(domain, str) or domain.startswith("jms_"):
            return mcd.get("Type")
        parts = (mcd.get(name) for name in ("Set", "Type", "Fmt"))
        set_name, kind, form = (part if isinstance(part, str) else "" for part in parts)
        uri = f"mcd://{domain}/{set_name}/{kind}"
        return f"{uri}?format={form}" if form else uri

    def _app_id(self) -> Value:
        return self.message.md.put_appl_name

    def _delivery_count(self) -> Value:
        return self.message.md.backout_count + 1

    def _group_id(self) -> Value:
        given = self.folder("jms").get("Gid")
        if given is not None or not self.message.md.msg_flags & _IN_GROUP:
            return given
        return _ID + self.message.md.group_id.hex()

    def _group_seq(self) -> Value:
        given = self.folder("jms").get("Seq")
        if given is not None or not self.message.md.msg_flags & _IN_GROUP:
            return given
        return self.message.md.msg_seq_number

    def _user_id(self) -> Value:
        return self.message.md.user_identifier


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
