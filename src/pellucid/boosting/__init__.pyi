# Written by tools/write_stubs.py.
from pellucid.boosting._own_loss import check_loss as check_loss
from pellucid.boosting.boosted_trees import BoostedTreesClassifier as BoostedTreesClassifier
from pellucid.boosting.boosted_trees import BoostedTreesRegressor as BoostedTreesRegressor
from pellucid.boosting.catboost import CatBoostClassifier as CatBoostClassifier
from pellucid.boosting.catboost import CatBoostRegressor as CatBoostRegressor
from pellucid.boosting.gradient_boosting import GradientBoostingClassifier as GradientBoostingClassifier
from pellucid.boosting.gradient_boosting import GradientBoostingRegressor as GradientBoostingRegressor
from pellucid.boosting.lightgbm import LightGBMClassifier as LightGBMClassifier
from pellucid.boosting.lightgbm import LightGBMRegressor as LightGBMRegressor
from pellucid.boosting.xgboost import XGBoostClassifier as XGBoostClassifier
from pellucid.boosting.xgboost import XGBoostRegressor as XGBoostRegressor

__all__ = [
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "CatBoostClassifier",
    "CatBoostRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "LightGBMClassifier",
    "LightGBMRegressor",
    "XGBoostClassifier",
    "XGBoostRegressor",
    "check_loss",
]
