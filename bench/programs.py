"""What the programs of `jms` and `calls` have in common: queues, channel, sizes."""

from __future__ import annotations

SIZE = 2048
"""Bytes of a message."""
BATCH = 50
"""Messages of a transaction."""
CHANNEL = "DEV.APP.SVRCONN"
FLOW, ASYNC, ASKED = "BENCH.FLOW", "BENCH.FLOW.ASYNC", "BENCH.ASKED"
OBJECTS = f"""\
DEFINE QLOCAL({FLOW}) MAXDEPTH(1000000)
DEFINE QLOCAL({ASYNC}) MAXDEPTH(1000000) DEFPRESP(ASYNC)
DEFINE QLOCAL({ASKED}) MAXDEPTH(1000000)
"""
