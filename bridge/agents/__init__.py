"""Agents join a machine of the wire to the queue manager: time in, effects out, no sockets."""
