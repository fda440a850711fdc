"""Pictures of Bayes' theorem: the unit square cut by priors and likelihoods, and the least error between densities."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid import stats
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Floats
from pellucid.plotting import _style
from pellucid.plotting._style import number
from pellucid.stats import normal_density

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 4.0  # standard deviations that are drawn on each side of a bell
PLACES = 1201
MOST = 6
NARROW = 0.12  # a strip that has no room for its words inside


def bayes_error(
    densities: Sequence[Any],
    priors: ArrayLike | None = None,
    *,
    limits: tuple[float, float] | None = None,
    names: Sequence[str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the weighted densities of classes, the thresholds of the best rule, and its errors as shaded areas.

    Each curve is ``P(c) f_c(x)``. The best rule answers with the highest curve; what lies under the other curves is
    shaded, and for two classes it is the area under the lower one: the least error that any rule can make.

    Parameters
    ----------
    densities, priors, limits : as `pellucid.stats.bayes_error` takes them
        At most six densities. Bells are drawn to four standard deviations unless ``limits`` says otherwise.
    names : of the classes, optional
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = bayes_error([(0, 1), (2, 1)], names=["healthy", "ill"])
    >>> ax.get_title()
    'least error 0.16'
    """
    result = stats.bayes_error(densities, priors, limits=limits)
    n = len(result.priors)
    if n > MOST:
        raise ParameterError(format_message("bayes_error", f"at most {MOST} densities are drawn", actual=f"got {n}"))
    called = _names("bayes_error", names, n)
    x = _places(densities, limits)
    curves = [p * _heights(density_fn, x) for density_fn, p in zip(densities, result.priors, strict=True)]
    ax = _style.axes() if ax is None else ax
    _style.tidy(ax)
    best = np.argmax(curves, axis=0)
    for k, (curve, (color, line, _)) in enumerate(zip(curves, _style.looks(n), strict=True)):
        label = f"{called[k]}, prior {number(result.priors[k])}: error {number(result.areas[k])}"
        ax.plot(x, curve, color=color, linestyle=line, label=_style.shown(label))
        ax.fill_between(x, 0, np.where(best == k, 0, curve), color=color, alpha=0.3, linewidth=0)
    inside, width = [t for t in result.thresholds if x[0] <= t <= x[-1]], float(x[-1] - x[0])
    for t, lane in zip(inside, _style.lanes(inside, width), strict=True):
        ax.axvline(t, color=_style.GRAY, linewidth=1)
        ax.annotate(_style.place(t, width), (t, 1), xycoords=("data", "axes fraction"), xytext=(3, -3 - 11 * lane),
                    textcoords="offset points", va="top", color=_style.INK, fontsize=_style.SMALL)  # fmt: skip
    ax.set_ylim(0, None)
    ax.set_xlim(x[0], x[-1])
    ax.set_xlabel("x")
    ax.set_ylabel("prior times density")
    ax.set_title(f"least error {number(result.error)}", fontsize=_style.TITLE)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return ax


def _places(densities: Sequence[Any], limits: tuple[float, float] | None) -> Floats:
    if limits is not None and np.isfinite(limits).all():
        return np.linspace(*limits, PLACES)
    gaussians = [(float(density[0]), float(density[1])) for density in densities if not callable(density)]
    low, high = min(m - WIDE * s for m, s in gaussians), max(m + WIDE * s for m, s in gaussians)
    if limits is not None:
        low, high = max(low, limits[0]), min(high, limits[1])
    # A narrow bell gets places of its own, or it would be a spike without a shape.
    fine = [m + s * np.linspace(-WIDE, WIDE, 201) for m, s in gaussians]
    grid = np.unique(np.concatenate([np.linspace(low, high, PLACES), *fine]))
    return np.asarray(grid[(grid >= low) & (grid <= high)])


def _heights(density: Any, x: Floats) -> Floats:
    if callable(density):
        return np.asarray(np.broadcast_to(np.asarray(density(x), dtype=np.float64), x.shape))
    return np.asarray(normal_density(x, float(density[0]), float(density[1])))


def bayes_areas(
    prior: ArrayLike,
    likelihood: ArrayLike,
    *,
    evidence: float | None = None,
    complement: float | None = None,
    names: Sequence[str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw Bayes' theorem as areas: a square of side 1, cut into strips as wide as the priors.

    Each strip is filled up to the likelihood of the evidence under its hypothesis, so that a filled part has the area
    P(E | H) P(H). All filled parts together are P(E), and the posterior of a hypothesis is its part of them.

    Parameters
    ----------
    prior, likelihood, evidence, complement : as `pellucid.stats.bayes` takes them
        At most six hypotheses. With ``evidence``, the strip of "not H" is filled as far as P(E) asks for.
    names : of the hypotheses, optional
        For one hypothesis its own name, and then that of its opposite.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = bayes_areas(0.01, 0.9, complement=0.1)
    >>> ax.get_title()
    'P(H | E) = 0.009 / 0.108 = 0.0833'
    """
    posterior = stats.bayes(prior, likelihood, evidence=evidence, complement=complement)
    widths, heights = _strips(posterior)
    called = _names("bayes_areas", names, len(widths), ("H", "not H") if np.ndim(posterior.prior) == 0 else None)
    if len(widths) > MOST:
        requirement = f"at most {MOST} hypotheses are drawn"
        raise ParameterError(format_message("bayes_areas", requirement, actual=f"got {len(widths)}"))
    ax = _style.axes() if ax is None else ax
    left = np.concatenate([[0.0], np.cumsum(widths)])
    for k, (color, _, _) in enumerate(_style.looks(len(widths))):
        area = f"{widths[k]:.3g} {_style.TIMES} {heights[k]:.3g} = {widths[k] * heights[k]:.3g}"
        label = f"{called[k]}:\n{area}"
        ax.bar(left[k], 1, widths[k], align="edge", facecolor="white", edgecolor=_style.GRAY, linewidth=1,
               clip_on=False)  # fmt: skip
        ax.bar(left[k], heights[k], widths[k], align="edge", facecolor=color, alpha=0.55, edgecolor=color, linewidth=1,
               label=_style.shown(label))  # fmt: skip
        if widths[k] >= NARROW:
            ax.text(left[k] + widths[k] / 2, 1.015, _style.plain(called[k]), ha="center", va="bottom",
                    fontsize=_style.SMALL)  # fmt: skip
    joint, after = float(np.ravel(posterior.joint)[0]), float(np.ravel(posterior.probability)[0])
    words = f"P({_style.plain(called[0])} | E) = {joint:.3g} / {posterior.evidence:.3g} = {after:.3g}"
    ax.set_title(words, fontsize=_style.TITLE, pad=20)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.set_box_aspect(1)
    ax.set_xlabel("prior: width of a strip")
    ax.set_ylabel("likelihood of the evidence: height")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.02, 0.5), title="filled area")
    return ax


def _strips(posterior: stats.Posterior) -> tuple[Floats, Floats]:
    """Widths and filled heights; of one hypothesis with its opposite, whose height is what the evidence leaves."""
    if np.ndim(posterior.prior):
        return np.asarray(posterior.prior), np.asarray(posterior.likelihood)
    prior, remaining = float(posterior.prior), max(posterior.evidence - float(posterior.joint), 0.0)
    complement = remaining / (1 - prior) if prior < 1 else 0.0
    if complement > 1 + 1e-9:
        requirement = "the evidence must leave room for the opposite: P(E | not H) is a probability"
        raise ParameterError(format_message("bayes_areas", requirement, actual=f"P(E) asks for {complement:g}"))
    return np.array([prior, 1 - prior]), np.array([float(posterior.likelihood), min(complement, 1.0)])


def _names(who: str, names: Sequence[str] | None, n: int, default: Sequence[str] | None = None) -> list[str]:
    if names is None:
        if default is not None:
            return list(default)
        return [f"class {k}" if who == "bayes_error" else f"H{k + 1}" for k in range(n)]
    if isinstance(names, str) or len(names) != n:
        actual = f"got {len(names)}" if not isinstance(names, str) else f"got {names!r}"
        raise ParameterError(format_message(who, f"names must be {n}, one for each", actual=actual))
    return [str(name) for name in names]
