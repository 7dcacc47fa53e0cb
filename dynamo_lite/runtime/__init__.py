"""Compiling frames when they are called, and what becomes of the compiled code afterwards."""
