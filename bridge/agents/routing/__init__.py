"""Routes: messages got from a queue, a topic or an input, transformed and put elsewhere (docs/routing.md)."""
