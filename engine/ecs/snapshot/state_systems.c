// Carries over watchers, readers and on/off switches of a migrated state to the current systems.
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

static bool is_renamed_from(const world_o *w, const char *now, const char *then) {
  bool was = strcmp(now, then) == 0;
  for (uint32_t i = 0; i < w->system_renames.count && !was; ++i)
    was = strcmp(w->system_renames.items[i].from, then) == 0 && strcmp(w->system_renames.items[i].to, now) == 0;
  return was;
}

// Returns true if the rows of the state's component `number` are now those of `m`, or have created rows of `m`, which
// has taken over one of the component's fields.
static bool is_row_source(state_view_t *v, world_o *w, uint32_t number, const manager_o *m) {
  const state_rows_t *r = &v->components[number];
  if (r->to == m || !world_is_component_renamed_to(w, r->schema->name, m->id))
    return r->to == m;
  schema_t *schema = state_alloc(v, sizeof *schema); // too large for the stack
  state_get_schema(r, schema);
  return world_is_row_source(w, schema, m->id);
}

static bool has_term(state_view_t *v, const query_o *q, const snapshot_query_t *then, uint32_t now_term,
                     uint32_t then_term) {
  return (uint32_t)q->terms[now_term].role == then->terms[then_term].role &&
         is_row_source(v, q->world, then->terms[then_term].manager, q->terms[now_term].manager);
}

// Returns true if `q` has the same terms as the query of the state, in any order.
static bool is_same_query(state_view_t *v, const query_o *q, const snapshot_query_t *then) {
  for (uint32_t i = 0; i < q->term_count; ++i) {
    bool found = false;
    for (uint32_t k = 0; k < then->term_count; ++k)
      found |= has_term(v, q, then, i, k);
    if (!found)
      return false;
  }
  for (uint32_t k = 0; k < then->term_count; ++k) {
    bool found = false;
    for (uint32_t i = 0; i < q->term_count; ++i)
      found |= has_term(v, q, then, i, k);
    if (!found)
      return false;
  }
  return true;
}

static void resume_watcher(state_view_t *v, world_o *w, uint32_t system, query_o *q, const state_watcher_t *x) {
  query_watch_t *pending = state_alloc(v, x->count * sizeof *pending);
  for (uint32_t i = 0, left = 0; i < x->count; ++i) {
    pending[i] = (query_watch_t){.entity = x->pending[i].entity, .entered = x->pending[i].entered != 0};
    if (!pending[i].entered && x->left)
      pending[i].assemblage = x->left[left].assemblage, pending[i].state = x->left[left].state,
      pending[i].removal = x->left[left].removal;
    left += !pending[i].entered;
  }
  query_wake(q);
  query_observer_resume_watcher(w, system, q, pending, x->count);
}

static void resume_missing_watcher(state_view_t *v, world_o *w, const state_watch_t *watch) {
  uint32_t system = strings_intern(w->strings, watch->system);
  if (query_observer_find_watcher(w, system, watch->query) != 0)
    return; // the watcher was restored with the state
  for (uint32_t i = 0; i < v->watcher_count; ++i) {
    const state_watcher_t *x = &v->watchers[i];
    const state_query_t *then = &v->queries[x->head->query];
    size_t length;
    const char *name = state_text(v, x->head->system, &length);
    if ((then->gone || strcmp(name, watch->system) != 0) && is_renamed_from(w, watch->system, name) &&
        is_same_query(v, watch->query, then->head))
      resume_watcher(v, w, system, watch->query, x);
  }
}

// Copies the read positions of events, so that a renamed behaviour does not read events twice.
static void copy_read_positions(world_o *w, uint32_t from, uint32_t to) {
  uint32_t count = w->readers.count;
  for (uint32_t i = 0; i < count; ++i) {
    reader_t r = w->readers.items[i];
    if (r.reader == from && r.next > world_reader_position(w, to, r.event))
      world_set_reader_position(w, to, r.event, r.next);
  }
}

static void drop_readers(world_o *w, uint32_t reader) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < w->readers.count; ++i)
    if (w->readers.items[i].reader != reader)
      w->readers.items[kept++] = w->readers.items[i];
  w->readers.count = kept;
}

// Returns true if the behaviour of this system is still declared: it has only lost fields to others.
static bool has_behaviour(world_o *w, const char *system) {
  char name[COMPONENT_NAME_MAX];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(system, ":"), system);
  return world_find_manager(w, name) != NULL;
}

static void resume_renamed_system(world_o *w, const char *from) {
  uint32_t then = strings_find(w->strings, from), to[MAX_PARTS], count = 0;
  for (uint32_t i = 0; i < w->system_renames.count && then != 0 && count < MAX_PARTS; ++i)
    if (strcmp(w->system_renames.items[i].from, from) == 0) {
      to[count] = strings_intern(w->strings, w->system_renames.items[i].to);
      copy_read_positions(w, then, to[count++]);
    }
  if (count > 0) {
    drop_readers(w, then);
    system_move_switch(w, then, to, count);
  }
}

void state_systems_resume(state_view_t *v, world_o *w, const state_systems_t *s) {
  for (uint32_t i = 0; i < s->count; ++i)
    resume_missing_watcher(v, w, &s->watches[i]);
  for (uint32_t i = 0; i < w->system_renames.count; ++i)
    if (!has_behaviour(w, w->system_renames.items[i].from))
      resume_renamed_system(w, w->system_renames.items[i].from);
}
