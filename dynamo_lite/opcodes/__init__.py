"""Opcode handlers, in tables by topic."""
