// Transfers watchers, readers and on/off switches from a migrated state to the current systems.
#include "snapshot/state_systems.h"

#include "ecs/query_internal.h"
#include "ecs/query_observer.h"
#include "ecs/system_rows.h"

#include <stdio.h>
#include <string.h>

#define MAX_PARTS 16u // maximum number of behaviours into which one behaviour was split

state_systems_t state_systems_collect(state_view_t *v, const world_o *w) {
  state_systems_t s = {state_alloc(v, w->watchers.count * sizeof *s.watches), w->watchers.count};
  for (uint32_t i = 0; i < s.count; ++i) {
    const char *name = strings_text(w->strings, w->watchers.items[i].system);
    char *copy = state_alloc(v, strlen(name) + 1); // copied, because the string table will be replaced
    memcpy(copy, name, strlen(name) + 1);
    s.watches[i] = (state_watch_t){copy, w->watchers.items[i].query};
  }
  return s;
}

static bool is_renamed_from(const world_o *w, const char *new_name, const char *old_name) {
  bool renamed = strcmp(new_name, old_name) == 0;
  for (uint32_t i = 0; i < w->system_renames.count && !renamed; ++i)
    renamed =
        strcmp(w->system_renames.items[i].from, old_name) == 0 && strcmp(w->system_renames.items[i].to, new_name) == 0;
  return renamed;
}

// Returns true if the rows of the state's component `number` are now rows of `m`, or have created rows of `m`, which
// has taken over one of the component's fields.
static bool is_row_source(state_view_t *v, world_o *w, uint32_t number, const manager_o *m) {
  const state_rows_t *r = &v->components[number];
  if (r->manager == m || !world_is_component_renamed_to(w, r->schema->name, m->id))
    return r->manager == m;
  schema_buffer_t *buffer = state_alloc(v, sizeof *buffer); // too large for the stack
  state_get_schema(r, buffer);
  return world_is_row_source(w, &buffer->schema, m->id);
}

static bool has_term(state_view_t *v, const query_o *q, const snapshot_query_t *saved, uint32_t term,
                     uint32_t saved_term) {
  return (uint32_t)q->terms[term].role == saved->terms[saved_term].role &&
         is_row_source(v, q->world, saved->terms[saved_term].manager, q->terms[term].manager);
}

// Returns true if `q` has the same terms as the query of the state, in any order.
static bool is_same_query(state_view_t *v, const query_o *q, const snapshot_query_t *saved) {
  for (uint32_t i = 0; i < q->term_count; ++i) {
    bool found = false;
    for (uint32_t k = 0; k < saved->term_count; ++k)
      found |= has_term(v, q, saved, i, k);
    if (!found)
      return false;
  }
  for (uint32_t k = 0; k < saved->term_count; ++k) {
    bool found = false;
    for (uint32_t i = 0; i < q->term_count; ++i)
      found |= has_term(v, q, saved, i, k);
    if (!found)
      return false;
  }
  return true;
}

static void resume_watcher(state_view_t *v, world_o *w, uint32_t system, query_o *q, const state_watcher_t *saved) {
  query_watch_t *pending = state_alloc(v, saved->count * sizeof *pending);
  for (uint32_t i = 0, leave_index = 0; i < saved->count; ++i) {
    pending[i] = (query_watch_t){.entity = saved->pending[i].entity, .entered = saved->pending[i].entered != 0};
    if (!pending[i].entered && saved->leaves)
      pending[i].assemblage = saved->leaves[leave_index].assemblage,
      pending[i].state = saved->leaves[leave_index].state, pending[i].removal = saved->leaves[leave_index].removal;
    leave_index += !pending[i].entered;
  }
  query_wake(q);
  query_observer_resume_watcher(w, system, q, pending, saved->count);
}

static void resume_missing_watcher(state_view_t *v, world_o *w, const state_watch_t *watch) {
  uint32_t system = strings_intern(w->strings, watch->system);
  if (query_observer_find_watcher(w, system, watch->query) != 0)
    return; // the watcher was restored with the state
  for (uint32_t i = 0; i < v->watcher_count; ++i) {
    const state_watcher_t *saved = &v->watchers[i];
    const state_query_t *saved_query = &v->queries[saved->header->query];
    size_t length;
    const char *name = state_text(v, saved->header->system, &length);
    if ((saved_query->dropped || strcmp(name, watch->system) != 0) && is_renamed_from(w, watch->system, name) &&
        is_same_query(v, watch->query, saved_query->header))
      resume_watcher(v, w, system, watch->query, saved);
  }
}

// Copies the read positions of events, so that a renamed behaviour does not read events twice.
static void copy_read_positions(world_o *w, uint32_t old_reader, uint32_t new_reader) {
  uint32_t count = w->readers.count;
  for (uint32_t i = 0; i < count; ++i) {
    reader_t r = w->readers.items[i];
    if (r.reader == old_reader && r.next > world_reader_position(w, new_reader, r.event))
      world_set_reader_position(w, new_reader, r.event, r.next);
  }
}

static void drop_readers(world_o *w, uint32_t reader) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < w->readers.count; ++i)
    if (w->readers.items[i].reader != reader)
      w->readers.items[kept++] = w->readers.items[i];
  w->readers.count = kept;
}

// Returns true if the behaviour of the system is still declared. The behaviour was then split, not renamed.
static bool has_behaviour(world_o *w, const char *system) {
  char name[COMPONENT_NAME_MAX];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(system, ":"), system);
  return world_find_manager(w, name) != NULL;
}

static void resume_renamed_system(world_o *w, const char *old_name) {
  uint32_t old_system = strings_find(w->strings, old_name), new_systems[MAX_PARTS], count = 0;
  for (uint32_t i = 0; i < w->system_renames.count && old_system != 0 && count < MAX_PARTS; ++i)
    if (strcmp(w->system_renames.items[i].from, old_name) == 0) {
      new_systems[count] = strings_intern(w->strings, w->system_renames.items[i].to);
      copy_read_positions(w, old_system, new_systems[count++]);
    }
  if (count > 0) {
    drop_readers(w, old_system);
    system_move_switch(w, old_system, new_systems, count);
  }
}

void state_systems_resume(state_view_t *v, world_o *w, const state_systems_t *s) {
  for (uint32_t i = 0; i < s->count; ++i)
    resume_missing_watcher(v, w, &s->watches[i]);
  for (uint32_t i = 0; i < w->system_renames.count; ++i)
    if (!has_behaviour(w, w->system_renames.items[i].from))
      resume_renamed_system(w, w->system_renames.items[i].from);
}
