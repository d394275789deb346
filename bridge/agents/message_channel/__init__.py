"""Message channel agents: the sending MCA, the receiving MCA, and what both keep of a channel."""
