"""Routes: messages got from a queue or topic, transformed and put elsewhere (docs/routing.md)."""
