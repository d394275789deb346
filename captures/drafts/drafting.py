"""From collected connections to a draft: learnt, written as a description, tried on every message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mqbridge.captures.learning import Draft, Framing, Message, Options, Stream, learn_messages
from mqbridge.captures.learning.claims import LENGTH
from mqbridge.captures.learning.framing import LengthField, StartMark, find_framing
from mqbridge.captures.learning.messages import in_order
from mqbridge.mappings.templates import Protocol, read_protocol

from .blanking import blank
from .collecting import Collected
from .half_known import HalfKnown, cut_streams
from .kind_drafts import KindDraft, kind_drafts
from .known import name_known
from .scripts import script_lines
from .specs import SizedBy
from .toml_form import description
from .trying import Tried, try_protocol
from .valid import make_valid


@dataclass(frozen=True, slots=True)
class DraftOptions:
    """``name``: of the protocol; ``known``: values that pass, by the names of their fields; ``keep_values``: nothing
    is blanked; ``half_known``: a description of a part of the protocol; ``learning``: see `captures.learning.Options`.
    """

    name: str = "learnt"
    known: Mapping[str, str] = field(default_factory=dict)
    keep_values: bool = False
    half_known: HalfKnown | None = None
    learning: Options = field(default_factory=Options)


@dataclass(slots=True)
class Drafted:
    """What was learnt. ``text``: the description, empty where nothing is claimed; ``protocol``: read from it;
    ``tried``: how it does on all ``messages``; ``blanked``: values that were left out; ``notes``: what is missing."""

    draft: Draft
    messages: Sequence[Message] = ()
    kinds: list[KindDraft] = field(default_factory=list)
    text: str = ""
    protocol: Protocol | None = None
    tried: Tried = field(default_factory=Tried)
    blanked: int = 0
    notes: list[str] = field(default_factory=list)


def draft_protocol(collected: Collected, options: DraftOptions | None = None) -> Drafted:
    """Return a draft of what connections speak. Where there is too little to go by it claims nothing, and its notes
    say what is missing."""
    options = options or DraftOptions()
    notes = list(collected.notes)
    reason = _impossible(collected)
    if reason:
        return Drafted(Draft(None, None, [], 0, []), notes=[*notes, reason])
    if options.half_known is not None:
        return _draft_rest(collected, options.half_known, options, notes)
    found = find_framing(collected.streams)
    if found is None and not collected.are_messages:
        nothing = Draft(None, None, [], 0, ["no framing cuts every connection to its end: nothing is claimed"])
        return Drafted(nothing, notes=[*notes, *nothing.notes])
    framing: Framing | None = None
    if found is None:
        messages = _pieces(collected.streams)
    else:
        framing, cuts = found
        messages = list(in_order(cuts))
    if alone := _alone(messages):
        return Drafted(Draft(framing, None, [], 0, []), notes=[*notes, alone])
    draft = learn_messages(messages, collected.streams, framing, options.learning)
    if framing is None:
        draft.framing = framing_of(draft)
    drafted = Drafted(draft, messages, notes=[*notes, *draft.notes])
    if framing is not None and any(isinstance(rule, StartMark) for rule in framing.rules):
        drafted.notes.append("messages end where their start mark comes again, which no description can say")
        return drafted
    _describe(drafted, options)
    return drafted


def _draft_rest(collected: Collected, known: HalfKnown, options: DraftOptions, notes: list[str]) -> Drafted:
    """Return a description with what it did not know of some connections."""
    cut = cut_streams(known.protocol, collected.streams)
    count = len(cut.messages) - len(cut.rest)
    notes += [*cut.notes, f"{count:,} messages are known by the description, {len(cut.rest):,} are learnt from"]
    alone = _alone(cut.rest)
    drafted = Drafted(Draft(None, None, [], len(cut.messages), []), cut.messages, notes=notes)
    if alone:
        drafted.notes.append(alone)
        drafted.text, drafted.protocol = known
        drafted.tried = try_protocol(known.protocol, cut.messages)
        return drafted
    framing = known.framing(len(cut.messages))
    drafted.draft = learn_messages(cut.rest, collected.streams, framing, options.learning)
    drafted.notes += drafted.draft.notes
    _describe(drafted, options)
    return drafted


def _alone(messages: Sequence[Message]) -> str:
    """Why messages cannot be compared, or empty."""
    if len({message.data for message in messages}) > 1:
        return ""
    count = "no message" if not messages else "one message" if len(messages) == 1 else f"{len(messages)} equal messages"
    return f"{count}: there is nothing to compare"


def framing_of(draft: Draft) -> Framing | None:
    """Return the framing by a length that all kinds of a draft have at one place; None where there is none.

    For messages that were given one by one, of which too few are there to prove a framing by streams.
    """
    places: list[set[LengthField]] = [
        {
            LengthField(each.start, each.end - each.start, each.detail["order"], 1, each.detail["less"])
            for each in kind.layout.claims()
            if each.what == LENGTH and each.detail.get("of") == "message" and each.end and each.support == each.tried
        }
        for kind in draft.kinds
    ]
    common = set.intersection(*places) if places else set()
    whole = [rule for rule in common if rule.add in (0, rule.position + rule.width)]
    if not whole:
        return None
    rule = min(whole)
    return Framing((rule, rule), draft.messages, 0.0)


def _impossible(collected: Collected) -> str:
    if not collected.streams:
        return "no bytes of any connection: nothing is claimed"
    if len(collected.ports) > 1:
        ports = ", ".join(f"{port} ({count} connections)" for port, count in collected.ports.most_common(8))
        return f"several ports, which may speak several protocols: {ports}; --port says which"
    unreadable = collected.unreadable
    return f"{unreadable}: nothing is claimed" if unreadable else ""


def _pieces(streams: Sequence[Stream]) -> list[Message]:
    return [Message(stream.number, piece.side, piece.time, piece.data) for stream in streams for piece in stream.pieces]


def _describe(drafted: Drafted, options: DraftOptions) -> None:
    """Write the description, and try it; a kind that it does not read throughout gets a simpler layout."""
    draft = drafted.draft
    drafted.kinds = kind_drafts(draft, drafted.messages)
    drafted.notes += name_known(drafted.kinds, options.known)
    for each in drafted.kinds:
        _map_message(each)
    changed = make_valid(drafted.kinds, draft.key)
    drafted.notes += [
        f"{each.name}: a field is more than a description can say, and is bytes in it" for each in changed
    ]
    script = script_lines(draft, drafted.kinds)
    cuts = draft.framing is not None or options.half_known is not None
    for _ in range(2):
        if not options.keep_values:
            drafted.blanked = blank(drafted.kinds)
        if options.half_known is not None:
            drafted.text = options.half_known.with_kinds(draft, drafted.kinds)
        else:
            drafted.text = description(options.name, draft.framing, draft.key, drafted.kinds, script)
        drafted.protocol = read_protocol(drafted.text, "protocol.toml")
        drafted.tried = try_protocol(drafted.protocol, drafted.messages, cuts=cuts)
        failed = [each for each in drafted.kinds if drafted.tried.failed[each.name] and not each.is_relaxed]
        if not failed:
            return
        for each in failed:
            each.relax()
            _map_message(each)


def _map_message(each: KindDraft) -> None:
    """Let the last field of no fixed length be what a message carries."""
    for spec in reversed(each.specs):
        if spec.length == "rest" or isinstance(spec.length, SizedBy):
            if all(other.name != "message" for other in each.specs):
                spec.keys["map"] = "message"
            return
