"""Record classes of structures of fixed layout, made by ``make layouts`` from ``protocol/structures``.

``protocol.records`` says what a record is, ``protocol.grammar`` how a grammar names its classes.
"""
