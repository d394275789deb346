"""Rows of DISPLAY CHSTATUS (channels.md 17.4)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mqbridge.bridge.agents.gateway.definitions import SENDING
from mqbridge.bridge.agents.svrconn import ServerConnectionAgent
from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.security import channel_user
from mqbridge.mappings.moment import date_of
from mqbridge.protocol.channel import NO_LUWID

if TYPE_CHECKING:
    from mqbridge.bridge.agents.gateway.channel import Channel
    from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
    from mqbridge.bridge.agents.message_channel.receiver.mca import ReceiverMCA
    from mqbridge.bridge.agents.message_channel.sender.mca import SenderMCA


def current_rows(channel_manager: ChannelManager) -> list[StatusRow]:
    """One row an instance; one for a channel that is being connected, retries or is stopped."""
    rows: list[StatusRow] = []
    for channel in list(channel_manager.channels.values()):
        ends = channel.ends()
        for end in ends:
            if isinstance(end, ServerConnectionAgent):
                rows.append(_common(channel, end) | end.row())
            else:
                rows.append(_running(channel, end))
        word = _waiting_status(channel)
        if not ends and word:
            rows.append(_waiting(channel_manager, channel, word))
    return rows


def saved_rows(channel_manager: ChannelManager) -> list[StatusRow]:
    """One row a synchronisation record."""
    rows: list[StatusRow] = []
    synchronisation = channel_manager.synchronisation
    for channel in list(channel_manager.channels.values()):
        record = channel.sender
        if record.state.luwid == NO_LUWID and record.state.in_doubt is None and not record.state.sequence:
            continue
        rows.append({**_name(channel_manager, channel.name), "RQMNAME": record.partner, **_sender_numbers(channel)})
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
    return {**row, "STOPREQ": "NO", **_sender_numbers(channel)}


def _sender_numbers(channel: Channel) -> StatusRow:
    state = channel.sender.state
    doubt = state.in_doubt
    return {
        "INDOUBT": "YES" if doubt is not None else "NO",
        "CURLUWID": (doubt.luwid if doubt else state.luwid).hex().upper(),
        "CURSEQNO": doubt.sequence if doubt else state.sequence,
        "CURMSGS": doubt.count if doubt else 0,
        "LSTLUWID": state.luwid.hex().upper(),
        "LSTSEQNO": state.sequence,
    }


def _common(channel: Channel, end: SenderMCA | ReceiverMCA | ServerConnectionAgent) -> StatusRow:
    """What message channels and channels of clients show alike."""
    machine, definition = end.machine, end.definition
    counters = machine.link.wire.counters
    row: StatusRow = {
        "CHANNEL": channel.name,
        "CHLTYPE": definition.subtype,
        "CONNAME": end.connection.peer,
        "STATUS": end.status,
        "SUBSTATE": _word(machine.substate),
        "RQMNAME": end.partner,
        "STOPREQ": "YES" if end.stopping else "NO",
        "MCASTAT": "RUNNING",
        "JOBNAME": "",
        "MSGS": counters.messages,
        "BUFSRCVD": counters.buffers_received,
        "BUFSSENT": counters.buffers_sent,
        "BYTSRCVD": counters.bytes_received,
        "BYTSSENT": counters.bytes_sent,
        "RPRODUCT": end.product[:4],
        "RVERSION": end.product[4:],
        "MONCHL": "OFF",
        "SECPROT": "NONE",
        "SSLPEER": "",
        "SSLCERTI": "",
        "SSLCERTU": "",
        "SSLCIPH": definition.text("SSLCIPH"),
    }
    if end.started_at:
        row["CHSTADA"], row["CHSTATI"] = _date_and_time(end.started_at)
        row |= {"COMPHDR": ("NONE", "NONE"), "COMPMSG": ("NONE", "NONE")}
    if counters.last_message is not None:
        row["LSTMSGDA"], row["LSTMSGTI"] = _date_and_time(counters.last_message)
    return row


def _running(channel: Channel, end: SenderMCA | ReceiverMCA) -> StatusRow:
    machine, definition = end.machine, end.definition
    counters, numbers = machine.link.wire.counters, end.saved_numbers()
    current = counters.current_luwid
    row = _common(channel, end)
    row |= {
        "MCAUSER": channel_user(definition) if end.connection.user is None else end.connection.user,
        "BATCHES": counters.batches,
        "CURMSGS": counters.current_messages,
        "CURSEQNO": counters.current_sequence or numbers["LSTSEQNO"],
        "CURLUWID": numbers["LSTLUWID"] if current == NO_LUWID else current.hex().upper(),
    }
    if definition.subtype in SENDING:
        row |= {"SHORTRTS": definition.integer("SHORTRTY"), "LONGRTS": definition.integer("LONGRTY")}
        row["LOCLADDR"] = definition.text("LOCLADDR")
    if machine.negotiated is not None:
        agreed = machine.negotiated
        row |= {
            "BATCHSZ": agreed.batch_size,
            "HBINT": agreed.heartbeat_interval,
            "MAXMSGL": agreed.max_message_length,
            "NPMSPEED": "FAST" if agreed.fast else "NORMAL",
        }
    return row | numbers


def sender_numbers(channel: Channel) -> StatusRow:
    """What a running sending end shows of its record."""
    numbers = _sender_numbers(channel)
    for current in ("CURLUWID", "CURSEQNO", "CURMSGS"):
        del numbers[current]
    return numbers


def _word(value: object) -> str:
    name = str(value).removeprefix("MQCHSSTATE_").removeprefix("MQCHS_")
    return "" if name == "OTHER" else _SUBSTATES.get(name, name)


_SUBSTATES = {
    "END_OF_BATCH": "ENDOFBATCH",
    "SENDING": "SEND",
    "RECEIVING": "RECEIVE",
    "SERIALIZING": "SERIALIZE",
    "RESYNCHING": "RESYNCH",
    "HEARTBEATING": "HEARTBEAT",
    "NET_CONNECTING": "NETCONNECT",
    "IN_MQPUT": "INMQPUT",
    "IN_MQGET": "INMQGET",
    "IN_MQI_CALL": "INMQI",
}


def status_word(value: object) -> str:
    """``RUNNING`` of ``MQCHS_RUNNING``."""
    return str(value).removeprefix("MQCHS_")


def _date_and_time(moment: float) -> tuple[str, str]:
    stamp = datetime.fromtimestamp(date_of(moment), UTC)
    return stamp.strftime("%Y-%m-%d"), stamp.strftime("%H.%M.%S")
