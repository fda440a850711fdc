# Written by tools/write_stubs.py.
from pellucid.naive_bayes.bernoulli import BernoulliNB as BernoulliNB
from pellucid.naive_bayes.categorical import CategoricalNB as CategoricalNB
from pellucid.naive_bayes.complement import ComplementNB as ComplementNB
from pellucid.naive_bayes.gaussian import GaussianNB as GaussianNB
from pellucid.naive_bayes.kernel_density import KernelDensityNB as KernelDensityNB
from pellucid.naive_bayes.mixed import NaiveBayes as NaiveBayes
from pellucid.naive_bayes.multinomial import MultinomialNB as MultinomialNB

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "KernelDensityNB",
    "MultinomialNB",
    "NaiveBayes",
]
