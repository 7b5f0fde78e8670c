/* The number by which a sampled parameter enters the random counter. */
#ifndef SARRUS_STUDY_LABEL_HASH_H
#define SARRUS_STUDY_LABEL_HASH_H

#include <stdint.h>

/* 64-bit FNV-1a of the label's bytes: the same on every machine and in every version. */
uint64_t sarrus_label_hash(const char *label);

#endif
