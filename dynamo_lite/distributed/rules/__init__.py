"""What operations become for arrays in blocks: a function for each rule."""
