"""Recommenders: what they read, what they answer, and that both agree with the readable reference."""
