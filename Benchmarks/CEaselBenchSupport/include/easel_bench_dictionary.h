#ifndef EASEL_BENCH_DICTIONARY_H
#define EASEL_BENCH_DICTIONARY_H

#include <stdint.h>

/// A dictionary of 64 parts with a mutex each: open addressing, 128-bit keys with a precomputed hash, and reference
/// counted values, because a returned value must outlive its eviction. Values have the same size as those of the store
/// under comparison, so that both have the same spacing in memory.
struct easel_bench_dictionary;

struct easel_bench_key {
  uint64_t hash;
  uint64_t rest;
};

/// The size of an allocation in bytes.
uint64_t easel_bench_size_of_allocation(void *memory);

struct easel_bench_dictionary *easel_bench_dictionary_make(uint64_t capacity_of_a_part, uint64_t value_size);
void easel_bench_dictionary_free(struct easel_bench_dictionary *dictionary);
void easel_bench_dictionary_insert(struct easel_bench_dictionary *dictionary, struct easel_bench_key key);

/// Looks up `count` keys one after another, retaining and releasing each value; returns the number of hits.
uint64_t easel_bench_dictionary_lookup(
    struct easel_bench_dictionary *dictionary, const struct easel_bench_key *keys, uint64_t count);

#endif
