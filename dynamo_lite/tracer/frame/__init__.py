"""Frames under analysis: the interpreter of instructions, and the root frame that restarts it."""
