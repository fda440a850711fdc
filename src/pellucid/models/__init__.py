"""What a fit leaves behind: a few structures shared by many estimators."""
