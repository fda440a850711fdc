"""The main job: from a table to a model that can be trusted, as one page and the files beside it."""
