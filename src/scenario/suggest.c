/* Optimal string alignment distance (Damerau-Levenshtein without overlapping swaps), three rows at a time. */
#include "scenario/suggest.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int min_of(int a, int b) {
    return a < b ? a : b;
}

static int length_of(const char *word) {
    return (int)strnlen(word, SARRUS_SUGGEST_MAX_LENGTH);
}

/* The distance, or any number >= limit when it is at least that. */
static int distance_of(const char *a, const char *b, int limit) {
    const int n_a = length_of(a);
    const int n_b = length_of(b);
    if (n_a - n_b >= limit || n_b - n_a >= limit) {
        return limit;
    }
    int rows[3][SARRUS_SUGGEST_MAX_LENGTH + 1];
    for (int j = 0; j <= n_b; ++j) {
        rows[0][j] = j;
    }
    for (int i = 1; i <= n_a; ++i) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3];
        const int *two_above = rows[(i + 1) % 3];
        row[0] = i;
        int smallest = i;
        for (int j = 1; j <= n_b; ++j) {
            const int cost = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = min_of(min_of(above[j] + 1, row[j - 1] + 1), above[j - 1] + cost);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = min_of(row[j], two_above[j - 2] + 1);
            }
            smallest = min_of(smallest, row[j]);
        }
        if (smallest > limit) {
            return limit;
        }
    }
    return rows[n_a % 3][n_b];
}

sarrus_suggestion sarrus_suggestion_for(const char *word) {
    return (sarrus_suggestion){word, NULL, SARRUS_SUGGEST_MAX_LENGTH};
}

void sarrus_suggestion_offer(sarrus_suggestion *suggestion, const char *candidate) {
    const int distance = distance_of(suggestion->word, candidate, suggestion->distance);
    if (distance < suggestion->distance) {
        suggestion->distance = distance;
        suggestion->best = candidate;
    }
}

const char *sarrus_suggestion_close(const sarrus_suggestion *suggestion) {
    const int n_word = length_of(suggestion->word);
    const bool is_close = suggestion->distance <= 1 + n_word / 3 && suggestion->distance < n_word;
    return suggestion->best != NULL && is_close ? suggestion->best : NULL;
}
