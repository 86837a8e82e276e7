// Caches maps in a linear list, because games have few maps, and frequent callers cache the result (tilemap/tilemap.c).
#include "tiles/maps.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/files.h"

#include <stdio.h>
#include <string.h>

typedef struct named_map_t {
  char *name, *level;
  map_t *map; // loaded map; NULL if reading failed, which has been logged
} named_map_t;

struct maps_o {
  allocator_t memory;
  const assets_t *assets;
  log_o *log;
  ARRAY(named_map_t) list;
  ARRAY(map_change_t) changes; // most recent changes; own the replaced maps
  uint32_t epoch;
};

maps_o *maps_create(const assets_t *assets, log_o *log) {
  allocator_t allocator = {0};
  maps_o *m = alloc_resize(&allocator, NULL, 0, sizeof *m);
  *m = (maps_o){.assets = assets, .log = log, .epoch = 1};
  return m;
}

static void drop_changes(maps_o *m) {
  for (uint32_t i = 0; i < m->changes.count; ++i)
    map_destroy((map_t *)(uintptr_t)m->changes.items[i].old_map);
  m->changes.count = 0;
}

void maps_clear(maps_o *maps) {
  drop_changes(maps);
  for (uint32_t i = 0; i < maps->list.count; ++i) {
    named_map_t *entry = &maps->list.items[i];
    map_destroy(entry->map);
    alloc_free_text(&maps->memory, entry->name);
    alloc_free_text(&maps->memory, entry->level);
  }
  maps->list.count = 0;
  maps->epoch++;
}

void maps_destroy(maps_o *maps) {
  if (!maps)
    return;
  maps_clear(maps);
  array_free(&maps->memory, &maps->list);
  array_free(&maps->memory, &maps->changes);
  shoal_assert(maps->memory.bytes == 0, "maps leaked %zu bytes", maps->memory.bytes);
  allocator_t allocator = {.bytes = sizeof *maps, .blocks = 1};
  alloc_resize(&allocator, maps, sizeof *maps, 0);
}

static char *read_asset(void *context, allocator_t *allocator, const char *name, size_t *bytes, error_info_t *error) {
  const maps_o *maps = context;
  char path[1200];
  if (!assets_find(maps->assets, name, path, sizeof path)) {
    error_set(error, "%s", path);
    return NULL;
  }
  return file_read(allocator, path, bytes, error);
}

static map_t *read_map(maps_o *m, const char *name, const char *level, error_info_t *error) {
  map_source_t source = {.context = m, .read = read_asset};
  return map_read(&m->memory, &source, name, level, error);
}

static bool has_warning(const map_t *map, const char *text) {
  for (uint32_t i = 0; map && i < map->warning_count; ++i)
    if (strcmp(map->warnings[i], text) == 0)
      return true;
  return false;
}

// Logs the skipped details of a map, except details that the replaced map `previous` already had. `previous` may be
// NULL.
static void log_warnings(maps_o *maps, const map_t *map, const map_t *previous) {
  for (uint32_t i = 0; i < map->warning_count; ++i)
    if (!has_warning(previous, map->warnings[i]))
      log_warn(maps->log, "map: %s", map->warnings[i]);
}

const map_t *maps_find_or_load(maps_o *maps, const char *name, const char *level) {
  shoal_assert(name && level, "name and level must not be NULL");
  for (uint32_t i = 0; i < maps->list.count; ++i)
    if (strcmp(maps->list.items[i].name, name) == 0 && strcmp(maps->list.items[i].level, level) == 0)
      return maps->list.items[i].map;
  error_info_t error = {0};
  char requester[160];
  named_map_t entry = {.name = alloc_copy_text(&maps->memory, name),
                       .level = alloc_copy_text(&maps->memory, level),
                       .map = read_map(maps, name, level, &error)};
  if (!entry.map && !assets_has_reported(maps->assets, name))
    log_warn(maps->log, "map: %s%s", error.text,
             assets_format_requester(maps->assets, name, requester, sizeof requester));
  if (entry.map)
    log_warnings(maps, entry.map, NULL);
  array_push(&maps->memory, &maps->list, entry);
  return entry.map;
}

uint32_t maps_epoch(const maps_o *m) {
  return m->epoch;
}

static bool depends_on(const named_map_t *entry, const char *file) {
  for (uint32_t i = 0; entry->map && i < entry->map->file_count; ++i)
    if (strcmp(entry->map->files[i], file) == 0)
      return true;
  return !entry->map && map_is_map_file(file); // a map that could not be read may depend on any map file
}

// Reads all affected maps again before replacing any map, so that either all maps or no maps are replaced.
asset_fate_t maps_asset_changed(maps_o *maps, const char *file, error_info_t *error) {
  ARRAY(map_t *) new_maps = {0};
  bool ok = true;
  uint32_t affected = 0;
  drop_changes(maps);
  for (uint32_t i = 0; i < maps->list.count; ++i) {
    const named_map_t *entry = &maps->list.items[i];
    map_t *new_map = ok && depends_on(entry, file) ? read_map(maps, entry->name, entry->level, error) : NULL;
    bool reading_failed = !new_map && depends_on(entry, file) && (entry->map || strcmp(entry->name, file) == 0);
    ok = ok && !reading_failed;
    affected += new_map || reading_failed;
    array_push(&maps->memory, &new_maps, new_map);
  }
  shoal_assert(new_maps.count == maps->list.count, "only %u of %u maps were checked", new_maps.count, maps->list.count);
  for (uint32_t i = 0; i < new_maps.count; ++i) {
    named_map_t *entry = &maps->list.items[i];
    map_t *new_map = new_maps.items[i];
    if (!ok)
      map_destroy(new_map);
    if (!ok || !new_map)
      continue;
    log_warnings(maps, new_map, entry->map);
    map_change_t change = {.name = entry->name, .level = entry->level, .old_map = entry->map, .new_map = new_map};
    array_push(&maps->memory, &maps->changes, change);
    entry->map = new_map;
    maps->epoch++;
  }
  array_free(&maps->memory, &new_maps);
  return !ok ? ASSET_KEPT : affected ? ASSET_RELOADED : ASSET_UNUSED;
}

uint32_t maps_changes(const maps_o *m, const map_change_t **out) {
  *out = m->changes.items;
  return m->changes.count;
}
