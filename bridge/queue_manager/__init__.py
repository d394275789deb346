"""The queue manager: objects, queues, units of work and the rules of the message queue interface."""
