"""The bridge's side of MQ: programs there, units of work for batches, transmission queues, calls on bridge queues.

A program (`program`) is a session of the queue manager in this process, or a client connection to any other; everything
else here makes no difference between the two but one: only here a commit takes rows of the store with it. Elsewhere a
record on the sync queue says after a crash what was committed (`sync_record`).
"""
