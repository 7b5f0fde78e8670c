/* Crashes as an internal failure. */
#ifndef SARRUS_CLI_CRASH_H
#define SARRUS_CLI_CRASH_H

/* From now on a crash ends the program with exit code 3 and a line that says so. Libraries below ours do not survive a failed
 * allocation everywhere (HDF5 1.10, libfyaml 0.7), and whoever started the program is to hear of it as of any other failure. What has a
 * handler already, as in a build with a sanitizer, keeps it. */
void sarrus_crashes_catch(void);

#endif
