"""What the queue managers of a simulation of Everyplace have: queues, connections, entries, and a bridge to MQ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind

from .everyplace_node import EveryplaceNode
from .everyplace_programs import AssuredProgram

if TYPE_CHECKING:
    from .everyplace_scenario import EveryplaceScenario

END: Final = "SATURN"
MOVED: Final = "POST"
"""A name that programs use for one gateway, then for another."""


def define_all(scenario: EveryplaceScenario) -> None:
    """Define everything that a scenario has."""
    for name, gateway in scenario.home.items():
        _define_device(scenario, scenario.nodes[name], gateway)
    for at, name in enumerate(scenario.gateways):
        _define_gateway(scenario, at, scenario.nodes[name])
    if END in scenario.nodes:
        saturn, last = scenario.nodes[END], scenario.gateways[-1]
        saturn.define(QueueKind.LOCAL, "ORDERS")
        saturn.connect_to(last)
        saturn.define(QueueKind.STORE_AND_FORWARD, "DOWN", last, ENTRIES=[*scenario.home])


def _define_device(scenario: EveryplaceScenario, device: EveryplaceNode, gateway: str) -> None:
    others = [name for name in scenario.home if name != device.name]
    device.connect_to(gateway, aliases=(MOVED,))
    for name in (END, *(each for each in scenario.gateways if each != gateway), *others):
        device.connect_to(name, via=gateway)
    device.define(QueueKind.LOCAL, "REPLIES")
    device.define(QueueKind.REMOTE, "ORDERS", END, MODE=rows.ASYNCHRONOUS)
    for name in scenario.gateways:
        device.define(QueueKind.REMOTE, "INBOX", name, MODE=rows.ASYNCHRONOUS)
    if others:
        device.define(QueueKind.STORE_AND_FORWARD, "OTHERS", gateway, ENTRIES=others)
    if scenario.endurance is not None:
        for queue in ("CHECKED", "TAKEN"):
            device.define(QueueKind.REMOTE, queue, gateway, MODE=rows.SYNCHRONOUS)
        scenario.programs.append(AssuredProgram(device, gateway, scenario.oracle, scenario.random))
    device.define(QueueKind.HOME_SERVER, "HOME", gateway, POLL_INTERVAL=scenario.random.choice(scenario.polls))


def _define_gateway(scenario: EveryplaceScenario, at: int, gateway: EveryplaceNode) -> None:
    below, above = scenario.gateways[:at], scenario.gateways[at + 1 :]
    own = [name for name, home in scenario.home.items() if home == gateway.name]
    gateway.define(QueueKind.LOCAL, "INBOX")
    if scenario.endurance is not None:
        gateway.define(QueueKind.LOCAL, "CHECKED")
        gateway.define(QueueKind.LOCAL, "TAKEN")
    if own:
        gateway.define(QueueKind.STORE_AND_FORWARD, "HELD", ENTRIES=own)
    if below:
        gateway.connect_to(below[-1])
        devices = [name for name, home in scenario.home.items() if home in below]
        gateway.define(QueueKind.STORE_AND_FORWARD, "DOWN", below[-1], ENTRIES=[*below, *devices])
    if above:
        gateway.connect_to(above[0])
        devices = [name for name, home in scenario.home.items() if home in above]
        gateway.define(QueueKind.STORE_AND_FORWARD, "UP", above[0], ENTRIES=[END, *above, *devices])
        if scenario.in_transit is not None:
            for name in (END, *above[1:]):
                gateway.connect_to(name, via=above[0])
            gateway.define(QueueKind.REMOTE, "ORDERS", END, MODE=scenario.in_transit)
            for name in above:
                gateway.define(QueueKind.REMOTE, "INBOX", name, MODE=scenario.in_transit)
    elif scenario.mq is not None:
        scenario.mq.define()
    else:
        gateway.connect_to(END)
        mode = rows.ASYNCHRONOUS if scenario.in_transit is None else scenario.in_transit
        gateway.define(QueueKind.REMOTE, "ORDERS", END, MODE=mode)
