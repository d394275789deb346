"""Message channel agents: the sending MCA, the receiving MCA, and what starts and retries channels."""
