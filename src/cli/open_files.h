/* How many files the program may have open. */
#ifndef SARRUS_CLI_OPEN_FILES_H
#define SARRUS_CLI_OPEN_FILES_H

/* Lets it open as many as it may at all: of parts that are merged each is open, and some systems allow 256 without being asked. */
void sarrus_open_files_allow(void);

#endif
