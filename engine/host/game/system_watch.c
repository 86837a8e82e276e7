// Hashes the world after each system, in the schedule's callback, and stores the hash or compares it.
#include "game/system_watch.h"

#include "ecs/world_hash.h"
#include "game/game.h"

#include <stdio.h>

static bool is_expected(const system_watch_t *watch, uint64_t hash) {
  uint64_t mask = watch->mask ? watch->mask : UINT64_MAX;
  return watch->count < watch->expected->count && ((watch->expected->items[watch->count] ^ hash) & mask) == 0;
}

static void on_system_end(void *context, world_o *w, const char *system) {
  system_watch_t *watch = context;
  uint64_t hash = world_hash(w);
  if (watch->stored)
    array_push(watch->allocator, watch->stored, hash);
  if (watch->expected && !watch->differs && !is_expected(watch, hash)) {
    watch->differs = true;
    watch->differing_index = watch->count;
    snprintf(watch->differing_system, sizeof watch->differing_system, "%s", system);
  }
  if (watch->after_system)
    watch->after_system(watch->context, w, system);
  ++watch->count;
}

void system_watch_begin(system_watch_t *watch, game_o *g) {
  watch->count = 0;
  schedule_set_callback(g->schedule, on_system_end, watch);
}

void system_watch_end(game_o *g) {
  schedule_set_callback(g->schedule, NULL, NULL);
}
