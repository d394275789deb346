"""Rows of DISPLAY CHSTATUS (channels.md 17.4)."""

from __future__ import annotations

from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
from mqbridge.bridge.agents.message_channel.channel import Channel
from mqbridge.bridge.agents.message_channel.status import sender_numbers
from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.protocol.channel import NO_LUWID


def current_rows(channel_manager: ChannelManager) -> list[StatusRow]:
    """Return a row for each instance, and one for each channel that is connecting, retrying or stopped."""
    rows: list[StatusRow] = []
    for channel in channel_manager.channels:
        running = [each.row() for each in channel.ends()]
        word = _waiting_status(channel)
        rows += running
        if not running and word:
            rows.append(_waiting(channel_manager, channel, word))
    return rows


def saved_rows(channel_manager: ChannelManager) -> list[StatusRow]:
    """Return a row for each synchronisation record."""
    rows: list[StatusRow] = []
    synchronisation = channel_manager.synchronisation
    for channel in channel_manager.channels:
        record = channel.sender
        if record.state.luwid == NO_LUWID and record.state.in_doubt is None and not record.state.sequence:
            continue
        rows.append({**_name(channel_manager, channel.name), "RQMNAME": record.partner, **sender_numbers(record)})
    for name in sorted(synchronisation.receiving_channels()):
        for partner, state in synchronisation.partners(name):
            rows.append(
                {
                    **_name(channel_manager, name),
                    "RQMNAME": partner,
                    "INDOUBT": "NO",
                    "CURLUWID": state.luwid.hex().upper(),
                    "CURSEQNO": state.sequence,
                    "CURMSGS": 0,
                    "LSTLUWID": state.luwid.hex().upper(),
                    "LSTSEQNO": state.sequence,
                }
            )
    return rows


def _name(channel_manager: ChannelManager, name: str) -> StatusRow:
    definition = channel_manager.manager.objects.channel(name)
    row: StatusRow = {"CHANNEL": name, "CHLTYPE": definition.subtype if definition else ""}
    row["CONNAME"] = definition.text("CONNAME") if definition else ""
    if definition is not None and definition.get("XMITQ"):
        row["XMITQ"] = definition.text("XMITQ")
    return row


def _waiting_status(channel: Channel) -> str:
    if channel.attempt is not None:
        return "BINDING"
    if channel.retrying:
        return "RETRYING"
    if channel.status.stopped:
        return "STOPPED"
    return "REQUESTING" if channel.requesting else ""


def _waiting(channel_manager: ChannelManager, channel: Channel, word: str) -> StatusRow:
    row = {**_name(channel_manager, channel.name), "STATUS": word, "SUBSTATE": "", "RQMNAME": channel.sender.partner}
    if word == "BINDING":
        row["SUBSTATE"] = "NETCONNECT"
    if channel.retries is not None:
        row["SHORTRTS"], row["LONGRTS"] = channel.retries.short_left, channel.retries.long_left
    return {**row, "STOPREQ": "NO", **sender_numbers(channel.sender)}
