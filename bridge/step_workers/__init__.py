"""Python steps of routes in processes of their own (docs/routing.md)."""
