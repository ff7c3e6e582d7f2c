#ifndef EASEL_BENCH_DICTIONARY_H
#define EASEL_BENCH_DICTIONARY_H

#include <stdint.h>

/// A dictionary of 64 parts with a mutex each: open addressing, keys of 128 bits whose hash is at hand, and values that
/// are counted references, since what is handed out must outlive an eviction. Values take as much memory as those that
/// they are compared with, so that both lie as far apart.
struct easel_bench_dictionary;

struct easel_bench_key {
  uint64_t hash;
  uint64_t rest;
};

/// How much memory an allocation takes.
uint64_t easel_bench_size_of_allocation(void *memory);

struct easel_bench_dictionary *easel_bench_dictionary_make(uint64_t capacity_of_a_part, uint64_t value_size);
void easel_bench_dictionary_free(struct easel_bench_dictionary *dictionary);
void easel_bench_dictionary_insert(struct easel_bench_dictionary *dictionary, struct easel_bench_key key);

/// Looks up `count` keys, one after another, taking and dropping a reference to each; returns how many it found.
uint64_t easel_bench_dictionary_lookup(
    struct easel_bench_dictionary *dictionary, const struct easel_bench_key *keys, uint64_t count);

#endif
