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

static double left_of_group(void) {
    const double most = number_in("/sys/fs/cgroup/memory.max", ""), now = number_in("/sys/fs/cgroup/memory.current", "");
    const double cache = number_in("/sys/fs/cgroup/memory.stat", "file ");
    return isnan(most) || isnan(now) ? (double)INFINITY : fmax(most - now + (isnan(cache) ? 0.0 : cache), 0.0);
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
               {"the control group", left_of_group()},
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
