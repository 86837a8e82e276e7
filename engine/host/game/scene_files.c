// Scene files next to the saves: written at the end of the tick, read through time/external_input.h.
#include "game/scene_files.h"

#include "base/assert.h"
#include "base/array.h"
#include "base/files.h"
#include "base/nearest_name.h"
#include "game/game.h"
#include "game/save_slots.h"
#include "platform/paths.h"
#include "store/scene.h"

#include <stdio.h>
#include <string.h>

#define MAX_STORED 64u // maximum number of files per tick
// Suffix of the copy of an unreadable file, made before the file is replaced (scripts/shoal/kit/settings.lua).
#define COPY_SUFFIX ".kept"

typedef struct stored_file_t {
  char name[64];
  char *text;
  size_t bytes;
} stored_file_t;

struct scene_files_o {
  allocator_t memory;
  const game_o *game; // borrowed game, which determines the saves folder
  external_o *external;
  ARRAY(stored_file_t) stored;
  struct {
    char *text;
    size_t bytes;
  } last_read;                // most recently read text; used if `external` is NULL
  ARRAY(char) unsaved_scenes; // names of scenes, each ending with '\0'
  char uncopied_file[64]; // name of a file that must not be replaced, because its copy NAME.kept could not be written
};

scene_files_o *scene_files_create(const game_o *game, external_o *external) {
  shoal_assert(game, "game is NULL");
  allocator_t memory = {0};
  scene_files_o *s = alloc_resize(&memory, NULL, 0, sizeof *s);
  *s = (scene_files_o){.memory = memory, .game = game, .external = external};
  return s;
}

static void free_stored_text(scene_files_o *s, uint32_t i) {
  alloc_resize(&s->memory, s->stored.items[i].text, s->stored.items[i].bytes + 1, 0);
}

void scene_files_discard(scene_files_o *s) {
  for (uint32_t i = 0; i < s->stored.count; ++i)
    free_stored_text(s, i);
  s->stored.count = 0;
}

static void free_read_text(scene_files_o *s) {
  file_free(&s->memory, s->last_read.text, s->last_read.bytes);
  s->last_read.text = NULL;
  s->last_read.bytes = 0;
}

void scene_files_destroy(scene_files_o *s) {
  if (!s)
    return;
  scene_files_discard(s);
  free_read_text(s);
  array_free(&s->memory, &s->stored);
  array_free(&s->memory, &s->unsaved_scenes);
  allocator_t memory = s->memory;
  alloc_resize(&memory, s, sizeof *s, 0);
  shoal_assert(memory.bytes == 0, "scene files leaked %zu bytes", memory.bytes);
}

// --- functions for scripts

static uint32_t find_stored(const scene_files_o *s, const char *name) {
  uint32_t i = 0;
  while (i < s->stored.count && strcmp(s->stored.items[i].name, name) != 0)
    i++;
  return i;
}

bool scene_files_store(scene_files_o *s, const char *name, const char *text, size_t bytes, error_info_t *error) {
  uint32_t i = find_stored(s, name);
  if (i == MAX_STORED)
    return error_set(error, "too many scene files in one tick (at most %u): write some of them in later ticks",
                     MAX_STORED);
  stored_file_t file = {.bytes = bytes};
  if (i < s->stored.count)
    free_stored_text(s, i);
  else
    array_push(&s->memory, &s->stored, file);
  snprintf(file.name, sizeof file.name, "%s", name);
  file.text = alloc_resize(&s->memory, NULL, 0, bytes + 1);
  memcpy(file.text, text, bytes);
  file.text[bytes] = '\0';
  s->stored.items[i] = file;
  return true;
}

// Pseudo file with the preferred languages of the player's system.
static const char LOCALES[] = "game.settings.locale";

static bool read_locales(const scene_files_o *s, allocator_t *a, void **bytes, size_t *size) {
  char locales[128] = "";
  if (!s->game->desc.headless)
    platform_list_locales(locales, sizeof locales);
  *size = strlen(locales);
  *bytes = alloc_resize(a, NULL, 0, *size + 1);
  memcpy(*bytes, locales, *size + 1);
  return true;
}

static bool read_file(void *context, const char *name, allocator_t *a, void **bytes, size_t *size,
                      error_info_t *error) {
  const scene_files_o *s = context;
  char path[PATH_MAX_BYTES + 80], hint[NEAREST_NAME_MAX_BYTES + 32];
  *bytes = NULL;
  if (strcmp(name, LOCALES) == 0)
    return read_locales(s, a, bytes, size);
  if (!save_slots_path(s->game, name, ".json", path, sizeof path, error))
    return false;
  if (!path_exists(path))
    return error_set(error, "%s.json not found among the saves: write it with world.export%s", name,
                     save_slots_hint(path, name, ".json", hint));
  *bytes = file_read_limited(a, path, SCENE_MAX_BYTES, size, error);
  return *bytes != NULL;
}

// Reads a file without recording it, for games without `external`. Returns the text, or NULL with an error.
static const char *fetch_directly(scene_files_o *s, const char *name, size_t *bytes, error_info_t *error) {
  void *text = NULL;
  free_read_text(s);
  if (!read_file(s, name, &s->memory, &text, &s->last_read.bytes, error))
    return NULL;
  s->last_read.text = text;
  *bytes = s->last_read.bytes;
  return text;
}

const char *scene_files_get_stored(const scene_files_o *s, const char *name, size_t *bytes) {
  uint32_t i = find_stored(s, name);
  if (i == s->stored.count)
    return NULL;
  *bytes = s->stored.items[i].bytes;
  return s->stored.items[i].text;
}

static void remove_stored(scene_files_o *s, uint32_t i) {
  free_stored_text(s, i);
  s->stored.count--;
  memmove(s->stored.items + i, s->stored.items + i + 1, (s->stored.count - i) * sizeof *s->stored.items);
}

void scene_files_drop(scene_files_o *s, const char *name) {
  uint32_t i = find_stored(s, name);
  if (i < s->stored.count)
    remove_stored(s, i);
}

const char *scene_files_fetch(scene_files_o *s, const char *name, size_t *bytes, error_info_t *error) {
  // A text that scripts stored in this tick is not external input: a replay stores the same text.
  const char *stored = scene_files_get_stored(s, name, bytes);
  if (stored)
    return stored;
  if (!s->external)
    return fetch_directly(s, name, bytes, error);
  const external_result_t *result = external_request(s->external, EXTERNAL_SCENE, name, read_file, s);
  if (!result->found) {
    error_set(error, "%.*s", (int)(result->size < 1000 ? result->size : 1000), (const char *)result->bytes);
    return NULL;
  }
  *bytes = result->size;
  return (const char *)result->bytes;
}

// --- files

static void record_uncopied(scene_files_o *s, const char *name) {
  if (path_ends_with(name, COPY_SUFFIX))
    snprintf(s->uncopied_file, sizeof s->uncopied_file, "%.*s", (int)(strlen(name) - strlen(COPY_SUFFIX)), name);
}

bool scene_files_write_next(scene_files_o *s, bool skip, char *name, size_t bytes, error_info_t *error) {
  char path[PATH_MAX_BYTES + 80];
  error->text[0] = '\0';
  if (s->stored.count == 0)
    return false;
  const stored_file_t *file = &s->stored.items[0];
  snprintf(name, bytes, "%s", file->name);
  bool should_write = !skip && strcmp(file->name, s->uncopied_file) != 0;
  if (should_write && save_slots_prepare(s->game, file->name, ".json", path, sizeof path, error) &&
      !file_write(path, file->text, file->bytes, error))
    record_uncopied(s, file->name);
  remove_stored(s, 0);
  return true;
}

void scene_files_add_unsaved(scene_files_o *s, const char *name) {
  for (const char *character = name; character == name || character[-1]; ++character)
    array_push(&s->memory, &s->unsaved_scenes, *character);
}

bool scene_files_is_unsaved(const scene_files_o *s, const char *name, size_t length) {
  for (uint32_t i = 0; i < s->unsaved_scenes.count; i += (uint32_t)strlen(&s->unsaved_scenes.items[i]) + 1)
    if (strlen(&s->unsaved_scenes.items[i]) == length && memcmp(&s->unsaved_scenes.items[i], name, length) == 0)
      return true;
  return false;
}

bool scene_files_has_unsaved(const scene_files_o *s) {
  return s->unsaved_scenes.count > 0;
}

enum { NOT_OPEN, OPEN_ALONE, OPEN_AS_LAYER };

// Returns OPEN_ALONE or OPEN_AS_LAYER if the scene is open, otherwise NOT_OPEN. The column `current` of shoal.scene has
// one line per open scene: the first scene was started by world.scene, the other scenes by world.open
// (scripts/shoal/kit/scene.lua).
static int find_open_status(world_o *w, const char *scene) {
  const manager_o *m = world_find_manager(w, "shoal.scene");
  int32_t column = m ? manager_find_column(m, "current") : -1;
  if (column < 0)
    return NOT_OPEN;
  const char *text = strings_text(world_strings(w), (uint32_t)columns_get(&m->columns, 0, (uint32_t)column));
  for (const char *line = text;; ++line) {
    size_t bytes = strcspn(line, "\n");
    if (bytes == strlen(scene) && bytes > 0 && memcmp(line, scene, bytes) == 0)
      return line == text ? OPEN_ALONE : OPEN_AS_LAYER;
    line += bytes;
    if (*line == '\0')
      return NOT_OPEN;
  }
}

uint32_t scene_files_apply_change(scene_files_o *s, const char *file, sources_o *old_sources, sources_o *new_sources,
                                  const scene_listener_t *listener, uint32_t *kept_values) {
  char scene[128] = "", ignored[2048] = "";
  scene_update_t update = {.file = file, .scene = scene, .listener = *listener};
  sscanf(file, "scenes/%127[^.]", scene);
  vm_list_ignored_components(s->game->vm, ignored, sizeof ignored);
  update.old_version = (scene_desc_t){.ignored = ignored};
  update.new_version = update.old_version;
  update.old_version.text = sources_read_text(old_sources, file, &update.old_version.text_bytes, NULL);
  update.new_version.text = sources_read_text(new_sources, file, &update.new_version.text_bytes, NULL);
  int status = find_open_status(s->game->world, scene);
  if (status == NOT_OPEN)
    return 0;
  update.is_layer = status == OPEN_AS_LAYER;
  bool is_text = path_ends_with(file, ".json");
  if (!is_text || !scene_update(s->game->world, &update, &s->memory)) {
    char line[512];
    snprintf(line, sizeof line,
             update.is_layer
                 ? "%.128s takes effect when the scene \"%.128s\" is closed and opened again (world.close, world.open)"
                 : "%.128s takes effect when world.scene(\"%.128s\") starts the scene again",
             file, scene);
    listener->log_delayed(listener->context, line);
  }
  *kept_values = update.kept_values;
  return update.changed_entities;
}

bool scene_files_export(world_o *world, const char *path, error_info_t *error) {
  allocator_t memory = {0};
  ARRAY(shoal_entity) entities = {0};
  const entities_t *slots = world_entities(world);
  size_t bytes = 0;
  for (uint32_t i = 1; i < slots->used; ++i)
    if (slots->alive[i])
      array_push(&memory, &entities, i | (shoal_entity)slots->generation[i] << SHOAL_ENTITY_INDEX_BITS);
  char *text = scene_write(world, entities.items, entities.count, &memory, &bytes, error);
  bool ok = text && file_write(path, text, bytes, error);
  if (text)
    file_free(&memory, text, bytes);
  array_free(&memory, &entities);
  return ok;
}
