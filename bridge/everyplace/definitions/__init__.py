"""Definitions of a queue manager: its queues, connections and listeners, as the registry keeps them (E-224)."""
