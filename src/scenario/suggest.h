/* The closest of some words to a misspelt one. */
#ifndef SARRUS_SCENARIO_SUGGEST_H
#define SARRUS_SCENARIO_SUGGEST_H

enum { SARRUS_SUGGEST_MAX_LENGTH = 160 }; /* longer words are compared by their beginning */

typedef struct sarrus_suggestion {
    const char *word;
    const char *best; /* borrowed from the last better candidate; NULL at first */
    int distance;     /* of the best: insertions, deletions, exchanges and swaps of neighbors, case aside */
} sarrus_suggestion;

sarrus_suggestion sarrus_suggestion_for(const char *word);

/* Remembers `candidate` when it is closer than the best so far. */
void sarrus_suggestion_offer(sarrus_suggestion *suggestion, const char *candidate);

/* The best candidate if it is close enough to be what was meant (at most a third of the letters differ), else NULL. */
const char *sarrus_suggestion_close(const sarrus_suggestion *suggestion);

#endif
