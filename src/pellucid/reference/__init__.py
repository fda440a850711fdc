"""Readable implementations: the textbook's own steps, in NumPy, with every intermediate result named.

One module an algorithm. They are written to be read and to be compared against: each fast kernel of the library is
tested for giving the same answer as its reference here, and both for giving the figures of examples done by hand.
Nothing here imports the compiled core, so that the two cannot share a mistake.
"""
