#include "easel_bench_dictionary.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { part_count = 64 };

struct value {
  _Atomic int64_t references;
};

struct slot {
  struct easel_bench_key key;
  struct value *value;
};

struct part {
  pthread_mutex_t mutex;
  struct slot *slots;
  uint64_t mask;
} __attribute__((aligned(64)));

struct easel_bench_dictionary {
  struct part parts[part_count];
  uint64_t value_size;
} __attribute__((aligned(64)));

static struct part *part_of(struct easel_bench_dictionary *dictionary, struct easel_bench_key key) {
  return &dictionary->parts[key.hash >> 58];
}

static struct slot *slot_of(struct part *part, struct easel_bench_key key) {
  uint64_t index = key.hash & part->mask;
  while (part->slots[index].value &&
         (part->slots[index].key.hash != key.hash || part->slots[index].key.rest != key.rest)) {
    index = (index + 1) & part->mask;
  }
  return &part->slots[index];
}

uint64_t easel_bench_size_of_allocation(void *memory) { return malloc_usable_size(memory); }

struct easel_bench_dictionary *easel_bench_dictionary_make(uint64_t capacity_of_a_part, uint64_t value_size) {
  struct easel_bench_dictionary *dictionary = aligned_alloc(64, sizeof(*dictionary));
  dictionary->value_size = value_size < sizeof(struct value) ? sizeof(struct value) : value_size;
  uint64_t capacity = 8;
  while (capacity < capacity_of_a_part * 2) capacity *= 2;
  for (int i = 0; i < part_count; i++) {
    pthread_mutex_init(&dictionary->parts[i].mutex, NULL);
    dictionary->parts[i].slots = calloc(capacity, sizeof(struct slot));
    dictionary->parts[i].mask = capacity - 1;
  }
  return dictionary;
}

void easel_bench_dictionary_free(struct easel_bench_dictionary *dictionary) {
  for (int i = 0; i < part_count; i++) {
    struct part *part = &dictionary->parts[i];
    for (uint64_t j = 0; j <= part->mask; j++) free(part->slots[j].value);
    free(part->slots);
    pthread_mutex_destroy(&part->mutex);
  }
  free(dictionary);
}

void easel_bench_dictionary_insert(struct easel_bench_dictionary *dictionary, struct easel_bench_key key) {
  struct slot *slot = slot_of(part_of(dictionary, key), key);
  if (slot->value) return;
  slot->key = key;
  slot->value = calloc(1, dictionary->value_size);
  atomic_init(&slot->value->references, 1);
}

uint64_t easel_bench_dictionary_lookup(
    struct easel_bench_dictionary *dictionary, const struct easel_bench_key *keys, uint64_t count) {
  uint64_t found = 0;
  for (uint64_t i = 0; i < count; i++) {
    struct part *part = part_of(dictionary, keys[i]);
    pthread_mutex_lock(&part->mutex);
    struct value *value = slot_of(part, keys[i])->value;
    if (value) atomic_fetch_add_explicit(&value->references, 1, memory_order_relaxed);
    pthread_mutex_unlock(&part->mutex);
    if (value) {
      found++;
      atomic_fetch_sub_explicit(&value->references, 1, memory_order_acq_rel);
    }
  }
  return found;
}
