"""TCP segments into flows, flows into bytes in order, bytes into MQ segments; what was lost is said."""
