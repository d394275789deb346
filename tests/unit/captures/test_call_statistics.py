"""Statistics of calls in the report: gets that wait for messages are counted for themselves."""

from __future__ import annotations

import io

from mqbridge.captures.analysis import AnalysisOptions, analyse_file
from mqbridge.captures.generate import ClientTraffic, Scenario
from mqbridge.captures.report import Summary


def test_gets_that_wait_do_not_make_other_gets_look_slow() -> None:
    quick = ClientTraffic(puts=(10,) * 5, gets=5)
    patient = ClientTraffic(puts=(), empty_gets=2, wait=5.0)
    made = Scenario(seed=1, channels=(), clients=[quick, patient]).build()
    summary = Summary()
    for row in analyse_file(io.BytesIO(made.data), AnalysisOptions(tables=frozenset({"calls"}))):
        summary.add(row)
    counts = {name: calls.count for name, calls in summary.calls.items() if name.startswith("MQGET")}
    assert counts == {"MQGET": 5, "MQGET, waits": 2}
    assert summary.calls["MQGET"].latency.percentiles(99)[0] < 1.0
