// Spawns the objects of maps and applies edits of maps. Objects that cannot be spawned are listed in the hidden column
// `pending` of the tilemap, and tried again whenever the map, the declarations or the definitions have changed.
#include "store/map_objects.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/log_once.h"
#include "collision/body.h"
#include "components/builtin.h"
#include "content/definitions.h"
#include "store/map_object_text.h"
#include "tilemap/tilemap.h"
#include "transform/transform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAP_OBJECTS_SYSTEM "shoal.map_objects"
#define MAX_WARNINGS 20u // maximum number of warnings per map about invalid objects

// A tilemap whose objects are spawned or updated.
typedef struct filling_t {
  world_o *w;
  shoal_entity tilemap;
  const map_t *map;
  const scene_listener_t *to; // NULL: log nothing
  allocator_t memory;
  uint32_t warnings; // number of reported problems
  map_ids_t invalid; // objects that cannot be spawned
  log_once_t former; // former names that were reported
  bool is_full;      // objects could not be spawned although they are valid: the world lacks capacity
} filling_t;

// A text of the map's objects that is being checked.
typedef struct reading_t {
  filling_t *f;
  map_text_t *text;
  bool reports;   // reports invalid parts and former names
  uint32_t count; // number of invalid entities in this pass
} reading_t;

static filling_t begin_filling(world_o *w, shoal_entity tilemap, const map_t *map, const scene_listener_t *to) {
  shoal_assert(map, "map must not be NULL");
  return (filling_t){.w = w, .tilemap = tilemap, .map = map, .to = to};
}

static void end_filling(filling_t *f) {
  if (f->to && f->warnings > MAX_WARNINGS) {
    char line[160];
    snprintf(line, sizeof line, "%.80s: %u more objects have problems", f->map->files[0], f->warnings - MAX_WARNINGS);
    f->to->log_line(f->to->context, line);
  }
  array_free(&f->memory, &f->invalid);
  array_free(&f->memory, &f->former);
  shoal_assert(f->memory.bytes == 0, "filling a tilemap leaked %zu bytes", f->memory.bytes);
}

// --- messages

static void report_line(filling_t *f, const char *subject, const char *problem) {
  char line[1400];
  if (!f->to || f->warnings++ >= MAX_WARNINGS)
    return;
  snprintf(line, sizeof line, "%.200s: %s: %s", f->map->files[0], subject, problem);
  f->to->log_line(f->to->context, line);
}

static void report_object(filling_t *f, const map_object_t *o, const char *problem) {
  char subject[96];
  snprintf(subject, sizeof subject, "object %u%s%.60s%s", o->id, o->name[0] ? " \"" : "", o->name,
           o->name[0] ? "\"" : "");
  report_line(f, subject, problem);
}

// Reports a fault without the position that the scene reader puts in front: "entity 3 (door): ".
static void report_fault(filling_t *f, const map_object_t *o, const scene_fault_t *fault) {
  const char *problem = strncmp(fault->error.text, "entity ", 7) == 0 ? strstr(fault->error.text, ": ") : NULL;
  report_object(f, o, problem ? problem + 2 : fault->error.text);
}

static void report_duplicates(filling_t *f) {
  map_ids_t duplicates = {0};
  map_ids_find_duplicates(&duplicates, &f->memory, f->map);
  for (uint32_t i = 0; i < duplicates.count; ++i)
    report_object(f, &f->map->objects[duplicates.items[i]],
                  "another object has the same number: delete this object and add it again");
  array_free(&f->memory, &duplicates);
}

// Reports a former name in the file, once.
static void report_former_name(void *context, uint32_t number, const scene_fault_t *where) {
  reading_t *x = context;
  if (x->f->to && log_once_add(&x->f->former, &x->f->memory, hash_text(where->error.text), UINT32_MAX))
    report_object(x->f, map_text_object(x->text, number), where->error.text);
}

// --- the list of pending objects

// The column contains "1-4 9\nMAP\nLEVEL". The list counts only while the tilemap shows that level of that map.
static void append_run(char *out, size_t bytes, size_t *used, uint32_t first, uint32_t last) {
  int n = first == last ? snprintf(out + *used, bytes - *used, "%s%u", *used ? " " : "", first)
                        : snprintf(out + *used, bytes - *used, "%s%u-%u", *used ? " " : "", first, last);
  shoal_assert(n > 0 && *used + (size_t)n < bytes, "the list of objects needs more than %zu bytes", bytes);
  *used += (size_t)n;
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
    size_t bytes = ids->count * 12u + strlen(map) + strlen(level) + 4, used = 0;
    char *out = alloc_resize(a, NULL, 0, bytes);
    for (uint32_t i = 0, first = 0; i < ids->count; ++i)
      if (i + 1 == ids->count || ids->items[i + 1] != ids->items[i] + 1) {
        append_run(out, bytes, &used, ids->items[first], ids->items[i]);
        first = i + 1;
      }
    snprintf(out + used, bytes - used, "\n%s\n%s", map, level);
    text = strings_intern(strings, out);
    alloc_resize(a, out, bytes, 0);
  }
  if (tilemap_columns_of(m).pending[row] != text)
    columns_set_unmarked(&m->columns, row, SHOAL_COLUMN_INDEX(tilemap, pending), text);
}

static bool names_same_map(world_o *w, const tilemap_columns *c, uint32_t row, const char *names) {
  const char *map = strings_text(world_strings(w), c->map[row]), *level = strings_text(world_strings(w), c->level[row]);
  size_t bytes = strlen(map);
  return strncmp(names, map, bytes) == 0 && names[bytes] == '\n' && strcmp(names + bytes + 1, level) == 0;
}

// Reads the list, which contains only objects of `known`. Returns false if it belongs to another map. Safe for any
// text, because saves may be edited.
static bool read_pending(world_o *w, uint32_t row, const map_ids_t *known, map_ids_t *out, allocator_t *a) {
  tilemap_columns c = tilemap_columns_of(builtin_find(w, "tilemap"));
  const char *at = strings_text(world_strings(w), c.pending[row]), *names = strchr(at, '\n');
  if (!names || !names_same_map(w, &c, row, names + 1))
    return false;
  while (*at >= '0' && *at <= '9') {
    char *end;
    unsigned long first = strtoul(at, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
    for (uint32_t i = 0; i < known->count; ++i)
      if (known->items[i] >= first && known->items[i] <= last)
        array_push(a, out, known->items[i]);
    at = *end == ' ' ? end + 1 : end;
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
static void set_default_body_size(world_o *w, shoal_entity e, const map_object_t *o) {
  const manager_o *m = world_find_manager(w, "body");
  uint32_t row = m ? manager_row(m, e) : ROW_NONE;
  body_columns c = body_columns_of(m);
  if (row == ROW_NONE || c.kind[row] != BODY_KIND_BOX || c.width[row] != 0 || c.height[row] != 0)
    return;
  set_field(w, e, m, "width", o->width);
  set_field(w, e, m, "height", o->height);
}

// Assigns the entity to the scene of its tilemap, if it has one.
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

static void attach_to_tilemap(filling_t *f, shoal_entity e, const map_object_t *o) {
  const manager_o *transforms = world_find_manager(f->w, "transform"), *objects = builtin_find(f->w, "map_object");
  set_field(f->w, e, objects, "map", f->tilemap);
  if (manager_row(transforms, f->tilemap) != ROW_NONE)
    set_field(f->w, e, transforms, "parent", f->tilemap);
  set_default_body_size(f->w, e, o);
  copy_scene(f->w, f->tilemap, e);
}

static bool check_text(reading_t *x, void (*invalid)(void *, uint32_t, const scene_fault_t *), scene_fault_t *fault) {
  const scene_former_t former = {.found = report_former_name, .context = x};
  scene_desc_t desc = map_text_write(x->text);
  desc.former = x->reports ? &former : NULL;
  x->count = 0;
  return scene_check_each(x->f->w, &desc, &x->text->memory, &(scene_check_t){invalid, x}, fault);
}

static void add_invalid_object(void *context, uint32_t number, const scene_fault_t *fault) {
  reading_t *x = context;
  const map_object_t *o = map_text_object(x->text, number);
  array_push(&x->f->memory, &x->f->invalid, o->id);
  report_fault(x->f, o, fault);
  x->count++;
}

// Spawns all entities of a text that has been checked. Returns their number.
static uint32_t spawn_text(filling_t *f, map_text_t *t) {
  scene_desc_t desc = map_text_write(t);
  scene_made_t made = {0};
  scene_fault_t fault;
  bool ok = scene_read(f->w, &desc, &t->memory, &made, &fault);
  shoal_assert(!ok || made.count == t->objects.count, "%u of %u objects were spawned", made.count, t->objects.count);
  for (uint32_t i = 0; ok && i < made.count; ++i)
    attach_to_tilemap(f, made.items[i], map_text_object(t, i + 1));
  for (uint32_t i = 0; !ok && i < t->objects.count; ++i)
    array_push(&f->memory, &f->invalid, map_text_object(t, i + 1)->id);
  if (!ok)
    report_line(f, "objects", fault.error.text);
  f->is_full |= !ok;
  uint32_t count = ok ? made.count : 0;
  scene_made_fini(&made, &t->memory);
  return count;
}

// Spawns the valid ones of these objects, and adds the others to `invalid`. References to invalid objects become null,
// so the rest is checked again without them until all are valid. Returns the number of spawned entities.
static uint32_t spawn_ids(filling_t *f, const map_ids_t *wanted) {
  map_ids_t left = {0};
  uint32_t spawned = 0;
  bool again = true;
  while (again) {
    map_text_t t;
    scene_fault_t fault;
    left.count = 0;
    map_ids_add_where(&left, &f->memory, wanted, &f->invalid, false);
    map_text_init(&t, f->w, f->map, &left);
    reading_t x = {.f = f, .text = &t, .reports = true};
    again = check_text(&x, add_invalid_object, &fault) && x.count > 0;
    if (!again && t.objects.count > 0)
      spawned = spawn_text(f, &t);
    map_text_fini(&t);
    map_ids_sort(&f->invalid);
  }
  array_free(&f->memory, &left);
  return spawned;
}

// --- differences between two texts

// Numbers of objects of all tilemaps that show the edited map.
typedef struct edit_counts_t {
  uint32_t spawned, changed, removed, invalid, kept;
} edit_counts_t;

static shoal_entity find_entity(const filling_t *f, uint32_t id) {
  const manager_o *m = builtin_find(f->w, "map_object");
  map_object_columns c = map_object_columns_of(m);
  for (uint32_t row = 0; row < m->count; ++row)
    if (c.map[row] == f->tilemap && c.id[row] == id)
      return m->owner[row];
  return SHOAL_ENTITY_NONE;
}

// Replaces an unknown assemblage by that of the living entity. Returns false if this changes nothing.
static bool restore_assemblage(reading_t *x, json_t *entity, uint32_t id) {
  shoal_entity e = find_entity(x->f, id);
  uint32_t name = e ? world_entities(x->f->w)->assemblage[shoal_entity_index(e)] : 0;
  const char *text = strings_text(world_strings(x->f->w), name), *was;
  was = json_string_value(json_object_get(entity, "assemblage"));
  if (!e || (was && strcmp(text, was) == 0))
    return false;
  return name ? json_object_set_new(entity, "assemblage", json_string(text)) == 0
              : json_object_del(entity, "assemblage") == 0;
}

// Removes the element at the path of a fault, "entities\n1\ncomponents\nshape\nradius". Returns false if the
// element is missing.
static bool remove_element(json_t *entity, const char *place) {
  char key[SCENE_FAULT_PLACE_BYTES];
  const char *at = strchr(place, '\n');
  at = at ? strchr(at + 1, '\n') : NULL;
  for (json_t *inside = entity; at && inside; inside = json_object_get(inside, key)) {
    const char *end = strchr(at + 1, '\n');
    size_t bytes = end ? (size_t)(end - at) - 1 : strlen(at + 1);
    snprintf(key, sizeof key, "%.*s", (int)bytes, at + 1);
    if (!end)
      return json_object_del(inside, key) == 0;
    at = end;
  }
  return false;
}

// Removes the invalid part of an entity from the text, so that the valid parts of an edit can be applied.
static void prune_entity(void *context, uint32_t number, const scene_fault_t *fault) {
  reading_t *x = context;
  const map_object_t *o = map_text_object(x->text, number);
  json_t *entity = json_array_get(x->text->list, number - 1);
  const char *key = strrchr(fault->place, '\n');
  char id[24];
  x->count++;
  if (x->reports)
    report_fault(x->f, o, fault);
  if (key && strcmp(key, "\nassemblage") == 0 ? restore_assemblage(x, entity, o->id)
                                              : remove_element(entity, fault->place))
    return;
  snprintf(id, sizeof id, "#%u", o->id);
  json_object_clear(entity);
  json_object_set_new(entity, "id", json_string(id));
}

static void prune_text(filling_t *f, map_text_t *t, bool reports) {
  reading_t x = {.f = f, .text = t, .reports = reports};
  scene_fault_t fault;
  do {
    if (!check_text(&x, prune_entity, &fault))
      return;
  } while (x.count > 0);
}

// Applies the differences between the objects `were` of the map `before` and the objects `are` of the current map to
// the entities of the objects that are in both sets.
static void apply_differences(filling_t *f, const map_t *before, const map_ids_t *were, const map_ids_t *are,
                              const scene_listener_t *to, edit_counts_t *counts) {
  map_text_t old, now;
  map_text_init(&old, f->w, before, were);
  map_text_init(&now, f->w, f->map, are);
  prune_text(f, &old, false);
  prune_text(f, &now, before != f->map);
  scene_update_t u = {.file = f->map->files[0], .scene = "", .map = f->tilemap, .to = *to};
  u.before = map_text_write(&old);
  u.now = map_text_write(&now);
  if (were->count > 0 && are->count > 0)
    scene_update(f->w, &u, &f->memory);
  map_text_fini(&old);
  map_text_fini(&now);
  counts->changed += u.entities;
  counts->kept += u.kept + u.waiting;
}

static void log_nothing(void *context, const char *line) {
  (void)context, (void)line;
}

static bool has_references(const map_t *map) {
  for (uint32_t i = 0; i < map->object_count; ++i)
    for (uint32_t k = 0; k < map->objects[i].properties.count; ++k)
      if (map->objects[i].properties.items[k].type == MAP_OBJECT)
        return true;
  return false;
}

// Sets the references that the entities of `from` could not have when they were spawned, because other objects were not
// spawned yet. Keeps references that the game has changed.
static void connect_spawned(filling_t *f, const map_ids_t *from, const map_ids_t *are) {
  const scene_listener_t quiet = {.log_line = log_nothing};
  edit_counts_t counts = {0};
  if (from->count > 0 && from->count < are->count && has_references(f->map))
    apply_differences(f, f->map, from, are, &quiet, &counts);
}

// --- filling tilemaps

// Identifies the pending objects of a tilemap together with all that decides whether they can be spawned, except the
// declarations, which are constant in a world.
static uint64_t hash_pending(world_o *w, uint32_t row) {
  tilemap_columns c = tilemap_columns_of(builtin_find(w, "tilemap"));
  const uint32_t names[] = {c.pending[row], c.map[row], c.level[row]};
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

// Stores the list of invalid objects. Once their problems have been reported, they are not tried again before something
// that concerns them has changed.
static void store_invalid(filling_t *f) {
  write_pending(f->w, f->tilemap, &f->invalid, &f->memory);
  uint32_t row = manager_row(builtin_find(f->w, "tilemap"), f->tilemap);
  if (f->to && !f->is_full && f->invalid.count > 0 && row != ROW_NONE)
    tilemaps_remember(f->w, hash_pending(f->w, row));
}

static bool has_entities(world_o *w, shoal_entity tilemap) {
  const manager_o *m = builtin_find(w, "map_object");
  map_object_columns c = map_object_columns_of(m);
  for (uint32_t row = 0; row < m->count; ++row)
    if (c.map[row] == tilemap)
      return true;
  return false;
}

// A tilemap that already has entities comes from an exported scene, which contains them.
static void fill_tilemap(world_o *w, uint32_t row, const map_t *map) {
  manager_o *m = builtin_find(w, "tilemap");
  shoal_entity tilemap = m->owner[row];
  const scene_listener_t to = {.log_line = log_warning, .context = world_log(w)};
  columns_set_unmarked(&m->columns, row, SHOAL_COLUMN_INDEX(tilemap, filled), 1);
  if (has_entities(w, tilemap))
    return;
  filling_t f = begin_filling(w, tilemap, map, &to);
  map_ids_t all = {0};
  map_ids_collect(&all, &f.memory, map);
  report_duplicates(&f);
  spawn_ids(&f, &all);
  store_invalid(&f);
  array_free(&f.memory, &all);
  end_filling(&f);
}

// Spawns the pending objects of a tilemap that have become valid. Returns their number.
static uint32_t fill_pending(world_o *w, uint32_t row, const map_t *map, const scene_listener_t *to) {
  filling_t f = begin_filling(w, builtin_find(w, "tilemap")->owner[row], map, to);
  map_ids_t all = {0}, pending = {0}, were = {0}, are = {0}, fresh = {0};
  uint32_t spawned = 0;
  map_ids_collect(&all, &f.memory, map);
  if (read_pending(w, row, &all, &pending, &f.memory)) {
    spawned = spawn_ids(&f, &pending);
    map_ids_add_where(&were, &f.memory, &all, &pending, false);
    map_ids_add_where(&are, &f.memory, &all, &f.invalid, false);
    map_ids_add_where(&fresh, &f.memory, &pending, &f.invalid, false);
    connect_spawned(&f, &fresh, &are);
    connect_spawned(&f, fresh.count > 0 ? &were : &fresh, &are);
    store_invalid(&f);
  } else {
    tilemaps_remember(w, hash_pending(w, row)); // the list belongs to another map
  }
  array_free(&f.memory, &all);
  array_free(&f.memory, &pending);
  array_free(&f.memory, &were);
  array_free(&f.memory, &are);
  array_free(&f.memory, &fresh);
  end_filling(&f);
  return spawned;
}

static void retry_pending(world_o *w, uint32_t row, const map_t *map) {
  uint64_t key = hash_pending(w, row), key_of_log = key + 1;
  const scene_listener_t to = {.log_line = log_warning, .context = world_log(w)};
  if (tilemaps_is_remembered(w, key))
    return;
  fill_pending(w, row, map, tilemaps_is_remembered(w, key_of_log) ? NULL : &to);
  tilemaps_remember(w, key_of_log); // while the world is full, objects are tried in each tick
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
    if (map) // Objects may be tilemaps themselves. Their rows are appended, so this loop processes them, too.
      fill_tilemap(w, row, map);
    filled |= map != NULL;
  }
  if (filled)
    transform_update_child_lists(w); // so that a tilemap that `start` destroys takes its objects with it
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

typedef struct rows_t {
  ARRAY(shoal_entity) items;
} rows_t;

// Destroys the entities of these objects. Returns their number.
static uint32_t destroy_removed(filling_t *f, const map_ids_t *removed) {
  const manager_o *m = builtin_find(f->w, "map_object");
  map_object_columns c = map_object_columns_of(m);
  rows_t gone = {0};
  for (uint32_t row = 0; row < m->count; ++row)
    if (c.map[row] == f->tilemap && map_ids_has(removed, c.id[row]))
      array_push(&f->memory, &gone.items, m->owner[row]);
  uint32_t count = gone.items.count;
  for (uint32_t i = 0; i < count; ++i)
    world_destroy_entity(f->w, gone.items.items[i]);
  array_free(&f->memory, &gone.items);
  return count;
}

// The sets of objects in an edited map, before and after the edit.
typedef struct edit_sets_t {
  map_ids_t before, now;     // in the file
  map_ids_t pending, wanted; // not spawned yet; to be spawned
  map_ids_t were, are;       // spawned, including those that the game has destroyed since
  map_ids_t fresh, removed;
} edit_sets_t;

static void collect_sets(edit_sets_t *s, filling_t *f, uint32_t row, const map_t *before) {
  map_ids_collect(&s->before, &f->memory, before);
  map_ids_collect(&s->now, &f->memory, f->map);
  read_pending(f->w, row, before ? &s->before : &s->now, &s->pending, &f->memory);
  map_ids_add_where(&s->wanted, &f->memory, &s->pending, &s->now, true);
  if (before) // without it, it is unknown which objects are new
    map_ids_add_where(&s->wanted, &f->memory, &s->now, &s->before, false);
  map_ids_add_where(&s->were, &f->memory, &s->before, &s->pending, false);
  map_ids_add_where(&s->removed, &f->memory, &s->were, &s->now, false);
}

static void free_sets(edit_sets_t *s, allocator_t *a) {
  map_ids_t *all[] = {&s->before, &s->now, &s->pending, &s->wanted, &s->were, &s->are, &s->fresh, &s->removed};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    array_free(a, all[i]);
}

static void update_tilemap(world_o *w, uint32_t row, const map_objects_update_t *x, edit_counts_t *counts) {
  const scene_listener_t problems = {.log_line = x->log_problem, .context = x->to.context};
  filling_t f = begin_filling(w, builtin_find(w, "tilemap")->owner[row], x->now, &problems);
  edit_sets_t s = {0};
  collect_sets(&s, &f, row, x->before);
  report_duplicates(&f);
  counts->spawned += spawn_ids(&f, &s.wanted);
  counts->invalid += f.invalid.count;
  map_ids_add_where(&s.are, &f.memory, &s.now, &f.invalid, false);
  map_ids_add_where(&s.fresh, &f.memory, &s.wanted, &f.invalid, false);
  connect_spawned(&f, &s.fresh, &s.are);
  if (x->before)
    apply_differences(&f, x->before, &s.were, &s.are, &x->to, counts);
  counts->removed += destroy_removed(&f, &s.removed);
  store_invalid(&f);
  free_sets(&s, &f.memory);
  end_filling(&f);
}

static void report_counts(const map_objects_update_t *x, const edit_counts_t *c) {
  char line[300], waiting[80] = "";
  if (c->invalid > 0)
    snprintf(waiting, sizeof waiting, ", %u not spawned yet because of a mistake", c->invalid);
  if (c->spawned + c->changed + c->removed + c->invalid > 0)
    snprintf(line, sizeof line, "%.160s: objects: %u spawned, %u changed, %u removed%s", x->name, c->spawned,
             c->changed, c->removed, waiting);
  else
    snprintf(line, sizeof line, "%.160s: the entities in the world already match the file", x->name);
  if (c->spawned + c->changed + c->removed + c->invalid > 0 || c->kept == 0)
    x->to.log_line(x->to.context, line);
}

void map_objects_update(world_o *w, const map_objects_update_t *x) {
  const manager_o *m = builtin_find(w, "tilemap");
  allocator_t memory = {0};
  rows_t maps = {0};
  edit_counts_t counts = {0};
  tilemap_columns c = tilemap_columns_of(m);
  shoal_assert(x->now && x->to.log_line && x->log_problem, "`now`, `to.log_line` and `log_problem` must not be NULL");
  for (uint32_t row = 0; m && row < m->count; ++row) {
    if (c.filled[row] && strcmp(strings_text(world_strings(w), c.map[row]), x->name) == 0 &&
        strcmp(strings_text(world_strings(w), c.level[row]), x->level) == 0)
      array_push(&memory, &maps.items, m->owner[row]);
  }
  for (uint32_t i = 0; i < maps.items.count; ++i)
    if (manager_row(m, maps.items.items[i]) != ROW_NONE)
      update_tilemap(w, manager_row(m, maps.items.items[i]), x, &counts);
  if (maps.items.count > 0)
    report_counts(x, &counts);
  array_free(&memory, &maps.items);
}
