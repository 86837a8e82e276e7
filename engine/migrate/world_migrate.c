// The order of things: rows and values come over, then whatever the new version asks of them (queries, groups), then
// what scripts migrate, then the merge of assemblages, which changes the structure of a world that is whole by then.
#include "migrate/world_migrate.h"

#include "base/assert.h"
#include "ecs/world_internal.h"
#include "migrate/state_migrate.h"

#include <string.h>

typedef struct carry_t {
  world_o *from, *to;
  const world_migrate_desc_t *desc;
  world_migrate_counts_t counts;
  state_view_t *view; // of the old world
  schema_migrate_report_t report;
} carry_t;

// The component of `to` of the same name, or the first one from number `first` on that is new and has its rows.
static const manager_o *find_successor(const carry_t *c, const schema_t *old, uint32_t first) {
  const manager_o *m = world_find_manager(c->to, old->name);
  for (uint32_t id = first; !m && id <= c->to->managers.count; ++id) {
    const manager_o *other = world_manager(c->to, id);
    m = world_renamed_to(c->to, old->name, id) && !world_find_manager(c->from, other->schema.name) ? other : NULL;
  }
  return m;
}

// The query of `to` for the same components as q in `from`, or for what a renamed one is now; NULL if there is none.
static query_o *same_query(const carry_t *c, const query_o *q) {
  query_o *found = NULL;
  for (uint32_t first = 1; !found && first <= c->to->managers.count; ++first) { // of a split component, any part
    query_desc_t desc = {.term_count = q->term_count};
    for (uint32_t i = 0; i < q->term_count; ++i) {
      const manager_o *m = find_successor(c, &q->terms[i].manager->schema, first);
      if (!m)
        return NULL;
      desc.terms[i] = (query_term_desc_t){m->id, q->terms[i].role};
    }
    desc = query_canonical(&desc);
    found = query_find(c->to, &desc);
  }
  return found;
}

// Does a behaviour run as this system that has another name now? Its system has the component's name, "guard" or
// "guard:enabled", and begins anew under the other one (scripts/shoal/systems/system.lua).
static bool is_of_renamed_behaviour(const carry_t *c, const watcher_t *x) {
  const char *system = strings_text(c->from->strings, x->system);
  bool found = false;
  for (uint32_t i = 0; i < x->query->term_count && !found; ++i) {
    const char *name = x->query->terms[i].manager->schema.name;
    size_t length = strlen(name);
    found = !world_find_manager(c->to, name) && strncmp(system, name, length) == 0 &&
            (system[length] == '\0' || system[length] == ':');
  }
  return found;
}

// Queries whose components are of another kind now, or have another name, were rebuilt. Their systems were told of all
// entities that match.
static bool restore_watchers(carry_t *c) {
  for (uint32_t i = 0; i < c->from->watchers.count; ++i) {
    const watcher_t *x = &c->from->watchers.items[i];
    query_o *q = is_of_renamed_behaviour(c, x) ? NULL : same_query(c, x->query);
    if (q && !((live_query_t *)q)->asleep)
      query_observer_resume(c->to, x->system, q, x->pending.items, x->pending.count);
  }
  return true;
}

// None were kept until now: what differs from the old templates was overridden.
static bool derive_marks(carry_t *c) {
  if (world_tracks_touched(c->to) && !world_tracks_touched(c->from))
    assemblage_merge_derive_marks(c->from, c->to);
  return true;
}

static bool carry(carry_t *c, error_t *error) {
  const world_migrate_desc_t *d = c->desc;
  schema_migrate_desc_t how = {.say = d->say, .say_context = d->say_context, .report = &c->report};
  state_put_desc_t put = {.regroup = true, .wake = true, .keep_marks = true};
  return state_migrate(c->view, c->to, &how, error) && state_put(c->view, c->to, &put, error) && restore_watchers(c) &&
         derive_marks(c) && schema_migrate_run(&c->report, c->to, d->migrate, d->migrate_context, error) &&
         assemblage_merge_run(c->from, c->to, d->say, d->say_context, &c->counts.merge, error);
}

bool world_migrate(world_o *from, world_o *to, const world_migrate_desc_t *desc, world_migrate_counts_t *counts,
                   error_t *error) {
  static const world_migrate_desc_t nothing = {0};
  carry_t c = {.from = from, .to = to, .desc = desc ? desc : &nothing};
  shoal_assert(!world_is_deferring(from) && !world_is_deferring(to), "a world is carried over within a tick");
  shoal_assert(from != to, "a world is carried over into itself");
  snapshot_o *taken = c.desc->state ? NULL : snapshot_create(&to->allocator);
  if (!taken || snapshot_take(taken, from, error))
    c.view = state_open(taken ? taken : c.desc->state, &to->allocator, error);
  bool fine = c.view && carry(&c, error);
  state_close(c.view);
  snapshot_release(taken);
  c.counts.schemas = c.report.counts;
  if (counts)
    *counts = c.counts;
  schema_migrate_report_free(&c.report);
  return fine;
}
