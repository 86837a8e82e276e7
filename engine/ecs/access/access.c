// The functions of <shoal/world.h> for declarations, entities, components and rows.
#include "access/access.h"

#include "access/changes.h"
#include "access/entities.h"
#include "access/declaration_match.h"
#include "access/values.h"
#include "access/last_error.h"
#include "ecs/event_deaths.h"
#include "ecs/name_hint.h"
#include "ecs/relation.h"

#include <stdlib.h>
#include <string.h>

// --- life cycle

bool access_checks_columns(void) {
  return getenv("SHOAL_CHECK_COLUMNS") != NULL;
}

void access_init(access_o *access, const access_desc_t *desc, world_o *w) {
  *access = (access_o){.own = {{desc->api}, access, NULL}, .desc = *desc, .world = w};
  access->desc.bound_bytes = desc->bound_bytes ? desc->bound_bytes : sizeof(access_binding_t);
}

void access_fini(access_o *access) {
  access_free_queries(access);
  for (uint32_t i = 0; i < access->bound.count; ++i)
    access_remove_binding(access, access->bound.items[i]);
  array_free(&access->memory, &access->bound);
  array_free(&access->memory, &access->changes);
  shoal_assert(access->memory.blocks == 0, "access leaked %zu bytes", access->memory.bytes);
  access->world = NULL;
}

static void forget_matches(access_o *access) {
  for (uint32_t i = 0; i < access->bound.count; ++i)
    access->bound.items[i]->matched = false;
  memset(access->recent, 0, sizeof access->recent);
}

void access_set_world(access_o *access, world_o *w) {
  if (access->world == w)
    return;
  access->open.count = 0; // world_access_query_end must not end queries of the previous world
  access_free_queries(access);
  forget_matches(access);
  access->world = w;
}

// --- declarations and strings

// Declares a component in the world; the caller has checked that this is allowed. Returns true on success, or false
// after calling access_fail.
static bool declare_component(access_o *access, const shoal_component *component) {
  error_info_t error = {0};
  if (!world_declare_schema_desc(
          access->world, &(schema_desc_t){.component = component, .origin = "C", .required = component->required},
          &error))
    return access_fail("%s", error.text);
  // A new declaration may change columns, so all bindings must be matched again.
  forget_matches(access);
  return true;
}

bool world_access_declare(shoal_world *w, const shoal_component *component) {
  access_o *access = access_of(w);
  bool declares = access->desc.declares;
  if (!component || !component->name)
    return access_fail("`component` must not be NULL: pass the address of a declaration");
  const access_binding_t *previous = access_find_binding(access, component);
  if (previous && previous->matched)
    return true;
  if (access->open.count > 0 && (declares || access_is_queried(access, component->name)))
    return access_fail("cannot declare %s while a query is open: call shoal_query_end first", component->name);
  bool has_manager = declares && component->manager;
  if (has_manager && !access->desc.begin_manager(access, component))
    return false;
  const access_binding_t *binding = NULL;
  if (!declares || declare_component(access, component)) {
    access_free_closed_queries(access, component->name);
    binding = access_bind_component(access, component);
  }
  if (has_manager)
    access->desc.end_manager(access, component, binding ? binding->manager : NULL);
  return binding != NULL;
}

const shoal_component *world_access_find_component(shoal_world *w, const char *name) {
  access_o *access = access_of(w);
  char hint[HINT_BYTES];
  manager_o *m = name ? world_find_manager(access->world, name) : NULL;
  event_o *event = name && !m ? world_find_event(access->world, name) : NULL;
  if (!m && !event)
    return access_fail("unknown component %.64s%s", name ? name : "",
                       hint_component(access->world, name ? name : "", hint)),
           NULL;
  for (uint32_t i = 0; i < access->bound.count; ++i)
    if (access->bound.items[i]->described && strcmp(access->bound.items[i]->component->name, name) == 0)
      return access->bound.items[i]->component;
  shoal_component *component = access_create_description(&access->memory, m ? &m->schema : &event->schema);
  access_binding_t *binding = access_add_binding(access, component);
  binding->described = component;
  access_free_closed_queries(access, component->name); // queries created before this declaration lack its columns
  return access_match_binding(access, binding) ? component : NULL;
}

const char *world_access_last_error(shoal_world *w) {
  (void)w;
  return access_error_text();
}

const char *world_access_string(shoal_world *w, uint32_t id) {
  return strings_text(world_strings(access_of(w)->world), id);
}

uint32_t world_access_find_interned(shoal_world *w, const char *text) {
  return strings_find(world_strings(access_of(w)->world), text ? text : "");
}

uint32_t world_access_intern(shoal_world *w, const char *text) {
  access_o *access = access_of(w);
  strings_o *strings = world_strings(access->world);
  uint32_t id = strings_find(strings, text ? text : "");
  if (id != 0 || !text || !text[0])
    return id;
  changes_record(access, CHANGE_TEXT, "t", text);
  return strings_intern(strings, text);
}

// --- entities

bool world_access_is_alive(shoal_world *w, shoal_entity e) {
  const world_o *world = access_of(w)->world;
  return world_is_alive(world, e) && !world_is_doomed(world, e);
}

shoal_entity world_access_find_entity(shoal_world *w, const char *name) {
  return access_find_entity(access_of(w)->world, name);
}

uint32_t world_access_spawn_many(shoal_world *w, const char *assemblage, uint32_t count, shoal_entity *out) {
  access_o *access = access_of(w);
  uint32_t spawned_count = access_spawn_entities(access->world, assemblage, count, out);
  if (spawned_count > 0)
    changes_record(access, CHANGE_SPAWN, "tn", assemblage, (double)count);
  return spawned_count;
}

shoal_entity world_access_spawn_with(shoal_world *w, const char *assemblage, const shoal_field_value *settings,
                                     uint32_t count, shoal_entity *tree, uint32_t max_count) {
  access_o *access = access_of(w);
  const access_spawn_t spawn = {assemblage, settings, settings ? count : 0, tree, tree ? max_count : 0};
  shoal_entity e = access_spawn_entity(access->world, &spawn);
  if (e) {
    changes_record(access, CHANGE_SPAWN_WITH, "tn", assemblage, (double)spawn.count);
    changes_record_settings(access, settings, spawn.count);
  }
  return e;
}

bool world_access_add_with(shoal_world *w, shoal_entity e, const shoal_field_value *settings, uint32_t count) {
  access_o *access = access_of(w);
  if (!access_add_components(access->world, e, settings, count))
    return false;
  changes_record(access, CHANGE_ADD_WITH, "nn", (double)e, (double)count);
  changes_record_settings(access, settings, count);
  return true;
}

bool world_access_destroy_many(shoal_world *w, const shoal_entity *entities, uint32_t count) {
  access_o *access = access_of(w);
  chunk_t *chunk = access_world_of(w)->chunk;
  bool delays = access->desc.delays_destroys,
       is_batch = !chunk && (count > 1 || delays) && world_begin_destroy_batch(access->world), ok = true;
  for (uint32_t i = 0; entities && i < count; ++i) {
    if (chunk)
      chunk_push(chunk, CHUNK_DESTROY, entities[i], 0, 0, 0, 0);
    else if (!world_destroy_entity(access->world, entities[i]))
      ok = access_fail("entity %u is not alive", entities[i]);
    else
      changes_record(access, CHANGE_KILL, "n", (double)entities[i]);
  }
  access->has_delayed_destroys |= is_batch;
  if (!delays)
    access_apply_destroys(access);
  return ok;
}

void access_end_destroy_batch(access_o *access) {
  access->has_delayed_destroys = false;
  world_end_destroy_batch(access->world);
}

// has_queued_row and has_any are not inline, so that the common case needs no stack frame.
__attribute__((noinline)) static bool has_queued_row(shoal_world *w, shoal_entity e, const access_binding_t *binding) {
  return access_is_queued(access_world_of(w), e) &&
         queued_row(access_of(w)->world, e, binding->manager->id) != ROW_NONE;
}

__attribute__((noinline)) static bool has_any(shoal_world *w, shoal_entity e, const shoal_component *component) {
  access_o *access = access_of(w);
  const access_binding_t *binding = access_bind_rows(access, component);
  return binding && (world_has_component(access->world, e, binding->manager->id) || has_queued_row(w, e, binding));
}

bool world_access_has(shoal_world *w, shoal_entity e, const shoal_component *component) {
  const access_binding_t *binding = access_find_recent(access_of(w), component);
  if (!binding)
    return has_any(w, e, component);
  return manager_row(binding->manager, e) != ROW_NONE || has_queued_row(w, e, binding);
}

// --- components and values

bool world_access_add_instance(shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance) {
  access_row_t row;
  if (!access_describe_row(w, component, e, instance, &row) || !access_add_row(&row))
    return false;
  changes_record(access_of(w), CHANGE_ADD, "ntt", (double)e, component->name, instance);
  return true;
}

bool world_access_remove_instance(shoal_world *w, shoal_entity e, const shoal_component *component,
                                  const char *instance) {
  access_row_t row;
  if (!access_describe_row(w, component, e, instance, &row) || !access_remove_row(&row))
    return false;
  changes_record(access_of(w), CHANGE_REMOVE, "ntt", (double)e, component->name, instance);
  return true;
}

bool world_access_set_instance(shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance,
                               uint32_t column, double value) {
  access_row_t row;
  return access_describe_row(w, component, e, instance, &row) && access_set_value(&row, column, value);
}

bool world_access_event_get_instance(shoal_world *w, const shoal_component *event, shoal_entity e,
                                     const shoal_component *component, const char *instance, uint32_t column,
                                     double *value) {
  access_row_t row;
  const access_binding_t *binding = access_bind_event(access_of(w), event);
  return binding && access_describe_row(w, component, e, instance, &row) &&
         access_get_event_value(&row, binding->event->id, column, value);
}

const char *world_access_event_entity_state(shoal_world *w, const shoal_component *event, shoal_entity e) {
  world_o *world = access_of(w)->world;
  const access_binding_t *binding = access_bind_event(access_of(w), event);
  if (!binding || world_is_alive(world, e))
    return binding ? world_access_entity_state(w, e) : "";
  return strings_text(world_strings(world), event_deaths_state(world, e, binding->event->id));
}

// Returns the field of a column, or NULL after calling access_fail if the column is out of range or not a string, asset
// or enum field.
static const field_t *find_text_field(const access_binding_t *binding, uint32_t column) {
  const shoal_component *component = binding->component;
  const field_t *field =
      column < component->column_count ? &binding->manager->schema.fields[binding->columns[column]] : NULL;
  if (!field)
    return access_fail("column %u of %s is out of range (count %u)", column, component->name, component->column_count),
           NULL;
  return field_is_text(field) || field->type == FIELD_ENUM ||
                 access_fail("%s.%s must be a string, asset or enum field, got type %s", component->name, field->name,
                             field_type_name(field->type))
             ? field
             : NULL;
}

bool world_access_set_string_instance(shoal_world *w, shoal_entity e, const shoal_component *component,
                                      const char *instance, uint32_t column, const char *text) {
  access_row_t row;
  double number;
  const field_t *field =
      access_describe_row(w, component, e, instance, &row) ? find_text_field(row.bound, column) : NULL;
  if (!field || !text)
    return field ? access_fail("`text` must not be NULL") : false;
  if (field->type != FIELD_ENUM && !row.of->chunk)
    world_access_intern(w, text); // interns a new string and records this as a change
  return access_parse_value(access_of(w)->world, &row.bound->manager->schema, field, text, !row.of->chunk, &number) &&
         access_set_value(&row, column, number);
}

const char *world_access_get_column_string(shoal_world *w, const shoal_component *component, uint32_t column,
                                           uint32_t number) {
  access_o *access = access_of(w);
  const access_binding_t *binding = access_bind_rows(access, component);
  const field_t *field = binding ? find_text_field(binding, column) : NULL;
  return !field                      ? ""
         : field->type == FIELD_ENUM ? field_choice(field, number)
                                     : strings_text(world_strings(access->world), number);
}

// --- states and children

bool world_access_enter_state(shoal_world *w, shoal_entity e, const char *state) {
  access_o *access = access_of(w);
  if (!access_enter_state(access->world, e, state))
    return false;
  changes_record(access, CHANGE_ENTER, "nt", (double)e, state);
  return true;
}

const char *world_access_entity_state(shoal_world *w, shoal_entity e) {
  world_o *world = access_of(w)->world;
  if (access_is_queued(access_world_of(w), e))
    return strings_text(world_strings(world), queued_state(world, e));
  return access_get_state(world, e);
}

const char *world_access_entity_name(shoal_world *w, shoal_entity e) {
  return access_get_name(access_of(w)->world, e, !access_world_of(w)->chunk);
}

const char *world_access_entity_assemblage(shoal_world *w, shoal_entity e) {
  return access_get_assemblage(access_of(w)->world, e);
}

uint32_t world_access_get_children(shoal_world *w, shoal_entity e, shoal_entity *out, uint32_t max_count) {
  access_o *access = access_of(w);
  bool can = access->desc.children && world_is_alive(access->world, e) &&
             world_find_manager(access->world, "transform") &&
             (!world_is_queued(access->world, e) || access_is_queued(access_world_of(w), e));
  return can ? access->desc.children(access->world, e, out, out ? max_count : 0) : 0;
}

// --- rows

shoal_rows world_access_get_rows(shoal_world *w, const shoal_component *component) {
  access_o *access = access_of(w);
  access_binding_t *binding = access_bind_rows(access, component);
  if (!binding)
    return (shoal_rows){0};
  if (!access_world_of(w)->chunk) { // the engine has done this before parts of parallel systems
    access_refresh_columns(access, binding);
    access_mark_written(access, binding);
    for (uint32_t i = 0; i < component->column_count; ++i)
      relation_report_written_rows(access->world, binding->manager->id, binding->columns[i], NULL,
                                   binding->manager->count);
    access->write_count++;
  }
  const manager_o *m = binding->manager;
  return (shoal_rows){.count = m->count,
                      .entities = m->schema.kind == SCHEMA_SINGLE ? NULL : m->owner,
                      .instances = m->instance,
                      .columns = binding->data};
}

bool world_access_find_rows(shoal_world *w, const shoal_component *component, const shoal_entity *entities,
                            uint32_t count, uint32_t *rows) {
  const access_binding_t *binding = access_bind_rows(access_of(w), component);
  for (uint32_t i = 0; rows && i < count; ++i)
    rows[i] = binding && entities ? manager_row(binding->manager, entities[i]) : SHOAL_NO_ROW;
  return binding != NULL;
}

uint32_t world_access_find_instance_row(shoal_world *w, const shoal_component *component, shoal_entity e,
                                        const char *instance) {
  access_o *access = access_of(w);
  const access_binding_t *binding = access_bind_rows(access, component);
  bool unnamed = !instance || !instance[0];
  uint32_t id = unnamed ? 0 : strings_find(world_strings(access->world), instance);
  return binding && world_is_alive(access->world, e) && (unnamed || id != 0)
             ? manager_find_instance_row(binding->manager, e, id)
             : SHOAL_NO_ROW;
}
