#include "core/boosting/vector_search.hpp"

#include <algorithm>
#include <cmath>

namespace pellucid::boosting {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr int kMostTurns = 200;    // of a direction toward the principal axis
constexpr double kTurned = 1e-13;  // a direction that moves no more has arrived

// What of |g| lies beyond l1, squared.
double squared_beyond(double g, double l1) {
    const double t = std::max(std::abs(g) - l1, 0.0);
    return t * t;
}

void add(double* to, const double* from, Size n) {
    for (Size i = 0; i < n; ++i) to[i] += from[i];
}

}  // namespace

double VectorSearch::worth(const double* sums, double l2) const {
    double out = 0;
    if (!plain_) {
        const Judge judge{&settings_};
        for (Size k = 0; k < shape_.targets; ++k)
            out += judge.worth(shape_.gradient(sums, k), shape_.curvature(sums, k), l2, {});
        return out;
    }
    const Size targets = shape_.targets;
    const double l1 = settings_.l1;
    if (shape_.shared) {
        const double below = sums[targets] + l2;
        for (Size k = 0; k < targets; ++k) out += squared_beyond(sums[k], l1);
        return below > 0 ? out / below : 0;
    }
    for (Size k = 0; k < targets; ++k) {
        const double below = sums[targets + k] + l2;
        out += below > 0 ? squared_beyond(sums[k], l1) / below : 0;
    }
    return out;
}

double VectorSearch::answer(const double* sums, Size target) const {
    return Judge{&settings_}.answer(shape_.gradient(sums, target), shape_.curvature(sums, target), settings_.l2, {});
}

// One column of one node.
struct VectorSearch::Sweep {
    const VectorSearch& search;
    const Settings& settings;
    const Shape& shape;
    const Size width;
    const VectorNode& node;
    const ColumnBins& bins;
    const double* cells;
    VectorRoom& room;
    VectorFound best;
    double best_gain;  // that a split must exceed

    Sweep(const VectorSearch& of, const VectorNode& searched, Size column, const double* from, VectorRoom& memory)
        : search(of),
          settings(of.settings_),
          shape(of.shape_),
          width(of.shape_.width()),
          node(searched),
          bins(of.table_.bins(column)),
          cells(from),
          room(memory),
          best_gain(
              std::max(settings.prune ? 0 : settings.min_gain, rounding_gain(Packing::of_sums(), 0, 0, node.worth))) {
        room.left.resize(width);
        room.right.resize(width);
    }

    const double* cell(Size bin) const { return cells + bin * width; }
    double rows_in(Size bin) const { return shape.rows(cell(bin)); }
    bool some_missing() const { return rows_in(bins.count) > 0; }

    void list_held() {
        room.held.clear();
        for (Size b = 0; b < bins.count; ++b)
            if (rows_in(b) > 0) room.held.push_back(static_cast<std::uint16_t>(b));
    }

    // ------------------------------------------------------------------------------------------------ any two sides

    // What room.left leaves of the node.
    void part_right() {
        const double* left = room.left.data();
        double* right = room.right.data();
        for (Size i = 0; i < width; ++i) right[i] = node.total[i] - left[i];
    }
    bool is_allowed(const double* side) const {
        return shape.rows(side) >= static_cast<double>(settings.min_rows_leaf) &&
               shape.weight(side) >= settings.least_weight();
    }
    // Worth of both sides together, room.left and the rest.
    double worth_of_sides(double l2) {
        part_right();
        return search.worth(room.left.data(), l2) + search.worth(room.right.data(), l2);
    }
    // The same; minus infinity where one may not be.
    double worth_if_allowed(double l2) {
        part_right();
        if (!is_allowed(room.left.data()) || !is_allowed(room.right.data())) return kNone;
        return search.worth(room.left.data(), l2) + search.worth(room.right.data(), l2);
    }

    bool gains(double worth) const { return worth - node.worth > best_gain && std::isfinite(worth); }
    void take(double worth, bool missing_left) {
        best_gain = best.gain = worth - node.worth;
        best.left = room.left;
        best.missing_left = missing_left;
        best.subset.clear();
    }

    // ------------------------------------------------------------------------------------------------------- numbers

    void by_number() {
        sweep_number(false);
        if (some_missing()) sweep_number(true);
        if (!(best.gain > 0)) return;
        const auto& held = room.held;
        const auto next = std::upper_bound(held.begin(), held.end(), static_cast<std::uint16_t>(best.cut));
        if (next == held.end()) {  // values against missing ones
            best.cut = static_cast<std::uint32_t>(bins.count - 1);
            best.threshold = std::numeric_limits<double>::infinity();
        } else {  // of the empty bins between, half go either way: bins and values then say the same of any row
            best.cut = (best.cut + *next - 1) / 2;
            best.threshold = bins.between(best.cut, best.cut + 1);
        }
    }

    // missing_left: rows without a value are on the left from the start. Else the last cut, behind all values, counts
    // where there are such rows.
    void sweep_number(bool missing_left) {
        const Size cuts = room.held.size() - (missing_left || !some_missing() ? 1 : 0);
        if (missing_left)
            std::copy_n(cell(bins.count), width, room.left.begin());
        else
            std::fill(room.left.begin(), room.left.end(), 0.0);
        for (Size k = 0; k < cuts; ++k) {
            add(room.left.data(), cell(room.held[k]), width);
            const double worth = worth_if_allowed(settings.l2);
            if (!gains(worth)) continue;
            take(worth, missing_left);
            best.cut = room.held[k];
        }
    }

    // ---------------------------------------------------------------------------------------------------- categories

    // Missing values, and categories that were never met, go right.
    void by_category() {
        if (room.held.size() + some_missing() < 2) return;
        if (bins.count <= settings.categories.one_by_one)
            one_by_one();
        else
            ordered();
    }

    void one_by_one() {
        for (const std::uint16_t bin : room.held) {
            std::copy_n(cell(bin), width, room.left.begin());
            const double worth = worth_if_allowed(settings.l2);
            if (!gains(worth)) continue;
            take(worth, false);
            best.subset.assign(1, static_cast<std::uint8_t>(bin));
        }
    }

    void ordered() {
        const Categories& c = settings.categories;
        const std::vector<std::uint16_t> order = along_axis();
        const double l2 = settings.l2 + c.l2, least = static_cast<double>(c.least_rows);
        const Size most = std::min(c.most, (order.size() + 1) / 2);
        for (const bool from_above : {false, true}) {
            const auto bin_at = [&](Size k) { return from_above ? order[order.size() - 1 - k] : order[k]; };
            std::fill(room.left.begin(), room.left.end(), 0.0);
            double together = 0;
            for (Size k = 0; k < most; ++k) {
                add(room.left.data(), cell(bin_at(k)), width);
                together += rows_in(bin_at(k));
                if (shape.rows(node.total) - shape.rows(room.left.data()) < least) break;
                if (together < least) continue;
                together = 0;
                const double worth = worth_if_allowed(l2);
                if (!gains(worth)) continue;
                take(worth, false);
                for (Size i = 0; i <= k; ++i) best.subset.push_back(static_cast<std::uint8_t>(bin_at(i)));
            }
        }
        std::sort(best.subset.begin(), best.subset.end());
    }

    // Categories with enough rows, in the order of their points along the principal axis.
    std::vector<std::uint16_t> along_axis() {
        std::vector<std::uint16_t> some;
        for (const std::uint16_t bin : room.held)
            if (rows_in(bin) >= settings.categories.smooth) some.push_back(bin);
        find_axis(some);
        std::vector<std::pair<double, std::uint16_t>> order;
        for (Size c = 0; c < some.size(); ++c) order.emplace_back(along(c), some[c]);
        std::sort(order.begin(), order.end());
        std::transform(order.begin(), order.end(), some.begin(), [](const auto& pair) { return pair.second; });
        return some;
    }

    double along(Size c) const {
        double sum = 0;
        for (Size k = 0; k < shape.targets; ++k) sum += room.points[c * shape.targets + k] * room.axis[k];
        return sum;
    }

    // The points of some categories, about their mean, and the direction in which they spread most: turned toward it
    // again and again, from the target that spreads most. Its largest part is positive.
    void find_axis(std::span<const std::uint16_t> some) {
        const Size targets = shape.targets;
        room.points.assign(some.size() * targets, 0.0);
        std::vector<double> mean(targets, 0.0), spread(targets, 0.0), mass(some.size());
        double whole = 0;
        for (Size c = 0; c < some.size(); ++c) {
            whole += mass[c] = shape.weight(cell(some[c]));
            for (Size k = 0; k < targets; ++k) {
                const double point =
                    shape.gradient(cell(some[c]), k) / (shape.curvature(cell(some[c]), k) + settings.categories.smooth);
                room.points[c * targets + k] = point;
                mean[k] += mass[c] * point;
            }
        }
        for (Size c = 0; c < some.size(); ++c)
            for (Size k = 0; k < targets; ++k) {
                double& point = room.points[c * targets + k];
                if (whole > 0) point -= mean[k] / whole;
                spread[k] += mass[c] * point * point;
            }
        const auto widest = static_cast<Size>(std::max_element(spread.begin(), spread.end()) - spread.begin());
        room.axis.assign(targets, 0.0);
        room.axis[widest] = 1;
        if (targets == 1) return;
        for (int turn = 0; turn < kMostTurns; ++turn)
            if (!turn_axis(mass)) break;
        const auto largest = std::max_element(room.axis.begin(), room.axis.end(),
                                              [](double a, double b) { return std::abs(a) < std::abs(b); });
        if (*largest < 0)
            for (double& part : room.axis) part = -part;
    }

    // axis <- sum of mass (point . axis) point, of length 1; did it move?
    bool turn_axis(std::span<const double> mass) {
        const Size targets = shape.targets;
        room.turned.assign(targets, 0.0);
        for (Size c = 0; c < mass.size(); ++c) {
            const double share = mass[c] * along(c);
            for (Size k = 0; k < targets; ++k) room.turned[k] += share * room.points[c * targets + k];
        }
        double square = 0;
        for (const double part : room.turned) square += part * part;
        if (!(square > 0) || !std::isfinite(square)) return false;
        double moved = 0;
        for (Size k = 0; k < targets; ++k) {
            const double part = room.turned[k] / std::sqrt(square);
            moved = std::max(moved, std::abs(part - room.axis[k]));
            room.axis[k] = part;
        }
        return moved > kTurned;
    }
};

VectorFound VectorSearch::best(const VectorNode& node, Size column, const double* cells, VectorRoom& room) const {
    Sweep sweep(*this, node, column, cells, room);
    sweep.list_held();
    if (room.held.empty()) return {};
    if (sweep.bins.is_category())
        sweep.by_category();
    else
        sweep.by_number();
    if (sweep.best.gain > 0) {
        sweep.best.column = static_cast<std::int32_t>(column);
        sweep.best.has_missing = table_.some_missing(column);
    }
    return std::move(sweep.best);
}

void VectorSearch::add_worths(const VectorNode& node, Size column, const double* cells, std::span<double> worth,
                              VectorRoom& room) const {
    Sweep sweep(*this, node, column, cells, room);
    const Size bins = sweep.bins.count, width = sweep.width;
    if (sweep.bins.is_category()) {
        for (Size b = 0; b < bins; ++b) {
            std::copy_n(sweep.cell(b), width, room.left.begin());
            worth[b] += sweep.worth_of_sides(settings_.l2);
        }
        return;
    }
    std::fill(room.left.begin(), room.left.end(), 0.0);
    for (Size b = 0; b < bins; ++b) {
        add(room.left.data(), sweep.cell(b), width);
        worth[b] += sweep.worth_of_sides(settings_.l2);
    }
    std::copy_n(sweep.cell(bins), width, room.left.begin());
    for (Size b = 0; b + 1 < bins; ++b) {
        add(room.left.data(), sweep.cell(b), width);
        worth[bins + b] += sweep.worth_of_sides(settings_.l2);
    }
}

VectorFound VectorSearch::split_at(Size column, Size k, const double* cells) const {
    const ColumnBins& bins = table_.bins(column);
    const Size width = shape_.width();
    VectorFound out{one_.split_at<Sums>(column, k, nullptr), std::vector<double>(width, 0.0)};
    out.has_missing = table_.some_missing(column);
    if (cells == nullptr) return out;
    if (out.missing_left) add(out.left.data(), cells + bins.count * width, width);
    if (bins.is_category())
        for (const std::uint8_t bin : out.subset) add(out.left.data(), cells + bin * width, width);
    else
        for (Size b = 0; b <= out.cut; ++b) add(out.left.data(), cells + b * width, width);
    return out;
}

}  // namespace pellucid::boosting
