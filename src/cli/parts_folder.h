/* The folder OUT.h5.parts in which a study that is run in parts has its results: K_of_P.h5, K from 0, and `study`, which says
 * whose they are. Processes that share the work, at once or one after the other, know of one another by it alone. */
#ifndef SARRUS_CLI_PARTS_FOLDER_H
#define SARRUS_CLI_PARTS_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "sarrus/context.h"

typedef struct sarrus_parts_folder {
    char *path;
    uint64_t n_parts;
    char **files; /* [n_parts] */
} sarrus_parts_folder;

/* Makes the folder beside the result `output`, or takes one that is there: `about` says which study it is, and must be what is
 * found. n_parts is what it has then, or the one given. BAD_ARGUMENT (it is of another study, or no folder), IO, NO_MEMORY, with
 * the reason in the context; to be given to sarrus_parts_folder_free in any case. */
SARRUS_MUST_USE sarrus_status sarrus_parts_folder_take(sarrus_parts_folder *folder, sarrus_context *context, const char *output,
                                                       const char *about, uint64_t n_parts);
void sarrus_parts_folder_free(sarrus_parts_folder *folder);

/* Whether a part is complete. */
bool sarrus_part_is_complete(const sarrus_parts_folder *folder, uint64_t i_part);

enum { SARRUS_PART_TAKEN = -1, SARRUS_PART_REFUSED = -2 };

/* Claims a part, which no other process then does, until the descriptor that is returned is given to sarrus_part_release; TAKEN:
 * another has claimed it; REFUSED: it cannot be claimed, with errno. */
int sarrus_part_claim(const sarrus_parts_folder *folder, uint64_t i_part);
void sarrus_part_release(int claim);

/* Claims the merge of the parts into the result in the same way. Who has merged notes it with the claim, and who comes after sees
 * that the result is that merge still, and that no part is younger. */
int sarrus_merge_claim(const sarrus_parts_folder *folder);
void sarrus_merge_note(int claim, const char *output);
bool sarrus_merge_is_done(const sarrus_parts_folder *folder, int claim, const char *output);

/* Removes the claims of parts that are complete. */
void sarrus_parts_folder_tidy(const sarrus_parts_folder *folder);

#endif
