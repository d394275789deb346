"""A queue manager of Everyplace on a device: one file of SQLite, one thread for its connections, calls for programs.

The standard library is all it needs.
"""
