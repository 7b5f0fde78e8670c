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

/* Adds folder/rest to a list, unless it has no place there: the list is full, or ':' would divide the name. */
static void prefix_add(char *list, size_t size, const char *folder, const char *rest) {
    const size_t n = strlen(list);
    if (folder == NULL || *folder != '/' || strchr(folder, ':') != NULL)
        return;
    if ((size_t)snprintf(list + n, size - n, "%s%s%s", n > 0 ? ":" : "", folder, rest) >= size - n)
        list[n] = '\0';
}

void sarrus_kernel_places_find(sarrus_kernel_places *out) {
    const char *xdg = variable("XDG_CACHE_HOME");
    out->cache = variable("SARRUS_CACHE_DIR");            /* as it is: what is wrong with it the cache tells */
    if (out->cache == NULL && xdg != NULL && *xdg == '/') /* others are to be ignored, says its specification */
        out->cache = joined(out->cache_text, xdg, "/sarrus");
    if (out->cache == NULL)
        out->cache = joined(out->cache_text, variable("HOME"), "/.cache/sarrus");
    static const char *const prefixes[] = {"CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"};
    out->cuda_text[0] = '\0';
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; ++i)
        prefix_add(out->cuda_text, sizeof out->cuda_text, variable(prefixes[i]), "");
    prefix_add(out->cuda_text, sizeof out->cuda_text, variable("HOME"), "/.local");
    out->cuda = out->cuda_text[0] != '\0' ? out->cuda_text : NULL;
    const char *name = variable("SARRUS_CC");
    if (name == NULL)
        name = "cc";
    out->compiler = strchr(name, '/') != NULL ? name : on_path(out->compiler_text, name);
}
