"""How many messages the batches of each channel hold, and how long they wait for their confirmation."""

# %%
import pandas
from tables import given, read

from mqbridge.captures.generate import ChannelTraffic, Scenario


def made() -> list[Scenario]:
    """A channel with messages close to one another, and one on which they come singly."""
    busy = ChannelTraffic(channel="TO.VENUS", sizes=[400] * 300, interval=0.0005)
    idle = ChannelTraffic(channel="TO.PLUTO", sizes=[400] * 30, interval=0.02)
    return [Scenario(seed=2, channels=[busy, idle], clients=())]


STEPS = ["100ms", "1s", "10s", "1min", "10min", "1h", "6h", "1D", "7D"]
MOST_STEPS = 20

paths = given(made)
flows = read("flows", *paths, columns=["capture", "flow", "channel"])
columns = ["capture", "flow", "messages", "bytes", "begun", "latency", "fate"]
batches = read("batches", *paths, columns=columns).merge(flows, on=["capture", "flow"])
if batches.empty:
    raise SystemExit("no batches: these captures hold no message channel")

# %% messages and bytes of a batch, by channel and time
span = batches.begun.max() - batches.begun.min()
step = next((step for step in STEPS if pandas.Timedelta(step) * MOST_STEPS >= span), STEPS[-1])
by_time = batches.groupby(["channel", pandas.Grouper(key="begun", freq=step)])
sizes = by_time.agg(batches=("messages", "size"), messages=("messages", "mean"), bytes=("bytes", "mean"))
print(sizes[sizes.batches > 0].round(1).to_string())

# %% how long an end waits for the confirmation, in seconds
print(batches.groupby("channel").latency.describe()[["count", "mean", "50%", "max"]].round(6).to_string())

# %% batches that were not confirmed
others = batches[batches.fate != "confirmed"]
print(others.groupby(["channel", "fate"]).size().to_string() if len(others) else "all batches were confirmed")
