"""What one analysis knows: the interface of a frame, trackers, effects, and the trace it makes."""
