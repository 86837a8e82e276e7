// A set of hashes of logged messages, so that an error in a row or a string is logged once and not in every tick.
#ifndef SHOAL_BASE_LOG_ONCE_H
#define SHOAL_BASE_LOG_ONCE_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

// Set of hashes of logged messages. Empty when zero-initialized; free it like any ARRAY.
typedef ARRAY(uint64_t) log_once_t;

// Stores the hash `key` of a message that is about to be logged. Do not call this function while the log is muted,
// because the message would never be logged. Returns true if the message must be logged, or false if its hash is
// already stored or `max_count` hashes are stored.
static inline bool log_once_add(log_once_t *set, allocator_t *a, uint64_t key, uint32_t max_count) {
  for (uint32_t i = 0; i < set->count; ++i)
    if (set->items[i] == key)
      return false;
  if (set->count >= max_count)
    return false;
  array_push(a, set, key);
  return true;
}

#endif
