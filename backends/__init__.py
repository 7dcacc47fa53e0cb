"""Backends: from a graph to something callable."""
