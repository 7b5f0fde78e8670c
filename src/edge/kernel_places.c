#include "edge/kernel_places.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

/* `folder` and `rest` put together; NULL when there is no folder or the name is too long. */
static const char *joined(char text[PATH_MAX], const char *folder, const char *rest) {
    if (folder == NULL)
        return NULL;
    return (size_t)snprintf(text, PATH_MAX, "%s%s", folder, rest) < PATH_MAX ? text : NULL;
}

/* As execvp looks for a program. An empty entry is the present folder, where nobody expects a compiler: it is passed over. */
static const char *on_path(char text[PATH_MAX], const char *name) {
    const char *folder = variable("PATH");
    while (folder != NULL) {
        const size_t length = strcspn(folder, ":");
        if (*folder == '/' && (size_t)snprintf(text, PATH_MAX, "%.*s/%s", (int)length, folder, name) < PATH_MAX &&
            access(text, X_OK) == 0)
            return text;
        folder = folder[length] == ':' ? folder + length + 1 : NULL;
    }
    return name;
}

void sarrus_kernel_places_find(sarrus_kernel_places *out) {
    const char *xdg = variable("XDG_CACHE_HOME");
    out->cache = joined(out->cache_text, variable("SARRUS_CACHE_DIR"), "");
    if (out->cache == NULL && xdg != NULL && *xdg == '/') /* others are to be ignored, says its specification */
        out->cache = joined(out->cache_text, xdg, "/sarrus");
    if (out->cache == NULL)
        out->cache = joined(out->cache_text, variable("HOME"), "/.cache/sarrus");
    const char *name = variable("SARRUS_CC");
    if (name == NULL)
        name = "cc";
    out->compiler = strchr(name, '/') != NULL ? name : on_path(out->compiler_text, name);
}
