# Written by tools/write_stubs.py.
from pellucid.preprocessing.encoding import OneHotEncoder as OneHotEncoder
from pellucid.preprocessing.encoding import OrdinalEncoder as OrdinalEncoder
from pellucid.preprocessing.polynomial import PolynomialFeatures as PolynomialFeatures
from pellucid.preprocessing.scaling import MaxAbsScaler as MaxAbsScaler
from pellucid.preprocessing.scaling import MeanNormalizer as MeanNormalizer
from pellucid.preprocessing.scaling import MinMaxScaler as MinMaxScaler
from pellucid.preprocessing.scaling import RobustScaler as RobustScaler
from pellucid.preprocessing.scaling import StandardScaler as StandardScaler

__all__ = [
    "MaxAbsScaler",
    "MeanNormalizer",
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PolynomialFeatures",
    "RobustScaler",
    "StandardScaler",
]
