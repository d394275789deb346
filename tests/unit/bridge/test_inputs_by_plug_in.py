"""Inputs of plug-ins (group ``mqbridge.inputs``): the example of the documentation, and plug-ins that are broken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqbridge.bridge.config import RouteSettings
from mqbridge.bridge.service.errors import StartError
from mqbridge.bridge.service.inputs import Inputs
from support.formats.installed import install
from support.processes.running_service import MakeService, RunningService, wait_for

EXAMPLE = re.search(
    r"```python\n(class Beats:.*?)```", (Path(__file__).parents[3] / "docs" / "routing.md").read_text(), re.DOTALL
)
SOURCE = """
class Base:
    def __init__(self, settings, sink):
        self.sink = sink
    def start(self):
        pass
    def stop(self):
        pass

class NotMade(Base):
    def __init__(self, settings, sink):
        raise RuntimeError("no line to the printer")

class NotStarted(Base):
    def start(self):
        raise RuntimeError("no paper")

class RaisesLater(Base):
    def start(self):
        self.sink.later(0, self.fail)
    def fail(self):
        raise RuntimeError("paper jam")
    def stop(self):
        raise RuntimeError("cannot stop")

class RaisesWhenAnswered(Base):
    def start(self):
        self.sink.later(0, self.offer)
    def offer(self):
        self.sink.offer(mqbridge.Message("one"), b"1", self.answered)
    def answered(self, taken):
        raise RuntimeError("what now")
"""
ENTRIES = {
    "beats": "plugged:Beats",
    "not-made": "plugged:NotMade",
    "not-started": "plugged:NotStarted",
    "later": "plugged:RaisesLater",
    "answered": "plugged:RaisesWhenAnswered",
    "no-function": "plugged:mqbridge",
}
CONFIGURATION = """
[[route]]
name = "plugged"
input = { kind = "KIND", text = "tick" }
to = "DEV.QUEUE.1"
"""


def install_all(folder: Path) -> None:
    assert EXAMPLE is not None
    source = f"import mqbridge\n{EXAMPLE[1].replace('later(1,', 'later(0.05,')}{SOURCE}"
    install(folder, ENTRIES, source=source, module="plugged", group="mqbridge.inputs")


@pytest.fixture
def made(make_service: MakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> RunningService:
    install_all(tmp_path / "site")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    (tmp_path / "plugged.toml").write_text(CONFIGURATION.replace("KIND", kind))
    return make_service(start=False, options=("--config", str(tmp_path / "plugged.toml"), "--store", "memory"))


@pytest.mark.parametrize("kind", ["beats"])
def test_the_example_of_the_documentation_works(made: RunningService) -> None:
    made.start()
    first, second, *_ = wait_for("two messages", lambda: len(found := made.browse("DEV.QUEUE.1")) > 1 and found)
    assert (first["body"]["text"], second["body"]["text"]) == ("tick", "tick")


@pytest.mark.parametrize(("kind", "what"), [("later", "paper jam"), ("answered", "what now")])
def test_what_a_plug_in_raises_is_logged_and_all_goes_on(made: RunningService, what: str) -> None:
    made.start()
    wait_for("the log", lambda: f"AMQ5108W: input of route plugged: RuntimeError: {what}" in made.log)
    assert "RUNNING" in made.command("routes").stdout
    assert made.stop() == 0


@pytest.mark.parametrize("kind", ["not-started"])
def test_a_plug_in_that_cannot_start_prevents_the_start(made: RunningService) -> None:
    made.launch()
    assert made.wait() == 2
    assert "plugged.toml, line 4: route 'plugged': the input cannot be made: RuntimeError: no paper" in made.log


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("not-made", "the input cannot be made: RuntimeError: no line to the printer"),
        ("no-function", "it is no function or class"),
        ("unknown", "no plug-in offers inputs of kind 'unknown'"),
        (5, "an input has a 'kind'"),
    ],
)
def test_plug_ins_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: object, what: str) -> None:
    install_all(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    settings = RouteSettings(name="plugged", input={"kind": kind}, to="Q")
    with pytest.raises(StartError, match=re.escape(what)) as caught:
        Inputs({"plugged": settings}, {"plugged": None}, None, print)  # type: ignore[arg-type, dict-item]
    assert (caught.value.status, "route 'plugged'" in str(caught.value)) == (2, True)
