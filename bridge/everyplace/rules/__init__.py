"""Rules: hooks of a queue manager, its queues and its bridge (mqe.md 21), and the names by which they are found."""
