/* The distribution of a sampled parameter: its numbers, its values, and where it is cut. */
#include "scenario/reader.h"

#include <math.h>
#include <stdlib.h>

/* An interval further from the mean than this many standard deviations holds less than 1e-15 of the distribution. */
static const double max_deviations = 8.0;

/* A normal distribution that must say where it is cut, and no kind of its own: it comes behind them. */
enum {
    truncated_normal = 0
#define SARRUS_DISTRIBUTION(name, value, word, first, second, third, fourth, text) +1
#include "sarrus/distribution.def"
};

static const sarrus_word distributions[] = {
#define SARRUS_DISTRIBUTION(name, value, word, first, second, third, fourth, text) {word, value},
#include "sarrus/distribution.def"
    {"truncated_normal", truncated_normal},
};

/* A distribution while it is being read; NaN stands for a number that is not given. */
struct distribution_reading {
    sarrus_sampled *sampled;
    const sarrus_node *node;
    int distribution;
    double mean, sd, low, mode, high, mu, sigma, scale, shape, alpha, beta, min, max;
};

/* Bits of the distributions that have a key. */
enum {
    of_normal = 1 << SARRUS_DISTRIBUTION_NORMAL | 1 << truncated_normal,
    of_uniform = 1 << SARRUS_DISTRIBUTION_UNIFORM,
    of_lognormal = 1 << SARRUS_DISTRIBUTION_LOGNORMAL,
    of_triangular = 1 << SARRUS_DISTRIBUTION_TRIANGULAR,
    of_weibull = 1 << SARRUS_DISTRIBUTION_WEIBULL,
    of_beta = 1 << SARRUS_DISTRIBUTION_BETA,
    of_discrete = 1 << SARRUS_DISTRIBUTION_DISCRETE,
    of_empirical = 1 << SARRUS_DISTRIBUTION_EMPIRICAL,
    of_all_cut = of_normal | of_uniform | of_lognormal | of_triangular | of_weibull | of_beta | of_empirical,
};

/* The numbers of all distributions; which of them must be there is checked afterwards. */
static const struct {
    const char *key;
    size_t offset;
    sarrus_rule rule;
    int distributions;
} numbers[] = {
    {"mean", offsetof(struct distribution_reading, mean), SARRUS_RULE_ANY, of_normal | of_lognormal},
    {"sd", offsetof(struct distribution_reading, sd), SARRUS_RULE_NOT_NEGATIVE, of_normal | of_lognormal},
    {"low", offsetof(struct distribution_reading, low), SARRUS_RULE_ANY, of_uniform | of_triangular | of_beta},
    {"mode", offsetof(struct distribution_reading, mode), SARRUS_RULE_ANY, of_triangular},
    {"high", offsetof(struct distribution_reading, high), SARRUS_RULE_ANY, of_uniform | of_triangular | of_beta},
    {"mu", offsetof(struct distribution_reading, mu), SARRUS_RULE_ANY, of_lognormal},
    {"sigma", offsetof(struct distribution_reading, sigma), SARRUS_RULE_NOT_NEGATIVE, of_lognormal},
    {"scale", offsetof(struct distribution_reading, scale), SARRUS_RULE_POSITIVE, of_weibull},
    {"shape", offsetof(struct distribution_reading, shape), SARRUS_RULE_POSITIVE, of_weibull},
    {"alpha", offsetof(struct distribution_reading, alpha), SARRUS_RULE_POSITIVE, of_beta},
    {"beta", offsetof(struct distribution_reading, beta), SARRUS_RULE_POSITIVE, of_beta},
    {"min", offsetof(struct distribution_reading, min), SARRUS_RULE_ANY, of_all_cut},
    {"max", offsetof(struct distribution_reading, max), SARRUS_RULE_ANY, of_all_cut},
};

/* Refuses a key that the distribution does not have. */
static bool key_belongs(sarrus_reader *reader, const struct distribution_reading *reading, const sarrus_node *node, int owners) {
    if ((owners & 1 << reading->distribution) != 0) {
        return true;
    }
    sarrus_reader_refuse(reader, node->key, "'%s' beside the distribution '%s'; expected no such key", node->key->text,
                         distributions[reading->distribution].text);
    return false;
}

/* Reads every number that is given; false when one of them is wrong. */
static bool read_numbers(sarrus_reader *reader, struct distribution_reading *reading) {
    bool is_good = true;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        double *number = (double *)(void *)((char *)reading + numbers[i].offset);
        const sarrus_node *node = sarrus_node_child(reading->node, numbers[i].key);
        *number = (double)NAN;
        if (node == NULL) {
            continue;
        }
        const size_t n_path = sarrus_path_push(reader, numbers[i].key);
        is_good = sarrus_number_read(reader, node, numbers[i].rule, number, NULL) && is_good;
        sarrus_path_pop(reader, n_path);
        is_good = key_belongs(reader, reading, node, numbers[i].distributions) && is_good;
    }
    return is_good;
}

/* A list of numbers under `key`; NULL with a finding when it cannot be read. To be freed. */
static double *list_read(sarrus_reader *reader, const sarrus_node *node, const char *key, sarrus_rule rule, int n_items) {
    if (!sarrus_list_check(reader, node, n_items, "a list of numbers, in 'weights' as many as in 'values'")) {
        return NULL;
    }
    if (node->n_children == 0) {
        sarrus_reader_refuse(reader, node, "'%s' is an empty list; expected at least one number", key);
        return NULL;
    }
    double *list = sarrus_reader_allocate(reader, node->n_children, sizeof *list);
    bool is_good = list != NULL;
    int n = 0;
    for (const sarrus_node *item = node->first; item != NULL && list != NULL; item = item->next) {
        const size_t n_path = sarrus_path_push_index(reader, n);
        is_good = sarrus_number_read(reader, item, rule, &list[n++], NULL) && is_good;
        sarrus_path_pop(reader, n_path);
    }
    if (is_good) {
        return list;
    }
    free(list);
    return NULL;
}

struct weighted {
    double value, weight;
};

static int lower_first(const void *left, const void *right) {
    const double a = ((const struct weighted *)left)->value, b = ((const struct weighted *)right)->value;
    return (a > b) - (a < b);
}

/* Sorts the values and makes shares of the weights; values without weight go, equal ones stand side by side. */
static void settle_values(sarrus_reader *reader, const struct distribution_reading *reading, double *weights) {
    sarrus_sampled *sampled = reading->sampled;
    const bool has_shares = sampled->kind == SARRUS_DISTRIBUTION_DISCRETE;
    struct weighted *pairs = sarrus_reader_allocate(reader, sampled->n_values, sizeof *pairs);
    sampled->shares = has_shares ? sarrus_reader_allocate(reader, sampled->n_values, sizeof *sampled->shares) : NULL;
    if (pairs == NULL || (has_shares && sampled->shares == NULL)) {
        free(pairs);
        return;
    }
    int n = 0;
    double largest = 0, sum = 0, part = 0;
    for (int i = 0; i < sampled->n_values; ++i) {
        const double weight = weights != NULL ? weights[i] : 1;
        largest = weight > largest ? weight : largest;
        pairs[n] = (struct weighted){sampled->values[i], weight};
        n += weight > 0;
    }
    qsort(pairs, (size_t)n, sizeof *pairs, lower_first);
    for (int i = 0; i < n; ++i) {
        sum += pairs[i].weight / largest; /* whatever their size, the sum is finite */
    }
    for (int i = 0; i < n; ++i) {
        part += pairs[i].weight / largest;
        sampled->values[i] = pairs[i].value;
        if (has_shares) {
            sampled->shares[i] = i + 1 < n ? part / sum : 1;
        }
    }
    free(pairs);
    sampled->n_values = n;
    if (n == 0) {
        sarrus_reader_refuse(reader, sarrus_node_child(reading->node, "weights"), "no weight is positive; expected one at least");
    }
}

/* The values of a discrete or empirical distribution; false with a finding when they are wrong, and when others have some. */
static bool read_values(sarrus_reader *reader, struct distribution_reading *reading) {
    sarrus_sampled *sampled = reading->sampled;
    const sarrus_node *values = sarrus_node_child(reading->node, "values");
    const sarrus_node *weights = sarrus_node_child(reading->node, "weights");
    bool is_good = values == NULL || key_belongs(reader, reading, values, of_discrete | of_empirical);
    is_good = (weights == NULL || key_belongs(reader, reading, weights, of_discrete)) && is_good;
    if (!is_good || (1 << reading->distribution & (of_discrete | of_empirical)) == 0) {
        return is_good;
    }
    if (values == NULL) {
        sarrus_reader_refuse(reader, reading->node, "the distribution '%s' lacks its values; expected a list of numbers",
                             distributions[reading->distribution].text);
        return false;
    }
    size_t n_path = sarrus_path_push(reader, "values");
    sampled->values = list_read(reader, values, "values", SARRUS_RULE_ANY, -1);
    sampled->n_values = sampled->values != NULL ? values->n_children : 0;
    sarrus_path_pop(reader, n_path);
    if (sampled->values == NULL) {
        return false;
    }
    double *shares = NULL;
    if (weights != NULL) {
        n_path = sarrus_path_push(reader, "weights");
        shares = list_read(reader, weights, "weights", SARRUS_RULE_NOT_NEGATIVE, sampled->n_values);
        sarrus_path_pop(reader, n_path);
    }
    is_good = weights == NULL || shares != NULL;
    if (is_good) {
        settle_values(reader, reading, shares);
    }
    free(shares);
    return is_good && sampled->n_values > 0 && !reader->findings.is_out_of_memory;
}

static bool is_given(double number) {
    return !isnan(number);
}

/* Two numbers that must both be there. */
static bool need(sarrus_reader *reader, const struct distribution_reading *reading, double a, double b, const char *expected) {
    if (is_given(a) && is_given(b)) {
        return true;
    }
    sarrus_reader_refuse(reader, reading->node, "a %s distribution lacks a number; expected %s",
                         distributions[reading->distribution].text, expected);
    return false;
}

/* Mean and standard deviation of the variable itself to those of its logarithm. */
static bool settle_lognormal(sarrus_reader *reader, struct distribution_reading *reading) {
    const bool by_moments = is_given(reading->mean) || is_given(reading->sd);
    if (by_moments == (is_given(reading->mu) || is_given(reading->sigma))) {
        sarrus_reader_refuse(reader, reading->node,
                             "a lognormal distribution needs one pair of numbers; expected either mu and sigma, or mean and sd");
        return false;
    }
    if (!by_moments) {
        reading->sampled->a = reading->mu;
        reading->sampled->b = reading->sigma;
        return need(reader, reading, reading->mu, reading->sigma, "mu and sigma");
    }
    if (!need(reader, reading, reading->mean, reading->sd, "mean and sd")) {
        return false;
    }
    if (reading->mean <= 0) {
        sarrus_reader_refuse(reader, sarrus_node_child(reading->node, "mean"),
                             "the mean is %.10g; expected a number > 0 for a lognormal distribution", reading->mean);
        return false;
    }
    const double ratio = reading->sd / reading->mean;
    const double variance = log1p(ratio * ratio);
    reading->sampled->a = log(reading->mean) - variance / 2;
    reading->sampled->b = sqrt(variance);
    if (!isfinite(reading->sampled->a) || !isfinite(reading->sampled->b)) {
        sarrus_reader_refuse(reader, reading->node, "the ratio of sd to mean is beyond all numbers; expected a smaller sd");
        return false;
    }
    return true;
}

static bool ends_rise(sarrus_reader *reader, const struct distribution_reading *reading) {
    const sarrus_node *high = sarrus_node_child(reading->node, "high");
    if (reading->low < reading->high) {
        return true;
    }
    sarrus_reader_refuse(reader, high != NULL ? high : sarrus_node_child(reading->node, "low"),
                         "high is %.10g and low is %.10g; expected low < high", reading->high, reading->low);
    return false;
}

/* Beyond, the sums that quantiles are computed by take seconds a draw. */
static bool shapes_fit(sarrus_reader *reader, const struct distribution_reading *reading) {
    const double most = 1e12;
    const char *key = reading->alpha > most ? "alpha" : "beta";
    if (reading->alpha <= most && reading->beta <= most) {
        return true;
    }
    sarrus_reader_refuse(reader, sarrus_node_child(reading->node, key),
                         "'%s' is above 1e12; expected a smaller shape, or a normal distribution", key);
    return false;
}

static bool settle_triangular(sarrus_reader *reader, const struct distribution_reading *reading) {
    sarrus_sampled *sampled = reading->sampled;
    sampled->a = reading->low;
    sampled->b = reading->mode;
    sampled->c = reading->high;
    if (!need(reader, reading, reading->low + reading->mode, reading->high, "low, mode and high") || !ends_rise(reader, reading)) {
        return false;
    }
    if (reading->mode >= reading->low && reading->mode <= reading->high) {
        return true;
    }
    sarrus_reader_refuse(reader, sarrus_node_child(reading->node, "mode"),
                         "mode is %.10g; expected a number from low %.10g to high %.10g", reading->mode, reading->low,
                         reading->high);
    return false;
}

static bool settle(sarrus_reader *reader, struct distribution_reading *reading) {
    sarrus_sampled *sampled = reading->sampled;
    switch (sampled->kind) {
    case SARRUS_DISTRIBUTION_NORMAL:
        sampled->a = reading->mean;
        sampled->b = reading->sd;
        if (reading->distribution == truncated_normal && !is_given(reading->min) && !is_given(reading->max)) {
            sarrus_reader_refuse(reader, reading->node, "a truncated_normal distribution lacks its bounds; expected min or max");
            return false;
        }
        return need(reader, reading, reading->mean, reading->sd, "mean and sd");
    case SARRUS_DISTRIBUTION_UNIFORM:
        sampled->a = reading->low;
        sampled->b = reading->high;
        return need(reader, reading, reading->low, reading->high, "low and high") && ends_rise(reader, reading);
    case SARRUS_DISTRIBUTION_LOGNORMAL:
        return settle_lognormal(reader, reading);
    case SARRUS_DISTRIBUTION_TRIANGULAR:
        return settle_triangular(reader, reading);
    case SARRUS_DISTRIBUTION_WEIBULL:
        sampled->a = reading->scale;
        sampled->b = reading->shape;
        return need(reader, reading, reading->scale, reading->shape, "scale and shape");
    case SARRUS_DISTRIBUTION_BETA:
        reading->low = is_given(reading->low) ? reading->low : 0;
        reading->high = is_given(reading->high) ? reading->high : 1;
        sampled->a = reading->alpha;
        sampled->b = reading->beta;
        sampled->c = reading->low;
        sampled->d = reading->high;
        return need(reader, reading, reading->alpha, reading->beta, "alpha and beta") && ends_rise(reader, reading) &&
               shapes_fit(reader, reading);
    case SARRUS_DISTRIBUTION_DISCRETE:
    case SARRUS_DISTRIBUTION_EMPIRICAL:
        return true; /* read_values has looked at them */
    }
    return false;
}

/* The normal distribution of the number, or of its logarithm, reaches [least, most]. */
static bool is_near(const sarrus_sampled *sampled, double least, double most) {
    return least <= sampled->a + max_deviations * sampled->b && most >= sampled->a - max_deviations * sampled->b;
}

/* True when [min, max] holds a share of the distribution from which numbers can be drawn. `low`, `high`: its own ends. */
static bool bounds_hold_something(const sarrus_sampled *sampled, double low, double high) {
    const double least = sampled->min, most = sampled->max;
    switch (sampled->kind) {
    case SARRUS_DISTRIBUTION_NORMAL:
        return is_near(sampled, least, most);
    case SARRUS_DISTRIBUTION_LOGNORMAL:
        return most > 0 && is_near(sampled, least <= 0 ? -(double)INFINITY : log(least), log(most));
    case SARRUS_DISTRIBUTION_WEIBULL:
        return most > 0 && (least <= 0 || isfinite(pow(least / sampled->a, sampled->b)));
    case SARRUS_DISTRIBUTION_EMPIRICAL:
        return low == high ? least <= low && most >= low : least < high && most > low;
    case SARRUS_DISTRIBUTION_UNIFORM:
    case SARRUS_DISTRIBUTION_TRIANGULAR:
    case SARRUS_DISTRIBUTION_BETA:
    case SARRUS_DISTRIBUTION_DISCRETE:
        break;
    }
    return least < high && most > low;
}

static void settle_bounds(sarrus_reader *reader, const struct distribution_reading *reading) {
    sarrus_sampled *sampled = reading->sampled;
    const sarrus_node *bound = sarrus_node_child(reading->node, is_given(reading->max) ? "max" : "min");
    double low, high;
    sampled->min = -(double)INFINITY;
    sampled->max = (double)INFINITY;
    sarrus_sampled_support(sampled, &low, &high);
    sampled->min = is_given(reading->min) ? reading->min : sampled->min;
    sampled->max = is_given(reading->max) ? reading->max : sampled->max;
    if (!(sampled->min < sampled->max)) {
        sarrus_reader_refuse(reader, bound, "max is %.10g and min is %.10g; expected min < max", sampled->max, sampled->min);
    } else if (bound != NULL && !bounds_hold_something(sampled, low, high)) {
        sarrus_reader_refuse(reader, bound,
                             "nothing of the distribution lies between min and max; expected an interval that it reaches");
    }
}

/* A draw that can only give what the target must not be is a mistake, and so is a negative end that stands in the file; what others
 * may give is left to the instances. */
static void check_targets(sarrus_reader *reader, const struct distribution_reading *reading) {
    const sarrus_sampled *sampled = reading->sampled;
    double low, high;
    sarrus_sampled_support(sampled, &low, &high);
    const bool has_ends = sampled->kind != SARRUS_DISTRIBUTION_NORMAL && sampled->kind != SARRUS_DISTRIBUTION_LOGNORMAL;
    for (int i = 0; i < sampled->n_targets; ++i) {
        const sarrus_rule rule = reader->notes[sampled->targets[i]].rule;
        if (rule != SARRUS_RULE_ANY && ((has_ends && low < 0) || high < 0)) {
            sarrus_reader_refuse(reader, reading->node, "the draws of '%s' can be negative; expected numbers >= 0",
                                 reader->model->values[sampled->targets[i]].path);
        }
    }
}

void sarrus_distribution_read(sarrus_reader *reader, const sarrus_node *node, const sarrus_node *word, sarrus_sampled *out) {
    struct distribution_reading reading = {.sampled = out, .node = node};
    if (!sarrus_word_read(reader, word, "distribution", distributions, sizeof distributions / sizeof distributions[0],
                          &reading.distribution)) {
        return;
    }
    out->kind =
        reading.distribution == truncated_normal ? SARRUS_DISTRIBUTION_NORMAL : (sarrus_distribution_kind)reading.distribution;
    const bool has_numbers = read_numbers(reader, &reading);
    if (read_values(reader, &reading) && has_numbers && settle(reader, &reading)) {
        settle_bounds(reader, &reading);
        check_targets(reader, &reading);
    }
}
