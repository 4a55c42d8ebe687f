"""What a run's memory holds."""
