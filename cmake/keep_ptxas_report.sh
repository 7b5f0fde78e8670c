#!/bin/sh
# keep_ptxas_report.sh REPORT COMMAND...
# Runs the compiler; what ptxas says of the kernels' resources goes to REPORT, everything else to standard error as it is.
report=$1
shift
"$@" 2>"$report.said"
code=$?
grep -E '^((ptxas|nvlink) info|    [0-9]+ bytes )' "$report.said" >"$report"
grep -vE '^((ptxas|nvlink) info|    [0-9]+ bytes |$)' "$report.said" >&2
rm -f "$report.said"
exit $code
