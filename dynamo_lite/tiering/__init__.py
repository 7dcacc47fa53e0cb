"""Which code of a whole program is worth compiling: what has taken as long as compiling takes."""
