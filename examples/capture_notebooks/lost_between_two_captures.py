"""Which messages are in one capture and not in the other: before and behind a gateway, before and after a migration.

``python lost_between_two_captures.py BEFORE AFTER``: each is a capture, or a folder of them. In Spark SQL, with both
read as the table ``messages``::

    SELECT DISTINCT before.msg_id FROM before LEFT ANTI JOIN after ON before.msg_id = after.msg_id
"""

# %%
from tables import given, read

from mqbridge.captures.generate import Builder, ChannelTraffic
from mqbridge.protocol.constants import SegmentType


def made() -> list[Builder]:
    """The same channel twice; the second time three messages do not arrive."""
    builders = [Builder(seed=1), Builder(seed=1)]
    whole, lossy = [builder.channel(ChannelTraffic(sizes=[500] * 200)) for builder in builders]
    for number in (150, 77, 20):
        lossy.remove(whole.find(SegmentType.MESSAGE_DATA, nth=number))
    return builders


COLUMNS = ["msg_id", "course", "fate", "channel", "sequence_number", "queue", "body_length", "body_sha256", "packet"]
SHOWN = ["msg_id", "channel", "sequence_number", "queue", "body_length", "packet"]
NOT_THERE = ["refused", "backed out"]

paths = given(made)
if len(paths) != 2:
    raise SystemExit("usage: lost_between_two_captures.py BEFORE AFTER")

# %% each message once, whether it was put, got, or passed on a channel, and not those that were taken back
both = []
for path in paths:
    messages = read("messages", path, columns=COLUMNS)
    arrived = messages[messages.course.isin(["get", "browse"]) | ~messages.fate.isin(NOT_THERE)]
    nameless = arrived.msg_id.str.strip("0") == ""
    if nameless.any():
        print(f"{path}: {nameless.sum()} puts without a reply, which do not tell their message ids, are left out")
    both.append(arrived[~nameless].drop_duplicates("msg_id"))
before, after = both

# %% by message id: the same messages, seen at two places
lost = before[~before.msg_id.isin(after.msg_id)]
print(f"{len(before)} messages before, {len(after)} after, {len(lost)} lost")
print(lost[SHOWN].to_string(index=False))

# %% what came through: the same bytes?
known = before.merge(after, on="msg_id", suffixes=("", "_after")).dropna(subset=["body_sha256", "body_sha256_after"])
changed = known[known.body_sha256 != known.body_sha256_after]
print(f"{len(known)} in both, {len(changed)} of them with another body")

# %% by body: a system that was migrated gives its messages other ids. Of equal bodies the first ones count as there.
missing = before.dropna(subset="body_sha256")
missing = missing.assign(nth=missing.groupby("body_sha256").cumcount())
there = after.dropna(subset="body_sha256").groupby("body_sha256").size()
missing = missing[missing.nth >= missing.body_sha256.map(there).fillna(0)]
print(f"{len(missing)} bodies are not there after")
print(missing[SHOWN].to_string(index=False))
