"""Trackers of containers whose items lie in arrays, so that loops of the graph can use them."""
