/* A shared library must have a source of its own; what it holds is the static library, whole. */
typedef int sarrus_whole_library;
