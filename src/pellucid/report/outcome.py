"""What the main job found, as plain values: the page, the files beside it and the command read nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pellucid.base.types import Array, Floats
from pellucid.models.intervals import PredictionIntervals
from pellucid.quality import ChangeLog, Findings, Profile
from pellucid.quality.semantic_types import SemanticType

if TYPE_CHECKING:  # names of types alone: `pellucid quality` reads tables through this module, and needs no model
    from pellucid.inspection import Dependence, Importance
    from pellucid.model_selection import Diagnosis
    from pellucid.report.verdict import Verdict

TaskKind = Literal["two classes", "several classes", "number", "no target", "baskets", "ratings", "visits"]


@dataclass(frozen=True)
class Source:
    """Where the table came from.

    name : of the file, the query or the bundled table
    rows, columns : its size as it came
    fingerprint : SHA-256 of its values
    sample : how many rows were looked at, where the table was too large for all
    """

    name: str
    rows: int
    columns: int
    fingerprint: str
    sample: int | None = None


@dataclass(frozen=True)
class Metric:
    """What models are judged by.

    scoring : scikit-learn's name of it; the higher the better
    word : how a reader calls it, such as "R²" or "balanced accuracy"
    about : a sentence that says what it means
    sign : -1 where the reader's figure is the negative of the score (an error: the lower the better)
    levels : of an ordinal target, lowest first, where the score depends on their order
    """

    scoring: str
    word: str
    about: str
    sign: int = 1
    levels: tuple[Any, ...] = ()

    @property
    def scorer(self) -> Any:
        """What scikit-learn's functions take as ``scoring``: the name, or a function that aligns the classes."""
        from pellucid.report.scoring import LogLossScorer, OrdinalScorer

        if self.levels:
            return OrdinalScorer(self.levels)
        return LogLossScorer() if self.scoring == "neg_log_loss" else self.scoring

    @property
    def perfect(self) -> float:
        """The best figure that is possible."""
        return 0.0 if self.sign < 0 else 1.0

    @property
    def mean_word(self) -> str:
        """The mean of it over folds, in words.

        >>> Metric("r2", "R²", "").mean_word, Metric("", "mean absolute error", "").mean_word
        ('mean R²', 'mean absolute error')
        """
        return self.word if self.word.startswith("mean ") else f"mean {self.word}"

    def read(self, score: float) -> float:
        """The figure for the reader."""
        return self.sign * score


@dataclass(frozen=True)
class Task:
    """What is asked of the table, and why that was thought."""

    kind: TaskKind
    why: str
    target: str | None = None
    classes: tuple[Any, ...] = ()
    positive: Any = None  # of two classes, the one whose probability is shown
    measure: Metric | None = None
    positive_reason: str = ""  # why this one is the positive class
    ordered: bool = False  # do the classes follow an order, in which `levels` lists them?
    levels: tuple[Any, ...] = ()
    unit: str = ""  # of a number and of its errors, where its name or its values say so

    @property
    def title(self) -> str:
        """The kind of the task, for readers."""
        kind = "regression" if self.kind == "number" else str(self.kind)
        return f"{kind} in an order" if self.ordered else kind

    @property
    def positive_name(self) -> str:
        """The positive class for readers: with the target, where its label says little.

        >>> Task("two classes", "", "fraud", (0, 1), 1).positive_name
        'fraud = 1'
        >>> Task("two classes", "", "mail", ("ham", "spam"), "spam").positive_name
        'spam'
        """
        label = str(self.positive)
        says_little = len(label) < 3 or label.lower() in ("yes", "true", "false")
        return f"{self.target} = {label}" if says_little and self.target is not None else self.name_of(label)

    @property
    def searches_cells(self) -> bool:
        """Whether the cells are searched for errors, which those of baskets, ratings and visits are not."""
        return self.kind not in ("baskets", "ratings", "visits")

    def name_of(self, label: Any) -> str:
        """A class for readers: a number with the target.

        >>> Task("several classes", "", "nests", (0, 1, 2)).name_of(0)
        'nests = 0'
        """
        text = str(label)
        return text if text[:1].isalpha() or self.target is None else f"{self.target} = {text}"


@dataclass(frozen=True)
class Role:
    """What becomes of a column: "number", "flag", "category", "time", "text", or "left out"; and why."""

    column: str
    role: str
    why: str


@dataclass(frozen=True)
class Candidate:
    """One model of the comparison.

    name : its key, such as "forest"
    title : for readers, such as "random forest"
    about : one sentence on how it works
    scores : on each fold, for the reader (see `Metric.read`); empty if it was left out
    mean, sd : of the scores
    train : the mean score on the rows that it learned from
    p_worse, p_equal : how probable it is that it is worse than the best by more than the rope of the comparison, and
        that the difference lies within the rope; None for the best
    verdict : "best", "practically equal", "not shown to differ", "worse"; "left out"
    why : why it was left out, or ""
    settings : what differs from the defaults
    notes : what the model warned of while it was fitted
    probabilities : does it give probabilities of classes?
    n_predicted : of a classifier, how many classes it predicts at least once, for rows that it did not learn from
    """

    name: str
    title: str
    about: str
    scores: tuple[float, ...] = ()
    mean: float = float("nan")
    sd: float = float("nan")
    train: float = float("nan")
    p_worse: float | None = None
    p_equal: float | None = None
    verdict: str = "left out"
    why: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    probabilities: bool = True
    n_predicted: int | None = None


@dataclass(frozen=True)
class ModelComparison:
    """The comparison: every candidate on the same folds, best first, those left out last.

    rows : how many rows took part; folds : how many scores each model has
    words : one or two sentences of the result
    test_share : rows of a fold for each row that its model learned from
    repeats : how many times the rows were divided into folds
    rope : differences up to this size do not matter in practice, in units of the figure, or as a share of the error of
        the baseline on the same fold where figures are errors
    latest : whether the rows are the latest of more that were not held out
    """

    candidates: tuple[Candidate, ...]
    rows: int
    folds: int
    words: str
    test_share: float = 0.25
    repeats: int = 1
    rope: float = 0.0
    latest: bool = False

    def of(self, name: str) -> Candidate:
        """The candidate of this name."""
        return next(candidate for candidate in self.candidates if candidate.name == name)


@dataclass(frozen=True)
class Tuned:
    """The search for better settings of one leader.

    name : the candidate
    tried : how many settings; best : those that won; before, after : mean scores on the same folds, for the reader
    table : (settings, mean score) of every one tried, best first
    """

    name: str
    tried: int
    best: dict[str, Any]
    before: float
    after: float
    table: tuple[tuple[dict[str, Any], float], ...] = ()


@dataclass(frozen=True)
class MetricValue:
    """A score on the held-out rows, with a 95 % interval from bootstrap samples of these rows.

    baseline : the score of the baseline on the same rows
    gain_low, gain_high : 95 % interval of the improvement over the baseline, both scored on the same samples; above 0
        where the model is better, whether the score itself is a merit or an error
    """

    word: str
    about: str
    value: float
    low: float
    high: float
    baseline: float
    gain_low: float = float("nan")
    gain_high: float = float("nan")


@dataclass(frozen=True)
class NaiveForecast:
    """The value of the target some rows before, as the prediction of the held-out rows of a series.

    lag : how many rows back; series : the column that tells several series apart, or ""
    values : its scores, by the word of the metric
    gain_low, gain_high : 95 % interval of the improvement of the model over it, as in `Figure`
    conclusion : "better" if the model is shown to be better, "worse", "not shown" or "too few rows"
    """

    lag: int
    series: str
    values: dict[str, float]
    gain_low: float
    gain_high: float
    conclusion: Literal["better", "not shown", "worse", "too few rows"]


@dataclass(frozen=True)
class HoldoutResult:
    """How the winner does on rows that nothing was learned from and nothing was chosen by.

    rows : how many; figures : the measures
    fitted_rows : how many others the model that is scored was fitted on; fitted_shares : their share of each class;
        fitted_latest : whether they are the latest of more
    confusion : rows are actual classes, columns predicted ones
    roc : false and true positive rates of thresholds, for two classes
    precision_recall : recall and precision of thresholds
    reliability : mean predicted probability, observed share and number of rows, of bins
    actual, predicted : of up to a thousand rows, for a regression
    positions : which rows of the cleaned table these are
    unit : what the intervals take to be independent ("row", "group" or "block" of rows in time); n_units : how many
    naive : of a series, what repeating a past value would score
    """

    rows: int
    figures: tuple[MetricValue, ...]
    confusion: Array | None = None
    roc: tuple[Floats, Floats] | None = None
    precision_recall: tuple[Floats, Floats] | None = None
    reliability: tuple[Floats, Floats, Array] | None = None
    actual: Floats | None = None
    predicted: Floats | None = None
    positions: Array | None = None
    unit: str = "row"
    n_units: int = 0
    naive: NaiveForecast | None = None
    fitted_rows: int = 0
    fitted_shares: tuple[float, ...] = ()
    fitted_latest: bool = False


@dataclass(frozen=True)
class Calibration:
    """What was done to the probabilities of the chosen model.

    method : "sigmoid", "temperature" or "none"; reason : why
    numbers : A and B of each sigmoid, or 1 / T
    before, after : log loss of the out-of-fold rows without and with the calibration, cross-fitted
    reliability_before : of the held-out rows without the calibration, as in `Held`
    """

    method: Literal["sigmoid", "temperature", "none"]
    numbers: tuple[tuple[float, ...], ...]
    reason: str
    before: float
    after: float
    reliability_before: tuple[Floats, Floats, Array] | None = None


@dataclass(frozen=True)
class ThresholdChoice:
    """A rule that chooses the threshold on out-of-fold rows, and what it means in the held-out rows.

    rule : in words; threshold : the probability of the positive class from which on a row is called so; None where no
        threshold fulfills the rule, for the reason in ``note``
    flagged, caught, missed, false_alarms : numbers of rows; cost : of all mistakes, where costs were given
    used : do the predictions follow this rule?
    required : "precision" or "recall" and its least value, if that is the rule
    """

    rule: str
    threshold: float | None
    flagged: int = 0
    caught: int = 0
    missed: int = 0
    false_alarms: int = 0
    precision: float = float("nan")
    recall: float = float("nan")
    accuracy: float = float("nan")
    cost: float = float("nan")
    note: str = ""
    used: bool = False
    required: tuple[str, float] | None = None


@dataclass(frozen=True)
class Decisions:
    """How the predictions of a classifier are decided.

    calibration : of its probabilities
    n_rows : out-of-fold rows on which it was chosen
    positive, threshold : of two classes, the one that is predicted from this probability on; reason : why this one
    moved : was the threshold moved away from 0.5 without the user asking for it?
    choices : other rules, and what they mean in rows
    cost_fp, cost_fn : costs that the user gave
    rule_followed : False where the user asked for a rule that no threshold fulfills
    """

    calibration: Calibration
    n_rows: int = 0
    positive: Any = None
    threshold: float = 0.5
    reason: str = ""
    moved: bool = False
    choices: tuple[ThresholdChoice, ...] = ()
    cost_fp: float | None = None
    cost_fn: float | None = None
    rule_followed: bool = True


@dataclass(frozen=True)
class Coverage:
    """How many held-out rows lie in their prediction intervals.

    level : the share that should; held : the number that do; rows : of all
    width : the median width, in the target's unit
    low, high : the 95 % interval of the share that do
    """

    level: float
    held: int
    rows: int
    width: float
    low: float
    high: float


@dataclass(frozen=True)
class Intervals:
    """Prediction intervals of a regression.

    fitted : what gives them; coverage : on the held-out rows, by level
    level : that of the drawing and of single rows; drawn : predictions in order, and the ends of their intervals
    typical : the median absolute value of the target
    """

    fitted: PredictionIntervals
    coverage: tuple[Coverage, ...]
    level: float
    drawn: tuple[Floats, Floats, Floats]
    typical: float


@dataclass(frozen=True)
class LocalExplanation:
    """The working of one prediction.

    kind : "typical", "least certain", "extreme" or "worst"; why : a sentence on how it was chosen
    row : position in the source; cells : the row itself, name and value
    actual, predicted : the target and the prediction; probability : of the predicted class
    working : how the prediction was computed (`pellucid.working.Working`)
    prepared : the columns that the model saw, with their values, where they differ from the cells
    """

    kind: str
    why: str
    row: int
    cells: tuple[tuple[str, Any], ...]
    actual: Any
    predicted: Any
    probability: float | None
    working: Any
    prepared: tuple[tuple[str, float], ...] = ()
    interval: tuple[float, float, float] | None = None  # of a number: level, and the ends of its prediction interval


@dataclass(frozen=True)
class SurrogateModel:
    """A model that can be read whole, and how well it says what the winner says.

    tree : the drawing of a small tree as SVG; text : the same in letters
    rules : rules as text, or ""
    agrees : share of rows on which it predicts the same as the winner (regression: R² against its predictions)
    score : its own score on the held-out rows, by the metric of the task, for the reader
    n_fitted : how many training rows it was fitted on
    never_predicted : classes that the winner predicts for so many held-out rows, and this model for none
    """

    tree: str
    text: str
    rules: str
    agrees: float
    score: float
    n_fitted: int = 0
    never_predicted: tuple[tuple[Any, int], ...] = ()


@dataclass(frozen=True)
class Explanation:
    """How the winner decides.

    same_values : columns of which all held-out rows have the same value, so that shuffling shows nothing of them
    """

    importance: Importance
    effects: tuple[Dependence, ...]
    opinion: SurrogateModel | None
    cases: tuple[LocalExplanation, ...]
    same_values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """A drawing that is ready: SVG and what it shows. Used by tasks without a target."""

    title: str
    about: str
    svg: str


@dataclass(frozen=True)
class Listing:
    """A table of results that is ready: heads, rows of plain values, what it says. Used by tasks without a target."""

    title: str
    about: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Leak:
    """Columns that may be known only after the target is, and were therefore left out.

    reason : why that is thought
    metric : what the scores are; with_columns, without_columns : the score of the chosen model on the held-out rows,
        with all columns of this kind and without them
    """

    columns: tuple[str, ...]
    reason: str
    metric: str
    with_columns: float
    without_columns: float


@dataclass(frozen=True)
class Structure:
    """How rows depend on each other, and how they were split because of that.

    order : "time" if the newest rows are held out, else "none"
    time, group : the columns that say when a row was recorded and which rows belong together
    split, folds : what is held out, and what the folds are, in a few words
    held_out_from, held_out_to : the first and the last time of the held-out rows, where these are dates
    reasons : why, in sentences; notes : what else was considered, and what was not tested
    unscored : newest rows that are not scored, because no older row has their class
    """

    order: str
    time: tuple[str, ...]
    group: str | None
    split: str
    folds: str
    held_out_from: str | None = None
    held_out_to: str | None = None
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unscored: int = 0


@dataclass(frozen=True)
class StudyResult:
    """Everything.

    headline : the answer in one sentence; summary : a few sentences for someone in a hurry
    warnings : what limits trust in the result, in words
    verdict : whether the model beats the baseline on the held-out rows; what every sentence about it follows from
    files : name of each file beside the page, and what it is
    script : the program that makes the same model
    """

    source: Source
    task: Task
    headline: str
    summary: tuple[str, ...]
    warnings: tuple[str, ...]
    profile: Profile
    findings: Findings
    log: ChangeLog
    roles: tuple[Role, ...]
    seed: int
    race: ModelComparison | None = None
    winner: str = ""
    tuned: tuple[Tuned, ...] = ()
    held: HoldoutResult | None = None
    diagnosis: Diagnosis | None = None
    explanation: Explanation | None = None
    pictures: tuple[Picture, ...] = ()
    listings: tuple[Listing, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    script: str = ""
    examples: dict[int, tuple[Any, ...]] = field(default_factory=dict)  # rows of findings: position in the table: cells
    model: Any = None
    table: Any = None  # the cleaned table, as models see it
    written: Any = None  # the same with the texts that only models read as numbers; None where a text file is rewritten
    rows: Any = None  # what was computed for each row of a table without a target
    origin: Path | None = None  # the file from which it was read, if it was one
    decisions: Decisions | None = None  # of a classifier
    intervals: Intervals | None = None  # of a regression
    structure: Structure | None = None
    leaks: tuple[Leak, ...] = ()
    verdict: Verdict | None = None
    reason: str = ""  # why this model was chosen, if it is not simply the best of the comparison
    n_fitted: int = 0  # rows that the model in the file was fitted on

    @cached_property
    def semantic_types(self) -> dict[str, SemanticType]:
        """What the values of each column mean, where that was recognized; by the column's name."""
        return {str(one.name): one.semantic for one in self.profile.columns if one.semantic is not None}
