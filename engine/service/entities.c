// Entities: spawned, destroyed, their components and values, their states, children and names. Changes are commands.
#include "service/api.h"
#include "service/may.h"

#include "base/similar.h"
#include "transform/transform.h"
#include "plugin/part.h"
#include "plugin/plugin.h"
#include "schedule/chunk.h"
#include "shoal/world.h"
#include "ecs/hint.h"
#include "ecs/inspect.h"

#include <stdio.h>
#include <string.h>

bool api_alive(shoal_context *c, shoal_entity e) {
  const world_o *w = context_of(c)->all->world;
  return world_alive(w, e) && !world_is_doomed(w, e);
}

uint32_t api_spawn(shoal_context *c, const char *assemblage, uint32_t count, shoal_entity *out) {
  context_t *x = context_of(c);
  world_o *w = x->all->world;
  error_t error;
  char hint[HINT_BYTES];
  uint32_t number = 0;
  if (!service_runs_alone(x, "it spawns, which a system with .beside cannot") || x->where == WHERE_PART ||
      !service_may_change(x))
    return 0;
  if (assemblage && assemblage[0]) {
    number = world_find_assemblage(w, strings_find(world_strings(w), assemblage));
    if (number == 0) {
      log_error(x->all->desc.log, "plugin %s: there is no assemblage %s to spawn%s", x->plugin->name, assemblage,
                hint_assemblage(w, assemblage, hint));
      return 0;
    }
  }
  uint32_t made = world_spawn_many(w, number, count, out, &error);
  if (made == 0 && count > 0)
    log_error(x->all->desc.log, "plugin %s: %s", x->plugin->name, error.text);
  return made;
}

void api_destroy(shoal_context *c, const shoal_entity *entities, uint32_t count) {
  context_t *x = context_of(c);
  if (!service_may_ask(x))
    return;
  for (uint32_t i = 0; entities && i < count; ++i) {
    if (x->where == WHERE_PART)
      chunk_queue(x->chunk, CHUNK_DESTROY, entities[i], NULL, 0, 0, 0);
    else
      world_destroy(x->all->world, entities[i]);
  }
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

bool api_add(shoal_context *c, shoal_entity e, const shoal_component *component, const char *instance) {
  context_t *x = context_of(c);
  const bound_t *b = service_find_rows(x, component);
  uint32_t id = 0;
  error_t error;
  if (!b || !service_may_ask(x) || !world_alive(x->all->world, e) || !instance_id(x, b, instance, &id))
    return false;
  if (x->where != WHERE_PART)
    return world_add(x->all->world, e, b->manager->id, id, &error);
  chunk_queue(x->chunk, CHUNK_ADD, e, b, id, 0, 0);
  return true;
}

bool api_remove(shoal_context *c, shoal_entity e, const shoal_component *component, const char *instance) {
  context_t *x = context_of(c);
  const bound_t *b = service_find_rows(x, component);
  uint32_t id = 0;
  if (!b || !service_may_ask(x) || !instance_id(x, b, instance, &id))
    return false;
  if (x->where != WHERE_PART)
    return world_remove(x->all->world, e, b->manager->id, id);
  bool there = manager_row(b->manager, e) != ROW_NONE;
  if (there)
    chunk_queue(x->chunk, CHUNK_REMOVE, e, b, id, 0, 0);
  return there;
}

bool api_set_named(shoal_context *c, shoal_entity e, const shoal_component *component, const char *instance,
                   uint32_t column, double value) {
  context_t *x = context_of(c);
  const bound_t *b = service_find_rows(x, component);
  uint32_t id = 0;
  error_t error;
  if (!b || column >= component->column_count || !service_may_ask(x) || !instance_id(x, b, instance, &id))
    return false;
  uint32_t real = b->columns[column];
  if (x->where != WHERE_PART)
    return world_set(x->all->world, e, b->manager->id, id, real, value, &error);
  if (world_alive(x->all->world, e))
    chunk_queue(x->chunk, CHUNK_SET, e, b, id, real, value);
  return world_alive(x->all->world, e);
}

bool api_set(shoal_context *c, shoal_entity e, const shoal_component *component, uint32_t column, double value) {
  if (component && component->kind == SHOAL_KIND_MANY) {
    service_warn(context_of(c),
                 "shoal_set cannot say which row of a SHOAL_MANY component it means: shoal_set_named takes its name");
    return false;
  }
  return api_set_named(c, e, component, NULL, column, value);
}

// --- states

static bool refuse_state(context_t *x, uint32_t assemblage, const char *state) {
  char hint[SIMILAR_MOST + 32], words[400];
  world_o *w = x->all->world;
  similar_t meant;
  similar_begin(&meant, state);
  for (uint32_t i = 0; assemblage && world_assemblage_state_name(w, assemblage, i) != 0; ++i)
    similar_offer(&meant, strings_text(world_strings(w), world_assemblage_state_name(w, assemblage, i)));
  snprintf(words, sizeof words, "there is no state %.60s of %s%s", state,
           assemblage ? strings_text(world_strings(w), world_assemblage_name(w, assemblage)) : "an empty entity",
           similar_hint(&meant, hint, sizeof hint));
  context_fail(x, words);
  return false;
}

bool api_enter(shoal_context *c, shoal_entity e, const char *state) {
  context_t *x = context_of(c);
  world_o *w = x->all->world;
  error_t error = {0};
  if (!world_alive(w, e))
    return false;
  uint32_t assemblage = world_find_assemblage(w, world_entities(w)->assemblage[shoal_entity_index(e)]);
  uint32_t name = strings_find(world_strings(w), state ? state : "");
  if (!assemblage || !name || !world_assemblage_has_state(w, assemblage, name))
    return refuse_state(x, assemblage, state ? state : "NULL");
  if (world_enter(w, e, name, &error))
    return true;
  context_fail(x, error.text);
  return false;
}

const char *api_state_of(shoal_context *c, shoal_entity e) {
  context_t *x = context_of(c);
  world_o *w = x->all->world;
  if (!world_alive(w, e))
    return "";
  return strings_text(world_strings(w), world_entities(w)->state[shoal_entity_index(e)]);
}

// --- children, names

uint32_t api_children(shoal_context *c, shoal_entity e, shoal_entity *out, uint32_t room) {
  world_o *w = context_of(c)->all->world;
  if (!world_alive(w, e) || !world_find_manager(w, "transform"))
    return 0;
  return transform_children(w, e, out, out ? room : 0);
}

shoal_entity api_named(shoal_context *c, const char *name) {
  world_o *w = context_of(c)->all->world;
  const manager_o *m = world_find_manager(w, "name");
  int32_t column = m ? schema_find(&m->schema, "value") : -1;
  if (!name || column < 0)
    return SHOAL_ENTITY_NONE;
  uint32_t id = strings_find(world_strings(w), name);
  const uint32_t *values = m->data[column];
  for (uint32_t row = 0; id != 0 && row < m->count; ++row)
    if (values[row] == id)
      return m->owner[row];
  return SHOAL_ENTITY_NONE;
}
