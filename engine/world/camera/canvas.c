// Lists canvases and reports errors in them.
#include "camera/canvas.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/nearest_name.h"
#include "components/name.h"
#include "components/data_components.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool canvas_declare(world_o *w, error_info_t *error) {
  return builtin_declare(w, &canvas_component, error) && builtin_declare(w, &camera_layers_component, error);
}

void canvases_fini(canvases_t *c) {
  array_free(&c->allocator, &c->logged);
  shoal_assert(c->allocator.bytes == 0, "canvases leaked %zu bytes", c->allocator.bytes);
  c->count = 0;
}

static void warn_once(canvases_t *canvases, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn_once(canvases_t *canvases, const char *format, ...) {
  char line[320];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (canvases->log && !log_is_muted(canvases->log) &&
      log_once_add(&canvases->logged, &canvases->allocator, hash_text(line), CANVASES_MAX_WARNINGS))
    log_warn(canvases->log, "%s", line);
}

// --- list

static const canvas_t *find_canvas(const canvases_t *c, const char *name) {
  for (uint32_t i = 0; i < c->count; ++i)
    if (strcmp(c->items[i].name, name) == 0)
      return &c->items[i];
  return NULL;
}

// Clamps a side that is too large, with a warning. Returns true on success, or false after a warning if the side is not
// positive.
static bool clamp_side(canvases_t *canvases, const char *entity_name, const char *field, int32_t *pixels) {
  if (*pixels < 1) {
    warn_once(canvases, "%s: canvas.%s must be from 1 to %d pixels, got %d: the canvas is not drawn", entity_name,
              field, CANVAS_MAX_SIDE, *pixels);
    return false;
  }
  if (*pixels > CANVAS_MAX_SIDE) {
    warn_once(canvases, "%s: canvas.%s must be at most %d pixels, got %d: the canvas is drawn with %d pixels",
              entity_name, field, CANVAS_MAX_SIDE, *pixels, CANVAS_MAX_SIDE);
    *pixels = CANVAS_MAX_SIDE;
  }
  return true;
}

static bool check_name(canvases_t *canvases, world_o *w, const char *entity_name, const char *name) {
  const canvas_t *existing = find_canvas(canvases, name);
  char label[NAME_DESCRIPTION_MAX];
  if (!name[0])
    warn_once(canvases,
              "%s: the canvas has no name: set name = \"map\" to show it in sprites with image = \"" CANVAS_IMAGE
              "map\"",
              entity_name);
  else if (strlen(name) >= CANVAS_NAME_MAX)
    warn_once(canvases, "%s: canvas.name \"%.40s…\" is too long: %zu bytes (at most %u): the canvas is not drawn",
              entity_name, name, strlen(name), CANVAS_NAME_MAX - 1);
  else if (existing)
    warn_once(canvases, "%s: the canvas of %s is also named \"%s\": rename one of them; this canvas is not drawn",
              entity_name, name_describe(w, existing->camera, label, sizeof label), name);
  return name[0] && strlen(name) < CANVAS_NAME_MAX && !existing;
}

// Inserts the canvas so that the list stays sorted by `order`, after canvases with the same `order`.
static void insert_canvas(canvases_t *c, const canvas_t *canvas) {
  uint32_t position = c->count++;
  for (; position > 0 && c->items[position - 1].order > canvas->order; --position)
    c->items[position] = c->items[position - 1];
  c->items[position] = *canvas;
}

static bool is_active(world_o *w, const manager_o *camera, uint32_t row) {
  return camera_columns_of(camera).enabled[row] && !world_is_disabled(w, camera->owner[row], camera->id);
}

static void add_canvas(canvases_t *canvases, world_o *w, const manager_o *manager, uint32_t row) {
  canvas_columns columns = canvas_columns_of(manager);
  char entity_name[NAME_DESCRIPTION_MAX];
  const manager_o *camera = world_find_manager(w, "camera");
  canvas_t canvas = {.camera = manager->owner[row]};
  canvas.row = camera ? manager_row(camera, canvas.camera) : ROW_NONE;
  name_describe(w, canvas.camera, entity_name, sizeof entity_name);
  const char *name = strings_text(world_strings(w), columns.name[row]);
  if (canvas.row == ROW_NONE) {
    warn_once(canvases, "%s: the canvas has no camera: add camera = {} to the entity", entity_name);
    return;
  }
  if (!check_name(canvases, w, entity_name, name))
    return;
  if (canvases->count == CANVASES_MAX) {
    warn_once(canvases, "%s: too many canvases (at most %u): remove one; this canvas is not drawn", entity_name,
              CANVASES_MAX);
    return;
  }
  snprintf(canvas.name, sizeof canvas.name, "%s", name);
  canvas.width = columns.width[row];
  canvas.height = columns.height[row];
  canvas.order = columns.order[row];
  canvas.filter = (canvas_filter_t)columns.filter[row];
  canvas.enabled = clamp_side(canvases, entity_name, "width", &canvas.width) &&
                   clamp_side(canvases, entity_name, "height", &canvas.height) && is_active(w, camera, canvas.row);
  insert_canvas(canvases, &canvas);
}

void canvases_list(canvases_t *c, world_o *w) {
  const manager_o *m = w ? builtin_find(w, "canvas") : NULL;
  c->count = 0;
  c->log = w ? world_log(w) : NULL;
  for (uint32_t row = 0; m && row < m->count; ++row)
    if (!world_is_disabled(w, m->owner[row], m->id))
      add_canvas(c, w, m, row);
}

// --- references to canvases

bool canvas_is_reference(const char *image) {
  return strncmp(image, CANVAS_IMAGE, sizeof CANVAS_IMAGE - 1) == 0;
}

uint32_t canvases_find(canvases_t *canvases, const char *image) {
  shoal_assert(canvas_is_reference(image), "%s is not a canvas name", image);
  const char *name = image + sizeof CANVAS_IMAGE - 1;
  nearest_name_t nearest;
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < canvases->count; ++i) {
    if (strcmp(canvases->items[i].name, name) == 0)
      return i;
    nearest_name_offer(&nearest, canvases->items[i].name);
  }
  warn_once(canvases, "%s: unknown canvas%s", image, nearest_name_hint(&nearest, hint, sizeof hint));
  return CANVASES_MAX;
}

void canvases_warn_own_camera(canvases_t *c, uint32_t index) {
  shoal_assert(index < c->count, "canvas %u is out of range (count %u)", index, c->count);
  warn_once(c, CANVAS_IMAGE "%s: the camera of a canvas cannot draw that canvas: exclude the sprite with camera_layers",
            c->items[index].name);
}

void camera_layers_read(world_o *w, shoal_entity camera, int32_t *first, int32_t *last) {
  const manager_o *manager = camera ? builtin_find(w, "camera_layers") : NULL;
  uint32_t row = manager ? manager_row(manager, camera) : ROW_NONE;
  *first = INT32_MIN;
  *last = INT32_MAX;
  if (row == ROW_NONE || world_is_disabled(w, camera, manager->id))
    return;
  camera_layers_columns columns = camera_layers_columns_of(manager);
  *first = columns.first[row];
  *last = columns.last[row];
}
