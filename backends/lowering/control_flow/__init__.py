"""Loops, branches and functions that call themselves, and what is known of numbers in them."""
