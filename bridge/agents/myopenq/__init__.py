"""MyOpenQ: a door by which callers that speak it use the queues of a queue manager (myopenq.md)."""
