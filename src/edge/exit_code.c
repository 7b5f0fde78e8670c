#include "edge/exit_code.h"

int sarrus_exit_code(sarrus_status status) {
    switch (status) {
    case SARRUS_OK:
        return SARRUS_EXIT_DONE;
    case SARRUS_BAD_ARGUMENT:
    case SARRUS_BAD_INPUT:
    case SARRUS_UNSUPPORTED:
        return SARRUS_EXIT_BAD_INPUT;
    case SARRUS_NO_BACKEND:
    case SARRUS_DEVICE_FAILED:
        return SARRUS_EXIT_NO_BACKEND;
    case SARRUS_NO_MEMORY:
    case SARRUS_IO:
    case SARRUS_INTERRUPTED:
    case SARRUS_FAILED:
    case SARRUS_SINK_FAILED:
        break;
    }
    return SARRUS_EXIT_IO;
}
