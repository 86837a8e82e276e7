// Converts the objects of a map to scene text, with object numbers as ids. References to objects that are not in the
// text become null.
#include "store/map_objects.h"

#include "base/array.h"
#include "base/assert.h"
#include "collision/body.h"
#include "components/builtin.h"
#include "schema/bit_names.h"
#include "store/scene_internal.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAP_OBJECTS_SYSTEM "shoal.map_objects"

typedef struct text_t {
  world_o *world;
  const map_t *map;
  allocator_t memory;
  json_t *list;
  ARRAY(uint32_t) objects; // indexed by element of `list`: index of the map's object
  scene_parts_t parts;     // parts of the current object's assemblage
} text_t;

// --- one object

// Returns the only component of the assemblage with this field; NULL if no component or several have it.
static const manager_o *find_component_with_field(text_t *t, const char *field) {
  const manager_o *found = NULL;
  for (uint32_t i = 0; i < t->parts.count; ++i) {
    const manager_o *m = world_manager(t->world, t->parts.items[i].manager);
    size_t bytes = strlen(field);
    bool has = false;
    for (uint32_t c = 0; c < m->schema.field_count; ++c) { // "tint" matches tint.x, tint.y, …
      const char *name = m->schema.fields[c].name;
      has |= strncmp(name, field, bytes) == 0 && (name[bytes] == '\0' || name[bytes] == '.');
    }
    if (has && found && found != m)
      return NULL;
    found = has ? m : found;
  }
  return found;
}

static json_t *get_or_add_object(json_t *object, const char *key) {
  json_t *inner = json_object_get(object, key);
  if (!json_is_object(inner))
    json_object_set_new(object, key, inner = json_object());
  return inner;
}

static json_t *parse_colour(const char *text) {
  float c[4] = {1, 1, 1, 1};
  unsigned parts[4] = {255, 255, 255, 255};
  size_t digits = strlen(text);
  if (digits == 9)
    sscanf(text, "#%2x%2x%2x%2x", &parts[3], &parts[0], &parts[1], &parts[2]);
  else
    sscanf(text, "#%2x%2x%2x", &parts[0], &parts[1], &parts[2]);
  for (int i = 0; i < 4; ++i)
    c[i] = (float)parts[i] / 255.0f;
  return json_pack("[f,f,f,f]", (double)c[0], (double)c[1], (double)c[2], (double)c[3]);
}

// Returns the id of the object's entity; null if the object does not become an entity or is not in the text.
static json_t *build_reference(const text_t *t, double id) {
  char name[24];
  for (uint32_t i = 0; i < t->objects.count; ++i) {
    if (t->map->objects[t->objects.items[i]].id != (uint32_t)id)
      continue;
    snprintf(name, sizeof name, "#%u", (uint32_t)id);
    return json_string(name);
  }
  return json_null();
}

static json_t *build_value(const text_t *t, const map_property_t *p) {
  switch (p->type) {
  case MAP_NUMBER: return json_real(p->number);
  case MAP_BOOL: return json_boolean(p->number != 0);
  case MAP_COLOUR: return parse_colour(p->text);
  case MAP_OBJECT: return build_reference(t, p->number);
  default: return json_string(p->text);
  }
}

// Converts an integral real to a JSON integer, because integer fields reject 3.0; returns other values unchanged. Takes
// ownership of `v`.
static json_t *convert_to_integer(json_t *v) {
  double number = json_is_real(v) ? json_real_value(v) : 0.5;
  if (number < -1e15 || number > 1e15 || number != (double)(json_int_t)number)
    return v;
  json_decref(v);
  return json_integer((json_int_t)number);
}

// Converts "hero, foe" to a list of names if the field accepts names of layers; returns other values unchanged. Takes
// ownership of `v`.
static json_t *split_layers(const manager_o *m, const char *field, json_t *v) {
  int32_t column = m && json_is_string(v) ? manager_find_column(m, field) : -1;
  if (column < 0 || !bit_names_exist(&m->schema.fields[column]))
    return v;
  json_t *list = json_array();
  for (const char *at = json_string_value(v); *at;) {
    at += strspn(at, ", ");
    size_t length = strcspn(at, ","), used = length;
    while (used > 0 && at[used - 1] == ' ')
      --used;
    if (used > 0)
      json_array_append_new(list, json_stringn(at, used));
    at += length;
  }
  json_decref(v);
  return list;
}

// Warns about a constant that is probably in degrees, although the field's unit is "rad".
static void warn_about_angle(const text_t *t, const manager_o *m, const char *path, const map_property_t *p) {
  const char *last = strrchr(path, '.');
  int32_t column = m ? schema_find_field(&m->schema, last && m->schema.kind == SCHEMA_MANY ? last + 1 : path) : -1;
  const char *unit = column >= 0 ? m->schema.fields[column].unit : NULL;
  if (p->type == MAP_NUMBER && unit && strcmp(unit, "rad") == 0 && fabs(p->number) > 6.29)
    log_warn(world_log(t->world),
             "%s: property %s is in radians, got %g, which is more than a full turn: write %.4f for %g degrees",
             t->map->files[0], p->name, p->number, p->number * 0.017453292519943295, p->number);
}

// Applies a property. "state" sets the entity's state; component.field, component.instance.field or field sets a field;
// the name of a component sets its only field or, with a boolean, adds or removes the component.
static void apply_property(text_t *t, json_t *entity, json_t *components, const map_property_t *p) {
  char name[COMPONENT_NAME_MAX];
  const char *dot = strchr(p->name, '.');
  size_t length = dot ? (size_t)(dot - p->name) : strlen(p->name);
  if (strcmp(p->name, "state") == 0 && p->type == MAP_TEXT) {
    json_object_set_new(entity, "state", json_string(p->text));
    return;
  }
  snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), p->name);
  const manager_o *m = dot ? NULL : find_component_with_field(t, p->name);
  const manager_o *alone = dot ? NULL : world_find_manager(t->world, p->name);
  json_t *v = convert_to_integer(build_value(t, p));
  warn_about_angle(t, m ? m : world_find_manager(t->world, name), dot ? dot + 1 : p->name, p);
  if (m) {
    json_object_set_new(get_or_add_object(components, m->schema.name), p->name, split_layers(m, p->name, v));
  } else if (alone && p->type == MAP_BOOL && alone->schema.field_count != 1) {
    json_object_set_new(components, name, p->number != 0 ? json_object() : json_null());
    json_decref(v);
  } else if (alone && alone->schema.field_count == 1) {
    json_object_set_new(get_or_add_object(components, name), alone->schema.fields[0].name, v);
  } else if (dot && strchr(dot + 1, '.') && (m = world_find_manager(t->world, name)) != NULL &&
             m->schema.kind == SCHEMA_MANY) {
    char instance[128];
    const char *last = strchr(dot + 1, '.');
    snprintf(instance, sizeof instance, "%.*s", (int)(last - dot - 1), dot + 1);
    json_object_set_new(get_or_add_object(get_or_add_object(components, name), instance), last + 1, v);
  } else { // scene_read will report errors in the value
    v = dot ? split_layers(world_find_manager(t->world, name), dot + 1, v) : v;
    json_object_set_new(get_or_add_object(components, name), dot ? dot + 1 : p->name, v);
  }
}

static void find_assemblage_parts(text_t *t, const char *class_name) {
  uint32_t name = strings_find(world_strings(t->world), class_name);
  uint32_t assemblage = name ? world_find_assemblage(t->world, name) : 0;
  scene_list_parts(t->world, assemblage, scene_resolve_state(t->world, assemblage, 0), &t->memory, &t->parts);
}

static bool has_part(const text_t *t, const char *name) {
  for (uint32_t i = 0; i < t->parts.count; ++i)
    if (strcmp(world_manager(t->world, t->parts.items[i].manager)->schema.name, name) == 0)
      return true;
  return false;
}

// Turns the points of a line or polygon, which are relative to the object, into the entity's path.
static void apply_points(text_t *t, json_t *components, const map_object_t *o) {
  json_t *path = get_or_add_object(components, builtin_find(t->world, "path")->schema.name);
  size_t capacity = strlen(o->points) + strlen(o->points) / 3 * 40 + 64, used = 0;
  char *all = malloc(capacity);
  double x, y;
  all[0] = '\0';
  for (const char *at = o->points; at && sscanf(at, "%lf,%lf", &x, &y) == 2; at = strchr(at, ' ')) {
    at += *at == ' ';
    used += (size_t)snprintf(all + used, capacity - used, "%s%.9g,%.9g", used ? " " : "", o->x + x, o->y + y);
    shoal_assert(used < capacity, "the points of object %u need more than %zu bytes", o->id, used);
  }
  json_object_set_new(path, "points", json_string(all));
  if (o->shape == MAP_POLYGON)
    json_object_set_new(path, "loop", json_true());
  free(all);
}

static bool becomes_entity(const map_object_t *o) {
  return o->class_name[0] || o->name[0];
}

static json_t *build_entity(text_t *t, const map_object_t *o) {
  char id[24];
  snprintf(id, sizeof id, "#%u", o->id);
  json_t *entity = json_object(), *components = json_object();
  if (o->class_name[0])
    json_object_set_new(entity, "assemblage", json_string(o->class_name));
  if (o->name[0])
    json_object_set_new(entity, "name", json_string(o->name));
  json_object_set_new(entity, "id", json_string(id));
  json_object_set_new(entity, "components", components);
  json_t *place = get_or_add_object(components, "transform");
  json_object_set_new(place, "x", json_real(o->x));
  json_object_set_new(place, "y", json_real(o->y));
  if (o->angle != 0)
    json_object_set_new(place, "angle", json_real(o->angle));
  json_object_set_new(components, builtin_find(t->world, "map_object")->schema.name,
                      json_pack("{s:I,s:f,s:f}", "id", (json_int_t)o->id, "width", o->width, "height", o->height));
  find_assemblage_parts(t, o->class_name);
  if (o->points && has_part(t, builtin_find(t->world, "path")->schema.name))
    apply_points(t, components, o);
  for (uint32_t i = 0; i < o->properties.count; ++i)
    apply_property(t, entity, components, &o->properties.items[i]);
  return entity;
}

// --- the text

static const map_object_t *find_object(const map_t *map, uint32_t id) {
  for (uint32_t i = 0; map && i < map->object_count; ++i)
    if (map->objects[i].id == id && becomes_entity(&map->objects[i]))
      return &map->objects[i];
  return NULL;
}

static int compare_ids(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

// Returns the ids of the map's objects, sorted. Objects that do not become entities have the id 0.
static uint32_t *collect_sorted_ids(allocator_t *a, const map_t *map) {
  uint32_t count = map ? map->object_count : 0, *ids = alloc_resize(a, NULL, 0, (count + 1) * sizeof *ids);
  for (uint32_t i = 0; i < count; ++i)
    ids[i] = becomes_entity(&map->objects[i]) ? map->objects[i].id : 0;
  qsort(ids, count, sizeof *ids, compare_ids);
  return ids;
}

static bool has_id(const uint32_t *ids, const map_t *map, uint32_t id) {
  return map && bsearch(&id, ids, map->object_count, sizeof *ids, compare_ids) != NULL;
}

// Returns the text of all objects that become entities, except those that `except` (may be NULL) contains. Allocated by
// json_dumps (use free); NULL if there are no such objects.
static char *write_scene_text(text_t *t, world_o *w, const map_t *map, const map_t *except) {
  *t = (text_t){.world = w, .map = map, .list = json_array()};
  uint32_t *ids = collect_sorted_ids(&t->memory, except);
  for (uint32_t i = 0; i < map->object_count; ++i)
    if (becomes_entity(&map->objects[i]) && !has_id(ids, except, map->objects[i].id))
      array_push(&t->memory, &t->objects, i);
  alloc_resize(&t->memory, ids, ((except ? except->object_count : 0) + 1) * sizeof *ids, 0);
  for (uint32_t i = 0; i < t->objects.count; ++i)
    json_array_append_new(t->list, build_entity(t, &map->objects[t->objects.items[i]]));
  json_t *root = json_pack("{s:i,s:o}", "format", (int)SCENE_FORMAT, "entities", t->list);
  char *text = t->objects.count > 0 ? json_dumps(root, JSON_COMPACT) : NULL;
  json_decref(root);
  return text;
}

static void text_fini(text_t *t) {
  array_free(&t->memory, &t->objects);
  array_free(&t->memory, &t->parts);
  shoal_assert(t->memory.bytes == 0, "reading map objects leaked %zu bytes", t->memory.bytes);
}

// Replaces "entity 3 (door): …" in the scene's message by "island.tmj: object 12 "door": …".
static void report_fault(const text_t *t, const scene_fault_t *fault, const scene_listener_t *to) {
  char line[1400];
  uint32_t number = 0;
  const char *problem = strstr(fault->error.text, ": ");
  bool one = sscanf(fault->error.text, "entity %u", &number) == 1 && problem && number - 1 < t->objects.count;
  const map_object_t *o = one ? &t->map->objects[t->objects.items[number - 1]] : NULL;
  if (o)
    snprintf(line, sizeof line, "%s: object %u%s%.60s%s: %s", t->map->files[0], o->id, o->name[0] ? " \"" : "", o->name,
             o->name[0] ? "\"" : "", problem + 2);
  else
    snprintf(line, sizeof line, "%s: objects: %s", t->map->files[0], fault->error.text);
  to->log_line(to->context, line);
}

// --- spawning

static void set_field(world_o *w, shoal_entity e, const manager_o *m, const char *field, double value) {
  error_t error;
  int32_t column = manager_find_column(m, field);
  shoal_assert(column >= 0, "%s has no %s", m->schema.name, field);
  world_set_field(w, e, m->id, 0, (uint32_t)column, value, &error);
}

// If the entity's `body` is a box without a size, sets its size to the size of the map's object.
static void set_default_body_size(world_o *w, shoal_entity e, const map_object_t *o) {
  const manager_o *m = world_find_manager(w, "body");
  uint32_t row = m ? manager_row(m, e) : ROW_NONE;
  body_columns c = body_columns_of(m);
  if (row == ROW_NONE || c.kind[row] != BODY_KIND_BOX || c.width[row] != 0 || c.height[row] != 0)
    return;
  set_field(w, e, m, "width", o->width);
  set_field(w, e, m, "height", o->height);
}

static bool spawn_scene_text(text_t *t, const char *text, shoal_entity tilemap, scene_fault_t *fault) {
  scene_desc_t desc = {.text = text, .text_bytes = strlen(text)};
  scene_made_t made = {0};
  world_o *w = t->world;
  bool fine = scene_read(w, &desc, &t->memory, &made, fault);
  const manager_o *transforms = world_find_manager(w, "transform"), *objects = builtin_find(w, "map_object");
  shoal_assert(!fine || made.count == t->objects.count, "%u of %u objects were spawned", made.count, t->objects.count);
  for (uint32_t i = 0; fine && i < made.count; ++i) {
    set_field(w, made.items[i], objects, "map", tilemap);
    if (manager_row(transforms, tilemap) != ROW_NONE)
      set_field(w, made.items[i], transforms, "parent", tilemap);
    set_default_body_size(w, made.items[i], &t->map->objects[t->objects.items[i]]);
  }
  scene_made_fini(&made, &t->memory);
  return fine;
}

static void log_line(void *context, const char *line) {
  log_error(context, "%s", line);
}

static void spawn_objects(world_o *w, shoal_entity tilemap, const map_t *map) {
  text_t t;
  scene_fault_t fault;
  char *text = write_scene_text(&t, w, map, NULL);
  if (text && !spawn_scene_text(&t, text, tilemap, &fault))
    report_fault(&t, &fault, &(scene_listener_t){.log_line = log_line, .context = world_log(w)});
  text_fini(&t);
  free(text);
}

static void run_system(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number, (void)dt_s;
  manager_o *m = builtin_find(w, "tilemap");
  for (uint32_t row = 0; row < m->count; ++row) {
    const map_t *map = tilemap_columns_of(m).filled[row] ? NULL : tilemap_map(w, row);
    if (!map)
      continue;
    columns_set_unmarked(&m->columns, row, SHOAL_INDEX(tilemap, filled), 1);
    // Objects may be tilemaps themselves. Their rows are appended, so this loop processes them, too.
    spawn_objects(w, m->owner[row], map);
  }
}

bool map_objects_schedule(world_o *w, schedule_o *s, error_t *error) {
  (void)w;
  system_desc_t desc = {.name = MAP_OBJECTS_SYSTEM, .phase = PHASE_INPUT, .priority = -99999, .run = run_system};
  return schedule_add_system(s, &desc, error);
}

// --- applying edits

typedef struct rows_t {
  ARRAY(shoal_entity) items;
} rows_t;

static void destroy_removed(world_o *w, shoal_entity tilemap, const map_t *before, const map_t *now, allocator_t *a) {
  const manager_o *m = builtin_find(w, "map_object");
  rows_t gone = {0};
  for (uint32_t row = 0; row < m->count; ++row) {
    uint32_t id = (uint32_t)columns_get(&m->columns, row, SHOAL_INDEX(map_object, id));
    if (columns_get(&m->columns, row, SHOAL_INDEX(map_object, map)) == tilemap && find_object(before, id) &&
        !find_object(now, id))
      array_push(a, &gone.items, m->owner[row]);
  }
  for (uint32_t i = 0; i < gone.items.count; ++i)
    world_destroy_entity(w, gone.items.items[i]);
  array_free(a, &gone.items);
}

static void update_tilemap(world_o *w, shoal_entity tilemap, const map_objects_update_t *x) {
  text_t before = {0}, now, fresh;
  scene_fault_t fault = {0};
  char *old = x->before ? write_scene_text(&before, w, x->before, NULL) : NULL,
       *text = write_scene_text(&now, w, x->now, NULL);
  scene_desc_t check = {.text = text, .text_bytes = text ? strlen(text) : 0};
  if (text && !scene_read(w, &check, &now.memory, NULL, &fault)) { // the new text is invalid: apply nothing
    report_fault(&now, &fault, &x->to);
  } else {
    scene_update_t f = {.file = x->name, .scene = x->name, .map = tilemap, .to = x->to};
    f.before = (scene_desc_t){.text = old, .text_bytes = old ? strlen(old) : 0, .by_id = true};
    f.now = (scene_desc_t){.text = text, .text_bytes = check.text_bytes, .by_id = true};
    if (old && text)
      scene_update(w, &f, &now.memory);
    destroy_removed(w, tilemap, x->before, x->now, &now.memory);
    char *more = write_scene_text(&fresh, w, x->now, x->before);
    if (more && !spawn_scene_text(&fresh, more, tilemap, &fault))
      report_fault(&fresh, &fault, &x->to);
    text_fini(&fresh);
    free(more);
  }
  if (x->before)
    text_fini(&before);
  text_fini(&now);
  free(old);
  free(text);
}

void map_objects_update(world_o *w, const map_objects_update_t *x) {
  const manager_o *m = builtin_find(w, "tilemap");
  allocator_t memory = {0};
  rows_t maps = {0};
  tilemap_columns c = tilemap_columns_of(m);
  shoal_assert(x->now && x->to.log_line, "`now` and `to.log_line` must not be NULL");
  for (uint32_t row = 0; m && row < m->count; ++row) {
    if (c.filled[row] && strcmp(strings_text(world_strings(w), c.map[row]), x->name) == 0 &&
        strcmp(strings_text(world_strings(w), c.level[row]), x->level) == 0)
      array_push(&memory, &maps.items, m->owner[row]);
  }
  for (uint32_t i = 0; i < maps.items.count; ++i)
    if (world_is_alive(w, maps.items.items[i]))
      update_tilemap(w, maps.items.items[i], x);
  array_free(&memory, &maps.items);
}
