"""The working of each least-squares solver. All begin from a `Problem` and end with its coefficients named."""

from __future__ import annotations

import numpy as np

from pellucid.working.expression import Axis, Cell, Expr, expr
from pellucid.working.language import absolute, dot, equal, max_, sqrt, sum_, where
from pellucid.working.matrix import ONE, Block, Grid, Inverse, Matrix, Stack, Vector
from pellucid.working.shown._least_squares import Problem

MOST_ROTATIONS = 100  # of Jacobi; four columns need about twenty
MOST_PASSES = 30  # of LSQR that are laid out in full


def simple(problem: Problem) -> None:
    """One column: ``beta = Sxy / Sxx``."""
    w, (x,), y = problem.w, problem.x, problem.y
    means = problem.means()
    dx, dy = x, y
    if problem.centered:
        w.step("Deviations", "How far each value lies from its mean, and the products of these distances.")
        dx = w.cell("dx", x - means[0][0], symbol="u", label="distance of x from its mean")
        dy = w.cell("dy", y - means[1], symbol="v", label="distance of y from its mean")
    else:
        w.step("Products", "The line goes through the origin: nothing is subtracted.")
    product = w.cell("product", dx * dy, symbol="p", label="product of the two")
    square = w.cell("square", dx**2, symbol="q", label="square of the first")
    w.step("Sums", "The numerator and the denominator of the slope.")
    sxy = w.cell("Sxy", problem.total(product), symbol="S_{xy}", label="sum of the products")
    sxx = w.cell("Sxx", problem.total(square), symbol="S_{xx}", label="sum of the squares")
    w.step("Slope and intercept", "The slope is the one sum over the other; the line then goes through the means.")
    if problem.coef_[0] == 0 and sxx.value <= 1e-20 * float(np.abs(problem.data.X).max()) ** 2:
        w.note("The column is constant: no slope follows from it, and 0 is taken.")
        problem.finish([0 * sxx], means)
        return
    problem.finish([sxy / sxx], means)


def correlation(problem: Problem) -> None:
    """One column: ``beta = r sd_y / sd_x``."""
    w, (x,), y = problem.w, problem.x, problem.y
    means = problem.means()
    w.step("Deviations", "How far each value lies from its mean, with products and squares.")
    dx = w.cell("dx", x - means[0][0], symbol="u", label="distance of x from its mean")
    dy = w.cell("dy", y - means[1], symbol="v", label="distance of y from its mean")
    divisor = "n − 1" if problem.weight is None else "the sum of the weights"
    w.step("Standard deviations", f"The typical distance from the mean, with divisor {divisor}.")
    sxx = w.cell("Sxx", problem.total(dx**2), symbol="S_{xx}", label="sum of squares of x")
    syy = w.cell("Syy", problem.total(dy**2), symbol="S_{yy}", label="sum of squares of y")
    sxy = w.cell("Sxy", problem.total(dx * dy), symbol="S_{xy}", label="sum of products")
    below = problem.size - 1 if problem.weight is None else problem.size
    sdx = w.cell("sd_x", sqrt(sxx / below), symbol="s_x", label="standard deviation of x")
    sdy = w.cell("sd_y", sqrt(syy / below), symbol="s_y", label="standard deviation of y")
    w.step("Correlation", "From −1 (falling line) over 0 (no line) to 1 (rising line).")
    r = w.cell("r", sxy / sqrt(sxx * syy), symbol="r", label="correlation")
    w.step("Slope and intercept", "The correlation, brought to the units of y per unit of x.")
    problem.finish([r * sdy / sdx], means)


# -------------------------------------------------------------------------------------------------- normal equation


def design(problem: Problem) -> tuple[Block, Axis]:
    """The columns of X, with a column of ones in front for the intercept."""
    w, names = problem.w, list(problem.data.names)
    labels = (["1"] if problem.centered else []) + names
    axis = Axis("parameter", labels, "j", "p")
    if not problem.centered and problem.X is not None:
        return problem.X, axis
    w.step("Design matrix", "A column of ones stands for the intercept." if problem.centered else "The columns of X.")
    columns = [expr(1.0) if label == "1" and k == 0 and problem.centered else None for k, label in enumerate(labels)]
    items = [item if item is not None else problem.x[k - problem.centered] for k, item in enumerate(columns)]
    return w.block("A", Stack(items, problem.data.row_axis, axis), symbol="A", label="design matrix"), axis


def normal(problem: Problem) -> None:
    """``(A'WA) theta = A'Wy``"""
    w = problem.w
    A, axis = design(problem)
    transposed: Matrix = A.T
    w.step("Products", "Every column times every other, added up over the rows; and every column times the target.")
    if problem.weight is not None:
        weighted = [problem.weight * A.column(j) for j in range(len(axis))]
        WA = w.block(
            "WA", Stack(weighted, problem.data.row_axis, axis), symbol=r"\text{WA}", label="rows times their weights"
        )
        transposed = WA.T
    rows = Axis("parameter", axis.labels)
    AtA = w.block("XtX", transposed @ A, rows, axis, symbol="G", label="products of the columns")
    Aty = w.block(
        "Xty", transposed @ Vector(problem.y), rows, Axis("", ["Σ"]), symbol="c", label="products with the target"
    )
    w.step("Solution", "The normal equation G θ = c says that the errors are at right angles to every column.")
    inverse = w.block("inverse", Inverse(AtA), rows, axis, symbol="H", label="inverse of G")
    theta = w.block("theta", inverse @ Aty, rows, Axis("", ["θ"]), symbol=r"\theta", label="parameters")
    take(problem, [theta[k, 0] for k in range(len(axis))], problem.tolerance * max(1.0, 1e-7 * condition(AtA.value)))


def condition(matrix: np.ndarray) -> float:
    """How much rounding grows: the ratio of the largest to the smallest scaled singular value."""
    size = np.sqrt(np.abs(np.diag(matrix)))
    size = np.where(size > 0, size, 1)
    return float(np.linalg.cond(matrix / size / size[:, None]))


def take(problem: Problem, theta: list[Expr], tolerance: float) -> None:
    """Parameters, the intercept first where there is one, named and compared with the model's."""
    w, scales = problem.w, problem.scales()
    intercept: Expr = expr(0)
    if problem.centered:
        intercept = w.cell(
            "intercept", theta[0], symbol="b", label="intercept", equals=problem.intercept_,
            attribute=problem.named("intercept_"), tolerance=tolerance, scale=problem.size_of_terms(),
        )  # fmt: skip
    single = len(problem.x) == 1
    coef: list[Expr] = [
        w.cell(
            "slope" if single else f"coef_{j + 1}",
            formula,
            symbol=r"\beta" if single else rf"\beta_{{{j + 1}}}",
            label=f"coefficient of {problem.data.names[j]}",
            equals=problem.coef_[j],
            attribute=problem.named("coef_", j),
            tolerance=tolerance,
            scale=scales[j],
        )
        for j, formula in enumerate(theta[int(problem.centered) :])
    ]
    problem.keep(coef, intercept)


# --------------------------------------------------------------------------------------------------------------- QR


def qr(problem: Problem) -> None:
    """``A = Q R`` by Gram and Schmidt, column by column; then ``R theta = Q'y`` from the last row upwards.

    The kernel uses Householder's mirrors, which give the same R up to signs; the columns of Q can be followed by eye
    only in this form.
    """
    w = problem.w
    A, axis = design(problem)
    columns: list[Expr] = [A.column(j) for j in range(len(axis))]
    residual: Expr = problem.y
    if problem.weight is not None:
        w.step("Weights", "Each row is multiplied by the root of its weight.")
        root = w.cell("root_weight", sqrt(problem.weight), symbol="r", label="root of the weight")
        columns = [w.cell(f"a_{j + 1}", root * column, symbol=f"a_{{{j + 1}}}") for j, column in enumerate(columns)]
        residual = w.cell("z_0", root * problem.y, symbol="z_0")
    q: list[Cell] = []
    R: dict[tuple[int, int], Expr] = {}
    z: list[Cell] = []
    for k, label in enumerate(axis.labels):
        column_text = "the column of ones" if k == 0 and problem.centered else f"column {label}"
        sentence = (
            "What the earlier directions explain is taken off; the rest, brought to length one, is a new direction."
        )
        w.step(
            f"Direction {k + 1}: {column_text}", sentence if k else "Brought to length one it is the first direction."
        )
        v = columns[k]
        for j in range(k):
            R[j, k] = w.cell(f"r_{j + 1}{k + 1}", sum_(q[j] * v), symbol=f"r_{{{j + 1}{k + 1}}}")
            v = w.cell(f"v_{k + 1}_{j + 1}", v - R[j, k] * q[j], symbol=rf"v_{{{k + 1},{j + 1}}}")
        R[k, k] = w.cell(f"r_{k + 1}{k + 1}", sqrt(sum_(v**2)), symbol=f"r_{{{k + 1}{k + 1}}}", label="length")
        q.append(w.cell(f"q_{k + 1}", v / R[k, k], symbol=f"q_{{{k + 1}}}", label="direction"))
        z.append(w.cell(f"z_{k + 1}", sum_(q[k] * residual), symbol=f"z_{{{k + 1}}}", label="share of the target"))
        residual = w.cell(
            f"rest_{k + 1}", residual - z[k] * q[k], symbol=rf"t_{{{k + 1}}}", label="what is left of the target"
        )
    w.step("Back substitution", "R is triangular: the last parameter stands alone, the others follow upwards.")
    theta: dict[int, Expr] = {}
    last = len(axis) - 1
    for k in range(last, -1, -1):
        above = z[k] if k == last else z[k] - dot([R[k, m] for m in theta], list(theta.values()))
        theta[k] = w.cell(f"theta_{k + 1}", above / R[k, k], symbol=rf"\theta_{{{k + 1}}}")
    apart = np.array([[R[j, k].value if j <= k else 0.0 for k in range(last + 1)] for j in range(last + 1)])
    take(
        problem, [theta[k] for k in range(last + 1)], max(problem.tolerance, 1e-13 * condition(apart.T @ apart) ** 0.5)
    )


# -------------------------------------------------------------------------------------------------------------- SVD


def svd(problem: Problem) -> None:
    """The pseudoinverse by Jacobi's rotations of ``S = X'X`` of the centered columns."""
    w, p = problem.w, len(problem.x)
    means, _, S, c = centered_products(problem)
    V: list[list[Expr]] = [[expr(float(i == j)) for j in range(p)] for i in range(p)]
    current: list[list[Expr]] = [[S[i, j] for j in range(p)] for i in range(p)]
    turn = 0
    while (pivot := _largest_off_diagonal(current)) is not None and turn < MOST_ROTATIONS:
        turn += 1
        current, V = _rotate(problem, current, V, *pivot, turn)
    w.step(
        "Singular values",
        "The diagonal now holds the squares of the singular values. Those that are zero but for rounding are left out: "
        "their directions do not occur in the data.",
    )
    order = sorted(range(p), key=lambda j: -float(current[j][j].value))
    singular_values = np.asarray(problem.model.singular_, dtype=np.float64)
    used: list[tuple[int, Cell]] = []
    squares: list[Cell] = []
    for k, j in enumerate(order):
        raw = w.cell(
            f"lambda_{k + 1}", current[j][j], symbol=rf"\lambda_{{{k + 1}}}", label="square of a singular value"
        )
        squares.append(raw)
        if k >= problem.model.rank_:
            w.note(
                f"Singular value {k + 1} is zero but for rounding and is left out: the columns depend on each other."
            )
            continue
        w.cell(
            f"singular_{k + 1}", sqrt(raw), symbol=rf"\sigma_{{{k + 1}}}", label="singular value",
            equals=singular_values[k],
            attribute=f"singular_[{k}]", tolerance=max(1e-7, problem.tolerance), scale=singular_values[0] * 1e-3,
        )  # fmt: skip
        used.append((j, raw))
    floor = float(np.finfo(float).eps * max(problem.data.X.shape))
    counted: Expr = expr(0)
    for raw in squares:
        is_used = where(raw > floor * squares[0], 1, 0)
        counted = is_used if raw is squares[0] else counted + is_used
    w.cell("rank", counted, symbol=r"\text{rank}", label="directions", equals=problem.model.rank_, attribute="rank_")
    w.step("Coefficients", "The products with the target along each direction, divided by its square, turned back.")
    shares = []
    for k, (j, raw) in enumerate(used):
        projection = dot([V[i][j] for i in range(p)], c)
        shares.append(
            (j, w.cell(f"g_{k + 1}", projection / raw, symbol=f"g_{{{k + 1}}}", label=f"along direction {k + 1}"))
        )
    coef = [dot([V[i][j] for j, _ in shares], [g for _, g in shares]) for i in range(p)]
    smallest = min((raw.value for _, raw in used), default=1.0)
    largest = max((raw.value for _, raw in used), default=1.0)
    problem.finish(coef, means, max(problem.tolerance, 1e-14 * p * largest / max(smallest, 1e-300)))


def centered_products(problem: Problem) -> tuple[tuple[list[Expr], Expr], list[Expr], Block, list[Expr]]:
    """Means, centered columns, and the products of these with each other and with the target."""
    w, p = problem.w, len(problem.x)
    means = problem.means()
    columns: list[Expr] = list(problem.x)
    target: Expr = problem.y
    if problem.centered:
        w.step("Deviations", "The means are taken off.")
        columns = [
            w.cell(f"d_{j + 1}", x - mean, symbol=f"d_{{{j + 1}}}", label=f"{problem.data.names[j]} less its mean")
            for j, (x, mean) in enumerate(zip(problem.x, means[0], strict=True))
        ]
        target = w.cell("dy", problem.y - means[1], symbol="v", label="target less its mean")
    w.step("Products", "Every column times every other, and times the target, added up over the rows.")
    names = Axis("column", problem.data.names, "j", "p")
    entries = [[problem.total(columns[i] * columns[j]) for j in range(p)] for i in range(p)]
    S = w.block("S", Grid(entries, names, names), symbol="S", label="products of the columns")
    products = w.block(
        "c",
        Grid([[problem.total(column * target)] for column in columns], names, Axis("", ["Σ"])),
        symbol="c",
        label="products with the target",
    )
    return means, columns, S, [products[j, 0] for j in range(p)]


def _largest_off_diagonal(current: list[list[Expr]]) -> tuple[int, int] | None:
    """The largest entry beside the diagonal, or None when all are rounding."""
    values = np.array([[float(entry.value) for entry in row] for row in current])
    size = np.sqrt(np.abs(np.outer(np.diag(values), np.diag(values))))
    off = np.abs(np.triu(values, 1))
    floor = 1e-16 * np.abs(np.diag(values)).max(initial=0.0)
    relative = np.where(off > floor, off / np.maximum(size, floor), 0)
    if off.size == 0 or relative.max() <= 1e-15:
        return None
    i, j = np.unravel_index(int(np.argmax(relative)), off.shape)
    return int(i), int(j)


def _rotate(
    problem: Problem, current: list[list[Expr]], V: list[list[Expr]], i: int, j: int, turn: int
) -> tuple[list[list[Expr]], list[list[Expr]]]:
    """One rotation in the plane of columns i and j, which makes their product zero."""
    w, p = problem.w, len(current)
    names = problem.data.names
    w.step(f"Rotation {turn}", f"Turn {names[i]} and {names[j]} so that they stand at right angles.", turn=turn)
    tag, mark = f"_{turn}", f"_{{{turn}}}"
    off = current[i][j]
    apart = (current[j][j] - current[i][i]) / (2 * where(equal(off, 0), 1, off))
    zeta = w.cell(f"zeta{tag}", apart, symbol=rf"\zeta{mark}", label="how unlike the two are")
    tangent = where(zeta >= 0, expr(1), expr(-1)) / (absolute(zeta) + sqrt(1 + zeta**2))
    t = w.cell(f"t{tag}", where(equal(off, 0), 0, tangent), symbol=f"t{mark}", label="tangent of the angle")
    c = w.cell(f"cos{tag}", 1 / sqrt(1 + t**2), symbol=f"c{mark}", label="cosine")
    s = w.cell(f"sin{tag}", c * t, symbol=f"s{mark}", label="sine")

    def turned(rows: list[list[Expr]]) -> list[list[Expr]]:
        """Columns i and j of a matrix, turned."""
        rotated = [list(row) for row in rows]
        for k in range(len(rows)):
            rotated[k][i], rotated[k][j] = c * rows[k][i] - s * rows[k][j], s * rows[k][i] + c * rows[k][j]
        return rotated

    axis = Axis("column", names, "j", "p")
    half = w.block(
        f"half{tag}", Grid(turned(current), axis, axis), symbol=rf"\text{{half}}{mark}", label="columns turned"
    )
    flipped = [[half[k, m] for k in range(p)] for m in range(p)]
    both = turned(flipped)
    full = w.block(
        f"S{tag}", Grid([[both[k][m] for k in range(p)] for m in range(p)], axis, axis), symbol=f"S{mark}",
        label="rows turned too",
    )  # fmt: skip
    vectors = w.block(f"V{tag}", Grid(turned(V), axis, axis), symbol=f"V{mark}", label="directions so far")
    return [[full[k, m] for m in range(p)] for k in range(p)], [[vectors[k, m] for m in range(p)] for k in range(p)]


# ------------------------------------------------------------------------------------------------------------- LSQR


def lsqr(problem: Problem) -> None:
    """Golub and Kahan's bidiagonalisation with one plane rotation a pass: products with X and X' alone."""
    w, model = problem.w, problem.model
    _, passes = problem.data.record.get("passes", ([], np.empty((0, 4))))
    if np.ndim(problem.data.options["y"]) == 2 and len(passes):
        passes = passes[passes[:, -1] == problem.data.target]
    if len(passes) > MOST_PASSES:
        w.note(f"LSQR made {len(passes)} passes; up to {MOST_PASSES} are laid out one by one.")
        certificate(problem)
        return
    means = problem.means()
    names = Axis("column", problem.data.names, "j", "p")
    if not len(passes):
        w.step("Coefficients", "No column goes with the target: all coefficients stay at zero.")
        problem.finish([expr(0.0)] * len(names), means, max(problem.tolerance, 10 * model.tol))
        return
    w.step("Centered columns", "The means are taken off; with weights, rows are multiplied by their roots.")
    root = None
    if problem.weight is not None:
        root = w.cell("root_weight", sqrt(problem.weight), symbol="r", label="root of the weight")
    columns = [x - mean if problem.centered else expr(x) for x, mean in zip(problem.x, means[0], strict=True)]
    columns = columns if root is None else [root * column for column in columns]
    A = w.block("A", Stack(columns, problem.data.row_axis, names), symbol="A")
    target = problem.y - means[1] if problem.centered else expr(problem.y)
    b = w.cell("target", target if root is None else root * target, symbol="a", label="target")
    w.step("Start", "The target brought to length one, and the products of the columns with it.")
    phi_bar: Expr = w.cell("beta_0", sqrt(sum_(b**2)), symbol=r"\beta_0", label="length of the target")
    u = w.cell("u_0", b / phi_bar, symbol="u_0")
    Atu = w.block("Atu_0", A.T @ Vector(u), names, ONE, symbol="h_0", label="products with the columns")
    alpha: Expr = w.cell("alpha_0", sqrt(sum_(Atu.column(0, "h_0") ** 2)), symbol=r"\alpha_0", label="their length")
    v = w.cell("v_0", Atu.column(0, "h_0") / alpha, symbol="v_0")
    direction: Cell = w.cell("p_0", v, symbol="p_0", label="direction")
    rho_bar: Expr = alpha
    coefficients: Cell | None = None
    for k in range(1, len(passes) + 1):
        m = f"_{{{k}}}"
        w.step(f"Pass {k}", "One product with the columns, one with their transpose, one rotation, one step.", turn=k)
        Av = w.block(f"Av_{k}", A @ Vector(v), problem.data.row_axis, ONE, symbol=f"g{m}")
        fresh = w.cell(f"u_raw_{k}", Av.column(0, f"g{m}") - alpha * u, symbol=rf"\tilde{{u}}{m}")
        beta = w.cell(f"beta_{k}", sqrt(sum_(fresh**2)), symbol=rf"\beta{m}", label="length")
        vanishes = beta.value <= 1e-14 * abs(float(phi_bar.value))
        u = w.cell(f"u_{k}", fresh / where(beta > 0, beta, 1), symbol=f"u{m}")
        Atu = w.block(f"Atu_{k}", A.T @ Vector(u), names, ONE, symbol=f"h{m}")
        raw = w.cell(f"v_raw_{k}", Atu.column(0, f"h{m}") - beta * v, symbol=rf"\tilde{{v}}{m}")
        alpha = w.cell(f"alpha_{k}", sqrt(sum_(raw**2)), symbol=rf"\alpha{m}", label="length")
        v = w.cell(f"v_{k}", raw / where(alpha > 0, alpha, 1), symbol=f"v{m}")
        rho = w.cell(f"rho_{k}", sqrt(rho_bar**2 + beta**2), symbol=rf"\rho{m}", label="rotation: length")
        c = w.cell(f"c_{k}", rho_bar / rho, symbol=f"c{m}", label="cosine")
        s = w.cell(f"s_{k}", beta / rho, symbol=f"s{m}", label="sine")
        phi = w.cell(f"phi_{k}", c * phi_bar, symbol=rf"\phi{m}", label="step length")
        step = phi / rho * direction
        coefficients = w.cell(
            f"w_{k}", step if coefficients is None else coefficients + step, symbol=f"w{m}", label="coefficients"
        )
        direction = w.cell(f"p_{k}", v - s * alpha / rho * direction, symbol=f"p{m}", label="next direction")
        rho_bar = w.cell(f"rho_bar_{k}", -(c * alpha), symbol=rf"\bar{{\rho}}{m}")
        phi_bar = w.cell(f"phi_bar_{k}", s * phi_bar, symbol=rf"\bar{{\phi}}{m}", label="length of the errors")
        if vanishes and k < len(passes):
            w.note("The target was reached exactly; later passes of the kernel change rounding alone.")
            break
    w.step("Coefficients", "What the last pass left.")
    assert coefficients is not None
    row = Axis("coefficients", ["w"])
    final = w.block("answer", Vector(coefficients), names, row, symbol="w")
    problem.finish([final[j, 0] for j in range(len(names))], means, max(problem.tolerance, 1e-7, 10 * model.tol))


# ----------------------------------------------------------------------------------------------------- non-negative


def positive(problem: Problem) -> None:
    """Lawson and Hanson: columns enter one at a time, one whose coefficient turns negative leaves."""
    w, p = problem.w, len(problem.x)
    names = problem.data.names
    means, _, S, c = centered_products(problem)
    _, passes = problem.data.record.get("passes", ([], np.empty((0, 4))))
    if np.ndim(problem.data.options["y"]) == 2 and len(passes):
        passes = passes[passes[:, -1] == problem.data.target]
    varying = [j for j in range(p) if np.ptp(problem.data.X[:, j]) > 0 or not problem.centered]
    free: list[int] = []
    coef: list[Expr] = [expr(0.0)] * p
    for turn, event in enumerate(passes, start=1):
        j, enters = varying[int(event[1])], bool(event[2])
        what = f"{names[j]} enters: of all columns at zero its slope is steepest." if enters else (
            f"{names[j]} would turn negative: it stays at zero."
        )  # fmt: skip
        w.step(f"Pass {turn}", what, turn=turn)
        if enters:
            gradient = c[j] - dot([S[j, k] for k in range(p)], coef)
            w.cell(f"gradient_{turn}", gradient, symbol=f"g_{{{turn}}}", label=f"slope of {names[j]}")
            free.append(j)
        else:
            free.remove(j)
        coef = _solve_free(problem, S, c, sorted(free), turn)
    w.step("Conditions", "At the answer the slope is zero for columns in use, and not positive for those held at zero.")
    for j in range(p):
        w.cell(
            f"slope_{j + 1}", c[j] - dot([S[j, k] for k in range(p)], coef), symbol=rf"g_{{{names[j]}}}",
            label=f"slope of {names[j]}",
        )  # fmt: skip
    problem.finish(coef, means)


def _solve_free(problem: Problem, S: Block, c: list[Expr], free: list[int], turn: int) -> list[Expr]:
    """Least squares over the columns in use; the others have coefficient zero."""
    w, p = problem.w, len(problem.x)
    coef: list[Expr] = [expr(0.0)] * p
    if not free:
        return coef
    axis = Axis("column", [problem.data.names[j] for j in free], "j", "p")
    G = w.block(f"G_{turn}", Grid([[S[i, j] for j in free] for i in free], axis, axis), symbol=f"G_{{{turn}}}")
    products = w.block(f"c_{turn}", Grid([[c[j]] for j in free], axis, Axis("", ["Σ"])), symbol=f"c_{{{turn}}}")
    solved = w.block(
        f"solution_{turn}", Inverse(G) @ products, axis, Axis("", ["β"]), symbol=rf"\beta_{{{turn}}}",
        label="coefficients of the columns in use",
    )  # fmt: skip
    for position, j in enumerate(free):
        coef[j] = solved[position, 0]
    return coef


# -------------------------------------------------------------------------------------------------------- any table


def certificate(problem: Problem) -> None:
    """For large tables: the coefficients as found, proven by the condition that only the best ones meet."""
    w, p = problem.w, len(problem.x)
    names = problem.data.names
    w.note(
        "The table is too large to show how the equations were solved; the coefficients are given, and the condition "
        "that makes them the best is checked: the errors are at right angles to every column."
    )
    w.step("Coefficients", "As the solver found them.")
    axis = Axis("column", names, "j", "p")
    coef = w.given("coef", problem.coef_, axis, symbol=r"\beta", label="coefficient")
    intercept = w.given("intercept", problem.intercept_, symbol="b", label="intercept")
    coef.attribute, intercept.attribute = problem.named("coef_"), problem.named("intercept_")
    assert problem.X is not None or p == 1
    w.step("Errors", "What the model leaves of the target.")
    if problem.X is not None:
        product = w.block("Xb", problem.X @ Vector(coef), problem.data.row_axis, ONE, symbol=r"\text{Xβ}")
        fitted: Expr = product.column(0, r"\text{Xβ}")
    else:
        fitted = sum_(coef) * problem.x[0]
    error = w.cell("rest", problem.y - (fitted + intercept if problem.centered else fitted), symbol="t", label="rest")
    weighted = error if problem.weight is None else w.cell("weighted_rest", problem.weight * error, symbol=r"\tilde{t}")
    w.step("Condition", "The sum of errors times a column, as a share of the sizes of both: zero but for rounding.")
    length = w.cell("length", sqrt(sum_(weighted**2)) + sqrt(problem.total(problem.y**2)) * 1e-7, symbol="L")
    tolerance = 1e-5 if problem.model.solver_ != "lsqr" else max(1e-5, 100 * problem.model.tol)
    if problem.X is not None:
        sums = w.block("sums", problem.X.T @ Vector(weighted), axis, ONE, symbol="s", label="errors times columns")
        sizes = w.given(
            "column_sizes", np.sqrt((problem.data.X**2).sum(axis=0)), axis, symbol="S", label="size of the column"
        )
        size = w.cell("divisor", where(sizes > 0, sizes, 1) * length, symbol="D", label="size of both")
        share = sums.column(0, "s") / size
    else:
        share = sum_(weighted * problem.x[0]) / (length * sqrt(sum_(problem.x[0] ** 2)))
    share_cell = w.cell("share", share, symbol=r"\delta", label="share")
    if not (problem.model.positive):
        w.cell(
            "largest_share", max_(absolute(share_cell)) if share_cell.axis is not None else absolute(share_cell),
            symbol=r"\delta_{max}", label="largest share", equals=0.0, attribute="condition of least squares",
            tolerance=tolerance, scale=1.0,
        )  # fmt: skip
    problem.keep([], intercept)
    problem.product = fitted
