"""Instructions of the replay of `calls` by module, from what callgrind wrote about a compiled build.

An instruction counts for the compiled function of ours that is nearest above it: the interpreter and the C library work
for whom they are called by. What no compiled function asked for is the replay's own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

ROUNDS = 60
"""Rounds in which costs go up to callers; functions that call each other in circles settle long before."""
_NAME = re.compile(r"\((\d+)\)(?: (.*))?")
_FUNCTION = re.compile(r"CPy(?:Def|Py)_(.+)")


class Costs:
    """What callgrind wrote: ``own`` instructions by function, and ``calls``: their number by caller and callee."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.own: Counter[str] = Counter()
        self.calls: Counter[tuple[str, str]] = Counter()
        names: dict[str, str] = {}

        def name(text: str) -> str:
            found = _NAME.match(text)
            assert found is not None
            number, given = found.groups()
            if given:
                names[number] = given.partition("'")[0]  # callgrind counts the depth of recursion behind an apostrophe
            return names[number]

        function = callee = ""
        called = 0
        for line in lines:
            if line.startswith("fn="):
                function = name(line[3:].strip())
            elif line.startswith("cfn="):
                callee = name(line[4:].strip())
            elif line.startswith("calls="):
                called = int(line[6:].split()[0])
            elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
                if called:
                    self.calls[function, callee] += called
                    called = 0
                else:
                    self.own[function] += int(line.split()[1])


def by_module(lines: Iterable[str], modules: Iterable[str]) -> Counter[str]:
    """Instructions by module, of ``modules`` as paths; blank for the replay."""
    costs = Costs(lines)
    places = {suffix: path for path in modules for suffix in _suffixes(path)}
    module = {name: _module_of(name, places) for name in costs.own | Counter(each for each, _ in costs.calls)}
    into: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for (caller, callee), number in costs.calls.items():
        if caller != callee and not module.get(callee):
            into[callee].append((caller, float(number)))
    found: Counter[str] = Counter()
    waiting: dict[str, float] = {name: float(cost) for name, cost in costs.own.items()}
    for _ in range(ROUNDS):
        above: dict[str, float] = defaultdict(float)
        for name, cost in waiting.items():
            callers = into.get(name, [])
            whole = sum(share for _, share in callers)
            if module.get(name) or not whole:
                found[module.get(name, "")] += round(cost)
                continue
            for caller, share in callers:
                above[caller] += cost * share / whole
        waiting = above
    found[""] += round(sum(waiting.values()))
    return found


def _suffixes(path: str) -> Iterable[str]:
    """How mypyc may begin the names of a module's functions: it takes as few folders as tell it from the others."""
    parts = path.removesuffix(".py").split("/")
    for first in range(len(parts)):
        yield "___".join(parts[first:])


def _module_of(function: str, places: Mapping[str, str]) -> str:
    """The module of a compiled function; blank for others."""
    found = _FUNCTION.match(function)
    if found is None:
        return ""
    parts = found.group(1).split("___")
    for length in range(len(parts), 0, -1):
        place = places.get("___".join(parts[:length]))
        if place is not None:
            return place
    return ""
