"""Transfer of messages between queue managers, each once (mqe.md 10, E-187 to E-191).

A lane carries the messages of one queue to one queue manager in numbered batches:

1. PUSH n brings a batch to the receiver, which keeps it unconfirmed, in memory, and says of each message whether it can
   be placed.
2. The sender writes n as in doubt, in one transaction with the deletes of batch n-1. Only then it sends
3. CONFIRM n: the receiver places the messages, in one transaction with the number n.
4. CONFIRMED n, and then PUSH n+1 goes out behind CONFIRM n without waiting for it.

A pull is the same with roles changed: the end that calls receives. It asks for batch n+1 by NEXT behind TAKEN n.

After a cut the ends compare their numbers and settle n. Numbers that no crash explains hold the lane until an
administrator readmits the other end: then one of them has been restored from a backup, or there are two of it.
"""
