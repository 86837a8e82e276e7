// Functions that the writer and the reader of scenes share: templates of states, vectors, and names of entities.
#include "store/scene.h"

#include "base/assert.h"
#include "store/scene_internal.h"

#include <string.h>

uint32_t scene_resolve_state(world_o *w, uint32_t assemblage, uint32_t state) {
  if (assemblage == 0)
    return 0;
  bool is_valid = state != 0 && world_assemblage_has_state(w, assemblage, state);
  return is_valid ? state : world_assemblage_state_name(w, assemblage, 0);
}

const assemblage_part_t *scene_find_part(const scene_parts_t *parts, uint32_t manager, uint32_t instance) {
  for (uint32_t i = 0; i < parts->count; ++i)
    if (parts->items[i].manager == manager && parts->items[i].instance == instance)
      return &parts->items[i];
  return NULL;
}

void scene_list_parts(const world_o *w, uint32_t assemblage, uint32_t state, allocator_t *a, scene_parts_t *out) {
  shoal_assert(assemblage <= world_assemblage_count(w), "assemblage %u is out of range (count %u)", assemblage,
               world_assemblage_count(w));
  assemblage_part_t part;
  out->count = 0;
  for (uint32_t i = 0; assemblage != 0 && world_assemblage_get_part(w, assemblage, i, &part); ++i)
    if (part.state == 0 || part.state == state) {
      uint32_t index = 0;
      while (index < out->count &&
             (out->items[index].manager != part.manager || out->items[index].instance != part.instance))
        ++index;
      if (index == out->count)
        array_push(a, out, part);
      else
        out->items[index] = part;
    }
}

uint32_t scene_count_field_columns(const schema_t *s, uint32_t column, size_t *base_bytes) {
  shoal_assert(column < s->field_count, "column %u of %s is out of range (count %u)", column, s->name, s->field_count);
  if (s->fields[column].flags & FIELD_IS_COUNT) {
    *base_bytes = field_base_bytes(&s->fields[column]);
    return 1 + schema_list_capacity(s, column);
  }
  static const char AXES[] = "xyzw";
  const char *dot = s->fields[column].flags & FIELD_IS_AXIS ? strrchr(s->fields[column].name, '.') : NULL;
  uint32_t count = 1;
  *base_bytes = dot ? (size_t)(dot - s->fields[column].name) : strlen(s->fields[column].name);
  for (; dot && count < 4 && column + count < s->field_count; ++count) {
    const char *name = s->fields[column + count].name;
    if (strncmp(name, s->fields[column].name, *base_bytes + 1) != 0 || name[*base_bytes + 1] != AXES[count])
      break;
  }
  return count;
}

void scene_ids_push(scene_ids_t *ids, allocator_t *a, shoal_entity entity, const char *id) {
  scene_id_t entry = {entity, ids->text.count};
  array_push(a, &ids->list, entry);
  do
    array_push(a, &ids->text, *id);
  while (*id++);
}

void scene_ids_fini(scene_ids_t *ids, allocator_t *a) {
  array_free(a, &ids->list);
  array_free(a, &ids->text);
}

void scene_spawned_fini(scene_spawned_t *spawned, allocator_t *a) {
  array_free(a, spawned);
  scene_ids_fini(&spawned->ids, a);
  array_free(a, &spawned->unresolved);
  array_free(a, &spawned->skipped);
}
