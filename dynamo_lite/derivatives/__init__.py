"""`grad` and the like: transformations of functions, as Python code that is traced."""
