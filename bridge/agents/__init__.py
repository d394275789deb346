"""Agents: each joins a protocol machine to the queue manager. Times in, effects out; no sockets."""
