// Entities: spawned, destroyed, their components and values, their states, children and names. Parts of systems queue
// changes in a list of their own.
#include "service/api.h"
#include "service/may.h"

#include "access/entities.h"
#include "access/match.h"
#include "access/why.h"
#include "plugin/part.h"
#include "plugin/plugin.h"
#include "schedule/chunk.h"
#include "transform/transform.h"

bool api_alive(shoal_world *world, shoal_entity e) {
  const world_o *w = context_of_world(world)->all->world;
  return world_alive(w, e) && !world_is_doomed(w, e);
}

shoal_entity api_find(shoal_world *world, const char *name) {
  return access_find(context_of_world(world)->all->world, name);
}

uint32_t api_spawn_many(shoal_world *world, const char *assemblage, uint32_t count, shoal_entity *out) {
  context_t *x = context_of_world(world);
  if (!service_runs_alone(x, "it spawns, which a system with .beside cannot") || x->where == WHERE_PART ||
      !service_may_change(x))
    return 0;
  uint32_t made = access_spawn_many(x->all->world, assemblage, count, out);
  if (made == 0 && count > 0)
    log_error(x->all->desc.log, "plugin %s: %s", x->plugin->name, access_text());
  return made;
}

shoal_entity api_spawn_with(shoal_world *world, const char *assemblage, const shoal_setting *settings, uint32_t count,
                            shoal_entity *tree, uint32_t room) {
  const access_spawn_t spawn = {assemblage, settings, count, tree, room};
  return access_spawn(context_of_world(world)->all->world, &spawn);
}

bool api_kill_many(shoal_world *world, const shoal_entity *entities, uint32_t count) {
  context_t *x = context_of_world(world);
  bool fine = true;
  if (!service_may_ask(x))
    return false;
  for (uint32_t i = 0; entities && i < count; ++i) {
    if (x->where == WHERE_PART)
      chunk_queue(x->chunk, CHUNK_DESTROY, entities[i], NULL, 0, 0, 0);
    else if (!world_destroy(x->all->world, entities[i]))
      fine = access_fail("entity %u is not alive", entities[i]);
  }
  return fine;
}

bool api_has(shoal_world *world, shoal_entity e, const shoal_component *component) {
  context_t *x = context_of_world(world);
  const bound_t *b = service_find_rows(x, component);
  return b && service_may_reach(x, b) && manager_row(b->manager, e) != ROW_NONE;
}

// The text's id; in a part, where nothing new may be written down, 0 when the world does not know it. False then.
static bool instance_id(context_t *x, const bound_t *b, const char *instance, uint32_t *out) {
  strings_o *strings = world_strings(x->all->world);
  *out = 0;
  if (b->component->kind != SHOAL_KIND_MANY || !instance || !instance[0])
    return true;
  *out = x->where == WHERE_PART ? strings_find(strings, instance) : strings_intern(strings, instance);
  return *out != 0;
}

bool api_add_named(shoal_world *world, shoal_entity e, const shoal_component *component, const char *instance) {
  context_t *x = context_of_world(world);
  const bound_t *b = service_find_rows(x, component);
  uint32_t id = 0;
  error_t error = {0};
  if (!b || !service_may_ask(x) || !instance_id(x, b, instance, &id))
    return false;
  if (!world_alive(x->all->world, e))
    return access_fail("entity %u is not alive", e);
  if (x->where != WHERE_PART)
    return world_add(x->all->world, e, b->manager->id, id, &error) || access_fail("%s", error.text);
  chunk_queue(x->chunk, CHUNK_ADD, e, b, id, 0, 0);
  return true;
}

bool api_remove_named(shoal_world *world, shoal_entity e, const shoal_component *component, const char *instance) {
  context_t *x = context_of_world(world);
  const bound_t *b = service_find_rows(x, component);
  uint32_t id = 0;
  if (!b || !service_may_ask(x) || !instance_id(x, b, instance, &id))
    return false;
  bool removed = x->where == WHERE_PART ? manager_row(b->manager, e) != ROW_NONE
                                        : world_remove(x->all->world, e, b->manager->id, id);
  if (removed && x->where == WHERE_PART)
    chunk_queue(x->chunk, CHUNK_REMOVE, e, b, id, 0, 0);
  return removed || access_fail("entity %u has no %s", e, b->component->name);
}

// --- values

// The component of the entity. False after access_fail.
static bool row_of(context_t *x, const shoal_component *component, shoal_entity e, const char *instance,
                   access_row_t *out) {
  const bound_t *b = service_find_rows(x, component);
  if (b)
    *out = (access_row_t){x->all->world, component, b->manager, b->columns, e, instance};
  return b != NULL;
}

// In a part: with the others' changes, in the order of the parts.
typedef struct part_row_t {
  context_t *context;
  const bound_t *bound;
  shoal_entity entity;
  uint32_t instance;
} part_row_t;

static bool queue_value(void *data, uint32_t column, double value) {
  const part_row_t *r = data;
  chunk_queue(r->context->chunk, CHUNK_SET, r->entity, r->bound, r->instance, r->bound->columns[column], value);
  return true;
}

static bool begin_part(context_t *x, const access_row_t *row, part_row_t *out) {
  *out = (part_row_t){.context = x, .bound = service_find_rows(x, row->component), .entity = row->entity};
  return instance_id(x, out->bound, row->instance, &out->instance) &&
         (world_alive(x->all->world, row->entity) || access_fail("entity %u is not alive", row->entity));
}

static bool names_instance(context_t *x, const access_row_t *row) {
  if (row->manager->schema.kind != SCHEMA_MANY || row->instance)
    return true;
  service_warn(x, "shoal_set cannot say which row of a SHOAL_MANY component it means: shoal_set_named takes its name");
  return false;
}

bool api_set_named(shoal_world *world, shoal_entity e, const shoal_component *component, const char *instance,
                   uint32_t column, double value) {
  context_t *x = context_of_world(world);
  access_row_t row;
  part_row_t part;
  if (!row_of(x, component, e, instance, &row) || !names_instance(x, &row))
    return false;
  if (column >= component->column_count)
    return access_fail("%s has no column number %u", component->name, column);
  if (!service_may_ask(x))
    return false;
  if (x->where != WHERE_PART)
    return access_set_value(&row, column, value);
  return begin_part(x, &row, &part) && queue_value(&part, column, value);
}

bool api_set_struct(shoal_world *world, shoal_entity e, const shoal_component *component, const void *values,
                    size_t size) {
  context_t *x = context_of_world(world);
  access_row_t row;
  part_row_t part;
  if (!row_of(x, component, e, NULL, &row) || !names_instance(x, &row) || !service_may_ask(x))
    return false;
  if (x->where != WHERE_PART)
    return access_set_values(&row, values, size);
  return begin_part(x, &row, &part) && access_each_value(component, values, size, queue_value, &part);
}

bool api_get_named(shoal_world *world, shoal_entity e, const shoal_component *component, const char *instance,
                   uint32_t column, double *value) {
  context_t *x = context_of_world(world);
  access_row_t row;
  if (!row_of(x, component, e, instance, &row) || !service_may_reach(x, service_find_rows(x, component)))
    return false;
  if (!value || column >= component->column_count)
    return access_fail("%s has no column number %u", component->name, column);
  return access_get_value(&row, column, value);
}

bool api_get_struct(shoal_world *world, shoal_entity e, const shoal_component *component, void *values, size_t size) {
  context_t *x = context_of_world(world);
  access_row_t row;
  return row_of(x, component, e, NULL, &row) && service_may_reach(x, service_find_rows(x, component)) &&
         access_get_values(&row, values, size);
}

// --- states, children

bool api_enter(shoal_world *world, shoal_entity e, const char *state) {
  return access_enter(context_of_world(world)->all->world, e, state);
}

const char *api_state_of(shoal_world *world, shoal_entity e) {
  return access_state_of(context_of_world(world)->all->world, e);
}

uint32_t api_children(shoal_world *world, shoal_entity e, shoal_entity *out, uint32_t room) {
  world_o *w = context_of_world(world)->all->world;
  if (!world_alive(w, e) || !world_find_manager(w, "transform"))
    return 0;
  return transform_children(w, e, out, out ? room : 0);
}
