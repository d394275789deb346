"""Channel records on disk: sequence numbers, LUWIDs, the batch in doubt, and the stopped state.

Rows of three tables, as JSON that an operator can read:

* ``channel-sender``, key: channel name. Last confirmed batch, the batch in doubt with the positions of its messages
  on the transmission queue, and a reset that the partner has not received yet.
* ``channel-receiver``, key: channel name, NUL, partner's queue manager name. Last committed batch.
* ``channel-status``, key: channel name. Stopped by command; running when the queue manager ended.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store, StoreDamaged
from mqbridge.protocol.channel import InDoubt, ReceiverState, SenderState

SENDERS = "channel-sender"
RECEIVERS = "channel-receiver"
STATUSES = "channel-status"


@dataclass(slots=True, eq=False)
class SenderRecord:
    """State of a sender, the positions of the messages in doubt, and the partner."""

    state: SenderState = field(default_factory=SenderState)
    positions: list[int] = field(default_factory=list)
    transmission_queue: str = ""
    partner: str = ""
    unsure_on_disk: bool = False
    """The row on disk, or being written, says ``unsure``, so fast batches need not wait for theirs."""

    def operation(self, channel: str) -> Operation:
        """The operation that writes the row."""
        state = self.state
        row: dict[str, Any] = {"luwid": state.luwid.hex(), "sequence": state.sequence, "partner": self.partner}
        if state.reset:
            row["reset"] = True
        if state.unsure:
            row["unsure"] = True
        if state.in_doubt is not None:
            batch = state.in_doubt
            row["in_doubt"] = {
                "luwid": batch.luwid.hex(),
                "sequence": batch.sequence,
                "count": batch.count,
                "queue": self.transmission_queue,
                "positions": self.positions,
            }
        return PutRecord(SENDERS, channel.encode(), _encoded(row))


@dataclass(slots=True, eq=False)
class ReceiverRecord:
    """State of a receiver for one partner."""

    partner: str
    state: ReceiverState = field(default_factory=ReceiverState)

    def operation(self, channel: str) -> Operation:
        """The operation that writes the row."""
        row: dict[str, Any] = {"luwid": self.state.luwid.hex(), "sequence": self.state.sequence}
        if self.state.unsure:
            row["unsure"] = True
        return PutRecord(RECEIVERS, receiver_key(channel, self.partner), _encoded(row))


@dataclass(slots=True)
class StatusRecord:
    """State of a channel that must survive a restart."""

    stopped: bool = False
    """Stopped by STOP CHANNEL with STATUS(STOPPED), or by a failure that must not be retried."""
    running: bool = False
    """Running or retrying when the queue manager ended; it is started again."""

    def operation(self, channel: str) -> Operation:
        """The operation that writes the row, or removes it if there is nothing to record."""
        if not self.stopped and not self.running:
            return RemoveRecord(STATUSES, channel.encode())
        return PutRecord(STATUSES, channel.encode(), _encoded({"stopped": self.stopped, "running": self.running}))


def receiver_key(channel: str, partner: str) -> bytes:
    """Key of a receiver's row."""
    return f"{channel}\0{partner}".encode()


def load_senders(store: Store) -> dict[str, SenderRecord]:
    """Load all sender rows by channel name. Raises ``StoreDamaged``."""
    found = {}
    for key, value in store.records(SENDERS):
        row = _decoded(key, value)
        try:
            doubt = row.get("in_doubt")
            state = SenderState(
                luwid=bytes.fromhex(row["luwid"]),
                sequence=int(row["sequence"]),
                reset=bool(row.get("reset")),
                unsure=bool(row.get("unsure")),
                in_doubt=InDoubt(
                    luwid=bytes.fromhex(doubt["luwid"]), sequence=int(doubt["sequence"]), count=int(doubt["count"])
                )
                if doubt
                else None,
            )
            found[key.decode()] = SenderRecord(
                state,
                list(map(int, doubt["positions"])) if doubt else [],
                str(doubt["queue"]) if doubt else "",
                str(row.get("partner", "")),
                unsure_on_disk=bool(row.get("unsure")),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise StoreDamaged("a channel's record cannot be read", f"{SENDERS} {key!r}") from error
    return found


def load_receivers(store: Store) -> dict[tuple[str, str], ReceiverRecord]:
    """Load all receiver rows by (channel name, partner). Raises ``StoreDamaged``."""
    found = {}
    for key, value in store.records(RECEIVERS):
        row = _decoded(key, value)
        try:
            channel, partner = key.decode().split("\0")
            state = ReceiverState(
                luwid=bytes.fromhex(row["luwid"]), sequence=int(row["sequence"]), unsure=bool(row.get("unsure"))
            )
        except (KeyError, TypeError, ValueError) as error:
            raise StoreDamaged("a channel's record cannot be read", f"{RECEIVERS} {key!r}") from error
        found[channel, partner] = ReceiverRecord(partner, state)
    return found


def load_statuses(store: Store) -> dict[str, StatusRecord]:
    """Load all status rows by channel name. Raises ``StoreDamaged``."""
    found = {}
    for key, value in store.records(STATUSES):
        row = _decoded(key, value)
        found[key.decode()] = StatusRecord(bool(row.get("stopped")), bool(row.get("running")))
    return found


def _encoded(row: dict[str, Any]) -> bytes:
    return json.dumps(row, separators=(",", ":")).encode()


def _decoded(key: bytes, value: bytes) -> dict[str, Any]:
    try:
        row = json.loads(value)
    except ValueError as error:
        raise StoreDamaged("a channel's record cannot be read", repr(key)) from error
    if not isinstance(row, dict):
        raise StoreDamaged("a channel's record cannot be read", repr(key))
    return row
