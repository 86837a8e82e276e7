#include "host/scenes.h"

#include "base/array.h"
#include "base/files.h"
#include "host/keep.h"
#include "host/places.h"
#include "tools/scene.h"

#include <stdio.h>
#include <string.h>

#define MOST_KEPT 64u // of one tick

typedef struct kept_t {
  char name[64];
  char *text;
  size_t bytes;
} kept_t;

struct scenes_o {
  allocator_t memory;
  world_o *world;
  const char *folder;
  ARRAY(kept_t) kept;
};

scenes_o *scenes_create(world_o *world, const char *game_folder) {
  allocator_t memory = {0};
  scenes_o *s = alloc_resize(&memory, NULL, 0, sizeof *s);
  *s = (scenes_o){.memory = memory, .world = world, .folder = game_folder};
  return s;
}

static void free_kept(scenes_o *s, uint32_t i) {
  alloc_resize(&s->memory, s->kept.items[i].text, s->kept.items[i].bytes, 0);
}

void scenes_forget(scenes_o *s) {
  for (uint32_t i = 0; i < s->kept.count; i++)
    free_kept(s, i);
  s->kept.count = 0;
}

void scenes_destroy(scenes_o *s) {
  if (!s)
    return;
  scenes_forget(s);
  array_free(&s->memory, &s->kept);
  allocator_t memory = s->memory;
  alloc_resize(&memory, s, sizeof *s, 0);
}

// --- the port

static char *write_text(void *context, const shoal_entity *entities, uint32_t count, size_t *bytes, error_t *error) {
  scenes_o *s = context;
  return scene_write(s->world, entities, count, &s->memory, bytes, error);
}

static bool read_text(void *context, const scene_ask_t *ask, scene_made_t *out, scene_fault_t *fault) {
  scenes_o *s = context;
  return scene_read(s->world, ask, &s->memory, out, fault);
}

// A name twice is the same file: the later text is meant.
static bool keep(void *context, const char *name, const char *text, size_t bytes, error_t *error) {
  scenes_o *s = context;
  uint32_t i = 0;
  while (i < s->kept.count && strcmp(s->kept.items[i].name, name) != 0)
    i++;
  if (i == MOST_KEPT)
    return error_set(error, "more than %u files in one tick", MOST_KEPT);
  kept_t made = {.bytes = bytes};
  if (i < s->kept.count)
    free_kept(s, i);
  else
    array_push(&s->memory, &s->kept, made);
  snprintf(made.name, sizeof made.name, "%s", name);
  made.text = alloc_resize(&s->memory, NULL, 0, bytes);
  memcpy(made.text, text, bytes);
  s->kept.items[i] = made;
  return true;
}

static char *fetch(void *context, const char *name, size_t *bytes, error_t *error) {
  scenes_o *s = context;
  char path[PLACES_PATH_MAX + 80];
  return keep_path(s->folder, name, ".json", path, sizeof path, error) ? file_read(&s->memory, path, bytes, error)
                                                                       : NULL;
}

static void release(void *context, char *text, size_t bytes) {
  scenes_o *s = context;
  file_free(&s->memory, text, bytes);
}

static void release_made(void *context, scene_made_t *made) {
  scenes_o *s = context;
  scene_made_fini(made, &s->memory);
}

scene_port_t scenes_port(scenes_o *s) {
  return (scene_port_t){.context = s,
                        .write = write_text,
                        .read = read_text,
                        .keep = keep,
                        .fetch = fetch,
                        .release = release,
                        .release_made = release_made};
}

// --- files

bool scenes_write_next(scenes_o *s, char *name, size_t bytes, error_t *error) {
  char path[PLACES_PATH_MAX + 80];
  error->text[0] = '\0';
  if (s->kept.count == 0)
    return false;
  const kept_t *kept = &s->kept.items[0];
  snprintf(name, bytes, "%s", kept->name);
  if (keep_path(s->folder, kept->name, ".json", path, sizeof path, error))
    file_write(path, kept->text, kept->bytes, error);
  free_kept(s, 0);
  s->kept.count--;
  memmove(s->kept.items, s->kept.items + 1, s->kept.count * sizeof *s->kept.items);
  return true;
}

bool scenes_export(world_o *world, const char *path, error_t *error) {
  allocator_t memory = {0};
  ARRAY(shoal_entity) all = {0};
  const entities_t *s = world_entities(world);
  size_t bytes = 0;
  for (uint32_t i = 1; i < s->used; i++)
    if (s->alive[i])
      array_push(&memory, &all, i | (shoal_entity)s->generation[i] << SHOAL_ENTITY_INDEX_BITS);
  char *text = scene_write(world, all.items, all.count, &memory, &bytes, error);
  bool fine = text && file_write(path, text, bytes, error);
  if (text)
    file_free(&memory, text, bytes);
  array_free(&memory, &all);
  return fine;
}
