"""What kernels compute: element by element, folded along axes, or made of the position."""
