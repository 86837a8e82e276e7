// The tilemap component: edited cells, and functions for scripts. Edited cells are stored in blocks of 8 × 8 cells,
// sorted by layer, row and column; empty blocks are removed. The same edits therefore give the same bytes in any order.
#include "tilemap/tilemap.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/log_once.h"
#include "base/nearest_name.h"
#include "components/name.h"
#include "ecs/queued_entities.h"

#include <math.h>
#include <string.h>

#define STORAGE_VERSION 1u
#define BLOCK_SHIFT 3 // log2 of the width and height of a block, in cells
#define BLOCK_CELLS 64u
#define CACHE_SIZE 4u
#define MAX_REMEMBERED 256u
#define NO_LAYER SIZE_MAX

typedef struct block_t {
  int32_t x, y;    // position of the block, in blocks
  uint64_t edited; // bit set of edited cells, row by row
  uint32_t cells[BLOCK_CELLS];
} block_t;

typedef struct block_position_t {
  int32_t x, y;
  uint32_t block;
} block_position_t;

struct tile_edits_t {
  shoal_entity entity;
  char layer[MAP_NAME_MAX];
  ARRAY(block_position_t) positions; // positions of the blocks, sorted by row, then by column
  ARRAY(block_t) blocks;
};

// Cached result of looking up a map.
typedef struct cached_map_t {
  uint32_t name, level, strings_epoch, maps_epoch; // `name` is 0 if the entry is unused
  const map_t *map;
} cached_map_t;

struct tilemaps_o {
  world_o *world;
  manager_o *manager;
  maps_o *maps;
  ARRAY(tile_edits_t) edits; // edits of all layers, sorted by entity, then by layer name
  ARRAY(uint32_t) packed;    // serialized edits, as written by save_edits
  bool is_packed;            // true if `packed` is up to date
  cached_map_t cache[CACHE_SIZE];
  uint32_t next_cache_slot;
  log_once_t remembered;
};

static tilemaps_o *get_tilemaps(const world_o *w) {
  const manager_o *m = builtin_find((world_o *)(uintptr_t)w, "tilemap");
  return m ? m->hooks.context : NULL;
}

// --- edited cells

static int compare_layers(const tile_edits_t *edits, shoal_entity entity, const char *layer) {
  return edits->entity != entity ? (edits->entity < entity ? -1 : 1) : strcmp(edits->layer, layer);
}

// Returns the index of the first item of `edits` whose key is at least (entity, layer).
static uint32_t find_layer(const tilemaps_o *t, shoal_entity entity, const char *layer) {
  uint32_t low = 0, high = t->edits.count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (compare_layers(&t->edits.items[middle], entity, layer) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static uint32_t find_block_position(const tile_edits_t *edits, int32_t x, int32_t y) {
  uint32_t low = 0, high = edits->positions.count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    const block_position_t *position = &edits->positions.items[middle];
    if (position->y < y || (position->y == y && position->x < x))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool is_block_at(const tile_edits_t *edits, uint32_t i, int32_t x, int32_t y) {
  return i < edits->positions.count && edits->positions.items[i].x == x && edits->positions.items[i].y == y;
}

static uint32_t cell_bit(int32_t column, int32_t row) {
  return ((uint32_t)row & 7u) << BLOCK_SHIFT | ((uint32_t)column & 7u);
}

// Returns the coordinate of the block that contains a cell. Rounds down for negative cells as well.
static int32_t block_coordinate(int32_t cell) {
  return cell >= 0 ? cell >> BLOCK_SHIFT : -((-cell - 1) >> BLOCK_SHIFT) - 1;
}

uint32_t tilemap_get_edited_cell(const map_layer_t *layer, const tile_edits_t *edits, int32_t column, int32_t row) {
  uint32_t x = (uint32_t)column - (uint32_t)layer->left, y = (uint32_t)row - (uint32_t)layer->top;
  if (x >= layer->columns || y >= layer->rows)
    return 0;
  uint32_t position = find_block_position(edits, block_coordinate(column), block_coordinate(row));
  if (is_block_at(edits, position, block_coordinate(column), block_coordinate(row))) {
    const block_t *block = &edits->blocks.items[edits->positions.items[position].block];
    uint32_t bit = cell_bit(column, row);
    if (block->edited >> bit & 1u)
      return block->cells[bit];
  }
  return map_cell(layer, column, row);
}

static void free_edits(allocator_t *a, tile_edits_t *edits) {
  array_free(a, &edits->positions);
  array_free(a, &edits->blocks);
}

static void drop_layer(tilemaps_o *t, uint32_t i) {
  shoal_assert(i < t->edits.count, "layer %u is out of range (count %u)", i, t->edits.count);
  free_edits(world_allocator(t->world), &t->edits.items[i]);
  t->edits.count--;
  memmove(&t->edits.items[i], &t->edits.items[i + 1], (t->edits.count - i) * sizeof *t->edits.items);
  t->is_packed = false;
}

static tile_edits_t *find_or_add_layer(tilemaps_o *t, shoal_entity entity, const char *layer) {
  uint32_t i = find_layer(t, entity, layer);
  if (i < t->edits.count && compare_layers(&t->edits.items[i], entity, layer) == 0)
    return &t->edits.items[i];
  array_reserve(world_allocator(t->world), &t->edits, t->edits.count + 1);
  memmove(&t->edits.items[i + 1], &t->edits.items[i], (t->edits.count - i) * sizeof *t->edits.items);
  t->edits.count++;
  t->edits.items[i] = (tile_edits_t){.entity = entity};
  memcpy(t->edits.items[i].layer, layer, strlen(layer) + 1);
  return &t->edits.items[i];
}

static block_t *find_or_add_block(tilemaps_o *t, tile_edits_t *edits, int32_t x, int32_t y) {
  allocator_t *allocator = world_allocator(t->world);
  uint32_t i = find_block_position(edits, x, y);
  if (!is_block_at(edits, i, x, y)) {
    block_t block = {.x = x, .y = y};
    array_push(allocator, &edits->blocks, block);
    array_reserve(allocator, &edits->positions, edits->positions.count + 1);
    memmove(&edits->positions.items[i + 1], &edits->positions.items[i],
            (edits->positions.count - i) * sizeof *edits->positions.items);
    edits->positions.count++;
    edits->positions.items[i] = (block_position_t){x, y, edits->blocks.count - 1};
  }
  return &edits->blocks.items[edits->positions.items[i].block];
}

// Removes a block. The last block gets its index.
static void drop_block(tile_edits_t *edits, uint32_t position) {
  shoal_assert(position < edits->positions.count, "block position %u is out of range (count %u)", position,
               edits->positions.count);
  uint32_t hole = edits->positions.items[position].block, last_index = --edits->blocks.count;
  if (hole != last_index) {
    const block_t *moved_block = &edits->blocks.items[last_index];
    edits->positions.items[find_block_position(edits, moved_block->x, moved_block->y)].block = hole;
    edits->blocks.items[hole] = *moved_block;
  }
  edits->positions.count--;
  memmove(&edits->positions.items[position], &edits->positions.items[position + 1],
          (edits->positions.count - position) * sizeof *edits->positions.items);
}

static void remove_edit(tilemaps_o *t, shoal_entity entity, const char *layer, int32_t column, int32_t row) {
  uint32_t index = find_layer(t, entity, layer);
  if (index == t->edits.count || compare_layers(&t->edits.items[index], entity, layer) != 0)
    return;
  tile_edits_t *edits = &t->edits.items[index];
  uint32_t position = find_block_position(edits, block_coordinate(column), block_coordinate(row));
  if (!is_block_at(edits, position, block_coordinate(column), block_coordinate(row)))
    return;
  block_t *block = &edits->blocks.items[edits->positions.items[position].block];
  block->edited &= ~(1ull << cell_bit(column, row));
  block->cells[cell_bit(column, row)] = 0;
  if (block->edited == 0)
    drop_block(edits, position);
  if (edits->blocks.count == 0)
    drop_layer(t, index);
  t->is_packed = false;
}

static void set_cell(tilemaps_o *t, shoal_entity entity, const char *layer, int32_t column, int32_t row,
                     uint32_t cell) {
  shoal_assert(strlen(layer) < MAP_NAME_MAX, "layer name %s is too long", layer);
  block_t *block =
      find_or_add_block(t, find_or_add_layer(t, entity, layer), block_coordinate(column), block_coordinate(row));
  uint32_t bit = cell_bit(column, row);
  block->edited |= 1ull << bit;
  block->cells[bit] = cell;
  t->is_packed = false;
}

// --- storage

// Storage format, in 32-bit words: the number of layers; for each layer its entity, name and number of blocks; for each
// block its position, the bit set of edited cells, and the edited cells.
static void append_word(tilemaps_o *t, uint32_t word) {
  array_push(world_allocator(t->world), &t->packed, word);
}

static void pack_layer(tilemaps_o *t, const tile_edits_t *edits) {
  uint32_t name[MAP_NAME_MAX / 4] = {0};
  memcpy(name, edits->layer, strlen(edits->layer));
  append_word(t, edits->entity);
  for (uint32_t i = 0; i < MAP_NAME_MAX / 4; ++i)
    append_word(t, name[i]);
  append_word(t, edits->positions.count);
  for (uint32_t i = 0; i < edits->positions.count; ++i) {
    const block_t *block = &edits->blocks.items[edits->positions.items[i].block];
    append_word(t, (uint32_t)block->x);
    append_word(t, (uint32_t)block->y);
    append_word(t, (uint32_t)block->edited);
    append_word(t, (uint32_t)(block->edited >> 32));
    for (uint32_t bit = 0; bit < BLOCK_CELLS; ++bit)
      if (block->edited >> bit & 1u)
        append_word(t, block->cells[bit]);
  }
}

static void pack_edits(tilemaps_o *t) {
  if (t->is_packed)
    return;
  t->packed.count = 0;
  if (t->edits.count > 0)
    append_word(t, t->edits.count);
  for (uint32_t i = 0; i < t->edits.count; ++i)
    pack_layer(t, &t->edits.items[i]);
  t->is_packed = true;
}

static size_t get_save_bytes(void *context, manager_o *m) {
  tilemaps_o *t = context;
  (void)m;
  pack_edits(t);
  return t->packed.count * sizeof *t->packed.items;
}

static void save_edits(void *context, manager_o *m, void *bytes) {
  tilemaps_o *t = context;
  (void)m;
  shoal_assert(t->manager == m, "the manager belongs to a different world");
  pack_edits(t);
  if (t->packed.count > 0)
    memcpy(bytes, t->packed.items, t->packed.count * sizeof *t->packed.items);
}

typedef struct word_reader_t {
  const uint32_t *next;
  size_t remaining;
} word_reader_t;

static bool read_word(word_reader_t *reader, uint32_t *out) {
  if (reader->remaining == 0)
    return false;
  reader->remaining--;
  *out = *reader->next++;
  return true;
}

static bool unpack_block(tilemaps_o *t, word_reader_t *reader, tile_edits_t *edits) {
  uint32_t x, y, low, high, cell;
  if (!read_word(reader, &x) || !read_word(reader, &y) || !read_word(reader, &low) || !read_word(reader, &high))
    return false;
  uint64_t bits = (uint64_t)high << 32 | low;
  if (bits == 0)
    return false;
  block_t *block = find_or_add_block(t, edits, (int32_t)x, (int32_t)y);
  for (uint32_t bit = 0; bit < BLOCK_CELLS; ++bit) {
    if (!(bits >> bit & 1u))
      continue;
    if (!read_word(reader, &cell))
      return false;
    block->cells[bit] = cell;
    block->edited |= 1ull << bit;
  }
  return true;
}

static bool unpack_layer(tilemaps_o *t, word_reader_t *reader) {
  uint32_t entity, block_count, name[MAP_NAME_MAX / 4];
  char layer[MAP_NAME_MAX];
  if (!read_word(reader, &entity))
    return false;
  for (uint32_t i = 0; i < MAP_NAME_MAX / 4; ++i)
    if (!read_word(reader, &name[i]))
      return false;
  memcpy(layer, name, sizeof layer);
  if (!memchr(layer, '\0', sizeof layer) || !read_word(reader, &block_count) || block_count == 0 ||
      block_count > reader->remaining)
    return false;
  tile_edits_t *edits = find_or_add_layer(t, entity, layer);
  for (uint32_t i = 0; i < block_count; ++i)
    if (!unpack_block(t, reader, edits))
      return false;
  return true;
}

static void clear_edits(tilemaps_o *t) {
  while (t->edits.count > 0)
    drop_layer(t, t->edits.count - 1);
}

// Loads the edits. The bytes are untrusted, because saves may be edited.
static void load_edits(void *context, world_o *w, manager_o *manager, uint32_t version, const void *bytes,
                       size_t size) {
  tilemaps_o *t = context;
  word_reader_t reader = {bytes, size / sizeof(uint32_t)};
  uint32_t layer_count = 0;
  bool ok =
      size % sizeof(uint32_t) == 0 && (size == 0 || (version == STORAGE_VERSION && read_word(&reader, &layer_count)));
  clear_edits(t);
  for (uint32_t i = 0; i < layer_count && ok; ++i)
    ok = unpack_layer(t, &reader);
  for (uint32_t i = t->edits.count; i-- > 0;)
    if (manager_row(manager, t->edits.items[i].entity) == ROW_NONE || t->edits.items[i].blocks.count == 0)
      drop_layer(t, i);
  if (!ok)
    log_warn(world_log(w), "tilemap: the saved cell edits are damaged: dropped the unreadable edits");
  t->is_packed = false;
}

static void remove_layers(void *context, world_o *w, manager_o *manager, const shoal_entity *entities, uint32_t count) {
  tilemaps_o *t = context;
  (void)w, (void)manager;
  for (uint32_t i = 0; i < count && t->edits.count > 0; ++i) {
    uint32_t index = find_layer(t, entities[i], "");
    while (index < t->edits.count && t->edits.items[index].entity == entities[i])
      drop_layer(t, index);
  }
}

tilemaps_o *tilemaps_create(world_o *w) {
  tilemaps_o *t = alloc_resize(world_allocator(w), NULL, 0, sizeof *t);
  *t = (tilemaps_o){.world = w, .manager = builtin_find(w, "tilemap")};
  shoal_assert(t->manager && t->manager->count == 0,
               "the storage of cell edits must be created before the first tilemap");
  world_set_hooks(w, t->manager->id,
                  &(manager_hooks_t){.context = t,
                                     .removing = remove_layers,
                                     .storage_version = STORAGE_VERSION,
                                     .save_bytes = get_save_bytes,
                                     .save = save_edits,
                                     .load = load_edits});
  return t;
}

void tilemaps_destroy(tilemaps_o *t) {
  allocator_t *allocator = world_allocator(t->world);
  clear_edits(t);
  world_set_hooks(t->world, t->manager->id, &(manager_hooks_t){0});
  array_free(allocator, &t->edits);
  array_free(allocator, &t->packed);
  array_free(allocator, &t->remembered);
  alloc_resize(allocator, t, sizeof *t, 0);
}

void tilemaps_set_maps(world_o *w, maps_o *maps) {
  tilemaps_o *t = get_tilemaps(w);
  shoal_assert(t, "the component tilemap must be declared");
  t->maps = maps;
  memset(t->cache, 0, sizeof t->cache);
}

uint32_t tilemaps_epoch(const world_o *w) {
  const tilemaps_o *t = get_tilemaps(w);
  return t && t->maps ? maps_epoch(t->maps) : 0;
}

void tilemaps_remember(world_o *w, uint64_t hash) {
  tilemaps_o *t = get_tilemaps(w);
  if (!t)
    return;
  if (t->remembered.count == MAX_REMEMBERED)
    t->remembered.count = 0;
  log_once_add(&t->remembered, world_allocator(w), hash, MAX_REMEMBERED);
}

bool tilemaps_is_remembered(const world_o *w, uint64_t hash) {
  const tilemaps_o *t = get_tilemaps(w);
  for (uint32_t i = 0; t && i < t->remembered.count; ++i)
    if (t->remembered.items[i] == hash)
      return true;
  return false;
}

// --- maps

// Returns the map of a row, or NULL if the row names no map, or if its map could not be read. `manager` is the manager
// of the row, which differs from t->manager for a queued entity.
static const map_t *find_map(tilemaps_o *t, const manager_o *manager, uint32_t row) {
  if (!t || !t->maps || row >= manager->count)
    return NULL;
  tilemap_columns columns = tilemap_columns_of(manager);
  uint32_t name = columns.map[row], level = columns.level[row];
  const strings_o *strings = world_strings(t->world);
  uint32_t current_strings_epoch = strings_epoch(strings), current_maps_epoch = maps_epoch(t->maps);
  if (name == 0)
    return NULL;
  for (uint32_t i = 0; i < CACHE_SIZE; ++i) {
    const cached_map_t *cached = &t->cache[i];
    if (cached->name == name && cached->level == level && cached->strings_epoch == current_strings_epoch &&
        cached->maps_epoch == current_maps_epoch)
      return cached->map;
  }
  cached_map_t entry = {
      .name = name, .level = level, .strings_epoch = current_strings_epoch, .maps_epoch = current_maps_epoch};
  entry.map = maps_find_or_load(t->maps, strings_text(strings, name), strings_text(strings, level));
  t->cache[t->next_cache_slot++ % CACHE_SIZE] = entry;
  return entry.map;
}

const map_t *tilemap_map(world_o *w, uint32_t row) {
  tilemaps_o *t = get_tilemaps(w);
  return t ? find_map(t, t->manager, row) : NULL;
}

static const tile_edits_t *find_edits(const tilemaps_o *t, shoal_entity e, const char *layer) {
  uint32_t i = t && t->edits.count > 0 ? find_layer(t, e, layer) : 0;
  bool found = t && i < t->edits.count && compare_layers(&t->edits.items[i], e, layer) == 0;
  return found ? &t->edits.items[i] : NULL;
}

const tile_edits_t *tilemap_edits(world_o *w, shoal_entity e, const char *layer) {
  return find_edits(get_tilemaps(w), e, layer);
}

// --- scripts

static const map_t *require_map(world_o *w, shoal_entity entity, error_info_t *error) {
  manager_o *manager = builtin_find(w, "tilemap");
  bool queued = manager && world_is_queued(w, entity);
  uint32_t row = queued ? queued_row(w, entity, manager->id) : manager ? manager_row(manager, entity) : ROW_NONE;
  char name[NAME_DESCRIPTION_MAX];
  if (row == ROW_NONE) {
    error_set(error, "%s has no tilemap", name_describe(w, entity, name, sizeof name));
    return NULL;
  }
  tilemaps_o *tilemaps = manager->hooks.context;
  manager = queued ? queued_manager(w, manager->id) : manager;
  const map_t *map = find_map(tilemaps, manager, row);
  if (!map)
    error_set(error, "cannot read the map \"%.100s\" of %s: see the log",
              strings_text(world_strings(w), tilemap_columns_of(manager).map[row]),
              name_describe(w, entity, name, sizeof name));
  return map;
}

static const map_layer_t *require_layer(const map_t *map, const char *name, error_info_t *error) {
  int32_t index = map_find_layer(map, name);
  if (index >= 0)
    return &map->layers[index];
  nearest_name_t nearest;
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < map->layer_count; ++i)
    if (map->layers[i].kind == MAP_LAYER_TILES)
      nearest_name_offer(&nearest, map->layers[i].name);
  error_set(error, "%s has no tile layer \"%.60s\"%s", map->files[0], name,
            nearest_name_hint(&nearest, hint, sizeof hint));
  return NULL;
}

// Returns the 0-based cell of a script's 1-based coordinate. Rounds fractions down; NaN and out-of-range numbers become
// a cell outside every map.
static inline int32_t convert_script_cell(double number) {
  if (!(number >= 1 - 2.0 * MAP_MAX_SIDE && number < 2.0 * MAP_MAX_SIDE + 2))
    return -3 * MAP_MAX_SIDE;
  int32_t truncated = (int32_t)number;
  return truncated - (truncated > number) - 1;
}

double tilemap_get(world_o *w, shoal_entity e, const char *layer, double column, double row, error_info_t *error) {
  const map_t *map = require_map(w, e, error);
  const map_layer_t *map_layer = map ? require_layer(map, layer, error) : NULL;
  return map_layer ? (double)tilemap_cell(map_layer, tilemap_edits(w, e, map_layer->name), convert_script_cell(column),
                                          convert_script_cell(row))
                   : -1.0;
}

bool tilemap_set(world_o *w, shoal_entity entity, const char *layer, double column, double row, double cell,
                 error_info_t *error) {
  const map_t *map = require_map(w, entity, error);
  const map_layer_t *map_layer = map ? require_layer(map, layer, error) : NULL;
  char name[NAME_DESCRIPTION_MAX];
  if (!map_layer)
    return false;
  if (world_is_queued(w, entity))
    return error_set(error,
                     "cannot set cells of %s, which this system has just spawned: set them after the system has ended",
                     name_describe(w, entity, name, sizeof name));
  int32_t x = convert_script_cell(column), y = convert_script_cell(row);
  if ((uint32_t)x - (uint32_t)map_layer->left >= map_layer->columns ||
      (uint32_t)y - (uint32_t)map_layer->top >= map_layer->rows)
    return error_set(error, "cell %g, %g is outside the layer \"%s\", which has columns %d to %lld and rows %d to %lld",
                     column, row, map_layer->name, map_layer->left + 1, (long long)map_layer->left + map_layer->columns,
                     map_layer->top + 1, (long long)map_layer->top + map_layer->rows);
  if (cell == -1) {
    remove_edit(get_tilemaps(w), entity, map_layer->name, x, y);
    return true;
  }
  uint32_t cell_value = cell >= 0 && cell <= UINT32_MAX ? (uint32_t)cell : UINT32_MAX;
  if (cell_value != cell || MAP_TILE(cell_value) >= map->tile_count)
    return error_set(error, "a tile of %s must be from 1 to %u, or 0 for no tile, got %.17g", map->files[0],
                     map->tile_count - 1, cell);
  set_cell(get_tilemaps(w), entity, map_layer->name, x, y, cell_value);
  return true;
}

// The layers of a map whose cells may be solid, from the topmost.
typedef struct solid_layers_t {
  const map_t *map;
  uint32_t count;
  struct {
    const map_layer_t *layer;
    const tile_edits_t *edits;
  } items[MAP_MAX_LAYERS];
} solid_layers_t;

static void list_solid_layers(const tilemaps_o *t, const map_t *map, shoal_entity entity, solid_layers_t *out) {
  out->map = map;
  out->count = 0;
  for (uint32_t i = map->layer_count; i-- > 0;) {
    const map_layer_t *layer = &map->layers[i];
    const tile_edits_t *edits = layer->physical ? find_edits(t, entity, layer->name) : NULL;
    if (!layer->has_shapes && !edits)
      continue;
    out->items[out->count].layer = layer;
    out->items[out->count++].edits = edits;
  }
}

static inline bool is_cell_solid(const solid_layers_t *layers, int32_t x, int32_t y) {
  for (uint32_t i = 0; i < layers->count; ++i) {
    const map_tile_t *tile = map_tile(layers->map, tilemap_cell(layers->items[i].layer, layers->items[i].edits, x, y));
    if (tile->declares_solid)
      return tile->solid;
  }
  return false;
}

int tilemap_is_solid(world_o *w, shoal_entity entity, double column, double row, error_info_t *error) {
  const map_t *map = require_map(w, entity, error);
  solid_layers_t layers;
  if (!map)
    return -1;
  list_solid_layers(get_tilemaps(w), map, entity, &layers);
  return is_cell_solid(&layers, convert_script_cell(column), convert_script_cell(row));
}

void tilemap_test_solid(world_o *w, uint32_t *ids, const double *columns, const double *rows, int64_t count) {
  const tilemaps_o *tilemaps = get_tilemaps(w);
  const map_t *map = NULL;
  solid_layers_t layers;
  for (int64_t i = 0, entity = 0; i < count; ++i) {
    if (ids[i] != entity) {
      entity = ids[i];
      map = entity != 0 ? require_map(w, ids[i], NULL) : NULL;
      if (map)
        list_solid_layers(tilemaps, map, ids[i], &layers);
    }
    ids[i] = map ? is_cell_solid(&layers, convert_script_cell(columns[i]), convert_script_cell(rows[i])) : UINT32_MAX;
  }
}

bool tilemap_size(world_o *w, shoal_entity e, double out[6], error_info_t *error) {
  const map_t *map = require_map(w, e, error);
  if (!map)
    return false;
  const double values[6] = {map->columns, map->rows, map->left + 1, map->top + 1, map->tile_width, map->tile_height};
  memcpy(out, values, sizeof values);
  return true;
}

double tilemap_get_object_cell(world_o *w, shoal_entity e, double id, error_info_t *error) {
  const map_t *map = require_map(w, e, error);
  const map_object_t *object = map && id >= 0 && id <= UINT32_MAX ? map_find_object(map, (uint32_t)id) : NULL;
  return object ? (double)object->cell : map ? 0.0 : -1.0;
}

const char *tilemap_find_tileset(world_o *w, shoal_entity e, double tile, double *out, error_info_t *error) {
  const map_t *map = require_map(w, e, error);
  const map_tileset_t *tileset = map && tile >= 1 && tile <= UINT32_MAX ? map_find_tileset(map, (uint32_t)tile) : NULL;
  *out = tileset ? (double)((uint32_t)tile - tileset->first) : -1.0;
  return tileset ? tileset->name : map ? "" : NULL;
}
