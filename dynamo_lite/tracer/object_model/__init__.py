"""Constants, cells and attributes: how CPython finds what a name after a dot means."""
