"""dynamo_lite: torch.compile for NumPy."""
