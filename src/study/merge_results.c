/* sarrus_results_merge: rows of instances stay in the parts, what is of all instances together is made anew from them. */
#include "core/report.h"
#include "sarrus/run.h"
#include "sink/merged_file.h"
#include "study/remade_totals.h"

sarrus_status sarrus_results_merge(sarrus_context *context, const char *const *parts, int n_parts, const char *path,
                                   int no_clobber) {
    if (parts == NULL || n_parts < 1 || path == NULL || *path == '\0')
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_results_merge needs parts and a path");
    for (int i = 0; i < n_parts; ++i)
        if (parts[i] == NULL)
            return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_results_merge needs the path of every part");
    return sarrus_parts_merge(context, parts, n_parts, path, no_clobber, sarrus_totals_remake);
}
