"""IPython and Jupyter: `%load_ext dynamo_lite`."""
