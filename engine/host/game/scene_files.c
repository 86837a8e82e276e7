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

#define MAX_KEPT 64u // maximum number of files per tick
// suffix of the copy of an unreadable file that is about to be replaced (scripts/shoal/kit/settings.lua)
#define COPY_END ".kept"

typedef struct kept_t {
  char name[64];
  char *text;
  size_t bytes;
} kept_t;

struct scene_files_o {
  allocator_t memory;
  const game_o *game; // borrowed; determines the saves folder
  external_o *external;
  ARRAY(kept_t) kept;
  struct {
    char *text;
    size_t bytes;
  } read;              // the last text read, if there is no `external`
  ARRAY(char) unsaved; // names of scenes, each ending with '\0'
  char uncopied[64];   // name of a file whose copy NAME.kept could not be written; the file is therefore not replaced
};

scene_files_o *scene_files_create(const game_o *game, external_o *external) {
  shoal_assert(game, "game is NULL");
  allocator_t memory = {0};
  scene_files_o *s = alloc_resize(&memory, NULL, 0, sizeof *s);
  *s = (scene_files_o){.memory = memory, .game = game, .external = external};
  return s;
}

static void free_stored_text(scene_files_o *s, uint32_t i) {
  alloc_resize(&s->memory, s->kept.items[i].text, s->kept.items[i].bytes + 1, 0);
}

void scene_files_discard(scene_files_o *s) {
  for (uint32_t i = 0; i < s->kept.count; ++i)
    free_stored_text(s, i);
  s->kept.count = 0;
}

static void free_read_text(scene_files_o *s) {
  file_free(&s->memory, s->read.text, s->read.bytes);
  s->read.text = NULL;
  s->read.bytes = 0;
}

void scene_files_destroy(scene_files_o *s) {
  if (!s)
    return;
  scene_files_discard(s);
  free_read_text(s);
  array_free(&s->memory, &s->kept);
  array_free(&s->memory, &s->unsaved);
  allocator_t memory = s->memory;
  alloc_resize(&memory, s, sizeof *s, 0);
  shoal_assert(memory.bytes == 0, "scene files leaked %zu bytes", memory.bytes);
}

// --- functions for scripts

// Stores a copy of the text, to be written when the tick ends. Replaces a text stored under the same name.
bool scene_files_store(scene_files_o *s, const char *name, const char *text, size_t bytes, error_info_t *error) {
  uint32_t i = 0;
  while (i < s->kept.count && strcmp(s->kept.items[i].name, name) != 0)
    i++;
  if (i == MAX_KEPT)
    return error_set(error, "too many scene files in one tick (at most %u): write some of them in later ticks",
                     MAX_KEPT);
  kept_t made = {.bytes = bytes};
  if (i < s->kept.count)
    free_stored_text(s, i);
  else
    array_push(&s->memory, &s->kept, made);
  snprintf(made.name, sizeof made.name, "%s", name);
  made.text = alloc_resize(&s->memory, NULL, 0, bytes + 1);
  memcpy(made.text, text, bytes);
  made.text[bytes] = '\0';
  s->kept.items[i] = made;
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
  char path[PATH_MAX_BYTES + 80], hint[SIMILAR_MAX + 32];
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

// Reads a file without recording it, for games without `external` (trial games).
static const char *fetch_directly(scene_files_o *s, const char *name, size_t *bytes, error_info_t *error) {
  void *text = NULL;
  free_read_text(s);
  if (!read_file(s, name, &s->memory, &text, &s->read.bytes, error))
    return NULL;
  s->read.text = text;
  *bytes = s->read.bytes;
  return text;
}

// Returns the text that this tick has stored under the name; NULL if missing. It is not external input: a replay
// stores the same text.
static const char *find_stored_text(const scene_files_o *s, const char *name, size_t *bytes) {
  for (uint32_t i = 0; i < s->kept.count; ++i)
    if (strcmp(s->kept.items[i].name, name) == 0) {
      *bytes = s->kept.items[i].bytes;
      return s->kept.items[i].text;
    }
  return NULL;
}

const char *scene_files_fetch(scene_files_o *s, const char *name, size_t *bytes, error_info_t *error) {
  const char *stored = find_stored_text(s, name, bytes);
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
  if (path_ends_with(name, COPY_END))
    snprintf(s->uncopied, sizeof s->uncopied, "%.*s", (int)(strlen(name) - strlen(COPY_END)), name);
}

bool scene_files_write_next(scene_files_o *s, bool skip, char *name, size_t bytes, error_info_t *error) {
  char path[PATH_MAX_BYTES + 80];
  error->text[0] = '\0';
  if (s->kept.count == 0)
    return false;
  const kept_t *kept = &s->kept.items[0];
  snprintf(name, bytes, "%s", kept->name);
  bool wanted = !skip && strcmp(kept->name, s->uncopied) != 0;
  if (wanted && save_slots_prepare(s->game, kept->name, ".json", path, sizeof path, error) &&
      !file_write(path, kept->text, kept->bytes, error))
    record_uncopied(s, kept->name);
  free_stored_text(s, 0);
  s->kept.count--;
  memmove(s->kept.items, s->kept.items + 1, s->kept.count * sizeof *s->kept.items);
  return true;
}

void scene_files_add_unsaved(scene_files_o *s, const char *name) {
  for (const char *at = name; at == name || at[-1]; ++at)
    array_push(&s->memory, &s->unsaved, *at);
}

bool scene_files_is_unsaved(const scene_files_o *s, const char *name, size_t length) {
  for (uint32_t i = 0; i < s->unsaved.count; i += (uint32_t)strlen(&s->unsaved.items[i]) + 1)
    if (strlen(&s->unsaved.items[i]) == length && memcmp(&s->unsaved.items[i], name, length) == 0)
      return true;
  return false;
}

bool scene_files_has_unsaved(const scene_files_o *s) {
  return s->unsaved.count > 0;
}

enum { NOT_OPEN, ALONE, LAYER };

// Returns how the scene was opened, or NOT_OPEN. The column `current` of shoal.scene has one line per open scene: the
// first was started by world.scene, the others by world.open (scripts/shoal/kit/scene.lua).
static int find_open_status(world_o *w, const char *scene) {
  const manager_o *m = world_find_manager(w, "shoal.scene");
  int32_t column = m ? manager_find_column(m, "current") : -1;
  if (column < 0)
    return NOT_OPEN;
  const char *text = strings_text(world_strings(w), (uint32_t)columns_get(&m->columns, 0, (uint32_t)column));
  for (const char *line = text;; ++line) {
    size_t bytes = strcspn(line, "\n");
    if (bytes == strlen(scene) && bytes > 0 && memcmp(line, scene, bytes) == 0)
      return line == text ? ALONE : LAYER;
    line += bytes;
    if (*line == '\0')
      return NOT_OPEN;
  }
}

uint32_t scene_files_apply_change(scene_files_o *s, const char *file, sources_o *before, sources_o *now,
                                  const scene_listener_t *to, uint32_t *kept) {
  char scene[128] = "", ignored[2048] = "";
  scene_update_t f = {.file = file, .scene = scene, .to = *to};
  sscanf(file, "scenes/%127[^.]", scene);
  vm_list_ignored_components(s->game->vm, ignored, sizeof ignored);
  f.before = (scene_desc_t){.ignored = ignored};
  f.now = f.before;
  f.before.text = sources_read_text(before, file, &f.before.text_bytes, NULL);
  f.now.text = sources_read_text(now, file, &f.now.text_bytes, NULL);
  int how = find_open_status(s->game->world, scene);
  if (how == NOT_OPEN)
    return 0;
  f.is_layer = how == LAYER;
  bool is_text = path_ends_with(file, ".json");
  if (!is_text || !scene_update(s->game->world, &f, &s->memory)) {
    char line[512];
    snprintf(line, sizeof line,
             f.is_layer
                 ? "%.128s takes effect when the scene \"%.128s\" is closed and opened again (world.close, world.open)"
                 : "%.128s takes effect when world.scene(\"%.128s\") starts the scene again",
             file, scene);
    to->log_delayed(to->context, line);
  }
  *kept = f.kept;
  return f.entities;
}

bool scene_files_export(world_o *world, const char *path, error_info_t *error) {
  allocator_t memory = {0};
  ARRAY(shoal_entity) all = {0};
  const entities_t *s = world_entities(world);
  size_t bytes = 0;
  for (uint32_t i = 1; i < s->used; ++i)
    if (s->alive[i])
      array_push(&memory, &all, i | (shoal_entity)s->generation[i] << SHOAL_ENTITY_INDEX_BITS);
  char *text = scene_write(world, all.items, all.count, &memory, &bytes, error);
  bool ok = text && file_write(path, text, bytes, error);
  if (text)
    file_free(&memory, text, bytes);
  array_free(&memory, &all);
  return ok;
}
