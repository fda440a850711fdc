"""What a fitted model looks at."""
