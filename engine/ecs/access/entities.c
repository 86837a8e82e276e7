// Finds entities by name; enters and reads states.
#include "access/entities.h"

#include "access/last_error.h"
#include "base/nearest_name.h"
#include "ecs/assemblage_inspect.h"
#include "ecs/queued_entities.h"

shoal_entity access_find_entity(world_o *w, const char *name) {
  const manager_o *m = world_find_manager(w, "name");
  int32_t column = m ? schema_find_field(&m->schema, "value") : -1;
  if (!name || column < 0)
    return SHOAL_ENTITY_NONE;
  uint32_t id = strings_find(world_strings(w), name);
  const uint32_t *values = m->data[column];
  for (uint32_t row = 0; id != 0 && row < m->count; ++row)
    if (values[row] == id)
      return m->owner[row];
  return SHOAL_ENTITY_NONE;
}

static bool fail_unknown_state(world_o *w, uint32_t assemblage, const char *state) {
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, state);
  for (uint32_t i = 0; assemblage && world_assemblage_state_name(w, assemblage, i) != 0; ++i)
    nearest_name_offer(&nearest, strings_text(world_strings(w), world_assemblage_state_name(w, assemblage, i)));
  return access_fail("unknown state %.60s of %s%s", state,
                     assemblage ? strings_text(world_strings(w), world_assemblage_name(w, assemblage))
                                : "an entity without an assemblage",
                     nearest_name_hint(&nearest, hint, sizeof hint));
}

bool access_enter_state(world_o *w, shoal_entity e, const char *state) {
  error_info_t error = {0};
  if (!world_is_alive(w, e))
    return access_fail("entity %u is not alive", e);
  uint32_t assemblage = world_find_assemblage(w, world_entities(w)->assemblage[shoal_entity_index(e)]);
  uint32_t name = strings_find(world_strings(w), state ? state : "");
  if (!assemblage || !name || !world_assemblage_has_state(w, assemblage, name))
    return fail_unknown_state(w, assemblage, state ? state : "NULL");
  return world_enter_state(w, e, name, &error) || access_fail("%s", error.text);
}

const char *access_get_state(world_o *w, shoal_entity e) {
  return world_is_alive(w, e) ? strings_text(world_strings(w), world_entities(w)->state[shoal_entity_index(e)]) : "";
}

const char *access_get_assemblage(world_o *w, shoal_entity e) {
  const entities_t *entities = world_entities(w);
  bool is_stored = entities_is_alive(entities, e) || entities_is_last_dead(entities, e);
  return is_stored ? strings_text(world_strings(w), entities->assemblage[shoal_entity_index(e)]) : "";
}

const char *access_get_name(world_o *w, shoal_entity e, bool reads_queue) {
  const entities_t *entities = world_entities(w);
  if (entities_is_last_dead(entities, e))
    return strings_text(world_strings(w), entities->state[shoal_entity_index(e)]);
  const manager_o *m = world_find_manager(w, "name");
  int32_t column = m ? schema_find_field(&m->schema, "value") : -1;
  if (column < 0 || !entities_is_alive(entities, e))
    return "";
  bool is_queued = reads_queue && world_is_queued(w, e);
  uint32_t row = is_queued ? queued_row(w, e, m->id) : manager_row(m, e);
  m = is_queued ? queued_manager(w, m->id) : m;
  return row != ROW_NONE ? strings_text(world_strings(w), ((const uint32_t *)m->data[column])[row]) : "";
}
