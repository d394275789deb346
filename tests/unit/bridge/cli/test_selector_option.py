"""``--selector`` of get and browse, and ``selector`` in the query of their requests."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from support.processes.running_service import RunningService


def fill(service: RunningService, queue: str) -> None:
    for number, colour in enumerate(("red", "blue", "red")):
        service.command("put", queue, f"text {number}", "--property", f"colour={colour}")
    service.command("put", queue, "text 3")


@pytest.mark.spec("mqi.md 18")
def test_only_what_is_selected_is_shown_and_got(shared_service: RunningService, queue: str) -> None:
    fill(shared_service, queue)
    red = ("--selector", "colour = 'red'")
    assert shared_service.command("browse", queue, *red, "--all").stdout == "text 0\ntext 2\n"
    assert shared_service.command("get", queue, *red, "--all").stdout == "text 0\ntext 2\n"
    result = shared_service.command("get", queue, *red)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "2033" in result.stderr
    assert shared_service.command("get", queue, "--selector", "colour IS NULL", "--wait", "5").stdout == "text 3\n"
    assert shared_service.command("get", queue, "--all").stdout == "text 1\n"


@pytest.mark.spec("mqi.md 18.2")
@pytest.mark.parametrize(
    ("selector", "reason"),
    [("colour = = 3", "MQRC_SELECTION_NOT_AVAILABLE (2551)"), ("1 = 2", "MQRC_SELECTOR_ALWAYS_FALSE (2504)")],
)
def test_a_wrong_selector_is_status_1(shared_service: RunningService, queue: str, selector: str, reason: str) -> None:
    fill(shared_service, queue)
    result = shared_service.command("get", queue, "--selector", selector)
    assert result.exit_code == 1
    assert reason in result.stderr
    assert len(shared_service.browse(queue)) == 4


def test_the_query_of_a_request(shared_service: RunningService, queue: str) -> None:
    fill(shared_service, queue)
    path = f"/ibmmq/rest/v2/messaging/qmgr/{shared_service.name}/queue/{queue}"
    selector = quote("colour <> 'red'")
    assert shared_service.http("GET", f"{path}/message?selector={selector}").body == b"text 1"
    assert shared_service.http("DELETE", f"{path}/message?selector={selector}").body == b"text 1"
    listed = shared_service.http("GET", f"{path}/messagelist?selector={quote('colour IS NOT NULL')}")
    assert len(listed.document["messages"]) == 2
    assert shared_service.http("DELETE", f"{path}/message?selector=a%20%3D").status == 400
