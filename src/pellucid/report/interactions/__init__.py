"""Tables of baskets, ratings and visits: recognizing them, and reading them as baskets or interactions."""
