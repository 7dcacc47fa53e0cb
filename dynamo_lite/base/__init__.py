"""What every other folder stands on: settings, errors, logs, records."""
