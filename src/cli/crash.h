/* Crashes, and exits that are not ours, as an internal failure. */
#ifndef SARRUS_CLI_CRASH_H
#define SARRUS_CLI_CRASH_H

/* From now on a crash, or an exit from within a library, ends the program with exit code 3 and a line that says so. Libraries below
 * ours do not survive a failed allocation everywhere (HDF5 1.10 crashes and calls exit, libfyaml 0.7 crashes), and whoever started
 * the program is to hear of it as of any other failure. What has a handler already, as in a build with a sanitizer, keeps it. */
void sarrus_crashes_catch(void);

/* In a child whose parent looks at how it ended: crashes are crashes again. */
void sarrus_crashes_leave(void);

/* What ends the program from now on is main. */
void sarrus_crashes_over(void);

#endif
