#include "components/lifetime.h"

#include "components/fields.h"

enum { LIFETIME_SECONDS };

#define LIFETIME_SYSTEM "shoal.lifetime"

static const field_desc_t FIELDS[] = {
    FIELD(F32, "seconds", .initial = 1),
};

bool lifetime_declare(world_o *w, error_t *error) {
  return fields_declare(w, "lifetime", SCHEMA_COMPONENT, FIELDS, FIELD_COUNT(FIELDS), error) != 0;
}

void lifetime_update(world_o *w, float dt_s) {
  const manager_o *m = world_find_manager(w, "lifetime");
  float *seconds = manager_column(m, LIFETIME_SECONDS);
  uint32_t over = 0;
  for (uint32_t i = 0; i < m->count; ++i) {
    seconds[i] -= dt_s;
    over += seconds[i] <= 0;
  }
  if (over == 0)
    return;
  world_defer_begin(w, strings_intern(world_strings(w), LIFETIME_SYSTEM));
  for (uint32_t i = 0; i < m->count; ++i) {
    if (seconds[i] <= 0)
      world_destroy(w, m->owner[i]);
  }
  world_defer_end(w, false);
}

static void run(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number;
  lifetime_update(w, dt_s);
}

bool lifetime_schedule(world_o *w, schedule_o *s, error_t *error) {
  (void)w;
  return schedule_add(
      s, &(system_desc_t){.name = LIFETIME_SYSTEM, .phase = PHASE_PRE_UPDATE, .priority = 1000, .run = run}, error);
}
