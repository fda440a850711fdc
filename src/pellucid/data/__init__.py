"""The door: every table comes in here, and only this package knows dataframe libraries."""
