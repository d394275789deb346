"""Ends of links on a connection, in proton's terms: how they are attached and found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import proton

TOPIC: Final = "topic://"
MAX_NAME: Final = 255
"""Most characters of names and conditions that are kept of what the provider says."""
MAX_TEXT: Final = 1000
"""Most characters of its texts for people."""


@dataclass(slots=True)
class End:
    """One end. ``link``: proton's. ``address``: as asked for. ``attached``: whether the provider has attached it."""

    handle: int
    link: Any
    address: str
    attached: bool = False
    partial: bytearray = field(default_factory=bytearray)
    """What has come of a delivery that is not whole."""
    length: int = 0
    """Bytes of that delivery, those included that were not kept."""
    is_sender: bool = field(init=False)
    pointer: Any = field(init=False)
    """The link as proton's library has it. It is valid as long as this end is there."""

    def __post_init__(self) -> None:
        self.is_sender = self.link.is_sender
        self.pointer = self.link._impl


class Ends:
    """The ends of a connection, by their handles and by proton's links, which are C pointers here."""

    def __init__(self) -> None:
        self._by_handle: dict[int, End] = {}
        self._by_pointer: dict[Any, End] = {}

    def add(self, end: End) -> None:
        """Note an end."""
        self._by_handle[end.handle] = self._by_pointer[end.pointer] = end

    def get(self, handle: int) -> End | None:
        """The end with a handle."""
        return self._by_handle.get(handle)

    def at(self, pointer: Any) -> End | None:
        """The end of proton's link."""
        return self._by_pointer.get(pointer)

    def forget(self, handle: int) -> End | None:
        """Remove an end, and return it."""
        end = self._by_handle.pop(handle, None)
        if end is not None:
            self._by_pointer.pop(end.pointer, None)
        return end

    def clear(self) -> None:
        """Remove all ends."""
        self._by_handle.clear()
        self._by_pointer.clear()


def attach_sender(session: Any, name: str, address: str) -> Any:
    """Attach a sending end, and return proton's link."""
    link = session.sender(name)
    link.source.address = name
    _set_address(link.target, address)
    link.snd_settle_mode = proton.Link.SND_MIXED
    link.rcv_settle_mode = proton.Link.RCV_FIRST
    link.open()
    return link


def attach_receiver(session: Any, name: str, address: str, max_message: int) -> Any:
    """Attach a receiving end without credit, and return proton's link. No address: a dynamic node."""
    link = session.receiver(name)
    source = link.source
    if address:
        _set_address(source, address)
    else:
        source.dynamic = True
        source.properties.put_object(
            {proton.symbol("lifetime-policy"): proton.Described(proton.symbol("amqp:delete-on-close:list"), [])}
        )
        source.capabilities.put_object(proton.symbol("temporary-queue"))
    link.target.address = name
    link.max_message_size = max_message
    link.rcv_settle_mode = proton.Link.RCV_FIRST
    link.open()
    return link


def _set_address(terminus: Any, address: str) -> None:
    topic = address.startswith(TOPIC)
    name = address.removeprefix(TOPIC)
    if name:
        terminus.address = name
        terminus.capabilities.put_object(proton.symbol("topic" if topic else "queue"))


def refused_at_once(end: End) -> bool:
    """Whether the provider attaches the end only to say in the next frame why it refuses it (AMQP 1.0 part 2.6.3)."""
    remote = end.link.remote_target if end.link.is_sender else end.link.remote_source
    return bool(remote.type == proton.Terminus.UNSPECIFIED)


def dynamic_address(end: End) -> str:
    """The address of a dynamic node, else the address asked for."""
    return end.address or (end.link.is_receiver and end.link.remote_source.address) or ""


def said(condition: Any) -> tuple[str, str]:
    """Name and text of a condition, as far as they are kept."""
    return str(condition.name)[:MAX_NAME], (condition.description or "")[:MAX_TEXT]
