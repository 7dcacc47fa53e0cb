"""Functions that a program may call: directives to the compiler, control flow on data."""
