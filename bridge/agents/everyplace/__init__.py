"""A gateway of Everyplace: a queue manager of it inside one of MQ, its connections and bridge, and who may connect."""
