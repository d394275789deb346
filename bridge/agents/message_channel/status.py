"""Fields of message channels in DISPLAY CHSTATUS (channels.md 17.4)."""

from __future__ import annotations

from mqbridge.bridge.agents.channel_instance import ChannelInstance, common_row
from mqbridge.bridge.agents.message_channel.application import user_of
from mqbridge.bridge.agents.message_channel.channel_records import SenderRecord
from mqbridge.bridge.agents.message_channel.definitions import SENDING
from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.protocol.channel import NO_LUWID, ReceiverChannel, SenderChannel


def running_row(end: ChannelInstance, machine: SenderChannel | ReceiverChannel, saved: StatusRow) -> StatusRow:
    """The row of a running instance. ``saved``: fields from its record."""
    definition, counters = end.definition, machine.link.wire.counters
    current = counters.current_luwid
    row = common_row(end, machine)
    row |= {
        "MCAUSER": user_of(definition, end.connection),
        "BATCHES": counters.batches,
        "CURMSGS": counters.current_messages,
        "CURSEQNO": counters.current_sequence or saved["LSTSEQNO"],
        "CURLUWID": saved["LSTLUWID"] if current == NO_LUWID else current.hex().upper(),
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
    return row | saved


def last_batch(record: SenderRecord) -> StatusRow:
    """Fields of a sender's last confirmed batch, and whether one is in doubt."""
    state = record.state
    return {
        "INDOUBT": "YES" if state.in_doubt is not None else "NO",
        "LSTLUWID": state.luwid.hex().upper(),
        "LSTSEQNO": state.sequence,
    }


def sender_numbers(record: SenderRecord) -> StatusRow:
    """Fields from the record of a sender that is not running."""
    doubt = record.state.in_doubt
    return {
        **last_batch(record),
        "CURLUWID": (doubt or record.state).luwid.hex().upper(),
        "CURSEQNO": (doubt or record.state).sequence,
        "CURMSGS": doubt.count if doubt else 0,
    }
