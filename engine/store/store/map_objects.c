// Spawns the objects of maps and applies edits of maps. Objects that cannot be spawned are listed in the hidden column
// `pending` of the tilemap, and retried whenever the map, the declarations or the definitions have changed.
#include "store/map_objects.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/log_once.h"
#include "collision/body.h"
#include "components/builtin.h"
#include "content/definitions.h"
#include "store/map_entries.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAP_OBJECTS_SYSTEM "shoal.map_objects"
#define MAX_WARNINGS 20u // maximum number of warnings per map about invalid objects

// A tilemap whose objects are spawned or updated.
typedef struct tilemap_fill_t {
  world_o *world;
  shoal_entity tilemap;
  const map_t *map;
  const scene_listener_t *listener; // receives log lines; NULL: nothing is logged
  allocator_t memory;
  uint32_t warnings;         // number of reported problems
  map_ids_t invalid;         // objects that cannot be spawned
  log_once_t reported_names; // former names that have been reported
  log_once_t reported_faults;
  bool is_full; // true if the world lacked capacity for some valid objects
} tilemap_fill_t;

// The entries of the map's objects while they are being checked.
typedef struct entry_check_t {
  tilemap_fill_t *fill;
  map_entries_t *entries;
  bool reports;   // true if invalid parts and former names are reported
  uint32_t count; // number of invalid entities in this pass
} entry_check_t;

static tilemap_fill_t begin_fill(world_o *w, shoal_entity tilemap, const map_t *map, const scene_listener_t *listener) {
  shoal_assert(map, "map must not be NULL");
  return (tilemap_fill_t){.world = w, .tilemap = tilemap, .map = map, .listener = listener};
}

static void end_fill(tilemap_fill_t *fill) {
  if (fill->listener && fill->warnings > MAX_WARNINGS) {
    char line[160];
    snprintf(line, sizeof line, "%.80s: %u more objects have problems", fill->map->files[0],
             fill->warnings - MAX_WARNINGS);
    fill->listener->log_line(fill->listener->context, line);
  }
  array_free(&fill->memory, &fill->invalid);
  array_free(&fill->memory, &fill->reported_names);
  array_free(&fill->memory, &fill->reported_faults);
  shoal_assert(fill->memory.bytes == 0, "filling a tilemap leaked %zu bytes", fill->memory.bytes);
}

// --- messages

static void report_line(tilemap_fill_t *fill, const char *subject, const char *problem) {
  char line[1400];
  if (!fill->listener || fill->warnings++ >= MAX_WARNINGS)
    return;
  snprintf(line, sizeof line, "%.200s: %s: %s", fill->map->files[0], subject, problem);
  fill->listener->log_line(fill->listener->context, line);
}

static void report_object(tilemap_fill_t *fill, const map_object_t *object, const char *problem) {
  char subject[96];
  snprintf(subject, sizeof subject, "object %u%s%.60s%s", object->id, object->name[0] ? " \"" : "", object->name,
           object->name[0] ? "\"" : "");
  report_line(fill, subject, problem);
}

// Reports a fault once. Omits the prefix of the scene reader, such as "entity 3 (door): ". `skipped`: name of the part
// that is left out; "" to name no part.
static void report_fault(tilemap_fill_t *fill, const map_object_t *object, const scene_fault_t *fault,
                         const char *skipped) {
  char line[1000];
  const char *problem = strncmp(fault->error.text, "entity ", 7) == 0 ? strstr(fault->error.text, ": ") : NULL;
  problem = problem ? problem + 2 : fault->error.text;
  snprintf(line, sizeof line, "%s%.200s%s%.700s", skipped[0] ? "skipped " : "", skipped, skipped[0] ? ": " : "",
           problem);
  if (log_once_add(&fill->reported_faults, &fill->memory, hash_bytes(problem, strlen(problem), object->id), UINT32_MAX))
    report_object(fill, object, line);
}

static void report_duplicates(tilemap_fill_t *fill) {
  map_ids_t duplicates = {0};
  map_ids_find_duplicates(&duplicates, &fill->memory, fill->map);
  for (uint32_t i = 0; i < duplicates.count; ++i)
    report_object(fill, &fill->map->objects[duplicates.items[i]],
                  "another object has the same number: delete this object and add it again");
  array_free(&fill->memory, &duplicates);
}

// Reports that the map file uses a former name. Reports each name once.
static void report_former_name(void *context, uint32_t number, const scene_fault_t *fault, const char *former,
                               const char *current) {
  entry_check_t *check = context;
  (void)former;
  (void)current;
  if (check->fill->listener &&
      log_once_add(&check->fill->reported_names, &check->fill->memory, hash_text(fault->error.text), UINT32_MAX))
    report_object(check->fill, map_entries_object(check->entries, number), fault->error.text);
}

// --- the list of pending objects

// Format of the column `pending`: "1-4 9\nMAP\nLEVEL", the object numbers as ranges, then their map and level. The list
// is ignored while the tilemap shows a different map or level.

// Appends the range from `first` to `last` to the list.
static void append_run(char *out, size_t bytes, size_t *length, uint32_t first, uint32_t last) {
  int written = first == last ? snprintf(out + *length, bytes - *length, "%s%u", *length ? " " : "", first)
                              : snprintf(out + *length, bytes - *length, "%s%u-%u", *length ? " " : "", first, last);
  shoal_assert(written > 0 && *length + (size_t)written < bytes, "the list of objects needs more than %zu bytes",
               bytes);
  *length += (size_t)written;
}

static void write_pending(world_o *w, shoal_entity tilemap, const map_ids_t *ids, allocator_t *a) {
  manager_o *m = builtin_find(w, "tilemap");
  uint32_t row = manager_row(m, tilemap), text = 0;
  strings_o *strings = world_strings(w);
  if (row == ROW_NONE)
    return;
  if (ids->count > 0) {
    const char *map = strings_text(strings, tilemap_columns_of(m).map[row]);
    const char *level = strings_text(strings, tilemap_columns_of(m).level[row]);
    size_t bytes = ids->count * 12u + strlen(map) + strlen(level) + 4, length = 0;
    char *out = alloc_resize(a, NULL, 0, bytes);
    for (uint32_t i = 0, first = 0; i < ids->count; ++i)
      if (i + 1 == ids->count || ids->items[i + 1] != ids->items[i] + 1) {
        append_run(out, bytes, &length, ids->items[first], ids->items[i]);
        first = i + 1;
      }
    snprintf(out + length, bytes - length, "\n%s\n%s", map, level);
    text = strings_intern(strings, out);
    alloc_resize(a, out, bytes, 0);
  }
  if (tilemap_columns_of(m).pending[row] != text)
    columns_set_unmarked(&m->columns, row, SHOAL_COLUMN_INDEX(tilemap, pending), text);
}

static bool names_same_map(world_o *w, const tilemap_columns *columns, uint32_t row, const char *names) {
  const char *map = strings_text(world_strings(w), columns->map[row]),
             *level = strings_text(world_strings(w), columns->level[row]);
  size_t bytes = strlen(map);
  return strncmp(names, map, bytes) == 0 && names[bytes] == '\n' && strcmp(names + bytes + 1, level) == 0;
}

// Reads the list, skipping objects that are not in `valid_ids`. Returns true on success, or false if the list belongs
// to a different map or level. Safe for any text, because saves may be edited.
static bool read_pending(world_o *w, uint32_t row, const map_ids_t *valid_ids, map_ids_t *out, allocator_t *a) {
  tilemap_columns columns = tilemap_columns_of(builtin_find(w, "tilemap"));
  const char *cursor = strings_text(world_strings(w), columns.pending[row]), *names = strchr(cursor, '\n');
  if (!names || !names_same_map(w, &columns, row, names + 1))
    return false;
  while (*cursor >= '0' && *cursor <= '9') {
    char *end;
    unsigned long first = strtoul(cursor, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
    for (uint32_t i = 0; i < valid_ids->count; ++i)
      if (valid_ids->items[i] >= first && valid_ids->items[i] <= last)
        array_push(a, out, valid_ids->items[i]);
    cursor = *end == ' ' ? end + 1 : end;
  }
  map_ids_sort(out);
  return true;
}

// --- spawning

static void set_field(world_o *w, shoal_entity e, const manager_o *m, const char *field, double value) {
  error_info_t error;
  int32_t column = manager_find_column(m, field);
  shoal_assert(column >= 0, "%s has no %s", m->schema.name, field);
  world_set_field(w, e, m->id, 0, (uint32_t)column, value, &error);
}

// If the entity's `body` is a box without a size, sets its size to the size of the map's object.
static void set_default_body_size(world_o *w, shoal_entity e, const map_object_t *object) {
  const manager_o *m = world_find_manager(w, "body");
  uint32_t row = m ? manager_row(m, e) : ROW_NONE;
  body_columns columns = body_columns_of(m);
  if (row == ROW_NONE || columns.kind[row] != BODY_KIND_BOX || columns.width[row] != 0 || columns.height[row] != 0)
    return;
  set_field(w, e, m, "width", object->width);
  set_field(w, e, m, "height", object->height);
}

// Assigns the entity to the scene of its tilemap, if the tilemap belongs to a scene and the entity does not.
static void copy_scene(world_o *w, shoal_entity tilemap, shoal_entity e) {
  const manager_o *m = world_find_manager(w, "in_scene");
  uint32_t row = m ? manager_row(m, tilemap) : ROW_NONE;
  error_info_t error;
  if (row == ROW_NONE || manager_row(m, e) != ROW_NONE)
    return;
  double name = columns_get(&m->columns, row, 0);
  if (world_add_component(w, e, m->id, 0, &error))
    world_set_field(w, e, m->id, 0, 0, name, &error);
}

static void attach_to_tilemap(tilemap_fill_t *fill, shoal_entity e, const map_object_t *object) {
  const manager_o *transforms = world_find_manager(fill->world, "transform"),
                  *objects = builtin_find(fill->world, "map_object");
  set_field(fill->world, e, objects, "map", fill->tilemap);
  if (manager_row(transforms, fill->tilemap) != ROW_NONE)
    set_field(fill->world, e, transforms, "parent", fill->tilemap);
  set_default_body_size(fill->world, e, object);
  copy_scene(fill->world, fill->tilemap, e);
}

static bool check_entries(entry_check_t *check, void (*report)(void *, uint32_t, const scene_fault_t *),
                          scene_fault_t *fault) {
  const scene_former_t former = {.report = report_former_name, .context = check};
  scene_desc_t desc = {.list = check->entries->list, .match_by_id = true};
  desc.former_names = check->reports ? &former : NULL;
  check->count = 0;
  return scene_check_each(check->fill->world, &desc, &check->entries->memory, &(scene_check_t){report, check}, fault);
}

// Removes the element at the path of a fault, "entities\n1\ncomponents\nshape\nradius". Returns true on success, or
// false if the element is missing.
static bool remove_element(json_t *entity, const char *path) {
  char key[SCENE_FAULT_PATH_BYTES];
  const char *cursor = strchr(path, '\n');
  cursor = cursor ? strchr(cursor + 1, '\n') : NULL;
  for (json_t *object = entity; cursor && object; object = json_object_get(object, key)) {
    const char *end = strchr(cursor + 1, '\n');
    size_t bytes = end ? (size_t)(end - cursor) - 1 : strlen(cursor + 1);
    snprintf(key, sizeof key, "%.*s", (int)bytes, cursor + 1);
    if (!end)
      return json_object_del(object, key) == 0;
    cursor = end;
  }
  return false;
}

// Converts a fault's path to a property name: "entities\n1\ncomponents\nshape\nradius" to "shape.radius".
static const char *describe_path(const char *path, char out[SCENE_FAULT_PATH_BYTES]) {
  static const char COMPONENTS[] = "\ncomponents\n";
  const char *components = strstr(path, COMPONENTS), *last = strrchr(path, '\n');
  snprintf(out, SCENE_FAULT_PATH_BYTES, "%s", components ? components + sizeof COMPONENTS - 1 : last ? last + 1 : path);
  for (char *cursor = out; *cursor; ++cursor)
    *cursor = *cursor == '\n' ? '.' : *cursor;
  return out;
}

// Skips the invalid part of an object, such as a property that no component has. If the object's class is unknown, or
// if the invalid part cannot be removed, skips the whole object.
static void add_invalid_object(void *context, uint32_t number, const scene_fault_t *fault) {
  entry_check_t *check = context;
  const map_object_t *object = map_entries_object(check->entries, number);
  const char *key = strrchr(fault->path, '\n');
  char property[SCENE_FAULT_PATH_BYTES] = "";
  check->count++;
  if (key && strcmp(key, "\nassemblage") != 0 &&
      remove_element(json_array_get(check->entries->list, number - 1), fault->path)) {
    report_fault(check->fill, object, fault, describe_path(fault->path, property));
    return;
  }
  report_fault(check->fill, object, fault, "");
  array_push(&check->fill->memory, &check->fill->invalid, object->id);
}

// Checks the entries repeatedly, and skips their invalid parts, until all entries are valid or an object is invalid as
// a whole. Lists such objects in `invalid`. Returns true in both cases, or false if the check was interrupted or the
// world lacks capacity.
static bool check_objects(entry_check_t *check, scene_fault_t *fault) {
  uint32_t invalid_count = check->fill->invalid.count;
  do {
    if (!check_entries(check, add_invalid_object, fault))
      return false;
  } while (check->count > 0 && check->fill->invalid.count == invalid_count);
  return true;
}

// Spawns the entities of checked entries. Returns their number. If the world lacks capacity, lists the objects in
// `invalid`, sets `is_full` and returns 0.
static uint32_t spawn_entries(tilemap_fill_t *fill, map_entries_t *t) {
  const scene_desc_t desc = {.list = t->list, .match_by_id = true};
  scene_spawned_t spawned = {0};
  scene_fault_t fault;
  bool ok = scene_read(fill->world, &desc, &t->memory, &spawned, &fault);
  shoal_assert(!ok || spawned.count == t->objects.count, "%u of %u objects were spawned", spawned.count,
               t->objects.count);
  for (uint32_t i = 0; ok && i < spawned.count; ++i)
    attach_to_tilemap(fill, spawned.items[i], map_entries_object(t, i + 1));
  for (uint32_t i = 0; !ok && i < t->objects.count; ++i)
    array_push(&fill->memory, &fill->invalid, map_entries_object(t, i + 1)->id);
  if (!ok)
    report_line(fill, "objects", fault.error.text);
  fill->is_full |= !ok;
  uint32_t count = ok ? spawned.count : 0;
  scene_spawned_fini(&spawned, &t->memory);
  return count;
}

// Spawns the valid objects of `requested`, and adds the invalid objects to `invalid`. References to invalid objects
// become null, so the remaining objects are checked again until all are valid. Returns the number of spawned entities.
static uint32_t spawn_ids(tilemap_fill_t *fill, const map_ids_t *requested) {
  map_ids_t remaining = {0};
  uint32_t spawned = 0;
  bool should_retry = true;
  while (should_retry) {
    map_entries_t entries;
    scene_fault_t fault;
    remaining.count = 0;
    map_ids_add_filtered(&remaining, &fill->memory, requested, &fill->invalid, false);
    map_entries_init(&entries, fill->world, fill->map, &remaining);
    entry_check_t check = {.fill = fill, .entries = &entries, .reports = true};
    should_retry = check_objects(&check, &fault) && check.count > 0;
    if (!should_retry && entries.objects.count > 0)
      spawned = spawn_entries(fill, &entries);
    map_entries_fini(&entries);
    map_ids_sort(&fill->invalid);
  }
  array_free(&fill->memory, &remaining);
  return spawned;
}

// --- differences between two versions

// Object counts, summed over all tilemaps that show the edited map.
typedef struct edit_counts_t {
  uint32_t spawned, changed, removed, invalid, kept;
} edit_counts_t;

static shoal_entity find_entity(const tilemap_fill_t *fill, uint32_t id) {
  const manager_o *m = builtin_find(fill->world, "map_object");
  map_object_columns columns = map_object_columns_of(m);
  for (uint32_t row = 0; row < m->count; ++row)
    if (columns.map[row] == fill->tilemap && columns.id[row] == id)
      return m->owner[row];
  return SHOAL_ENTITY_NONE;
}

// Replaces an unknown assemblage with the living entity's assemblage, or removes it if the entity has no assemblage.
// Returns true if this changes the entry.
static bool restore_assemblage(entry_check_t *check, json_t *entity, uint32_t id) {
  shoal_entity e = find_entity(check->fill, id);
  uint32_t name = e ? world_entities(check->fill->world)->assemblage[shoal_entity_index(e)] : 0;
  const char *name_text = strings_text(world_strings(check->fill->world), name), *old_name;
  old_name = json_string_value(json_object_get(entity, "assemblage"));
  if (!e || (old_name && strcmp(name_text, old_name) == 0))
    return false;
  return name ? json_object_set_new(entity, "assemblage", json_string(name_text)) == 0
              : json_object_del(entity, "assemblage") == 0;
}

// Removes the invalid part of an entity from its entry, so that the valid parts of an edit can be applied. If the part
// cannot be removed, removes everything except the entity's id.
static void prune_entity(void *context, uint32_t number, const scene_fault_t *fault) {
  entry_check_t *check = context;
  const map_object_t *object = map_entries_object(check->entries, number);
  json_t *entity = json_array_get(check->entries->list, number - 1);
  const char *key = strrchr(fault->path, '\n');
  char id[24];
  check->count++;
  char property[SCENE_FAULT_PATH_BYTES];
  bool is_class = key && strcmp(key, "\nassemblage") == 0;
  if (check->reports)
    report_fault(check->fill, object, fault, is_class ? "" : describe_path(fault->path, property));
  if (is_class ? restore_assemblage(check, entity, object->id) : remove_element(entity, fault->path))
    return;
  snprintf(id, sizeof id, "#%u", object->id);
  json_object_clear(entity);
  json_object_set_new(entity, "id", json_string(id));
}

static void prune_entries(tilemap_fill_t *fill, map_entries_t *entries, bool reports) {
  entry_check_t check = {.fill = fill, .entries = entries, .reports = reports};
  scene_fault_t fault;
  do {
    if (!check_entries(&check, prune_entity, &fault))
      return;
  } while (check.count > 0);
}

// Compares the objects `old_ids` of `old_map` with the objects `new_ids` of the current map. Applies the differences to
// the entities of the objects that are in both sets.
static void apply_differences(tilemap_fill_t *fill, const map_t *old_map, const map_ids_t *old_ids,
                              const map_ids_t *new_ids, const scene_listener_t *listener, edit_counts_t *counts) {
  map_entries_t old_entries, new_entries;
  map_entries_init(&old_entries, fill->world, old_map, old_ids);
  map_entries_init(&new_entries, fill->world, fill->map, new_ids);
  prune_entries(fill, &old_entries, false);
  prune_entries(fill, &new_entries, old_map != fill->map);
  scene_update_t update = {.file = fill->map->files[0], .scene = "", .tilemap = fill->tilemap, .listener = *listener};
  update.old_version = (scene_desc_t){.list = old_entries.list, .match_by_id = true};
  update.new_version = (scene_desc_t){.list = new_entries.list, .match_by_id = true};
  if (old_ids->count > 0 && new_ids->count > 0)
    scene_update(fill->world, &update, &fill->memory);
  map_entries_fini(&old_entries);
  map_entries_fini(&new_entries);
  counts->changed += update.changed_entities;
  counts->kept += update.kept_values + update.delayed_changes;
}

static void log_nothing(void *context, const char *line) {
  (void)context, (void)line;
}

static bool contain_reference(const map_properties_t *properties) {
  for (uint32_t i = 0; i < properties->count; ++i)
    if (properties->items[i].type == MAP_OBJECT || contain_reference(&properties->items[i].elements))
      return true;
  return false;
}

static bool has_references(const map_t *map) {
  for (uint32_t i = 0; i < map->object_count; ++i)
    if (contain_reference(&map->objects[i].properties))
      return true;
  return false;
}

// Sets the references of the entities in `spawned` to targets that were not spawned yet when these entities were
// spawned. Keeps references that the game has changed.
static void connect_spawned(tilemap_fill_t *fill, const map_ids_t *spawned, const map_ids_t *ids) {
  const scene_listener_t listener = {.log_line = log_nothing};
  edit_counts_t counts = {0};
  if (spawned->count > 0 && spawned->count < ids->count && has_references(fill->map))
    apply_differences(fill, fill->map, spawned, ids, &listener, &counts);
}

// --- filling tilemaps

// Hashes the pending objects of a tilemap and everything that determines whether they can be spawned, except the
// declarations, which are constant in a world.
static uint64_t hash_pending(world_o *w, uint32_t row) {
  tilemap_columns columns = tilemap_columns_of(builtin_find(w, "tilemap"));
  const uint32_t names[] = {columns.pending[row], columns.map[row], columns.level[row]};
  uint64_t hash = tilemaps_epoch(w);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const char *text = strings_text(world_strings(w), names[i]);
    hash = hash_bytes(text, strlen(text) + 1, hash);
  }
  const char *definitions = definitions_declared_list(w);
  return hash_bytes(definitions, strlen(definitions), hash);
}

static void log_warning(void *context, const char *line) {
  log_warn(context, "%s", line);
}

// Stores the list of invalid objects. Once their problems have been reported, they are retried only after the map, the
// assemblages or the list have changed.
static void store_invalid(tilemap_fill_t *fill) {
  write_pending(fill->world, fill->tilemap, &fill->invalid, &fill->memory);
  uint32_t row = manager_row(builtin_find(fill->world, "tilemap"), fill->tilemap);
  if (fill->listener && !fill->is_full && fill->invalid.count > 0 && row != ROW_NONE)
    tilemaps_remember(fill->world, hash_pending(fill->world, row));
}

static bool has_entities(world_o *w, shoal_entity tilemap) {
  const manager_o *m = builtin_find(w, "map_object");
  map_object_columns columns = map_object_columns_of(m);
  for (uint32_t row = 0; row < m->count; ++row)
    if (columns.map[row] == tilemap)
      return true;
  return false;
}

// Spawns the objects of a new tilemap. Does nothing if the tilemap already has entities, because it then comes from an
// exported scene, which contains its objects.
static void fill_tilemap(world_o *w, uint32_t row, const map_t *map) {
  manager_o *m = builtin_find(w, "tilemap");
  shoal_entity tilemap = m->owner[row];
  const scene_listener_t listener = {.log_line = log_warning, .context = world_log(w)};
  columns_set_unmarked(&m->columns, row, SHOAL_COLUMN_INDEX(tilemap, filled), 1);
  if (has_entities(w, tilemap))
    return;
  tilemap_fill_t fill = begin_fill(w, tilemap, map, &listener);
  map_ids_t ids = {0};
  map_ids_collect(&ids, &fill.memory, map);
  report_duplicates(&fill);
  spawn_ids(&fill, &ids);
  store_invalid(&fill);
  array_free(&fill.memory, &ids);
  end_fill(&fill);
}

// Spawns the pending objects of a tilemap that have become valid. Returns their number.
static uint32_t fill_pending(world_o *w, uint32_t row, const map_t *map, const scene_listener_t *listener) {
  tilemap_fill_t fill = begin_fill(w, builtin_find(w, "tilemap")->owner[row], map, listener);
  map_ids_t all_ids = {0}, pending_ids = {0}, old_ids = {0}, new_ids = {0}, spawned_ids = {0};
  uint32_t spawned = 0;
  map_ids_collect(&all_ids, &fill.memory, map);
  if (read_pending(w, row, &all_ids, &pending_ids, &fill.memory)) {
    spawned = spawn_ids(&fill, &pending_ids);
    map_ids_add_filtered(&old_ids, &fill.memory, &all_ids, &pending_ids, false);
    map_ids_add_filtered(&new_ids, &fill.memory, &all_ids, &fill.invalid, false);
    map_ids_add_filtered(&spawned_ids, &fill.memory, &pending_ids, &fill.invalid, false);
    connect_spawned(&fill, &spawned_ids, &new_ids);
    connect_spawned(&fill, spawned_ids.count > 0 ? &old_ids : &spawned_ids, &new_ids);
    store_invalid(&fill);
  } else {
    tilemaps_remember(w, hash_pending(w, row)); // the list belongs to a different map or level
  }
  array_free(&fill.memory, &all_ids);
  array_free(&fill.memory, &pending_ids);
  array_free(&fill.memory, &old_ids);
  array_free(&fill.memory, &new_ids);
  array_free(&fill.memory, &spawned_ids);
  end_fill(&fill);
  return spawned;
}

static void retry_pending(world_o *w, uint32_t row, const map_t *map) {
  uint64_t key = hash_pending(w, row), log_key = key + 1;
  const scene_listener_t listener = {.log_line = log_warning, .context = world_log(w)};
  if (tilemaps_is_remembered(w, key))
    return;
  fill_pending(w, row, map, tilemaps_is_remembered(w, log_key) ? NULL : &listener);
  tilemaps_remember(w, log_key); // the objects are retried every tick while the world is full, but without log lines
}

static void run_system(void *context, world_o *w, uint32_t number, float dt_s) {
  (void)context, (void)number, (void)dt_s;
  manager_o *m = builtin_find(w, "tilemap");
  map_objects_fill(w);
  for (uint32_t row = 0; row < m->count; ++row) {
    const map_t *map = tilemap_columns_of(m).pending[row] ? tilemap_map(w, row) : NULL;
    if (map)
      retry_pending(w, row, map);
  }
}

void map_objects_fill(world_o *w) {
  manager_o *m = builtin_find(w, "tilemap");
  bool filled = false;
  shoal_assert(!world_is_deferring(w), "tilemaps cannot be filled while commands are queued");
  for (uint32_t row = 0; row < m->count; ++row) {
    const map_t *map = tilemap_columns_of(m).filled[row] ? NULL : tilemap_map(w, row);
    if (map) // Objects may be tilemaps themselves. Their rows are appended, so this loop processes them as well.
      fill_tilemap(w, row, map);
    filled |= map != NULL;
  }
  if (filled)
    // Updates the lists now, so that destroying a tilemap in `start` also destroys its objects.
    transform_update_child_lists(w);
}

uint32_t map_objects_retry(world_o *w) {
  manager_o *m = builtin_find(w, "tilemap");
  uint32_t spawned = 0;
  for (uint32_t row = 0; m && row < m->count; ++row) {
    const map_t *map = tilemap_columns_of(m).pending[row] ? tilemap_map(w, row) : NULL;
    spawned += map ? fill_pending(w, row, map, NULL) : 0;
  }
  return spawned;
}

bool map_objects_schedule(world_o *w, schedule_o *s, error_info_t *error) {
  (void)w;
  system_desc_t desc = {.name = MAP_OBJECTS_SYSTEM, .phase = PHASE_INPUT, .priority = -99999, .run = run_system};
  return schedule_add_system(s, &desc, error);
}

// --- applying edits

typedef struct entity_array_t {
  ARRAY(shoal_entity) items;
} entity_array_t;

// Destroys the entities of removed objects. Returns their number.
static uint32_t destroy_removed(tilemap_fill_t *fill, const map_ids_t *removed) {
  const manager_o *m = builtin_find(fill->world, "map_object");
  map_object_columns columns = map_object_columns_of(m);
  entity_array_t entities = {0};
  for (uint32_t row = 0; row < m->count; ++row)
    if (columns.map[row] == fill->tilemap && map_ids_has(removed, columns.id[row]))
      array_push(&fill->memory, &entities.items, m->owner[row]);
  uint32_t count = entities.items.count;
  for (uint32_t i = 0; i < count; ++i)
    world_destroy_entity(fill->world, entities.items.items[i]);
  array_free(&fill->memory, &entities.items);
  return count;
}

// The sets of objects in an edited map, before and after the edit.
typedef struct edit_sets_t {
  map_ids_t old_objects, new_objects; // objects in the file
  map_ids_t pending, to_spawn;        // `pending`: not spawned yet; `to_spawn`: spawned next
  map_ids_t old_spawned, new_spawned; // objects that were spawned, even if the game has destroyed them since
  map_ids_t spawned, removed;
} edit_sets_t;

static void collect_sets(edit_sets_t *sets, tilemap_fill_t *fill, uint32_t row, const map_t *old_map) {
  map_ids_collect(&sets->old_objects, &fill->memory, old_map);
  map_ids_collect(&sets->new_objects, &fill->memory, fill->map);
  read_pending(fill->world, row, old_map ? &sets->old_objects : &sets->new_objects, &sets->pending, &fill->memory);
  map_ids_add_filtered(&sets->to_spawn, &fill->memory, &sets->pending, &sets->new_objects, true);
  if (old_map) // the new objects are unknown if there is no old map
    map_ids_add_filtered(&sets->to_spawn, &fill->memory, &sets->new_objects, &sets->old_objects, false);
  map_ids_add_filtered(&sets->old_spawned, &fill->memory, &sets->old_objects, &sets->pending, false);
  map_ids_add_filtered(&sets->removed, &fill->memory, &sets->old_spawned, &sets->new_objects, false);
}

static void free_sets(edit_sets_t *sets, allocator_t *a) {
  map_ids_t *lists[] = {&sets->old_objects, &sets->new_objects, &sets->pending, &sets->to_spawn,
                        &sets->old_spawned, &sets->new_spawned, &sets->spawned, &sets->removed};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
    array_free(a, lists[i]);
}

static void update_tilemap(world_o *w, uint32_t row, const map_objects_update_t *desc, edit_counts_t *counts) {
  const scene_listener_t listener = {.log_line = desc->log_problem, .context = desc->listener.context};
  tilemap_fill_t fill = begin_fill(w, builtin_find(w, "tilemap")->owner[row], desc->new_map, &listener);
  edit_sets_t sets = {0};
  collect_sets(&sets, &fill, row, desc->old_map);
  report_duplicates(&fill);
  counts->spawned += spawn_ids(&fill, &sets.to_spawn);
  counts->invalid += fill.invalid.count;
  map_ids_add_filtered(&sets.new_spawned, &fill.memory, &sets.new_objects, &fill.invalid, false);
  map_ids_add_filtered(&sets.spawned, &fill.memory, &sets.to_spawn, &fill.invalid, false);
  connect_spawned(&fill, &sets.spawned, &sets.new_spawned);
  if (desc->old_map)
    apply_differences(&fill, desc->old_map, &sets.old_spawned, &sets.new_spawned, &desc->listener, counts);
  counts->removed += destroy_removed(&fill, &sets.removed);
  store_invalid(&fill);
  free_sets(&sets, &fill.memory);
  end_fill(&fill);
}

static void report_counts(const map_objects_update_t *desc, const edit_counts_t *counts) {
  char line[300], pending[80] = "";
  if (counts->invalid > 0)
    snprintf(pending, sizeof pending, ", %u not spawned yet because of a mistake", counts->invalid);
  if (counts->spawned + counts->changed + counts->removed + counts->invalid > 0)
    snprintf(line, sizeof line, "%.160s: objects: %u spawned, %u changed, %u removed%s", desc->name, counts->spawned,
             counts->changed, counts->removed, pending);
  else
    snprintf(line, sizeof line, "%.160s: the entities in the world already match the file", desc->name);
  if (counts->spawned + counts->changed + counts->removed + counts->invalid > 0 || counts->kept == 0)
    desc->listener.log_line(desc->listener.context, line);
}

void map_objects_update(world_o *w, const map_objects_update_t *desc) {
  const manager_o *m = builtin_find(w, "tilemap");
  allocator_t memory = {0};
  entity_array_t tilemaps = {0};
  edit_counts_t counts = {0};
  tilemap_columns columns = tilemap_columns_of(m);
  shoal_assert(desc->new_map && desc->listener.log_line && desc->log_problem,
               "`new_map`, `listener.log_line` and `log_problem` must not be NULL");
  for (uint32_t row = 0; m && row < m->count; ++row) {
    if (columns.filled[row] && strcmp(strings_text(world_strings(w), columns.map[row]), desc->name) == 0 &&
        strcmp(strings_text(world_strings(w), columns.level[row]), desc->level) == 0)
      array_push(&memory, &tilemaps.items, m->owner[row]);
  }
  for (uint32_t i = 0; i < tilemaps.items.count; ++i)
    if (manager_row(m, tilemaps.items.items[i]) != ROW_NONE)
      update_tilemap(w, manager_row(m, tilemaps.items.items[i]), desc, &counts);
  if (tilemaps.items.count > 0)
    report_counts(desc, &counts);
  array_free(&memory, &tilemaps.items);
}
