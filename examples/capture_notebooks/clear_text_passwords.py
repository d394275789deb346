"""Who sends passwords in clear text, from where, to which channel. The passwords are in no table."""

# %%
from tables import given, read

from mqbridge.captures.generate import ClientTraffic, Scenario
from mqbridge.protocol.mqi import Passwords

IN_CLEAR, WEAK = "C-601", "C-602"


def made() -> list[Scenario]:
    """Three programs; one signs on with a password that everybody can read."""
    careless = ClientTraffic(
        user="nightly",
        channel="BATCH.SVRCONN",
        client={"user": "nightly", "password": "secret99"},
        server={"passwords": Passwords.CLEAR},
    )
    return [Scenario(seed=3, channels=(), clients=[careless, ClientTraffic(), careless])]


paths = given(made)
findings = read("findings", *paths, columns=["capture", "flow", "rule", "title", "time"])
flows = read("flows", *paths, columns=["capture", "flow", "client", "server", "channel", "user"])

# %%
told = findings[findings.rule.isin([IN_CLEAR, WEAK])].merge(flows, on=["capture", "flow"])
told["host"] = told.client.str.replace(r":\d+$", "", regex=True)
summary = told.groupby(["title", "user", "host", "server", "channel"]).agg(
    connections=("flow", "nunique"), last=("time", "max")
)
print(summary.reset_index().to_string(index=False) if len(summary) else "nobody")
