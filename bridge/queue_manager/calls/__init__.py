"""The calls of a session: requests and outcomes as values, and one function for each kind of request."""
