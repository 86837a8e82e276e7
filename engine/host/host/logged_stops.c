// Stores the watchdog's stops in the input log. A replay of a timeline parks the stopped pieces before the tick,
// instead of waiting until their budgets are spent again.
#include "host/logged_stops.h"

#include "base/assert.h"
#include "host/host_internal.h"

#include <stdio.h>
#include <string.h>

// Stops are stored with the hash of the code, because different code may stay within its budget.
typedef struct logged_stop_t {
  uint64_t code;
  char piece[128];
} logged_stop_t;

void logged_stops_add(host_o *h) {
  const game_o *g = h->session.game;
  input_log_o *log = h->session.time.timelines.current.inputs;
  uint32_t number = 0;
  if (h->logged_parked_count > g->parked.items.count) // another game has started
    h->logged_parked_count = 0;
  for (; h->logged_parked_count < g->parked.items.count; ++h->logged_parked_count) {
    const parked_t *parked = &g->parked.items.items[h->logged_parked_count];
    if (!log || !parked->stopped || !parked_is_recorded(parked, false))
      continue;
    char key[16];
    logged_stop_t stop = {.code = sources_hash(vm_sources(g->vm))};
    snprintf(key, sizeof key, "%u", number++);
    snprintf(stop.piece, sizeof stop.piece, "%s", parked->name);
    external_result_t *result = external_result_create(EXTERNAL_STOP, key, true, &stop, sizeof stop);
    input_log_add_result(log, world_tick(g->world), result);
    external_result_release(result);
  }
}

void logged_stops_park(host_o *h, uint64_t tick) {
  const input_log_o *log = h->session.time.timelines.abandoned.inputs;
  external_result_t *result = NULL;
  char key[16];
  for (uint32_t i = 0;; ++i, external_result_release(result)) {
    snprintf(key, sizeof key, "%u", i);
    result = input_log_find_result(log, tick, EXTERNAL_STOP, key);
    if (!result)
      return;
    logged_stop_t stop;
    shoal_assert(result->size == sizeof stop, "a logged stop must have %zu bytes, got %zu", sizeof stop, result->size);
    memcpy(&stop, result->bytes, sizeof stop);
    if (stop.code == sources_hash(vm_sources(h->session.game->vm)))
      vm_park_piece(h->session.game->vm, stop.piece, true);
  }
}
