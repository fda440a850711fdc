# Written by tools/write_stubs.py.
from pellucid.text.count_vectorizer import CountVectorizer as CountVectorizer
from pellucid.text.hashing import HashingVectorizer as HashingVectorizer
from pellucid.text.tfidf import TfidfTransformer as TfidfTransformer
from pellucid.text.tfidf import TfidfVectorizer as TfidfVectorizer

__all__ = ["CountVectorizer", "HashingVectorizer", "TfidfTransformer", "TfidfVectorizer"]
