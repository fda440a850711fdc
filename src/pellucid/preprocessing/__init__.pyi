# Written by tools/write_stubs.py.
from pellucid.preprocessing.binarizer import Binarizer as Binarizer
from pellucid.preprocessing.boolean_encoding import BooleanEncoder as BooleanEncoder
from pellucid.preprocessing.datetime_features import DateTimeFeatures as DateTimeFeatures
from pellucid.preprocessing.discretization import KBinsDiscretizer as KBinsDiscretizer
from pellucid.preprocessing.encoding import OneHotEncoder as OneHotEncoder
from pellucid.preprocessing.encoding import OrdinalEncoder as OrdinalEncoder
from pellucid.preprocessing.labels import LabelBinarizer as LabelBinarizer
from pellucid.preprocessing.labels import LabelEncoder as LabelEncoder
from pellucid.preprocessing.labels import MultiLabelBinarizer as MultiLabelBinarizer
from pellucid.preprocessing.labels import label_binarize as label_binarize
from pellucid.preprocessing.maps import PolarMap as PolarMap
from pellucid.preprocessing.maps import QuadraticMap as QuadraticMap
from pellucid.preprocessing.maps import RBFLandmarks as RBFLandmarks
from pellucid.preprocessing.normalizer import Normalizer as Normalizer
from pellucid.preprocessing.polynomial import PolynomialFeatures as PolynomialFeatures
from pellucid.preprocessing.power import LogTransformer as LogTransformer
from pellucid.preprocessing.power import PowerTransformer as PowerTransformer
from pellucid.preprocessing.power import RootTransformer as RootTransformer
from pellucid.preprocessing.quantile import QuantileTransformer as QuantileTransformer
from pellucid.preprocessing.scaling import MaxAbsScaler as MaxAbsScaler
from pellucid.preprocessing.scaling import MeanNormalizer as MeanNormalizer
from pellucid.preprocessing.scaling import MinMaxScaler as MinMaxScaler
from pellucid.preprocessing.scaling import RobustScaler as RobustScaler
from pellucid.preprocessing.scaling import StandardScaler as StandardScaler
from pellucid.preprocessing.target_encoding import OrderedTargetEncoder as OrderedTargetEncoder
from pellucid.preprocessing.target_encoding import TargetEncoder as TargetEncoder
from pellucid.preprocessing.two_way_split import TwoWaySplit as TwoWaySplit

__all__ = [
    "Binarizer",
    "BooleanEncoder",
    "DateTimeFeatures",
    "KBinsDiscretizer",
    "LabelBinarizer",
    "LabelEncoder",
    "LogTransformer",
    "MaxAbsScaler",
    "MeanNormalizer",
    "MinMaxScaler",
    "MultiLabelBinarizer",
    "Normalizer",
    "OneHotEncoder",
    "OrderedTargetEncoder",
    "OrdinalEncoder",
    "PolarMap",
    "PolynomialFeatures",
    "PowerTransformer",
    "QuadraticMap",
    "QuantileTransformer",
    "RBFLandmarks",
    "RobustScaler",
    "RootTransformer",
    "StandardScaler",
    "TargetEncoder",
    "TwoWaySplit",
    "label_binarize",
]
