"""Learning from few labels."""
