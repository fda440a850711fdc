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
    "lookup(": """static double lookup(double key, const double *keys, const double *values, int count, double rest) {
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
    "moment_of(": """/* Microseconds since 1970, or `bad` where there is no such time. */
static double moment_of(double year, double month, double day, double hour, double minute, double second,
                        double micro, double bad) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1 && hour >= 0 && hour < 24 && minute >= 0 && minute < 60 &&
          second >= 0 && second < 60))
        return bad;
    const int leap = fmod(year, 4) == 0 && (fmod(year, 100) != 0 || fmod(year, 400) == 0);
    if (day > lengths[(int)month - 1] + (month == 2 && leap)) return bad;
    const double own = month <= 2 ? year - 1 : year, march = month <= 2 ? month + 9 : month - 3;
    const double era = floor(own / 400), of_era = own - 400 * era;
    const double of_year = floor((153 * march + 2) / 5) + day - 1;
    const double days = era * 146097 + of_era * 365 + floor(of_era / 4) - floor(of_era / 100) + of_year - 719468;
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1e6 + micro;
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
    "amount_from(": """/* A number with a unit before or behind it; parentheses are a minus. */
static const char *unit_at(const char *at, const char *const *units, int count, int at_end) {
    for (int k = 0; k < count; k++) {
        const size_t length = strlen(units[k]);
        if (strncmp(at, units[k], length) == 0 && (!at_end || at[length] == 0)) return at + length;
    }
    return 0;
}

static const char *after_blanks(const char *at) {
    for (;;) {
        if (*at == ' ') at++;
        else if (strncmp(at, "\\302\\240", 2) == 0) at += 2;
        else if (strncmp(at, "\\342\\200\\257", 3) == 0) at += 3;
        else return at;
    }
}

static double amount_from(const char *text, const char *end, char decimal, char thousands, const char *const *units,
                          int count) {
    char plain[400];
    char *out = plain;
    if (end - text >= 390) return NAN;
    for (; text < end; text++) {
        if (end - text >= 3 && memcmp(text, "\\342\\210\\222", 3) == 0) { *out++ = '-'; text += 2; }
        else *out++ = *text >= 'A' && *text <= 'Z' ? (char)(*text + 32) : *text;
    }
    *out = 0;
    const char *at = plain;
    const int opened = *at == '(';
    if (opened) {
        if (out[-1] != ')') return NAN;
        *--out = 0;
        at++;
    }
    int sign = 0;
    if (*at == '+' || *at == '-') sign = *at++ == '-' ? -1 : 1;
    const char *unit = unit_at(at, units, count, 0);
    if (unit) at = after_blanks(unit);
    if (!sign && (*at == '+' || *at == '-')) sign = *at++ == '-' ? -1 : 1;
    const char *begin = at;
    for (; *at && strchr("0123456789", *at); at++) {}
    if (thousands && at > begin && at - begin <= 3)
        while (*at == thousands && strspn(at + 1, "0123456789") >= 3) at += 4;
    if (*at == decimal && (!thousands || (at > begin && strspn(at + 1, "0123456789") > 0)))
        at += 1 + strspn(at + 1, "0123456789");
    if (!thousands && at > begin && *at == 'e') {
        const char *power = at + 1;
        if (*power == '+' || *power == '-') power++;
        const size_t digits = strspn(power, "0123456789");
        if (digits) at = power + digits;
    }
    const char *rest = after_blanks(at);
    if (*at && (unit = unit_at(rest, units, count, 1)) == 0) return NAN;
    const double number = number_from(begin, at, decimal, thousands);
    return (sign < 0) != opened ? -number : number;
}""",
    "iso_from(": """/* 2024-01-31, perhaps with a clock and an offset; microseconds since 1970. */
static int digits_from(const char *at, const char *end, int count) {
    int value = 0;
    if (end - at < count) return -1;
    for (int k = 0; k < count; k++) {
        if (at[k] < '0' || at[k] > '9') return -1;
        value = 10 * value + at[k] - '0';
    }
    return value;
}

static double iso_from(const char *text, const char *end, int any_offset, double bad) {
    double clock[3] = {0, 0, 0}, micro = 0, weight = 100000;
    const char *at = text + 10;
    if (end - text < 10 || text[4] != '-' || text[7] != '-') return bad;
    if (at < end && (*at == 'T' || *at == ' ')) {
        for (int k = 0; k < 3; k++) {
            const int two = digits_from(at + 1, end, 2);
            if (two < 0) return bad;
            clock[k] = two;
            at += 3;
            if (k == 2 || at == end || *at != ':') {
                if (k == 0) return bad;
                if (k == 2 && at < end && (*at == '.' || *at == ',')) {
                    const char *begin = ++at;
                    for (; at < end && *at >= '0' && *at <= '9'; at++, weight = floor(weight / 10))
                        micro += weight * (*at - '0');
                    if (at == begin || at - begin > 9) return bad;
                }
                break;
            }
        }
    }
    if (at < end && *at == 'Z') at++;
    else if (at < end && (*at == '+' || *at == '-')) {
        const int hours = digits_from(at + 1, end, 2);
        if (hours < 0) return bad;
        at += 3;
        int minutes = 0;
        if (at < end) minutes = digits_from(at + (*at == ':'), end, 2), at += 2 + (*at == ':');
        if (minutes < 0 || (!any_offset && (hours || minutes))) return bad;
    }
    if (at != end) return bad;
    return moment_of(digits_from(text, end, 4), digits_from(text + 5, end, 2), digits_from(text + 8, end, 2), clock[0],
                     clock[1], clock[2], micro, bad);
}""",
    "time_from(": """/* The format: %, a letter, the least and the most digits; " " is one blank or more. */
static double time_from(const char *text, const char *end, const char *format, double bad) {
    static const char *const months[] = {"january", "february", "march", "april", "may", "june", "july", "august",
                                         "september", "october", "november", "december"};
    char plain[120];
    double year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, micro = 0, ahead = 0;
    int half = -1, twelve = 0, n = 0;
    if (end - text >= 119) return bad;
    for (; text < end; text++) plain[n++] = *text >= 'A' && *text <= 'Z' ? (char)(*text + 32) : *text;
    plain[n] = 0;
    const char *at = plain;
    for (; *format; format++) {
        if (*format == ' ') {
            if (*at != ' ') return bad;
            for (; *at == ' '; at++) {}
            continue;
        }
        if (*format != '%') {
            if (*at++ != *format) return bad;
            continue;
        }
        const char letter = *++format;
        if (letter == 'b') {
            const char lengths = *++format;
            int found = -1;
            size_t length = 0;
            for (int k = 0; k < 12; k++) {
                const size_t whole = strlen(months[k]);
                if (lengths != 's' && strncmp(at, months[k], whole) == 0 && whole > length)
                    found = k, length = whole;
                if (lengths != 'l' && length < 3 && strncmp(at, months[k], 3) == 0) found = k, length = 3;
            }
            if (found < 0) return bad;
            month = found + 1;
            at += length;
            continue;
        }
        const int least = *++format - '0', most = *++format - '0';
        if (letter == 'p') {
            if (*at != 'a' && *at != 'p') return bad;
            half = *at++ == 'p';
            if (least && *at == '.') at++;
            if (*at++ != 'm') return bad;
            if (least && *at == '.') at++;
            continue;
        }
        if (letter == 'z') {
            if (*at == 'z') { at++; continue; }
            if (*at != '+' && *at != '-') return bad;
            const double sign = *at++ == '+' ? 1 : -1;
            if (strspn(at, "0123456789") < 2) return bad;
            const double hours = (at[0] - '0') * 10 + at[1] - '0';
            at += 2 + (at[2] == ':');
            if (strspn(at, "0123456789") < 2) return bad;
            ahead = sign * (hours * 60 + (at[0] - '0') * 10 + at[1] - '0');
            at += 2;
            continue;
        }
        double value = 0, weight = 100000;
        int digits = 0;
        for (; digits < most && *at >= '0' && *at <= '9'; at++, digits++) {
            value = letter == 'f' ? value + weight * (*at - '0') : 10 * value + *at - '0';
            weight = floor(weight / 10);
        }
        if (digits < least) return bad;
        if (letter == 'Y') year = value;
        else if (letter == 'y') year = value + (value >= 69 ? 1900 : 2000);
        else if (letter == 'm') month = value;
        else if (letter == 'd') day = value;
        else if (letter == 'H') hour = value;
        else if (letter == 'I') { hour = value; twelve = 1; }
        else if (letter == 'M') minute = value;
        else if (letter == 'S') second = value;
        else micro = value;
    }
    if (*at) return bad;
    if (twelve) {
        if (hour < 1 || hour > 12) return bad;
        hour = fmod(hour, 12) + (half == 1 ? 12 : 0);
    }
    return moment_of(year, month, day, hour, minute, second, micro, bad) - ahead * 60e6;
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

NEEDED = {
    "lookup(": ("place_of(",),
    "amount_from(": ("number_from(",),
    "iso_from(": ("moment_of(",),
    "time_from(": ("moment_of(",),
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
