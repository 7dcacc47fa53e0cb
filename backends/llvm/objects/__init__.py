"""Machine code: compiling modules, and keeping them on disk."""
