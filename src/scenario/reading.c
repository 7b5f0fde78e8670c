#include "scenario/reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hdf5_signature.h"
#include "scenario/guard.h"

int sarrus_text_load(const char *path, sarrus_text *out) {
    const size_t capacity = SARRUS_SCENARIO_MAX_BYTES + 1U;
    char *bytes = malloc(capacity);
    *out = (sarrus_text){.name = path, .bytes = bytes};
    if (bytes == NULL) {
        return ENOMEM;
    }
    FILE *file = fopen(path, "rb");
    out->n_bytes = file == NULL ? 0 : fread(bytes, 1, capacity, file);
    const int reason = file == NULL || ferror(file) != 0 ? errno : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    if (reason != 0) {
        sarrus_text_free(out);
    }
    return reason;
}

sarrus_status sarrus_text_read(sarrus_context *context, const char *path, sarrus_text *out) {
    const int reason = sarrus_text_load(path, out);
    if (reason == ENOMEM) {
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory while reading '%s'", path);
    }
    return reason == 0
               ? SARRUS_OK
               : sarrus_report(context, SARRUS_IO, "cannot read '%s': %s; expected a scenario file", path, strerrordesc_np(reason));
}

void sarrus_text_free(sarrus_text *text) {
    free((char *)text->bytes);
    *text = (sarrus_text){0};
}

/* A path and a value each, of no more than anybody can mean. */
static sarrus_status check_overrides(sarrus_context *context, const sarrus_override *overrides, size_t n_overrides) {
    enum { MOST_OVERRIDES = 1 << 20 };
    if (n_overrides > MOST_OVERRIDES) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%zu overrides; expected at most %d", n_overrides, MOST_OVERRIDES);
    }
    for (size_t i = 0; i < n_overrides; ++i) {
        if (overrides == NULL || overrides[i].path == NULL || overrides[i].value == NULL) {
            return sarrus_report(context, SARRUS_BAD_ARGUMENT, "override %zu has no path or no value", i);
        }
    }
    return SARRUS_OK;
}

/* out ← text without a byte order mark at its begin, and with line ends of a line feed alone: how editors of other systems write.
 * Returns its bytes. */
static size_t copy_text(const char *text, size_t n_bytes, char *out) {
    static const char mark[] = "\xef\xbb\xbf";
    const size_t n_mark = sizeof mark - 1;
    size_t n = 0;
    for (size_t i = n_bytes >= n_mark && memcmp(text, mark, n_mark) == 0 ? n_mark : 0; i < n_bytes; ++i) {
        if (!(text[i] == '\r' && i + 1 < n_bytes && text[i + 1] == '\n')) {
            out[n++] = text[i];
        }
    }
    return n;
}

static bool make_copies(sarrus_reading *reading, const sarrus_text *text) {
    /* What the guard would refuse for its size is cut right behind the limit: the rest need not be copied. */
    const size_t most = SARRUS_SCENARIO_MAX_BYTES + 1U;
    reading->n_bytes = text->n_bytes < most ? text->n_bytes : most;
    reading->text = calloc(1, reading->n_bytes + 1);
    reading->shown = calloc(reading->n_overrides + 1, sizeof *reading->shown);
    if (reading->text == NULL || reading->shown == NULL) {
        return false;
    }
    if (reading->n_bytes == most) { /* too large, also if it were not without its line ends */
        memcpy(reading->text, text->bytes, most);
    } else if (reading->n_bytes > 0) {
        reading->n_bytes = copy_text(text->bytes, reading->n_bytes, reading->text);
    }
    for (size_t i = 0; i < reading->n_overrides; ++i) {
        if (asprintf(&reading->shown[i], "%s=%s", reading->overrides[i].path, reading->overrides[i].value) < 0) {
            reading->shown[i] = NULL;
            return false;
        }
    }
    return true;
}

sarrus_status sarrus_reading_begin(sarrus_reading *reading, sarrus_context *context, const sarrus_text *text,
                                   const sarrus_override *overrides, size_t n_overrides) {
    *reading = (sarrus_reading){.name = text->name};
    if (text->name == NULL || (text->bytes == NULL && text->n_bytes > 0)) {
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a scenario needs a name and a text");
    }
    const sarrus_status checked = check_overrides(context, overrides, n_overrides);
    if (checked != SARRUS_OK) {
        return checked;
    }
    reading->overrides = overrides;
    reading->n_overrides = n_overrides;
    if (sarrus_is_hdf5(text->bytes, text->n_bytes)) {
        const sarrus_location begin = {text->name, NULL, 1, 1}; /* without the line, which is no text */
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &begin,
                                "this is an HDF5 file, such as a result; expected a scenario ('sarrus info' shows results)");
    }
    return make_copies(reading, text) ? SARRUS_OK
                                      : sarrus_report(context, SARRUS_NO_MEMORY, "out of memory while reading the scenario");
}

void sarrus_reading_end(sarrus_reading *reading) {
    for (size_t i = 0; reading->shown != NULL && i < reading->n_overrides; ++i) {
        free(reading->shown[i]);
    }
    free(reading->shown);
    free(reading->text);
    *reading = (sarrus_reading){0};
}
