"""How a device queue manager is opened, beside what its file says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mqbridge.bridge.everyplace.effects import Alarm, Audit, Notice
from mqbridge.bridge.everyplace.network.settings import NetworkSettings
from mqbridge.bridge.everyplace.rules.plug_ins import PlugIns
from mqbridge.protocol.everyplace.http_login import Ask

from .adapters.interface import AdapterKind


def _nobody(what: object) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Options:
    """``connect``: whether a thread looks after connections; without one, what is put waits on disk. ``properties``:
    of adapters, such as ``proxy``, ``user``, ``password``, ``authorities``, ``certificate``, ``key``; with
    ``EARTH.proxy`` for one connection. ``ask``: asks a person for user and password; None if they cancel. ``alarm``:
    told of what an operator should know. ``notice``: of what is for a log. ``adapters``: more of them, by name.
    ``plug_ins``: its rules, other than those that come with the program. ``failed``: gets what a listener raises.
    ``pin``: of the private registry, if queues are protected. ``network``: times and compressors. A thread of its own
    makes the calls to ``alarm`` and ``notice``."""

    connect: bool = True
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)
    ask: Ask | None = None
    alarm: Callable[[Alarm], None] = _nobody
    notice: Callable[[Notice | Audit], None] | None = None
    adapters: Mapping[str, AdapterKind] = field(default_factory=dict)
    plug_ins: PlugIns | None = None
    failed: Callable[[Exception], None] = _nobody
    pin: str = field(default="", repr=False)
    network: NetworkSettings = field(default_factory=NetworkSettings)
