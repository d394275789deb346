"""Administration of a queue manager by messages, which commands and ini files write (mqe.md 14).

The same message is obeyed whether it is put here or comes from another queue manager. `requests` is what a message
says, `processor` obeys, a file for each resource knows its actions, `words` is how people write and read it all.
"""
