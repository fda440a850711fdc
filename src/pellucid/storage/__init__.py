"""Fitted models as files that hold arrays and plain values: opening one never runs code from it."""

from pellucid.storage.card import CardColumn, ModelCard, card_of
from pellucid.storage.fingerprints import fingerprint
from pellucid.storage.model_file import load, read_card, save

__all__ = ["CardColumn", "ModelCard", "card_of", "fingerprint", "load", "read_card", "save"]
