"""Remote queues: their messages go to the queue managers where the queues are (M-101 to M-103)."""
