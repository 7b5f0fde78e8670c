/* A word as a POSIX shell reads it back. */
#ifndef SARRUS_CLI_SHELL_WORD_H
#define SARRUS_CLI_SHELL_WORD_H

#include <stdio.h>

/* `word` as it is, or in single quotes where a shell would see more in it than a word. */
void sarrus_shell_word_print(const char *word, FILE *stream);

#endif
