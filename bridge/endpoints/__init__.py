"""Sockets and timers: listeners and connectors that carry bytes between the network and agents."""
