"""The queue manager of Everyplace: one set of rules for devices, gateways and the simulation (mqe.md)."""
