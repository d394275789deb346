"""Durability behind one interface: rows of messages, records and branches, kept by LMDB or in memory."""
