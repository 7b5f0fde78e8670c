/* The version of the headers, and of the library that is linked. */
#ifndef SARRUS_VERSION_H
#define SARRUS_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define SARRUS_VERSION "0.1.0"

/* Number of the scenario format and of the result file format that this version reads and writes. */
#define SARRUS_FORMAT 1

/* The version of the library, as "0.1.0". */
const char *sarrus_version(void);

#ifdef __cplusplus
}
#endif

#endif
