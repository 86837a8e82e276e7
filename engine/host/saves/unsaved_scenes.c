// Finds unsaved scenes in the singleton shoal.scene, which lists the open scenes (scripts/shoal/kit/scene.lua), and
// their entities by the component in_scene, which names the scene of each entity.
#include "saves/unsaved_scenes.h"

#include "base/assert.h"
#include "snapshot/state.h"

#include <stdio.h>
#include <string.h>

static manager_o *find_manager(const game_o *g, const char *name, schema_kind_t kind) {
  manager_o *m = world_find_manager(g->world, name);
  return m && m->schema.kind == kind ? m : NULL;
}

static bool is_unsaved_line(const game_o *g, const char *line, size_t length) {
  if (length > 0 && (line[0] == '+' || line[0] == '-'))
    ++line, --length;
  return scene_files_is_unsaved(g->scene_files, line, length);
}

// Copies all lines of `text` except lines that name an unsaved scene to `out`, which must be large enough for the whole
// text. The first line, which names the scene of world.scene, becomes empty instead. Returns true if a line was
// omitted.
static bool copy_saved_lines(const game_o *g, const char *text, char *out) {
  bool omitted = false;
  for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    size_t length = strcspn(line, "\n");
    bool is_unsaved = is_unsaved_line(g, line, length);
    omitted |= is_unsaved;
    if (is_unsaved)
      continue;
    if (line != text)
      *out++ = '\n';
    memcpy(out, line, length);
    out += length;
  }
  *out = '\0';
  return omitted;
}

// Returns true if a list of shoal.scene names an unsaved scene. If `removes` is true, removes unsaved scenes from the
// lists.
static bool filter_scene_lists(game_o *g, bool removes) {
  manager_o *m = find_manager(g, "shoal.scene", SCHEMA_SINGLE);
  bool found = false;
  for (uint32_t field = 0; m && field < m->schema.field_count; ++field) {
    strings_o *strings = world_strings(g->world);
    uint32_t id = (uint32_t)columns_get(&m->columns, 0, field);
    size_t bytes = strings_length(strings, id) + 2;
    char *saved_text = alloc_resize(&g->memory, NULL, 0, bytes);
    if (field_is_text(&m->schema.fields[field]) && copy_saved_lines(g, strings_text(strings, id), saved_text)) {
      found = true;
      if (removes)
        columns_set(&m->columns, 0, field, strings_intern(strings, saved_text));
    }
    alloc_resize(&g->memory, saved_text, bytes, 0);
  }
  return found;
}

// Returns an entity of an unsaved scene, or SHOAL_ENTITY_NONE if no such entity exists.
static shoal_entity find_unsaved_entity(const game_o *g) {
  const manager_o *m = find_manager(g, "in_scene", SCHEMA_COMPONENT);
  const strings_o *strings = world_strings(g->world);
  int32_t column = m ? schema_find_field(&m->schema, "name") : -1;
  for (uint32_t row = 0; column >= 0 && row < m->count; ++row) {
    uint32_t id = (uint32_t)columns_get(&m->columns, row, (uint32_t)column);
    if (scene_files_is_unsaved(g->scene_files, strings_text(strings, id), strings_length(strings, id)))
      return m->owner[row];
  }
  return SHOAL_ENTITY_NONE;
}

void unsaved_scenes_close(game_o *g) {
  shoal_assert(!world_is_deferring(g->world), "cannot close scenes while commands are deferred");
  // Each search starts at the first row, because destroying an entity moves rows and may destroy further entities.
  for (shoal_entity e; (e = find_unsaved_entity(g)) != SHOAL_ENTITY_NONE;)
    world_destroy_entity(g->world, e);
  filter_scene_lists(g, true);
}

snapshot_o *unsaved_scenes_detach(game_o *g, error_info_t *error) {
  if (!scene_files_has_unsaved(g->scene_files) ||
      (find_unsaved_entity(g) == SHOAL_ENTITY_NONE && !filter_scene_lists(g, false)))
    return NULL;
  snapshot_o *snapshot = snapshot_create(&g->memory);
  if (snapshot_take(snapshot, g->world, error)) {
    unsaved_scenes_close(g);
    return snapshot;
  }
  snapshot_release(snapshot);
  return NULL;
}

void unsaved_scenes_restore(game_o *g, snapshot_o *snapshot) {
  if (!snapshot)
    return;
  bool restored = snapshot_restore(snapshot, g->world, NULL);
  shoal_assert(restored, "the world before the save cannot be restored");
  (void)restored;
  snapshot_release(snapshot);
}
