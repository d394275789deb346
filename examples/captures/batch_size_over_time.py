"""How many messages the batches of each channel hold, and how long they wait for their confirmation."""

# %%
import pandas
from tables import given, read

from captures.generate import ChannelTraffic, Scenario


def made() -> list[Scenario]:
    """A channel with messages close to one another, and one on which they come singly."""
    busy = ChannelTraffic(channel="TO.VENUS", sizes=[400] * 300, interval=0.0005)
    idle = ChannelTraffic(channel="TO.PLUTO", sizes=[400] * 30, interval=0.02)
    return [Scenario(seed=2, channels=[busy, idle], clients=())]


paths = given(made)
flows = read("flows", *paths)[["capture", "flow", "channel"]]
batches = read("batches", *paths).merge(flows, on=["capture", "flow"])

# %% messages and bytes of a batch, by channel and tenth of a second
by_time = batches.groupby(["channel", pandas.Grouper(key="begun", freq="100ms")])
print(by_time.agg(batches=("batch", "count"), messages=("messages", "mean"), bytes=("bytes", "mean")).dropna().round(1))

# %% how long an end waits for the confirmation, in seconds
print(batches.groupby("channel").latency.describe()[["count", "mean", "50%", "max"]].round(6))
