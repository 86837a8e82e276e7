// Counts down the seconds of each row and destroys expired entities in one batch.
#include "countdown/lifetime.h"

#include "base/assert.h"

#include <string.h>

enum { ROWS_PER_JOB = 131072 }; // number of rows per part, the unit of parallel work

#define LIFETIME_SYSTEM "shoal.lifetime"

typedef struct countdown_t {
  const world_o *world; // world; NULL if no component is disabled
  const manager_o *manager;
  float *seconds;
  uint32_t count;
  float dt_s;
  bool expired[SHOAL_ENTITY_MAX_ALIVE / ROWS_PER_JOB + 1]; // indexed by part: true if any row has expired
} countdown_t;

static void count_down_part(void *context, uint32_t part, uint32_t worker) {
  (void)worker;
  countdown_t *countdown = context;
  float *restrict seconds = countdown->seconds + (size_t)part * ROWS_PER_JOB;
  uint32_t remaining = countdown->count - part * ROWS_PER_JOB,
           count = remaining < ROWS_PER_JOB ? remaining : ROWS_PER_JOB, expired = 0;
  const shoal_entity *owner = countdown->manager->owner + (size_t)part * ROWS_PER_JOB;
  for (uint32_t i = 0; countdown->world && i < count; ++i) {
    if (!world_is_disabled(countdown->world, owner[i], countdown->manager->id)) {
      seconds[i] -= countdown->dt_s;
      expired += seconds[i] <= 0;
    }
  }
  for (uint32_t i = 0; !countdown->world && i < count; ++i) {
    seconds[i] -= countdown->dt_s;
    expired += seconds[i] <= 0;
  }
  countdown->expired[part] = expired != 0;
}

void lifetime_update(world_o *w, float dt_s) {
  manager_o *manager = world_find_manager(w, "lifetime");
  const manager_o *disabled = world_find_manager(w, "disabled");
  countdown_t countdown = {.world = disabled && disabled->count > 0 ? w : NULL,
                           .manager = manager,
                           .seconds = lifetime_columns_of(manager).seconds,
                           .count = manager->count,
                           .dt_s = dt_s};
  uint32_t parts = (manager->count + ROWS_PER_JOB - 1) / ROWS_PER_JOB;
  shoal_assert(parts <= sizeof countdown.expired, "too many rows of lifetime: %u (at most %zu)", manager->count,
               sizeof countdown.expired * ROWS_PER_JOB);
  columns_mark_touched(&manager->columns, SHOAL_COLUMN_INDEX(lifetime, seconds), 0, manager->count);
  jobs_run_parts(world_jobs(w), count_down_part, &countdown, parts);
  if (!memchr(countdown.expired, true, parts))
    return;
  world_defer_begin(w, strings_intern(world_strings(w), LIFETIME_SYSTEM));
  for (uint32_t part = 0; part < parts; ++part) {
    uint32_t first = part * ROWS_PER_JOB,
             end = manager->count - first < ROWS_PER_JOB ? manager->count : first + ROWS_PER_JOB;
    for (uint32_t i = first; i < end && countdown.expired[part]; ++i) {
      if (countdown.seconds[i] <= 0 && !world_is_disabled(w, manager->owner[i], manager->id))
        world_destroy_entity(w, manager->owner[i]);
    }
  }
  world_defer_end(w, false);
}

static void run_lifetimes(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number;
  lifetime_update(w, dt_s);
}

bool lifetime_schedule(world_o *w, schedule_o *s, error_info_t *error) {
  (void)w;
  return schedule_add_system(
      s, &(system_desc_t){.name = LIFETIME_SYSTEM, .phase = PHASE_PRE_UPDATE, .priority = 1000, .run = run_lifetimes},
      error);
}
