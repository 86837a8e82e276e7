// Stores beats, and the reasons why rooms cannot start, on a separate thread.
#include "serve/world_keeper.h"

#include "base/array.h"
#include "base/now.h"
#include "process/threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct reason_t {
  char room[ROOM_NAME_BYTES], text[ROOM_REASON_BYTES];
} reason_t;

struct world_keeper_o {
  world_store_o *store; // connection that only the thread uses
  int64_t owner;
  pthread_t thread;
  pthread_mutex_t lock; // lock of the following members
  pthread_cond_t changed;
  allocator_t memory;
  ARRAY(reason_t) reasons; // reasons that are not stored yet
  bool is_stopping;
  world_keeper_status_t status;
};

static void note_result(world_keeper_o *k, store_result_t result, const error_info_t *error) {
  k->status.is_lost |= result == STORE_LOST;
  k->status.is_failing = result != STORE_DONE;
  if (result != STORE_DONE)
    k->status.error = *error;
}

static void beat(world_keeper_o *k) {
  error_info_t error = {0};
  pthread_mutex_unlock(&k->lock);
  store_result_t result = world_store_beat(k->store, k->owner, &error);
  pthread_mutex_lock(&k->lock);
  note_result(k, result, &error);
}

// Stores the oldest reason, and removes it. Returns true unless the database does not answer: the thread then tries
// again after the next beat.
static bool store_reason(world_keeper_o *k) {
  error_info_t error = {0};
  reason_t reason = k->reasons.items[0];
  pthread_mutex_unlock(&k->lock);
  store_result_t result = world_store_fail_room(k->store, k->owner, reason.room, reason.text, &error);
  pthread_mutex_lock(&k->lock);
  if (result == STORE_FAILED)
    return false;
  note_result(k, result, &error);
  for (uint32_t i = 1; i < k->reasons.count; ++i)
    k->reasons.items[i - 1] = k->reasons.items[i];
  --k->reasons.count;
  return true;
}

static void wait_until(world_keeper_o *k, int64_t time_ns) {
  struct timespec deadline = {(time_t)(time_ns / 1000000000), (long)(time_ns % 1000000000)};
  pthread_cond_timedwait(&k->changed, &k->lock, &deadline);
}

static void *run_thread(void *context) {
  world_keeper_o *k = context;
  int64_t beat_ns = 0;
  pthread_mutex_lock(&k->lock);
  while (!k->is_stopping && !k->status.is_lost) {
    bool is_stored = true;
    if (now_ns() >= beat_ns) {
      beat_ns = now_ns() + WORLD_BEAT_MS * NS_PER_MS;
      beat(k);
    }
    while (k->reasons.count > 0 && is_stored && !k->status.is_lost)
      is_stored = store_reason(k);
    if (!k->is_stopping && !k->status.is_lost && (k->reasons.count == 0 || !is_stored))
      wait_until(k, beat_ns);
  }
  pthread_mutex_unlock(&k->lock);
  return NULL;
}

static void free_keeper(world_keeper_o *k) {
  world_store_close(k->store);
  array_free(&k->memory, &k->reasons);
  pthread_mutex_destroy(&k->lock);
  pthread_cond_destroy(&k->changed);
  free(k);
}

world_keeper_o *world_keeper_create(const world_store_desc_t *desc, int64_t owner, error_info_t *error) {
  pthread_condattr_t attributes;
  world_keeper_o *k = alloc_object(sizeof *k);
  k->owner = owner;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&k->lock, NULL);
  pthread_cond_init(&k->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  bool ok = world_store_open(desc, &k->store, error) == STORE_DONE;
  if (ok && thread_start(&k->thread, run_thread, k))
    return k;
  if (ok)
    error_set(error, "cannot start the thread that keeps the world: end other programs");
  free_keeper(k);
  return NULL;
}

void world_keeper_destroy(world_keeper_o *k) {
  if (!k)
    return;
  pthread_mutex_lock(&k->lock);
  k->is_stopping = true;
  pthread_cond_signal(&k->changed);
  pthread_mutex_unlock(&k->lock);
  pthread_join(k->thread, NULL);
  pthread_mutex_lock(&k->lock);
  while (k->reasons.count > 0 && !k->status.is_lost && store_reason(k))
    ;
  pthread_mutex_unlock(&k->lock);
  free_keeper(k);
}

void world_keeper_add_reason(world_keeper_o *k, const char *room, const char *reason) {
  reason_t added;
  (void)snprintf(added.room, sizeof added.room, "%s", room);
  (void)snprintf(added.text, sizeof added.text, "%s", reason);
  pthread_mutex_lock(&k->lock);
  array_push(&k->memory, &k->reasons, added);
  pthread_cond_signal(&k->changed);
  pthread_mutex_unlock(&k->lock);
}

world_keeper_status_t world_keeper_get_status(world_keeper_o *k) {
  pthread_mutex_lock(&k->lock);
  world_keeper_status_t status = k->status;
  pthread_mutex_unlock(&k->lock);
  return status;
}
