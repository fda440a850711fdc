"""Functions of C that exported models call, written once: those that a model does not need are left out."""

from __future__ import annotations

HELPERS = {
    "weighted_median(": """static double weighted_median(const double *values, const double *weights, int count) {
    /* Of the values in rising order the first up to which the weights make up half of their sum. */
    double whole = 0, last = NAN;
    for (int pass = 0; pass < 2; pass++) {
        double so_far = 0;
        unsigned char done[COUNT] = {0};
        for (int k = 0; k < count; k++) {
            int least = -1;
            for (int i = 0; i < count; i++)
                if (!done[i] && (least < 0 || values[i] < values[least])) least = i;
            done[least] = 1;
            so_far += weights[least];
            last = values[least];
            if (pass == 1 && so_far >= 0.5 * whole) return last;
        }
        whole = so_far;
    }
    return last;
}""",
    "place_of(": """static int place_of(double key, const double *keys, int count) {
    int low = 0, high = count - 1;
    while (low <= high) {
        const int middle = low + (high - low) / 2;
        if (keys[middle] == key) return middle;
        if (keys[middle] < key) low = middle + 1;
        else high = middle - 1;
    }
    return -1;
}""",
    "look_up(": """static double look_up(double key, const double *keys, const double *values, int count, double rest) {
    const int place = place_of(key, keys, count);
    return place < 0 ? rest : values[place];
}""",
    "known_code(": """static double known_code(double code, double count, double unknown) {
    if (isnan(code)) return NAN;
    return code >= 0 && code < count && code == floor(code) ? code : unknown;
}""",
    "same_text(": """static int same_text(const char *text, const char *end, const char *other) {
    const size_t length = strlen(other);
    return (size_t)(end - text) == length && memcmp(text, other, length) == 0;
}""",
    "strip(": """/* Blanks, and characters of no width, in UTF-8. */
static const char *const blanks[] = {BLANKS};

static void strip(const char **text, const char **end) {
    for (int again = 1; again;) {
        again = 0;
        for (size_t k = 0; k < sizeof blanks / sizeof *blanks; k++) {
            const size_t length = strlen(blanks[k]);
            if ((size_t)(*end - *text) < length) continue;
            if (memcmp(*text, blanks[k], length) == 0) { *text += length; again = 1; }
            else if (memcmp(*end - length, blanks[k], length) == 0) { *end -= length; again = 1; }
        }
    }
}""",
    "number_from(": """/* A sign, digits (in groups of three where there is a sign for them), decimals, an exponent. */
static double number_from(const char *text, const char *end, char decimal, char thousands) {
    char plain[400];
    int n = 0, digits = 0, group = 0, grouped = 0;
    const char *at = text;
    if (end - text >= 400) return NAN;
    if (at < end && (*at == '+' || *at == '-')) plain[n++] = *at++;
    for (; at < end && ((*at >= '0' && *at <= '9') || (thousands && *at == thousands && digits)); at++) {
        if (*at == thousands && thousands) {
            if (grouped ? group != 3 : digits > 3) return NAN;
            grouped = 1;
            group = 0;
            continue;
        }
        plain[n++] = *at;
        digits++;
        group++;
    }
    if (grouped && group != 3) return NAN;
    if (at < end && *at == decimal) {
        int decimals = 0;
        if (thousands && !digits) return NAN;
        plain[n++] = '.';
        for (at++; at < end && *at >= '0' && *at <= '9'; at++, decimals++) plain[n++] = *at;
        if (thousands && !decimals) return NAN;
        digits += decimals;
    }
    if (!digits) return NAN;
    if (!thousands && at < end && (*at == 'e' || *at == 'E')) {
        int powers = 0;
        plain[n++] = *at++;
        if (at < end && (*at == '+' || *at == '-')) plain[n++] = *at++;
        for (; at < end && *at >= '0' && *at <= '9'; at++, powers++) plain[n++] = *at;
        if (!powers) return NAN;
    }
    if (at != end) return NAN;
    plain[n] = 0;
    return strtod(plain, 0);
}""",
    "largest_of(": """static double largest_of(const double *values, int count) {
    double found = values[0];
    for (int k = 1; k < count; k++)
        if (values[k] > found) found = values[k];
    return found;
}""",
    "first_largest(": """static double first_largest(const double *values, int count) {
    int place = 0;
    for (int k = 1; k < count; k++)
        if (values[k] > values[place]) place = k;
    return place;
}""",
}

WALK = """\
/* Adds what the leaves say that a row ends in. Kind 0 goes left at x <= threshold, kind 1 right at x > threshold, and
 * everything else goes to the other side. Below zero a node is ~ the number of a leaf. */
static void add_trees(const double *x, double *s) {
    for (int t = 0; t < TREES; t++) {
        int node = node_root[t];
        while (node >= 0) {
            const double value = x[node_column[node]];
            if (node_kind[node] == 0)
                node = value <= node_threshold[node] ? node_left[node] : node_right[node];
            else
                node = value > node_threshold[node] ? node_right[node] : node_left[node];
        }
        for (int k = 0; k < WIDTH; k++) s[tree_first[t] + k] += leaf_value[~node * WIDTH + k];
    }
}"""

WALK_SETS = """\
/* Adds what the leaves say that a row ends in. Kind 0 goes left at x <= threshold, kind 1 right at x > threshold; kind
 * 2 left and kind 3 right where the category is in the set, whose number stands for the threshold; everything else goes
 * to the other side. Below zero a node is ~ the number of a leaf. */
static int in_set(double value, int set) {
    const int begin = set_start[set], end = set_start[set + 1];
    if (!(value >= 0 && value < 32.0 * (end - begin))) return 0;
    const int code = (int)value;
    return (int)(set_word[begin + code / 32] >> (code % 32) & 1UL);
}

static void add_trees(const double *x, double *s) {
    for (int t = 0; t < TREES; t++) {
        int node = node_root[t];
        while (node >= 0) {
            const double value = x[node_column[node]];
            int left;
            if (node_kind[node] == 0) left = value <= node_threshold[node];
            else if (node_kind[node] == 1) left = !(value > node_threshold[node]);
            else left = in_set(value, (int)node_threshold[node]) == (node_kind[node] == 2);
            node = left ? node_left[node] : node_right[node];
        }
        for (int k = 0; k < WIDTH; k++) s[tree_first[t] + k] += leaf_value[~node * WIDTH + k];
    }
}"""
