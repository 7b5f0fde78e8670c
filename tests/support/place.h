/* Where the files are that tests read and start: in the tree of their build, unless the environment names another place. */
#ifndef SARRUS_TESTS_SUPPORT_PLACE_H
#define SARRUS_TESTS_SUPPORT_PLACE_H

/* The root of the sources ($SARRUS_SOURCE_DIR, else that of this build) and behind it `leaf`, which begins with '/' or is empty.
 * The text stays until the eighth next call. */
const char *place_of_source(const char *leaf);

/* The program `sarrus` ($SARRUS_PROGRAM, else that of this build). */
const char *place_of_program(void);

#endif
