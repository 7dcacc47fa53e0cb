"""A guard set in its other forms: flat for the machine, a tree and reasons for people."""
