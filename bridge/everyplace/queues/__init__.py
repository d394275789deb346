"""Queues of Everyplace, a file for each kind (mqe.md 6.3), and the messages on them."""
