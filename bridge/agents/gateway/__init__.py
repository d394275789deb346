"""What joins conversations to an endpoint: connections, channels and who may start them, effects, deadlines."""
