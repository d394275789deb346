"""One queue manager as a process: opens everything that the configuration names, and closes it in order.

Nothing is imported here: commands that read the files of a queue manager do not load what runs one.
"""
