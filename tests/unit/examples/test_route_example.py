"""The example of a route with a Python step."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from mqbridge.protocol.constants import MQRC
from support.processes.running_service import MakeService, RunningService, wait_for

EXAMPLE = Path(__file__).parents[3] / "examples" / "routes"


def got(service: RunningService, queue: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = []

    def comes() -> bool:
        message = service.get(queue)  # CURDEPTH counts a message before its commit too
        if message is not None:
            found.append(message)
        return bool(found)

    wait_for(f"a message on {queue}", comes)
    return found[0]


def test_orders_get_a_price_and_wrong_ones_go_to_the_error_queue(make_service: MakeService, tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLE, tmp_path / "routes")
    service = make_service("SHOP", options=("--config", str(folder / "queue-manager.toml")))
    for item, count in (("plums", 1), ("apples", 0), ("apples", 3)):
        service.put("ORDERS.IN", json.dumps({"item": item, "count": count}), Persistence=1)
    order = got(service, "ORDERS")
    assert json.loads(order["body"]["text"]) == {"item": "apples", "count": 3, "price": 90}
    assert order["properties"]["shop"]["value"] == "corner"
    assert order["MQMD"]["Persistence"] == 1
    wrong = got(service, "ORDERS.ERROR")
    assert json.loads(wrong["body"]["text"]) == {"item": "plums", "count": 1}
    (header,) = wrong["headers"]
    assert header["fields"]["Reason"] == MQRC.API_EXIT_ERROR
    wait_for("the end of all orders", lambda: service.depth("ORDERS.IN") == 0)
