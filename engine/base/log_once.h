// Hashes of messages that were already logged: a mistake in a row or a text would otherwise be logged in every tick.
#ifndef SHOAL_BASE_LOG_ONCE_H
#define SHOAL_BASE_LOG_ONCE_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

typedef ARRAY(uint64_t) log_once_t; // free it like any array; initially empty

// Returns true if the message with the hash `what` must be skipped, because it was already logged, or because
// `max_count` other messages have been logged. Otherwise stores the hash and returns false.
static inline bool should_skip_log(log_once_t *s, allocator_t *a, uint64_t what, uint32_t max_count) {
  for (uint32_t i = 0; i < s->count; ++i)
    if (s->items[i] == what)
      return true;
  if (s->count >= max_count)
    return true;
  array_push(a, s, what);
  return false;
}

#endif
