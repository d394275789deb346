"""The queue manager: its rules, its store, what joins it to the wire, and the commands that run it."""
