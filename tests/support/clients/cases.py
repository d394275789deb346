"""What bad clients do, by the rows of the table for clients in docs/protocol.md: the table of cases.

A case is given the scene, and returns the reason codes with which calls failed, if its row has some. Those whose row
has the code of an end see to that themselves (`cut_off`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from support.clients.scene import ClientScene
from support.gateway.bad_input_table import client_rows

Case = Callable[[ClientScene], "list[int] | None"]
CASES: dict[str, Case] = {}


def case(name: str) -> Callable[[Case], Case]:
    def register(scenario: Case) -> Case:
        CASES[name] = scenario
        return scenario

    return register


def changed(segment: bytes, offset: int, *values: int) -> bytes:
    return segment[:offset] + bytes(values) + segment[offset + len(values) :]


ROWS: Final = {row.case: row for row in client_rows()}


def cut_off(scene: ClientScene, *segments: bytes) -> None:
    scene.is_cut_off(scene.says(*segments, seconds=0.5), *ROWS[scene.case].codes)
