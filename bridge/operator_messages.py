"""Messages for the operator: MQ's ids (channels.md 18), severity, and our own wording.

Code names the id and the inserts; the text is formatted once, when it is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mqbridge.protocol.constants import MQRC

SEVERITIES: Final = {"I": "info", "W": "warning", "E": "error", "D": "debug"}
"""Log level by the letter behind an id."""
MAX_TEXT: Final = 2000
"""Longest message in characters: partners send names and texts of their own."""


@dataclass(slots=True)
class OperatorMessage:
    """A formatted message. ``amq``: id without its letter. ``severity``: that letter."""

    amq: str
    severity: str
    text: str
    inserts: tuple[str | int, ...] = ()

    @property
    def id(self) -> str:
        """``AMQ9002I``."""
        return self.amq + self.severity

    @property
    def level(self) -> str:
        """``info``, ``warning`` or ``error``."""
        return SEVERITIES[self.severity]


def operator_message(amq: str, inserts: Sequence[str | int] = ()) -> OperatorMessage:
    """Format the message of an id with its inserts; an unknown id is an error with its inserts."""
    severity, gist = MESSAGES.get(amq, ("E", "no text is known for this message"))
    shown = [_shown(amq, place, value) for place, value in enumerate(inserts)]
    used = gist.count("{")
    text = gist.format(*shown, *["?"] * used)
    rest = shown[used:]
    if rest:
        text = f"{text}: {'; '.join(rest)}"
    return OperatorMessage(amq, severity, text[:MAX_TEXT], tuple(inserts))


def _shown(amq: str, place: int, value: str | int) -> str:
    if isinstance(value, int) and (amq, place) in _REASONS:
        return f"{MQRC(value)} ({value})"
    text = str(value)
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


_REASONS: Final = frozenset(
    (
        ("AMQ5102", 1),
        ("AMQ5105", 3),
        ("AMQ5106", 2),
        ("AMQ7305", 2),
        ("AMQ7310", 2),
        ("AMQ7311", 2),
        ("AMQ7312", 1),
        ("AMQ7312", 2),
        ("AMQ7320", 1),
        ("AMQ8507", 1),
        ("AMQ8508", 0),
        ("AMQ8509", 1),
        ("AMQ9548", 3),
    )
)
"""Inserts that are reason codes, by id and position."""

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    # The queue manager
    "AMQ5024": ("I", "command server has started"),
    "AMQ5025": ("I", "command server has ended"),
    "AMQ5026": ("I", "listener {} accepts connections on {}"),
    "AMQ5028": ("I", "server of service {} has started, process {}"),
    "AMQ5029": ("I", "server of service {} has ended, process {}, status {}"),
    "AMQ5030": ("I", "command of service {} has started, process {}"),
    "AMQ5032": ("W", "service {} could not be started: {}"),
    "AMQ5037": ("I", "object passed over, it exists: {}"),
    "AMQ5041": ("W", "REST endpoint {} is not encrypted: passwords and messages pass in clear on this machine"),
    "AMQ5042": ("W", "a request to the admin endpoint was refused, from {}: {}"),
    "AMQ5090": ("I", "REST endpoint for users accepts connections on {}"),
    "AMQ5091": ("E", "certificate {} at {} names no user (CN)"),
    "AMQ5092": ("W", "nobody can use REST endpoint {}: there is no user yet, add one by 'mqbridge user add'"),
    "AMQ5093": ("W", "TLS with {} has failed: {}"),
    # Routes
    "AMQ5100": ("I", "{} {} has started: from {} to {}"),
    "AMQ5101": ("I", "{} {} has stopped"),
    "AMQ5102": ("W", "a message could not be put on error queue {}: {}; it goes to the dead-letter queue"),
    "AMQ5103": ("W", "{} {} waits and tries again: {}"),
    "AMQ5104": ("E", "{} {} is stopped: {}"),
    "AMQ5105": ("W", "route {}: message {} goes to {}: {}, {}"),
    "AMQ5106": ("W", "route {}: a message failed, it is tried again (BackoutCount {}): {}, {}"),
    "AMQ5108": ("W", "input of route {}: {}"),
    "AMQ5109": ("I", "route {} takes messages on {}"),
    "AMQ5107": ("W", "subscription '{}' was made for a route that there is no longer: DELETE SUB ends it"),
    # Everyplace
    "AMQ5120": ("W", "gateway {}: {}: {}"),
    "AMQ5121": ("W", "gateway {}: {} is turned away: {}"),
    "AMQ5122": ("I", "gateway {} is reached by listener {} on {}"),
    "AMQ5123": ("I", "gateway {}: administration '{}' of {}: return code {}"),
    "AMQ5124": ("I", "gateway {}: {}, {}: {}: {}"),
    # MyOpenQ: senders of remote queues
    "AMQ5150": ("I", "queue {} is sent to {}"),
    "AMQ5151": ("W", "queue {} is not sent to {}: {}; it is tried again in {} seconds"),
    "AMQ5152": ("E", "queue {} is not sent to {} any more, which refuses: {}; start it by 'mqbridge routes --start'"),
    "AMQ5153": ("I", "the sender of queue {} has stopped"),
    "AMQ5154": ("W", "queue {}: messages in doubt cannot be read: {}"),
    # MyOpenQ
    "AMQ5130": ("I", "door {} of MyOpenQ listens on {}, mode {}"),
    "AMQ5131": ("W", "door {}: {} grants nothing: {}"),
    "AMQ5132": ("W", "door {}: {} is turned away: it has shown no certificate"),
    "AMQ5133": ("I", "door {}: {} ends the queue manager by SHUTDOWN"),
    "AMQ5134": ("I", "door {}: write_interval is not used: every change is on disk before its answer"),
    "AMQ5135": ("I", "door {}: queues of MyOpenQ in {} are brought in by '{}'"),
    # Buses
    "AMQ5110": ("E", "channel {}: {}"),
    "AMQ5043": ("W", "the system's clock was set by {} seconds: dates follow it, waits and time-outs do not"),
    "AMQ5045": ("I", "channel {} has no MCAUSER and puts as user '{}', who may put everywhere but on SYSTEM queues"),
    "AMQ5052": (
        "W",
        "no more connections are accepted for now: {} of {} files that may be open are in use (ulimit -n)",
    ),
    "AMQ5053": ("I", "connections are accepted again"),
    "AMQ5054": (
        "W",
        "{} connections can be served, not {} ([channels] max): the process may have {} files open (ulimit -n)",
    ),
    "AMQ5055": ("W", "the keys of all TLS sessions are written to {}: whoever reads it can read what was encrypted"),
    "AMQ5056": ("W", "certificate {} expires in {} days, on {}"),
    "AMQ5057": ("E", "certificate {} has expired, on {}"),
    "AMQ5060": ("I", "link {} has connected to {}"),
    "AMQ5061": ("W", "link {} has no connection: {}; it tries again in {} seconds"),
    "AMQ5062": ("W", "link {} waits: {}"),
    "AMQ5063": ("W", "link {} cannot deliver a message of {}, which goes to the dead-letter queue: {} {}"),
    "AMQ5064": ("W", "link {} rejects a message of {}: {}"),
    "AMQ5065": ("I", "link {} has stopped"),
    "AMQ5066": ("W", "link {} is refused an address by the provider: {}"),
    "AMQ5067": ("W", "link {} has messages in doubt on queue {}, which it no longer sends"),
    "AMQ5080": ("I", "partner {}: {}"),
    "AMQ5081": ("I", "partner {} has a session with {}"),
    "AMQ5082": ("W", "partner {} has no session: {}; it tries again in {} seconds"),
    "AMQ5083": ("W", "partner {} waits: {}"),
    "AMQ5084": ("W", "partner {} cannot pass on a message of {}, which goes to the dead-letter queue: {}"),
    "AMQ5085": ("W", "partner {} has got {}: {}"),
    "AMQ5086": ("I", "partner {} has no session with {} any more: {}"),
    "AMQ5087": ("W", "partner {} has packets in doubt for messages of queue {}, which it no longer sends"),
    "AMQ5088": ("I", "partner {} has stopped"),
    "AMQ5089": ("W", "partner {} goes on with the description that it has: {}"),
    "AMQ5160": ("I", "a profile is taken for {} seconds"),
    "AMQ5161": ("I", "the profile is in {}"),
    "AMQ5162": ("E", "no profile can be taken: {}"),
    "AMQ5163": ("W", "--spin {} on one processor: while the queue manager polls, its clients cannot run"),
    "AMQ5070": ("I", "step {}: {}"),
    "AMQ5071": ("W", "step {}: {}; another process is started"),
    "AMQ5072": ("E", "step {}: {}"),
    "AMQ6118": ("E", "unexpected error at {}: {}"),
    "AMQ6183": ("E", "unexpected error"),
    "AMQ7305": ("W", "trigger message for queue {} could not be put on {}: {}"),
    "AMQ7310": ("W", "{} report for message {} could not be put: {}"),
    "AMQ7311": ("W", "{} report could not be put: {}: {}"),
    "AMQ7312": ("W", "event message for {} about reason {} could not be put: {}"),
    "AMQ7315": ("W", "messages of queue number {}, which no queue has: {}"),
    "AMQ7320": ("W", "a message on {} whose time has come can be put nowhere and stays: {}"),
    "AMQ7463": ("E", "the store is full, at {}: {}"),
    "AMQ7472": ("E", "damaged: {}: {}"),
    "AMQ7483": ("I", "connections are recorded in {}"),
    "AMQ7473": ("W", "the data folder {} was repaired: {}"),
    "AMQ7474": ("E", "the store has failed, the queue manager ends: {}"),
    "AMQ7475": ("W", "the disk of {} is full: no room is kept for the next start, puts of persistent messages fail"),
    "AMQ7484": ("E", "connections are not recorded any more, {} cannot be written: {}"),
    "AMQ8003": ("I", "queue manager {} started, data in {}"),
    "AMQ8004": ("I", "queue manager {} ended"),
    "AMQ8048": ("I", "supplied objects made: {}"),
    "AMQ8101": ("E", "unexpected error"),
    "AMQ8506": ("W", "command server cannot read a command: {}"),
    "AMQ8507": ("W", "command server cannot put an answer to {}: {}"),
    "AMQ8509": ("W", "the command with MsgId {}, or an answer to it, was given up: {}"),
    "AMQ8508": ("E", "command server cannot open its queue: {}"),
    "AMQ8146": ("I", "queue manager {} is ending: {}"),
    "AMQ8025": ("I", "channel {} has settled the batch in doubt {}: {}"),
    # Security
    "AMQ5534": ("E", "user '{}' at {} did not give the right password"),
    "AMQ5538": ("W", "repeated wrong passwords are slowed down, of {}"),
    "AMQ5539": ("E", "nobody can be checked, the file of users cannot be used: {}"),
    "AMQ5540": ("E", "application {} gave no user and password"),
    "AMQ5541": ("I", "CHCKCLNT(REQDADM) of {} asked for the password, since user '{}' is privileged"),
    "AMQ5542": ("I", "{} of {} asked for the password"),
    "AMQ5543": ("W", "channel {} asks clients for passwords, and without TLS these travel in clear"),
    "AMQ5544": (
        "W",
        "the password of user '{}' at {} came protected and cannot be checked, since the connection began when none "
        "was asked for: let the client connect anew, or STOP CHANNEL({}) and START CHANNEL({})",
    ),
    "AMQ5546": ("E", "channel {} cannot use TLS: {}"),
    "AMQ8077": ("W", "user '{}' has not the authority for {} ({}): {}"),
    "AMQ9489": ("W", "channel {} runs {} times already (MAXINST)"),
    "AMQ9490": ("W", "channel {} runs {} times already for one address (MAXINSTC)"),
    "AMQ9790": ("I", "{} of {} asked for the password"),
    # Channels that start and end
    "AMQ9001": ("I", "channel ended normally"),
    "AMQ9002": ("I", "channel {} started with {}"),
    "AMQ9202": ("E", "remote host not available"),
    "AMQ9206": ("E", "error sending data"),
    "AMQ9207": ("E", "data from the partner are not valid"),
    "AMQ9208": ("E", "error receiving data"),
    "AMQ9209": ("E", "connection closed by the partner"),
    "AMQ9213": ("E", "communications error"),
    "AMQ8730": ("W", "listener is active already"),
    "AMQ8731": ("W", "listener is not active"),
    "AMQ9218": ("E", "listener could not be started"),
    "AMQ9220": ("E", "network program could not be loaded"),
    "AMQ9259": ("E", "connection timed out"),
    "AMQ9492": ("E", "responder ended with an error"),
    "AMQ9503": ("E", "negotiation failed"),
    "AMQ9504": ("E", "protocol error"),
    "AMQ9505": ("E", "sequence wrap values differ"),
    "AMQ9506": ("E", "receipt of messages was not confirmed"),
    "AMQ9507": ("E", "channel is in doubt"),
    "AMQ9508": ("E", "cannot connect to queue manager"),
    "AMQ9509": ("E", "cannot open a queue"),
    "AMQ9510": ("E", "cannot get messages"),
    "AMQ9511": ("E", "cannot put messages"),
    "AMQ9512": ("E", "ping is not valid for this channel"),
    "AMQ9513": ("E", "too many connections, one more was refused"),
    "AMQ9514": ("W", "channel is in use"),
    "AMQ9519": ("E", "channel is not defined"),
    "AMQ9520": ("E", "channel is not defined at the partner"),
    "AMQ9523": ("E", "the partner found a protocol error"),
    "AMQ9524": ("E", "queue manager of the partner is not available"),
    "AMQ9525": ("I", "queue manager is ending"),
    "AMQ9526": ("E", "message sequence numbers differ"),
    "AMQ9527": ("E", "message cannot be sent through the channel"),
    "AMQ9528": ("I", "channel stopped by command"),
    "AMQ9530": ("E", "attributes of a queue do not fit"),
    "AMQ9531": ("E", "transmission queue does not fit"),
    "AMQ9533": ("W", "channel is not active"),
    "AMQ9534": ("E", "channel is not enabled"),
    "AMQ9536": ("E", "channel has an exit, which is not supported"),
    "AMQ9540": ("E", "commit failed"),
    "AMQ9541": ("E", "no conversion between these character sets"),
    "AMQ9544": ("E", "messages could not be put to their queue"),
    "AMQ9545": ("I", "channel ended, disconnect interval expired"),
    "AMQ9546": ("E", "the partner reported an error"),
    "AMQ9547": ("E", "types of the two ends do not fit"),
    "AMQ9548": ("W", "channel {} put a message for {} at {} on the dead-letter queue: {}"),
    "AMQ9549": ("W", "transmission queue is inhibited for get"),
    "AMQ9552": ("E", "security flow was not received"),
    "AMQ9555": ("E", "synchronisation record cannot be read"),
    "AMQ9556": ("E", "synchronisation record is missing"),
    "AMQ9557": ("E", "user id could not be initialised"),
    "AMQ9558": ("E", "channel is not available"),
    "AMQ9565": ("E", "no dead-letter queue is defined"),
    "AMQ9572": ("E", "message header is not valid"),
    "AMQ9599": ("E", "object of the queue manager could not be opened"),
    "AMQ9604": ("E", "channel ended unexpectedly"),
    "AMQ9616": ("E", "CipherSpec is not enabled"),
    "AMQ9631": ("E", "the CipherSpec of channel {} is {}, and the two ends have agreed on {}"),
    "AMQ9633": ("E", "certificate is not valid"),
    "AMQ9635": ("E", "channel {} has no CipherSpec, and the partner calls with TLS, with {}"),
    "AMQ9636": ("E", "channel {} refuses the partner: the name in its certificate, {}, does not match SSLPEER({})"),
    "AMQ9637": ("E", "a certificate is missing: channel {} needs one of the partner, who has sent none: {}"),
    "AMQ9639": ("E", "channel {} needs the CipherSpec {}, and the partner calls without TLS"),
    "AMQ9640": ("E", "channel {} has a malformed SSLPEER({}): {}"),
    "AMQ9641": ("E", "the two ends do not agree on TLS"),
    "AMQ9642": ("E", "our certificate is missing: {}"),
    "AMQ9643": ("E", "the partner does not accept our certificate's name"),
    "AMQ9657": ("E", "the key repository cannot be used: {}"),
    "AMQ9661": ("E", "TLS has failed: {}"),
    "AMQ9665": ("E", "TLS has ended: {}"),
    "AMQ9673": ("E", "channel {} has CERTLABL({}), and the server name of the partner did not name the channel: {}"),
    "AMQ9776": ("E", "user is blocked"),
    "AMQ9777": ("E", "channel is blocked"),
    "AMQ9791": ("E", "client gave no user and password"),
    "AMQ9999": ("E", "channel ended abnormally"),
}
"""Severity and text by id. ``{}`` takes the next insert; remaining inserts are appended."""
