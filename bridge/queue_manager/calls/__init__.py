"""The calls of a session: requests and outcomes as values, and a function for each kind of request."""
