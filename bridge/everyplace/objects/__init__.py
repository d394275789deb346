"""The objects of a queue manager at work, as administration defines, changes and deletes them (E-093, E-223)."""
