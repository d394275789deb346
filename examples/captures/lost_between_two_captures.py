"""Which messages are in one capture and not in the other: before and behind a gateway, before and after a migration.

In Spark SQL, with both captures read as the table ``messages``::

    SELECT b.* FROM before b LEFT ANTI JOIN after a ON a.msg_id = b.msg_id
"""

# %%
from tables import given, read

from captures.generate import ChannelTraffic, Scenario


def made() -> list[Scenario]:
    """The same channel twice; the second time a network in between loses packets."""
    channel = ChannelTraffic(sizes=[500] * 200)
    return [
        Scenario(seed=1, channels=[channel], clients=()),
        Scenario(seed=1, channels=[channel], clients=(), lose=0.03),
    ]


before, after = (read("messages", path) for path in given(made)[:2])

# %% join by message id: what is only on the left was lost
joined = before.merge(after[["msg_id"]].drop_duplicates(), on="msg_id", how="left", indicator=True)
lost = joined[joined._merge == "left_only"]
print(f"{len(before)} messages before, {len(after)} after, {len(lost)} lost")
print(lost.head(10)[["msg_id", "channel", "sequence_number", "queue", "length", "packet"]].to_string(index=False))

# %% what came through: the same bytes?
both = before.merge(after, on="msg_id", suffixes=("", "_after"))
changed = both[both.body_sha256 != both.body_sha256_after]
print(f"{len(both)} in both, {len(changed)} of them with another body")
