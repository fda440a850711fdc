"""Small real tables that come with the package, each by a ``load_*`` function in scikit-learn's manner.

Examples
--------
>>> from pellucid.datasets import load_penguins
>>> penguins = load_penguins()
>>> penguins.data.shape, penguins.target_names.tolist()
((344, 4), ['Adelie', 'Chinstrap', 'Gentoo'])
>>> load_penguins(target="body_mass_g").feature_names
['bill_length_mm', 'bill_depth_mm', 'flipper_length_mm']
"""

from pellucid.datasets._load import load_penguins, load_titanic

__all__ = ["load_penguins", "load_titanic"]
