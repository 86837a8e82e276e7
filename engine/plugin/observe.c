// Observers of plugins: systems of the schedule that are told what ecs/changes.h has gathered.
#include "plugin/observe.h"

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

// What the schedule and the query are made from. It writes through shoal_rows_of, and so nothing in place of its query.
void plugin_observer_as_system(const shoal_observer *o, shoal_system *out) {
  *out = (shoal_system){.name = o->name, .phase = o->phase, .priority = o->priority};
  memcpy(out->query, o->query, sizeof out->query);
  memcpy(out->reads, o->query, sizeof out->reads);
  memcpy(out->without, o->without, sizeof out->without);
  memcpy(out->any, o->any, sizeof out->any);
  memcpy(out->after, o->after, sizeof out->after);
  memcpy(out->before, o->before, sizeof out->before);
}

static const observed_t ORDER[] = {OBSERVED_REMOVE, OBSERVED_ADD, OBSERVED_SET};
static const char *const KINDS[] = {[OBSERVED_ADD] = "added", [OBSERVED_REMOVE] = "removed", [OBSERVED_SET] = "set"};

static shoal_heard *function_of(const shoal_observer *o, observed_t kind) {
  return kind == OBSERVED_REMOVE ? o->removed : kind == OBSERVED_ADD ? o->added : o->set;
}

// What it has just heard is told again.
static void take_back(const run_t *r) {
  world_o *w = r->plugin->all->world;
  world_watch_return(w, observer_watcher(w, r->observes));
}

bool plugin_tell_observer(run_t *r, float dt_s, error_t *error) {
  world_o *w = r->plugin->all->world;
  context_t c = plugin_context(r->plugin, WHERE_SYSTEM);
  bool fine = true;
  c.run = r;
  observer_begin(w, r->observes);
  for (uint32_t i = 0; i < OBSERVED_KINDS && fine; ++i) {
    uint32_t count;
    const shoal_entity *list = observer_list(w, r->observes, ORDER[i], &count);
    shoal_heard *f = function_of(r->observer, ORDER[i]);
    fine = !f || count == 0 || plugin_call_observer(&c, f, &(plugin_heard_t){list, count, dt_s});
  }
  if (fine)
    observer_end(w, r->observes);
  else
    take_back(r);
  if (!fine)
    *error = c.problem;
  return fine;
}

bool plugin_observer_waits(const run_t *r) {
  return observer_waits(r->plugin->all->world, r->observes);
}

// It changes what it observes without end.
bool plugin_refuse_observer(const run_t *r, error_t *error) {
  world_o *w = r->plugin->all->world;
  char who[NAME_DESCRIPTION_MAX] = "an entity";
  const char *kind = "set";
  observer_begin(w, r->observes);
  for (uint32_t i = 0; i < OBSERVED_KINDS; ++i) {
    uint32_t count;
    const shoal_entity *list = observer_list(w, r->observes, ORDER[i], &count);
    if (count == 0)
      continue;
    kind = KINDS[ORDER[i]];
    name_describe(w, list[0], who, sizeof who);
  }
  take_back(r);
  return error_set(error,
                   "it changes what it observes each time that it hears of it: it was called %u times in one tick, the "
                   "last time because of `%s` of %s, and is stopped. Change only what is not as it should be yet",
                   OBSERVER_MOST_ROUNDS, kind, who);
}
