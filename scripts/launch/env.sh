# The environment of an unpacked bundle, for POSIX shells: . bin/env.sh  (SARRUS_BUNDLE names the bundle where the shell is not bash.)
# Says in words when this machine cannot run the bundle, and returns 126. Sets SARRUS_PROGRAM and SARRUS_SOURCE_DIR, and lets
# CUDA's libraries be found that are needed only for some work: NVRTC, cuSOLVER, cuBLAS. All others lie in lib/, where the programs
# look first whatever LD_LIBRARY_PATH says.

if [ -z "${SARRUS_BUNDLE:-}" ]; then
    # shellcheck disable=SC3054
    SARRUS_BUNDLE=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE:-$0}")/.." && pwd)
fi
SARRUS_SOURCE_DIR=$SARRUS_BUNDLE
SARRUS_PROGRAM=$SARRUS_BUNDLE/programs/sarrus

# What the system's C library calls itself, as 2.36; nothing when it is not glibc.
sarrus_glibc_here() {
    getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc \([0-9][0-9.]*\).*/\1/p'
}

# True when version $1 is $2 or newer; both are MAJOR.MINOR.
sarrus_is_new_enough() {
    [ "${1%%.*}" -gt "${2%%.*}" ] && return 0
    sarrus_minor_1=${1#*.} sarrus_minor_2=${2#*.}
    [ "${1%%.*}" -eq "${2%%.*}" ] && [ "${sarrus_minor_1%%.*}" -ge "${sarrus_minor_2%%.*}" ]
}

# Why this machine cannot run the programs; nothing when it can.
sarrus_refusal() {
    sarrus_machine=$(uname -m)
    sarrus_needed=$(cat "$SARRUS_BUNDLE/lib/needs_glibc")
    sarrus_here=$(sarrus_glibc_here)
    if [ "$sarrus_machine" != "$(cat "$SARRUS_BUNDLE/lib/needs_machine")" ]; then
        echo "its programs are for $(cat "$SARRUS_BUNDLE/lib/needs_machine"), and this machine is $sarrus_machine"
    elif [ -z "$sarrus_here" ]; then
        echo "it needs glibc $sarrus_needed or newer, and this system's C library is another one (getconf GNU_LIBC_VERSION says nothing)"
    elif ! sarrus_is_new_enough "$sarrus_here" "$sarrus_needed"; then
        echo "it needs glibc $sarrus_needed or newer, and this system has $sarrus_here; make it on a system as old as this one, or run it in a" \
            "container (docs/gpu_hosts.md)"
    fi
}

# Adds folder $1 to LD_LIBRARY_PATH when it holds one of CUDA's libraries and is not there yet.
sarrus_add_folder() {
    case ":${LD_LIBRARY_PATH:-}:" in *":$1:"*) return 0 ;; esac
    for sarrus_file in "$1"/libnvrtc.so.* "$1"/libcusolver.so.* "$1"/libcublas.so.* "$1"/libcusparse.so.* "$1"/libnvJitLink.so.*; do
        if [ -e "$sarrus_file" ]; then
            LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$1
            return 0
        fi
    done
}

# GCC's libraries for C++ are the system's; the bundle's where there are none, and where they can run.
sarrus_add_cxx() {
    if command -v ldconfig >/dev/null 2>&1; then
        sarrus_caches=$(ldconfig -p 2>/dev/null)
    else
        sarrus_caches=$(/sbin/ldconfig -p 2>/dev/null)
    fi
    case "$sarrus_caches" in
        '' | *libstdc++.so.6*) ;;
        *) sarrus_is_new_enough "$(sarrus_glibc_here)" "$(cat "$SARRUS_BUNDLE/lib/cxx/needs_glibc")" || return 0
            LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$SARRUS_BUNDLE/lib/cxx ;;
    esac
}

# Behind what LD_LIBRARY_PATH already names: the bundle's own, the toolkit's, those of Python's wheels (nvidia-cuda-nvrtc and so on).
# The program itself looks through the same places, but for the bundle's own (src/jit/cuda_library.c): the two are to be kept alike.
sarrus_add_cuda() {
    sarrus_add_folder "$SARRUS_BUNDLE/lib/cuda"
    for sarrus_toolkit in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /usr/local/cuda-[0-9]* /opt/cuda /usr/lib/cuda; do
        [ -z "$sarrus_toolkit" ] || sarrus_add_folder "$sarrus_toolkit/lib64"
    done
    for sarrus_python in "${VIRTUAL_ENV:-}" "${CONDA_PREFIX:-}" "${HOME:-}/.local" /usr/local /usr; do
        [ -n "$sarrus_python" ] || continue
        for sarrus_wheel in "$sarrus_python"/lib/python3*/*-packages/nvidia/*/lib "$sarrus_python"/lib/python3*/*-packages/torch/lib; do
            sarrus_add_folder "$sarrus_wheel"
        done
    done
}

sarrus_refused=$(sarrus_refusal)
if [ -n "$sarrus_refused" ]; then
    echo "sarrus: this bundle does not run here: $sarrus_refused" >&2
    return 126
fi
# For programs that bring other releases of CUDA's libraries: what the path was before.
export SARRUS_OUTER_LIBRARY_PATH="${SARRUS_OUTER_LIBRARY_PATH-${LD_LIBRARY_PATH:-}}"
sarrus_add_cxx
sarrus_add_cuda
export SARRUS_BUNDLE SARRUS_SOURCE_DIR SARRUS_PROGRAM LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}"
[ -n "$LD_LIBRARY_PATH" ] || unset LD_LIBRARY_PATH
