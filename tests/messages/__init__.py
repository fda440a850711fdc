"""Words: every message that a user may meet, as it is said."""
