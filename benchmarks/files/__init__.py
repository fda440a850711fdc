"""Workloads of their own: files."""
