"""The code that replaces a frame: values rebuilt, effects replayed, graph breaks."""
