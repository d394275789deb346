"""TCP segments to flows, flows to ordered bytes, bytes to MQ segments; losses are reported."""
