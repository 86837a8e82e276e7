// Observers of plugins: systems in the schedule that receive the lists of ecs/changes.h.
#include "plugin/observers.h"

#include "base/assert.h"
#include "components/name.h"
#include "plugin/call.h"
#include "plugin/plugin.h"
#include "ecs/changes.h"
#include "shoal/observe.h"

#include <string.h>

uint32_t plugin_count_observers(const shoal_plugin *def) {
  uint32_t count = 0;
  while (def->observers && def->observers[count].name)
    ++count;
  return count;
}

// Describes the observer as a system, for the schedule and the query. The components of .query are read-only terms,
// because observers write through shoal_rows_of.
void plugin_observer_to_system(const shoal_observer *o, shoal_system *out) {
  *out = (shoal_system){.name = o->name, .phase = o->phase, .priority = o->priority};
  memcpy(out->query, o->query, sizeof out->query);
  memcpy(out->reads, o->query, sizeof out->reads);
  memcpy(out->without, o->without, sizeof out->without);
  memcpy(out->any, o->any, sizeof out->any);
  memcpy(out->after, o->after, sizeof out->after);
  memcpy(out->before, o->before, sizeof out->before);
}

static const char *const KINDS[] = {
    [OBSERVED_LEAVE] = "leave", [OBSERVED_ENTER] = "enter", [OBSERVED_CHANGED] = "changed"};

static shoal_heard *get_callback(const shoal_observer *o, observed_t kind) {
  return kind == OBSERVED_LEAVE ? o->leave : kind == OBSERVED_ENTER ? o->enter : o->changed;
}

// Returns the lists of observed entities to the world, so that the observer's next run receives them again.
static void return_entity_lists(const run_t *r) {
  world_o *w = r->plugin->all->world;
  world_watch_return_entries(w, observer_get_watcher(w, r->observes));
}

bool plugin_run_observer(run_t *r, float dt_s, error_info_t *error) {
  world_o *w = r->plugin->all->world;
  context_t c = plugin_build_context(r->plugin, WHERE_SYSTEM);
  bool fine = true;
  c.run = r;
  observer_begin_delivery(w, r->observes);
  for (uint32_t i = 0; i < OBSERVED_KINDS && fine; ++i) {
    uint32_t count;
    const shoal_entity *list = observer_get_list(w, r->observes, i, &count);
    shoal_heard *f = get_callback(r->observer, i);
    fine = !f || count == 0 || plugin_call_observer(&c, f, &(observer_arguments_t){list, count, dt_s});
  }
  if (fine)
    observer_end_delivery(w, r->observes);
  else
    return_entity_lists(r);
  if (!fine)
    *error = c.problem;
  return fine;
}

bool plugin_observer_has_pending(const run_t *r) {
  return observer_has_pending(r->plugin->all->world, r->observes);
}

// Reports an observer that is triggered endlessly by its own changes.
bool plugin_fail_endless_observer(const run_t *r, error_info_t *error) {
  world_o *w = r->plugin->all->world;
  char entity_name[NAME_DESCRIPTION_MAX] = "an entity";
  const char *kind = "changed";
  observer_begin_delivery(w, r->observes);
  for (uint32_t i = 0; i < OBSERVED_KINDS; ++i) {
    uint32_t count;
    const shoal_entity *list = observer_get_list(w, r->observes, i, &count);
    if (count == 0)
      continue;
    kind = KINDS[i];
    name_describe(w, list[0], entity_name, sizeof entity_name);
  }
  return_entity_lists(r);
  return error_set(error,
                   "the observer was called %u times in one tick, most recently .%s for %s, because "
                   "each call changes an observed value: write a value only if it differs from the current one",
                   OBSERVER_MAX_ROUNDS, kind, entity_name);
}
