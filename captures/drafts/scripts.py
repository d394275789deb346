"""The session of a draft as scripts of both ends."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Final

from mqbridge.captures.learning import INITIATOR, RESPONDER, Draft, KindName, Session

from .kind_drafts import ROLES, KindDraft, exchanges_of
from .toml_form import quoted

_PATIENCE: Final = 10.0
"""Seconds, or times the longest wait that was seen, after which an answer is missing."""
_LEAST: Final = 0.01


def script_lines(draft: Draft, kinds: list[KindDraft]) -> list[str]:
    """Return the tables of the session; none where nothing is known of it."""
    if draft.session is None or not kinds:
        return []
    names = {each.kind.name: each.name for each in kinds}
    carrying = {each.kind.name for each in kinds if any(spec.keys.get("map") for spec in each.specs)}
    lines: list[str] = []
    for side in (INITIATOR, RESPONDER):
        lines += _End(draft, draft.session, names, carrying, side).lines()
    return lines


class _End:
    """The script of one end. ``carrying``: kinds that carry a message."""

    def __init__(
        self, draft: Draft, session: Session, names: Mapping[KindName, str], carrying: set[KindName], side: int
    ) -> None:
        self._session = session
        self._names = names
        self._side = side
        self._carrying = carrying
        self._exchanges = {each.request: each for each in exchanges_of(session)}
        self._beats = {each.kind: each for each in session.heartbeats if each.kind in names}
        opening = [kind for kind in session.opening[:2] if kind in names]
        counts = {kind.name: kind.count for kind in draft.kinds}
        self._opening = [kind for kind in opening if counts[kind] <= 1.2 * session.connections]
        self._mine = [kind.name for kind in sorted(draft.kinds, key=lambda kind: -kind.count) if kind.side == side]
        self._theirs = [kind.name for kind in draft.kinds if kind.side != side]

    def lines(self) -> list[str]:
        """Return the states."""
        first = self._opening[:1]
        lines: list[str] = []
        if first and first[0][0] == self._side:
            answer = self._exchanges.get(first[0])
            waits = answer is not None and answer.answer in self._names
            after = "opening" if waits else "ready"
            lines += self._state("new", [f'{{ on = "connect", send = {self._name(first[0])}, next = "{after}" }}'])
            if waits and answer is not None:
                rules = [f'{{ packet = {self._name(answer.answer)}, next = "ready" }}']
                lines += self._state(
                    "opening", [*rules, _timeout("no answer to the opening")], self._wait(answer.within)
                )
        elif first and self._side != first[0][0]:
            answer = self._exchanges.get(first[0])
            send = f", send = {self._name(answer.answer)}" if answer and answer.answer in self._names else ""
            lines += self._state("new", [f'{{ packet = {self._name(first[0])}{send}, next = "ready" }}'])
        lines += self._ready()
        return lines

    def _ready(self) -> list[str]:
        request = self._request()
        answers = self._answers(request)
        beat = next((self._beats[kind] for kind in self._mine if kind in self._beats), None)
        beat_rule = [] if beat is None else [f'{{ on = "idle", send = {self._name(beat.kind)} }}']
        rules = []
        if request is not None:
            after = ', next = "asked"' if answers else ", accepted = true"
            rules.append(f'{{ on = "put", send = {self._name(request)}{after} }}')
        others = [rule for kind in self._theirs if kind not in answers for rule in self._rule(kind)]
        idle = None if beat is None else beat.period
        if not [*rules, *beat_rule, *others]:
            return []
        lines = self._state("ready", [*rules, *beat_rule, *others], idle=idle)
        if answers:
            exchange = None if request is None else self._exchanges.get(request)
            mine = [
                f'{{ packet = {self._name(kind)}, answer = true, accepted = true, next = "ready" }}' for kind in answers
            ]
            within = self._wait(exchange.within if exchange is not None else float("nan"))
            lines += self._state("asked", [*mine, *others, _timeout("no answer to a request")], within)
        return lines

    def _rule(self, kind: KindName) -> list[str]:
        """What is done with a packet that the other end sends of itself."""
        if kind in self._opening:
            return []
        exchange = self._exchanges.get(kind)
        send = ""
        if exchange is not None and exchange.answer in self._names:
            send = f", send = {self._name(exchange.answer)}"
        answers = {each.answer for each in self._exchanges.values()}
        deliver = ", deliver = true" if kind in self._carrying - self._beats.keys() - answers else ""
        return [f"{{ packet = {self._name(kind)}{deliver}{send} }}"]

    def _request(self) -> KindName | None:
        """The kind by which a message goes out: the most frequent that begins an exchange, or answers nothing."""
        answers = {each.answer for each in self._exchanges.values()}
        free = [kind for kind in self._mine if kind not in self._opening and kind not in self._beats]
        begun = [kind for kind in free if kind not in answers]
        usual = [kind for kind in begun if kind in self._exchanges and kind in self._carrying]
        return next(iter([*usual, *(kind for kind in begun if kind in self._exchanges), *begun]), None)

    def _answers(self, request: KindName | None) -> list[KindName]:
        """The kinds of the other end that follow a request."""
        if request is None or self._exchanges.get(request) is None:
            return []
        found = [
            step.after
            for step in self._session.steps
            if step.before == request and step.after is not None and step.after[0] != self._side
        ]
        return [kind for kind in found if kind in self._names and kind not in self._beats]

    def _wait(self, seen: float) -> float:
        return max(_PATIENCE, round(_PATIENCE * seen)) if isfinite(seen) else _PATIENCE

    def _name(self, kind: KindName) -> str:
        return quoted(self._names[kind])

    def _state(self, name: str, rules: list[str], within: float | None = None, idle: float | None = None) -> list[str]:
        lines = ["", f"[[session.{ROLES[self._side]}.state]]", f'name = "{name}"']
        if within is not None:
            lines.append(f"within = {within:g}")
        if idle is not None:
            lines.append(f"idle = {max(round(idle, 1), _LEAST):g}")
        return [*lines, "rule = [", *(f"    {rule}," for rule in rules), "]"]


def _timeout(reason: str) -> str:
    return f'{{ on = "timeout", close = {quoted(reason)} }}'
