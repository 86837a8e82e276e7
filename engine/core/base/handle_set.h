// A set of the handles that a library has returned, so that calls with invalid handles fail instead of reading invalid
// memory. Handles are never removed: the caller must keep their memory, and can therefore report the use of a destroyed
// object.
#ifndef SHOAL_BASE_HANDLE_SET_H
#define SHOAL_BASE_HANDLE_SET_H

#include "base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct handle_table_t handle_table_t;

// Initialize with HANDLE_SET_INIT.
typedef struct handle_set_t {
  pthread_mutex_t lock; // held while a handle is added
  allocator_t memory;
  _Atomic(handle_table_t *) table; // current table; NULL while the set is empty
} handle_set_t;

#define HANDLE_SET_INIT                                                                                                \
  { .lock = PTHREAD_MUTEX_INITIALIZER }

// Adds a handle. Any thread.
void handle_set_add(handle_set_t *set, const void *handle);
// Returns true if the handle was added, in constant time. Any thread, without locking.
bool handle_set_contains(handle_set_t *set, const void *handle);

#endif
