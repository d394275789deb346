"""Records of the archive for devices do what those of `dataclasses` do."""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

HOME: Final = Path(__file__).parents[3]
SOURCE: Final = """
@dataclass(frozen=True, slots=True)
class Place:
    host: str
    port: int = 8081
    secret: str = field(default="", repr=False)
    more: dict = field(default_factory=dict)
    kind: str = field(default="tcp", init=False)
    def __post_init__(self):
        if not self.host:
            raise ValueError("no host")
    def __str__(self):
        return f"{self.host}:{self.port}"

@dataclass(slots=True)
class Count:
    number: int = 0

@dataclass(slots=True, eq=False)
class Entry:
    number: int
"""
TRIALS: Final = (
    "repr(Place('earth', secret='x')), str(Place('earth')), repr(Count()), repr(Entry(7))",
    "Place('earth', 1, 's', {'a': 1}).more, Place('earth').more, Place('earth').more is Place('earth').more",
    "Place('earth') == Place('earth', 8081), Place('earth') == Place('mars'), Place('earth') == ('earth', 8081)",
    "Count(1) == Count(1), Count(1) != Count(2), Entry(1) == Entry(1), Count(1) == Entry(1)",
    "len({Entry(1), Entry(1)}), Place.__match_args__, Count.__match_args__, Place.__slots__, Place.__qualname__",
    "hash(Count())",
    "hash(Place('earth', more=())) == hash(Place('earth', more=()))",
    "replace(Place('earth', 1, 's'), port=2).secret, replace(Place('earth', 1), port=2).port, replace(Count(3)).number",
    "replace(Place('earth'), depth=2)",
    "replace(Place('earth'), host='')",
    "Place()",
    "Place('earth', kind='tls')",
    "Place('')",
    "Count(1, 2)",
    "setattr(Place('earth'), 'port', 5)",
    "delattr(Place('earth'), 'port')",
    "setattr(Count(), 'numbre', 5)",
    "Place('earth').kind, Place.__init__.__qualname__",
    "[setattr(count := Count(), 'number', 5), count.number]",
)


def records() -> ModuleType:
    spec = importlib.util.spec_from_file_location("records", HOME / "packaging" / "records.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def outcome(module: ModuleType, trial: str) -> tuple[str, Any]:
    names = {name: getattr(module, name) for name in ("dataclass", "field", "replace")} | {"__name__": __name__}
    exec(SOURCE, names)
    try:
        return "", eval(trial, names)
    except Exception as error:
        return type(error).__name__, None


@pytest.mark.parametrize("trial", TRIALS)
def test_they_do_the_same(trial: str) -> None:
    assert outcome(records(), trial) == outcome(dataclasses, trial)


def test_what_they_cannot_do_is_refused_when_the_class_is_made() -> None:
    dataclass = records().dataclass
    with pytest.raises(TypeError, match="slots"):
        dataclass(slots=False)(type("Open", (), {}))
    with pytest.raises(TypeError, match="bases"):
        dataclass(slots=True)(type("Child", (dict,), {}))
