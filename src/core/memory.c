#include "core/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number behind `label` in a file, NAN when it is not there. An empty label: the first word. */
static double number_in(const char *path, const char *label) {
    FILE *file = fopen(path, "re");
    double found = (double)NAN;
    char line[256];
    while (file && isnan(found) && fgets(line, sizeof line, file)) {
        double number;
        if (strncmp(line, label, strlen(label)) == 0 && sscanf(line + strlen(label), "%lf", &number) == 1)
            found = number;
    }
    if (file)
        (void)fclose(file);
    return found;
}

static double left_of_address_space(void) {
    struct rlimit limit;
    const double pages = number_in("/proc/self/statm", "");
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || isnan(pages))
        return (double)INFINITY;
    return fmax((double)limit.rlim_cur - pages * (double)sysconf(_SC_PAGESIZE), 0.0);
}

/* What is left of one control group, whose files are in `folder` [n bytes, with room for a name behind]. */
static double left_of_folder(char *folder, size_t n, size_t n_room) {
    (void)snprintf(folder + n, n_room - n, "/memory.max");
    const double most = number_in(folder, "");
    (void)snprintf(folder + n, n_room - n, "/memory.current");
    const double now = number_in(folder, "");
    (void)snprintf(folder + n, n_room - n, "/memory.stat");
    const double cache = number_in(folder, "file ");
    folder[n] = '\0';
    return isnan(most) || isnan(now) ? (double)INFINITY : fmax(most - now + (isnan(cache) ? 0.0 : cache), 0.0);
}

double sarrus_memory_left_of_group(const char *root, const char *own) {
    enum { N_NAME = 32 };
    char folder[4096 + N_NAME], line[4096] = "";
    FILE *file = fopen(own, "re");
    while (file && fgets(line, sizeof line, file) && strncmp(line, "0::/", 4) != 0)
        line[0] = '\0';
    if (file)
        (void)fclose(file);
    line[strcspn(line, "\n")] = '\0';
    const bool is_inside = line[0] != '\0' && strncmp(line, "0::/..", 6) != 0; /* else it lies outside of what is to be seen */
    (void)snprintf(folder, sizeof folder - N_NAME, "%s%s", root, is_inside && strlen(line) > 4 ? line + 3 : "");
    double least = (double)INFINITY;
    for (size_t n = strlen(folder), n_root = strlen(root); n >= n_root;) {
        least = fmin(least, left_of_folder(folder, n, sizeof folder));
        const char *slash = strrchr(folder + n_root, '/');
        if (n == n_root)
            break;
        n = slash ? (size_t)(slash - folder) : n_root;
        folder[n] = '\0';
    }
    return least;
}

static double left_of_machine(void) {
    const double kilobytes = number_in("/proc/meminfo", "MemAvailable:"), swap = number_in("/proc/meminfo", "SwapFree:");
    return isnan(kilobytes) ? (double)INFINITY : 1024.0 * (kilobytes + (isnan(swap) ? 0.0 : swap));
}

double sarrus_memory_left(const char **limit) {
    const struct {
        const char *name;
        double left;
    } all[] = {{"the machine", left_of_machine()},
               {"the control group", sarrus_memory_left_of_group("/sys/fs/cgroup", "/proc/self/cgroup")},
               {"the limit on address space (ulimit -v)", left_of_address_space()}};
    int least = 0;
    for (int i = 1; i < (int)(sizeof all / sizeof all[0]); ++i)
        least = all[i].left < all[least].left ? i : least;
    if (limit)
        *limit = all[least].name;
    return all[least].left;
}

void sarrus_memory_text(double bytes, char text[16]) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1000.0 && unit < 4; ++unit)
        bytes /= 1000.0;
    (void)snprintf(text, 16, "%.*f %s", unit > 0 ? 1 : 0, fmin(bytes, 9999999.0), units[unit]);
}
