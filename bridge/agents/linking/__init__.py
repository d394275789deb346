"""Live links: queues joined to destinations of a JMS provider over AMQP 1.0."""
