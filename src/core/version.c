/* The version that this library was built as; a program compares it with the SARRUS_VERSION of its headers. */
#include "sarrus/version.h"

const char *sarrus_version(void) {
    return SARRUS_VERSION;
}
