"""Which calls of clients took longest, and which are slow as a rule."""

# %%
from tables import given, read

from mqbridge.captures.generate import ClientTraffic, Scenario


def made() -> list[Scenario]:
    """A program that is served at once, one whose queue manager is busy, and one that waits for messages."""
    quick = ClientTraffic(user="orders", puts=(200,) * 20, gets=20)
    slow = ClientTraffic(user="billing", puts=(50_000,) * 10, gets=10, work=0.25)
    patient = ClientTraffic(user="archive", puts=(), empty_gets=2, wait=5.0)
    return [Scenario(channels=(), clients=[quick, slow, patient])]


SHOWN = ["name", "object_name", "user", "client", "latency", "packet", "reason_name"]

paths = given(made)
flows = read("flows", *paths, columns=["capture", "flow", "client", "user"])
columns = ["capture", "flow", "packet", "name", "object_name", "latency", "wait", "reason_name"]
calls = read("calls", *paths, columns=columns).merge(flows, on=["capture", "flow"])

# %% gets that may wait for a message say how long there was none, not how fast the queue manager is
waiting = calls[calls.wait != 0]
answered = calls[(calls.wait == 0) & calls.latency.notna()]

# %% the ten slowest, with the packet to look at in Wireshark
slowest = answered.sort_values(["latency", "packet"], ascending=[False, True]).head(10)
print(slowest[SHOWN].to_string(index=False))

# %% how long each call takes, by user
described = answered.groupby(["user", "name"]).latency.describe(percentiles=[0.5, 0.99])
print(described[["count", "50%", "99%", "max"]].round(6).to_string())

# %% calls that were never answered, and gets that waited
print(f"{calls.latency.isna().sum()} calls without an answer")
print(f"{len(waiting)} gets that would wait, {waiting.latency.sum():.1f} seconds in all")
