// Converts the contents of a state to the declarations of a world, component by component, then events, then queries.
// Rows with an unchanged layout stay in the snapshot's memory; for all remaining rows, the pointers are set to newly
// created columns.
#include "migrate/state_migrate.h"

#include "base/assert.h"
#include "content/former_names.h"
#include "ecs/index.h"
#include "migrate/rows_migrate.h"

#include <stdio.h>
#include <string.h>

#define MAX_MOVED 16 // maximum number of former components whose rows are merged into one component

// Points r->columns to the given columns, which must not be written.
static void borrow_columns(old_rows_t *r, const void *const *columns, uint32_t count) {
  uint32_t fields = r->buffer.schema.field_count;
  r->columns = (columns_t){.count = count, .capacity = count, .column_count = fields, .stored_count = fields};
  r->columns.schema = &r->buffer.schema;
  r->columns.data = r->data;
  r->columns.element_bytes = r->element_bytes;
  for (uint32_t i = 0; i < fields; ++i) {
    r->element_bytes[i] = field_size(r->buffer.schema.fields[i].type);
    r->element_bytes[fields + i] = 1;
    r->data[i] = (void *)(uintptr_t)columns[i];
  }
}

static old_rows_t *read_old_rows(migrate_context_t *c, const state_rows_t *rows) {
  shoal_assert(rows->manager == NULL || !rows->rebuilt, "the rows have already been migrated");
  old_rows_t *r = state_alloc(c->v, sizeof *r); // too large for the stack
  r->rows = rows;
  state_get_schema(rows, &r->buffer);
  borrow_columns(r, rows->columns, rows->count);
  for (uint32_t i = 0; i < r->buffer.schema.field_count; ++i) {
    r->data[r->buffer.schema.field_count + i] = (void *)(uintptr_t)rows->marks[i];
    if (rows->marks[i])
      r->columns.stored_count = 2 * r->buffer.schema.field_count;
  }
  return r;
}

// --- components

static manager_o *find_target_manager(const migrate_context_t *c, const state_rows_t *r) {
  return world_find_manager(c->w, r->schema->name);
}

// Returns true if rows of the state's component become rows of `manager`, a different component.
static bool is_moved(const migrate_context_t *c, const state_rows_t *r, uint32_t manager) {
  if (!world_is_component_renamed_to(c->w, r->schema->name, manager))
    return false;
  state_get_schema(r, c->scratch);
  return world_is_row_source(c->w, &c->scratch->schema, manager);
}

// Lists up to `max` components of the state that have rows and whose fields now belong to m: components that the world
// lacks, and components that remain but have lost a field to m. Lists their rows before the migration. Returns their
// number.
static uint32_t list_moved_components(const migrate_context_t *c, const manager_o *m, const state_rows_t **out,
                                      uint32_t max) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->old_count && count < max; ++i)
    if (c->old_components[i].count + c->old_components[i].last_count > 0 && is_moved(c, &c->old_components[i], m->id))
      out[count++] = &c->old_components[i];
  return count;
}

static void replace_rows(state_rows_t *r, const new_rows_t *new_rows) {
  bool is_many = new_rows->m->schema.kind == SCHEMA_MANY;
  shoal_assert(new_rows->owners == new_rows->columns->count, "%u owners, but %u rows", new_rows->owners,
               new_rows->columns->count);
  r->count = new_rows->owners;
  r->owner = new_rows->owner;
  r->instance = is_many ? new_rows->instance : NULL;
  r->next = is_many ? new_rows->next : NULL;
  memset(r->columns, 0, sizeof r->columns);
  memset(r->marks, 0, sizeof r->marks);
  for (uint32_t k = 0; k < new_rows->columns->column_count; ++k) {
    r->columns[k] = new_rows->columns->data[k];
    if (columns_get_marks(new_rows->columns, k) &&
        !(new_rows->m->schema.fields[k].flags & (FIELD_HIDDEN | FIELD_READ_ONLY)))
      r->marks[k] = columns_get_marks(new_rows->columns, k);
  }
}

// Converts the component's last-value rows (ecs/last_values.h); drops the rows if the component's kind has changed.
static void migrate_last_values(migrate_context_t *c, state_rows_t *r, old_rows_t *own_rows, const manager_o *m) {
  columns_t *columns = state_create_columns(c->v, &m->schema, m->columns.initial, false);
  borrow_columns(own_rows, r->last_columns, r->last_count);
  if (own_rows->buffer.schema.kind == m->schema.kind)
    rows_migrate_last_values(c, &own_rows->buffer.schema, &own_rows->columns, columns, 0);
  else
    r->last_count = 0;
  for (uint32_t k = 0; k < columns->column_count; ++k)
    r->last_columns[k] = columns->data[k];
}

// Like migrate_last_values, for a former component whose fields now belong to m.
static void migrate_moved_last_values(migrate_context_t *c, state_rows_t *r, const state_rows_t *moved,
                                      const manager_o *m) {
  columns_t *columns = state_create_columns(c->v, &m->schema, m->columns.initial, false);
  old_rows_t *old_rows = read_old_rows(c, moved);
  borrow_columns(old_rows, moved->last_columns, moved->last_count);
  if (old_rows->buffer.schema.kind != m->schema.kind)
    return;
  rows_migrate_last_values(c, &old_rows->buffer.schema, &old_rows->columns, columns, m->id);
  r->last_count = moved->last_count;
  r->last_owner = moved->last_owner;
  r->last_removal = moved->last_removal;
  r->last_instance = moved->last_instance;
  for (uint32_t k = 0; k < columns->column_count; ++k)
    r->last_columns[k] = columns->data[k];
}

// Replaces the rows of `r` with rows of `m`, made from r's own rows, if any, and from rows of former components.
// Returns true on success, or false with a message.
static bool migrate_component(migrate_context_t *c, state_rows_t *r, manager_o *m) {
  const state_rows_t *moved_from[MAX_MOVED];
  const old_rows_t *moved[MAX_MOVED];
  uint32_t count = list_moved_components(c, m, moved_from, MAX_MOVED);
  old_rows_t *own_rows = r->schema ? read_old_rows(c, r) : NULL;
  r->manager = m;
  r->rebuilt = !own_rows || count > 0 || own_rows->buffer.schema.kind != m->schema.kind;
  if (own_rows && count == 0 && schema_has_same_layout(&own_rows->buffer.schema, &m->schema, NULL))
    return true;
  for (uint32_t i = 0; i < count; ++i)
    moved[i] = read_old_rows(c, moved_from[i]);
  new_rows_t new_rows = {.m = m};
  if (!rows_migrate(c, own_rows, moved, count, &new_rows))
    return false;
  replace_rows(r, &new_rows);
  if (r->last_count > 0)
    migrate_last_values(c, r, own_rows, m);
  for (uint32_t i = 0; i < count && r->last_count == 0; ++i)
    if (moved_from[i]->last_count > 0)
      migrate_moved_last_values(c, r, moved_from[i], m);
  ++c->counts.components_changed;
  c->counts.rows += r->count;
  return true;
}

static bool migrate_old_components(migrate_context_t *c) {
  for (uint32_t i = 0; i < c->v->component_count; ++i) {
    state_rows_t *r = &c->v->components[i];
    manager_o *m = find_target_manager(c, r);
    if (m && !state_resolve_component(c->v, i, m))
      return state_set_damaged(c->error, "duplicate component");
    if (m && !migrate_component(c, r, m))
      return false;
    if (!m && r->count > 0 && !world_is_component_renamed_to(c->w, r->schema->name, 0)) {
      if (!c->desc->keeps_removed)
        rows_migrate_report(c, "%s: component removed, %u row%s dropped", r->schema->name, r->count,
                            r->count == 1 ? "" : "s");
      ++c->counts.components_dropped;
    }
  }
  return true;
}

// Creates the components whose rows come only from former components. Returns true on success, or false with a message.
static bool migrate_new_components(migrate_context_t *c) {
  uint32_t old_count = c->old_count;
  for (uint32_t id = 1; id <= c->w->managers.count; ++id) {
    manager_o *m = world_manager(c->w, id);
    const state_rows_t *first;
    bool exists = false;
    for (uint32_t i = 0; i < old_count; ++i)
      exists |= c->v->components[i].manager == m;
    shoal_assert(c->v->component_count < old_count + id, "component count exceeds the capacity");
    if (!exists && list_moved_components(c, m, &first, 1) > 0 &&
        !migrate_component(c, &c->v->components[c->v->component_count++], m))
      return false;
  }
  return true;
}

// --- disabled components

#define MAX_REPLACEMENTS 16 // maximum number of components that replace a split component

// The new rows of the component `disabled`.
typedef struct disabled_rows_t {
  state_rows_t rows;
  shoal_entity *owner;
  uint32_t *instance, *next, capacity;
  uint32_t **pages, page_count; // pages of an index: number of the entity's first row, plus 1
} disabled_rows_t;

// Lists the names (string ids) that replace the name of a disabled component. The components to which the fields of the
// disabled component now belong are disabled, too, except components that the old version already had: these have their
// own rows of `disabled`. A component that the migration has dropped has no replacement; all other names remain.
static uint32_t list_replacements(migrate_context_t *c, uint32_t name, uint32_t out[MAX_REPLACEMENTS]) {
  size_t length;
  const char *text = state_text(c->v, name, &length);
  const state_rows_t *r = state_find_rows(c->old_components, c->old_count, text);
  uint32_t count = 0;
  if (world_find_manager(c->w, text) || (!r && !world_is_component_renamed_to(c->w, text, 0)))
    out[count++] = name;
  for (uint32_t id = 1; r && id <= c->w->managers.count && count < MAX_REPLACEMENTS; ++id) {
    const char *component = world_manager(c->w, id)->schema.name;
    if (is_moved(c, r, id) && !state_find_rows(c->old_components, c->old_count, component))
      out[count++] = strings_intern(c->v->strings, component);
  }
  return count;
}

// Adds a row to the end of its entity's chain, unless the entity has a row of this name.
static void add_disabled_row(migrate_context_t *c, disabled_rows_t *d, shoal_entity owner, uint32_t name) {
  uint32_t *first = index_slot(&d->pages, &d->page_count, owner, c->v->allocator), *link = first;
  for (uint32_t row = *first; row != 0; row = d->next[row - 1] == ROW_NONE ? 0 : d->next[row - 1] + 1) {
    if (d->instance[row - 1] == name)
      return;
    link = &d->next[row - 1];
  }
  uint32_t row = d->rows.count++;
  shoal_assert(row < d->capacity, "row %u exceeds the capacity %u", row, d->capacity);
  *link = link == first ? row + 1 : row;
  d->owner[row] = owner;
  d->instance[row] = name;
  d->next[row] = ROW_NONE;
}

// Replaces the names of renamed components in the rows of `disabled`, so that they stay disabled, and removes the rows
// of dropped components.
static void migrate_disabled(migrate_context_t *c) {
  uint32_t names[MAX_REPLACEMENTS];
  state_rows_t *r = NULL;
  disabled_rows_t d = {.pages = NULL};
  bool changed = false;
  for (uint32_t i = 0; i < c->v->component_count; ++i)
    if (c->w->disabled && c->v->components[i].manager == c->w->disabled)
      r = &c->v->components[i];
  for (uint32_t i = 0; r && r->instance && i < r->count; ++i) {
    uint32_t count = list_replacements(c, r->instance[i], names);
    changed |= count != 1 || names[0] != r->instance[i];
    d.capacity += count;
  }
  if (!changed)
    return;
  d.owner = state_alloc(c->v, d.capacity * sizeof *d.owner);
  d.instance = state_alloc(c->v, d.capacity * sizeof *d.instance);
  d.next = state_alloc(c->v, d.capacity * sizeof *d.next);
  for (uint32_t i = 0; i < r->count; ++i) {
    uint32_t count = list_replacements(c, r->instance[i], names);
    for (uint32_t k = 0; k < count; ++k)
      add_disabled_row(c, &d, r->owner[i], names[k]);
  }
  index_free(d.pages, d.page_count, c->v->allocator);
  r->count = d.rows.count;
  r->owner = d.owner;
  r->instance = d.instance;
  r->next = d.next;
  r->rebuilt = true;
}

// --- all components

static bool migrate_components(migrate_context_t *c) {
  state_view_t *v = c->v;
  state_rows_t *components = state_alloc(v, (v->component_count + c->w->managers.count) * sizeof *components);
  if (v->component_count > 0)
    memcpy(components, v->components, v->component_count * sizeof *components);
  for (uint32_t i = 0; i < v->component_count; ++i)
    components[i].manager = NULL;
  c->scratch = state_alloc(v, sizeof *c->scratch); // too large for the stack
  c->old_components = state_alloc(v, v->component_count * sizeof *c->old_components);
  c->old_count = v->component_count;
  memcpy(c->old_components, components, c->old_count * sizeof *c->old_components);
  v->components = components;
  if (!migrate_old_components(c) || !migrate_new_components(c))
    return false;
  migrate_disabled(c);
  return true;
}

// --- events and queries

static bool migrate_event_columns(migrate_context_t *c, old_rows_t *old_rows, const event_o *ev, uint32_t count,
                                  bool quiet, const void **columns) {
  columns_t *new_columns = state_create_columns(c->v, &ev->schema, ev->columns.initial, false);
  borrow_columns(old_rows, columns, count);
  if (!rows_migrate_columns(c, &old_rows->buffer.schema, &old_rows->columns, new_columns, quiet))
    return false;
  for (uint32_t k = 0; k < new_columns->column_count; ++k)
    columns[k] = new_columns->data[k];
  return true;
}

// Events live for two ticks, so events that cannot be converted are dropped without an error.
static void migrate_event(migrate_context_t *c, uint32_t i) {
  state_event_t *event = &c->v->events[i];
  state_rows_t *rows = &c->v->event_rows[i];
  const event_o *ev = former_names_find_event(c->w, rows->schema->name);
  event->event = ev ? c->w->events.items[ev->id - 1] : NULL;
  if (!ev) {
    rows_migrate_report(c, "event %s: removed, pending events dropped", rows->schema->name);
    return;
  }
  old_rows_t *old_rows = read_old_rows(c, rows);
  if (schema_has_same_layout(&old_rows->buffer.schema, &ev->schema, NULL))
    return;
  if (!migrate_event_columns(c, old_rows, ev, event->info->count, false, rows->columns) ||
      !migrate_event_columns(c, old_rows, ev, event->info->staged_count, true, event->staged)) {
    rows_migrate_report(c, "event %s: declaration changed, pending events dropped", rows->schema->name);
    event->event = NULL;
  }
  ++c->counts.components_changed;
}

static bool migrate_events(migrate_context_t *c) {
  for (uint32_t i = 0; i < c->v->event_count; ++i) {
    migrate_event(c, i);
    for (uint32_t k = 0; k < i; ++k)
      if (c->v->events[i].event && c->v->events[k].event == c->v->events[i].event)
        return state_set_damaged(c->error, "duplicate event");
  }
  return true;
}

static void migrate_queries(migrate_context_t *c) {
  for (uint32_t i = 0; i < c->v->query_count; ++i) {
    state_query_t *q = &c->v->queries[i];
    for (uint32_t k = 0; k < q->header->term_count; ++k) {
      const state_rows_t *r = &c->v->components[q->header->terms[k].manager];
      q->dropped |= !r->manager || r->rebuilt;
    }
  }
}

// --- entry points

static void declare_missing(const state_view_t *v, world_o *w, bool declares_removed) {
  shoal_assert(!v->resolved_world, "the state has already been resolved for a world");
  allocator_t memory = {0};
  schema_buffer_t *buffer = alloc_resize(&memory, NULL, 0, sizeof *buffer); // too large for the stack
  for (uint32_t i = 0; i < v->component_count; ++i) {
    const char *name = v->components[i].schema->name;
    if (world_find_manager(w, name) || world_is_component_renamed_to(w, name, 0) ||
        (!declares_removed && world_is_component_removed(w, name)))
      continue;
    state_get_schema(&v->components[i], buffer);
    snprintf(buffer->schema.origin, sizeof buffer->schema.origin, SCHEMA_KEPT_ORIGIN "a state");
    world_declare_schema(w, &buffer->schema, NULL);
  }
  alloc_resize(&memory, buffer, sizeof *buffer, 0);
}

void state_declare_missing(const state_view_t *v, world_o *w) {
  declare_missing(v, w, false);
}

bool state_restore_with_kept(const snapshot_o *s, world_o *w, error_info_t *error) {
  state_view_t *v = state_open(s, &w->allocator, error);
  if (v)
    declare_missing(v, w, true);
  state_close(v);
  return v && snapshot_restore(s, w, error);
}

bool state_migrate(state_view_t *v, world_o *w, const schema_migrate_desc_t *desc, error_info_t *error) {
  migrate_context_t c = {.w = w, .v = v, .desc = desc, .error = error};
  shoal_assert(!v->resolved_world, "the state has already been resolved for a world");
  shoal_assert(!world_is_deferring(w), "cannot migrate a state while the world defers commands");
  if (state_resolve_declarations(v, w, NULL))
    return true;
  if (!state_load_strings(v, w, error) || !migrate_components(&c) || !migrate_events(&c))
    return false;
  migrate_queries(&c);
  // queued commands cannot be converted; a state saved between two ticks has no queued commands
  if (v->command_count + v->list_count + v->list_value_count + v->block_count > 0)
    return error_set(error, "cannot migrate the state: it was saved during a tick, by a different version of the game");
  v->resolved_world = w;
  if (desc->report)
    desc->report->counts = c.counts;
  return true;
}
