"""MQGET with all options: find, browse and get messages, and wait for them."""
