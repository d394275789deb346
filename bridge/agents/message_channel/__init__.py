"""Message channel agents: sender MCA, receiver MCA, and what both record of a channel."""
