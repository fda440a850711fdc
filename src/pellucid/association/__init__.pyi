# Written by tools/write_stubs.py.
from pellucid.association.apriori import Apriori as Apriori
from pellucid.association.association_rules import AssociationRules as AssociationRules
from pellucid.association.baskets import Baskets as Baskets
from pellucid.association.baskets import read_baskets as read_baskets
from pellucid.association.frequent_itemsets import Eclat as Eclat
from pellucid.association.frequent_itemsets import FrequentItemsets as FrequentItemsets

__all__ = ["Apriori", "AssociationRules", "Baskets", "Eclat", "FrequentItemsets", "read_baskets"]
