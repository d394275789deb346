"""What joins conversations to an endpoint: connections, the channel manager, effects and deadlines."""
