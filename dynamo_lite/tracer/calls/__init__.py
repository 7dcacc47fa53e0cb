"""Calling: arguments are bound, functions inlined, outside callables sent to their rule."""
