"""Which calls of clients took longest, and which are slow as a rule."""

# %%
from tables import given, read

from captures.generate import ClientTraffic, Scenario


def made() -> list[Scenario]:
    """A program that is served at once, and one whose queue manager is busy."""
    quick = ClientTraffic(user="orders", puts=(200,) * 20, gets=20)
    slow = ClientTraffic(user="billing", puts=(50_000,) * 10, gets=10, work=0.25)
    return [Scenario(channels=(), clients=[quick, slow])]


paths = given(made)
calls = read("calls", *paths).merge(
    read("flows", *paths)[["capture", "flow", "client", "user"]], on=["capture", "flow"]
)

# %% the ten slowest, with the packet to look at in Wireshark
answered = calls.dropna(subset="latency").sort_values(["latency", "packet"], ascending=[False, True])
shown = ["name", "object_name", "user", "client", "latency", "packet", "reason_name"]
print(answered.head(10)[shown].to_string(index=False))

# %% how long each call takes, by user
print(answered.groupby(["user", "name"]).latency.describe(percentiles=[0.5, 0.99])[["count", "50%", "99%", "max"]])

# %% calls that were never answered
print(f"{calls.latency.isna().sum()} calls without an answer")
