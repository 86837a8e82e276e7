// Sets cells in the text of a map. The cells of a layer are in blocks: the layer's `data`, or the `data` of its chunks.
// A block is decoded and changed. If its cells then differ, it is written back in its own encoding: in a list, only
// changed numbers are replaced; base64 is replaced as a whole.
#include "tiles/map_edit.h"

#include "tiles/map_reader.h"

#include "base/assert.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIDE 16 // default size of new chunks, as in Tiled

typedef struct block_t {
  json_span_t object, data;
  int32_t left, top, columns, rows;
} block_t;

typedef struct painting_t {
  map_edit_t *edit;
  json_span_t layer;
  const map_edit_layer_t *desc;
  char compression[16]; // name of the compression; "" if not compressed
  int compression_level;
  bool escapes_slashes; // true if the layer's base64 contains "\/"
  const map_paint_t *cells;
  uint32_t count;
  uint8_t *painted; // flags, indexed like `cells`: 1 if the cell has been written to a block
  error_info_t *error;
} painting_t;

static bool fail_layer(const painting_t *painting, const char *format, ...) {
  char problem[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(problem, sizeof problem, format, arguments);
  va_end(arguments);
  json_t *name = json_edit_value(&painting->edit->json, json_edit_find(&painting->edit->json, painting->layer, "name"));
  error_set(painting->error, "%s: layer %u \"%.60s\": %s", painting->edit->file, painting->desc->index + 1,
            json_string_value(name) ? json_string_value(name) : "", problem);
  json_decref(name);
  return false;
}

static bool read_block_member(const painting_t *p, json_span_t object, const char *key, int32_t min, int32_t *out) {
  double value = json_edit_number(&p->edit->json, json_edit_find(&p->edit->json, object, key), 0);
  if (value < min || value > MAP_MAX_SIDE || value != floor(value))
    return fail_layer(p, "\"%s\" must be an integer from %d to %d, got %g", key, min, MAP_MAX_SIDE, value);
  *out = (int32_t)value;
  return true;
}

static bool read_block(const painting_t *painting, json_span_t object, block_t *out) {
  *out = (block_t){.object = object, .data = json_edit_find(&painting->edit->json, object, "data")};
  return read_block_member(painting, object, "x", -MAP_MAX_SIDE, &out->left) &&
         read_block_member(painting, object, "y", -MAP_MAX_SIDE, &out->top) &&
         read_block_member(painting, object, "width", 0, &out->columns) &&
         read_block_member(painting, object, "height", 0, &out->rows) &&
         ((uint64_t)out->columns * (uint64_t)out->rows <= MAP_MAX_CELLS ||
          fail_layer(painting, "too many cells: %d × %d (at most %u)", out->columns, out->rows, MAP_MAX_CELLS));
}

static uint32_t get_cell_count(const block_t *block) {
  return (uint32_t)block->columns * (uint32_t)block->rows;
}

// Returns the index of a cell in a block, or UINT32_MAX if the cell is outside the block.
static uint32_t find_cell_index(const block_t *block, int32_t column, int32_t row) {
  int64_t x = (int64_t)column - block->left, y = (int64_t)row - block->top;
  return x >= 0 && y >= 0 && x < block->columns && y < block->rows ? (uint32_t)(y * block->columns + x) : UINT32_MAX;
}

// --- reading and writing the cells of a block

static bool decode_list(const painting_t *p, const block_t *block, uint32_t *out) {
  json_item_t item;
  uint32_t i = 0;
  for (uint32_t at = 0; json_edit_next(&p->edit->json, block->data, &at, &item); ++i)
    if (i < get_cell_count(block))
      out[i] = (uint32_t)json_edit_number(&p->edit->json, item.value, 0);
  return i == get_cell_count(block) || fail_layer(p, "expected %u cells, got %u", get_cell_count(block), i);
}

static bool decode_block(painting_t *painting, const block_t *block, uint32_t *out) {
  json_edit_t *json = &painting->edit->json;
  if (block->data.end == 0)
    return fail_layer(painting, "the cells are missing: save the map in Tiled");
  if (json->text[block->data.at] == '[')
    return decode_list(painting, block, out);
  json_t *text = json_edit_value(json, block->data);
  map_reader_t reader = {.allocator = json->memory, .file = painting->edit->file, .error = painting->error};
  painting->escapes_slashes = memchr(json->text + block->data.at, '\\', block->data.end - block->data.at) != NULL;
  bool ok = json_is_string(text) &&
            map_unpack_cells(&reader, json_string_value(text), painting->compression, out, get_cell_count(block));
  json_decref(text);
  return ok;
}

static void append_packed(const painting_t *painting, const uint32_t *cells, uint32_t count, json_writer_t *out) {
  json_writer_t packed;
  json_writer_init(&packed, out->allocator);
  bool ok = map_pack_cells(out->allocator, cells, count, painting->compression, painting->compression_level, &packed);
  (void)ok;
  shoal_assert(ok, "cannot compress %u cells as %s", count, painting->compression);
  json_write_text(out, "\"");
  for (uint32_t i = 0; i < packed.text.count; ++i) {
    if (packed.text.items[i] == '/' && painting->escapes_slashes)
      json_write_text(out, "\\");
    json_write_bytes(out, &packed.text.items[i], 1);
  }
  json_write_text(out, "\"");
  json_writer_fini(&packed);
}

static void append_cell(json_writer_t *out, uint32_t cell) {
  char text[16];
  json_write_bytes(out, text, (size_t)snprintf(text, sizeof text, "%u", cell));
}

// Replaces the numbers of the changed cells in a list, and keeps the rest of its text.
static void splice_list(json_edit_t *json, json_span_t data, const uint32_t *old_cells, const uint32_t *new_cells) {
  json_item_t item;
  char text[16];
  uint32_t i = 0;
  for (uint32_t at = 0; json_edit_next(json, data, &at, &item); ++i)
    if (old_cells[i] != new_cells[i])
      json_edit_splice(json, item.value, text, (size_t)snprintf(text, sizeof text, "%u", new_cells[i]));
}

static void splice_block(painting_t *painting, const block_t *block, const uint32_t *old_cells,
                         const uint32_t *new_cells) {
  json_edit_t *json = &painting->edit->json;
  json_writer_t text;
  if (memcmp(old_cells, new_cells, get_cell_count(block) * sizeof *old_cells) == 0)
    return;
  if (json->text[block->data.at] == '[') {
    splice_list(json, block->data, old_cells, new_cells);
    return;
  }
  json_writer_init(&text, json->memory);
  append_packed(painting, new_cells, get_cell_count(block), &text);
  json_edit_splice(json, block->data, text.text.items, text.text.count);
  json_writer_fini(&text);
}

static bool paint_block(painting_t *painting, const block_t *block) {
  size_t bytes = get_cell_count(block) * sizeof(uint32_t);
  uint32_t *old_cells = alloc_resize(painting->edit->json.memory, NULL, 0, bytes * 2 + 1),
           *new_cells = old_cells + get_cell_count(block), touched = 0;
  for (uint32_t i = 0; i < painting->count; ++i)
    touched += find_cell_index(block, painting->cells[i].column, painting->cells[i].row) != UINT32_MAX;
  bool ok = touched == 0 || decode_block(painting, block, old_cells);
  if (ok && touched > 0) {
    memcpy(new_cells, old_cells, bytes);
    for (uint32_t i = 0; i < painting->count; ++i) {
      uint32_t index = find_cell_index(block, painting->cells[i].column, painting->cells[i].row);
      if (index == UINT32_MAX)
        continue;
      painting->painted[i] = 1;
      new_cells[index] = painting->cells[i].cell;
    }
    splice_block(painting, block, old_cells, new_cells);
  }
  alloc_resize(painting->edit->json.memory, old_cells, bytes * 2 + 1, 0);
  return ok;
}

// --- new chunks

typedef struct chunk_size_t {
  int32_t columns, rows;
} chunk_size_t;

static int32_t round_down(int32_t value, int32_t step) {
  return value / step * step - (value % step < 0 ? step : 0);
}

static json_span_t find_last_chunk(const painting_t *p, json_span_t list) {
  json_item_t item = {0};
  for (uint32_t at = 0; json_edit_next(&p->edit->json, list, &at, &item);)
    ;
  return item.value;
}

// Returns the size of the layer's last chunk or, if the layer has no chunks, the size that the editor would use.
static chunk_size_t choose_chunk_size(const painting_t *painting, json_span_t list) {
  const json_edit_t *json = &painting->edit->json;
  json_span_t reference = find_last_chunk(painting, list),
              settings = json_edit_find(json, json_edit_root(json), "editorsettings");
  if (reference.end == 0)
    reference = json_edit_find(json, settings, "chunksize");
  double columns = json_edit_number(json, json_edit_find(json, reference, "width"), CHUNK_SIDE);
  double rows = json_edit_number(json, json_edit_find(json, reference, "height"), CHUNK_SIDE);
  bool valid = columns >= 1 && rows >= 1 && columns <= 1024 && rows <= 1024;
  return valid ? (chunk_size_t){(int32_t)columns, (int32_t)rows} : (chunk_size_t){CHUNK_SIDE, CHUNK_SIDE};
}

// Copies the cells of existing chunks in the area of a new chunk, because the new chunk hides these cells. Returns true
// on success, or false with an error.
static bool copy_overlap(painting_t *painting, json_span_t list, const block_t *new_chunk, uint32_t *cells) {
  json_item_t item;
  block_t chunk;
  for (uint32_t at = 0; json_edit_next(&painting->edit->json, list, &at, &item);) {
    if (!read_block(painting, item.value, &chunk))
      return false;
    if (chunk.left >= new_chunk->left + new_chunk->columns || chunk.left + chunk.columns <= new_chunk->left ||
        chunk.top >= new_chunk->top + new_chunk->rows || chunk.top + chunk.rows <= new_chunk->top)
      continue;
    uint32_t *old_cells =
        alloc_resize(painting->edit->json.memory, NULL, 0, get_cell_count(&chunk) * sizeof *old_cells + 1);
    bool ok = decode_block(painting, &chunk, old_cells);
    for (uint32_t i = 0; ok && i < get_cell_count(&chunk); ++i) {
      int32_t width = chunk.columns, column = chunk.left + (int32_t)i % width, row = chunk.top + (int32_t)i / width;
      uint32_t index = find_cell_index(new_chunk, column, row);
      if (index != UINT32_MAX)
        cells[index] = old_cells[i];
    }
    alloc_resize(painting->edit->json.memory, old_cells, get_cell_count(&chunk) * sizeof *old_cells + 1, 0);
    if (!ok)
      return false;
  }
  return true;
}

static void set_number(json_edit_t *json, const char *key, int32_t number) {
  json_t *value = json_integer(number);
  json_edit_set(json, json_edit_root(json), key, value);
  json_decref(value);
}

// Appends the cells of a new chunk in the encoding of the layer.
static void append_chunk_cells(const painting_t *painting, const block_t *block, const uint32_t *cells,
                               json_writer_t *out) {
  json_span_t encoding = json_edit_find(&painting->edit->json, painting->layer, "encoding");
  if (json_edit_equals(&painting->edit->json, encoding, "base64")) {
    append_packed(painting, cells, get_cell_count(block), out);
    return;
  }
  json_write_text(out, "[");
  for (uint32_t i = 0; i < get_cell_count(block); ++i) {
    json_write_text(out, i > 0 ? ", " : "");
    append_cell(out, cells[i]);
  }
  json_write_text(out, "]");
}

// Writes a new chunk as a copy of the chunk `model`, whose data and position are replaced.
static void append_chunk_copy(painting_t *painting, const block_t *block, json_span_t model, const uint32_t *cells,
                              json_edit_t *out) {
  const json_edit_t *json = &painting->edit->json;
  json_writer_t text;
  json_edit_init(out, json->memory, json->text + model.at, model.end - model.at);
  json_span_t data = json_edit_find(out, json_edit_root(out), "data");
  if (data.end > 0 && out->text[data.at] == '[') {
    size_t bytes = get_cell_count(block) * sizeof(uint32_t);
    uint32_t *inverted = alloc_resize(json->memory, NULL, 0, bytes + 1);
    for (uint32_t i = 0; i < get_cell_count(block); ++i)
      inverted[i] = ~cells[i]; // differs from the new cell, so that splice_list replaces every number
    splice_list(out, data, inverted, cells);
    alloc_resize(json->memory, inverted, bytes + 1, 0);
  } else {
    json_writer_init(&text, json->memory);
    append_chunk_cells(painting, block, cells, &text);
    json_edit_splice(out, data, text.text.items, text.text.count);
    json_writer_fini(&text);
  }
  json_edit_apply(out);
  set_number(out, "x", block->left);
  set_number(out, "y", block->top);
}

static void append_first_chunk(painting_t *painting, const block_t *block, const uint32_t *cells, json_edit_t *out) {
  json_writer_t text;
  char suffix[160];
  snprintf(suffix, sizeof suffix, ", \"height\": %d, \"width\": %d, \"x\": %d, \"y\": %d }", block->rows,
           block->columns, block->left, block->top);
  json_writer_init(&text, painting->edit->json.memory);
  json_write_text(&text, "{ \"data\": ");
  append_chunk_cells(painting, block, cells, &text);
  json_write_text(&text, suffix);
  json_edit_init(out, painting->edit->json.memory, json_writer_text(&text), text.text.count);
  json_writer_fini(&text);
}

static json_span_t refresh_layer(painting_t *p) {
  p->layer = map_edit_find_layer(p->edit, p->desc, "tilelayer", p->error);
  return json_edit_find(&p->edit->json, p->layer, "chunks");
}

// Adds the chunk that contains the cell, with all painted cells in its area. Returns true on success, or false with an
// error.
static bool add_chunk(painting_t *painting, int32_t column, int32_t row) {
  json_edit_t *json = &painting->edit->json, text;
  json_span_t list = refresh_layer(painting), model = find_last_chunk(painting, list);
  chunk_size_t size = choose_chunk_size(painting, list);
  block_t block = {.left = round_down(column, size.columns),
                   .top = round_down(row, size.rows),
                   .columns = size.columns,
                   .rows = size.rows};
  size_t bytes = get_cell_count(&block) * sizeof(uint32_t);
  uint32_t *cells = alloc_resize(json->memory, NULL, 0, bytes);
  memset(cells, 0, bytes);
  bool ok = copy_overlap(painting, list, &block, cells);
  for (uint32_t i = 0; ok && i < painting->count; ++i) {
    uint32_t index = find_cell_index(&block, painting->cells[i].column, painting->cells[i].row);
    if (index == UINT32_MAX)
      continue;
    painting->painted[i] = 1;
    cells[index] = painting->cells[i].cell;
  }
  if (ok) {
    if (model.end > 0)
      append_chunk_copy(painting, &block, model, cells, &text);
    else
      append_first_chunk(painting, &block, cells, &text);
    json_edit_append_text(json, list, text.text, text.bytes);
    json_edit_fini(&text);
  }
  alloc_resize(json->memory, cells, bytes, 0);
  return ok;
}

// Updates the members that store the bounds of the layer's chunks, if the layer has these members. Returns true on
// success, or false with an error if a chunk is invalid.
static bool update_bounds(painting_t *painting) {
  static const char *const keys[] = {"startx", "starty", "width", "height"};
  int32_t left = INT32_MAX, top = INT32_MAX, right = INT32_MIN, bottom = INT32_MIN;
  json_item_t item;
  block_t block;
  json_span_t list = refresh_layer(painting);
  for (uint32_t at = 0; json_edit_next(&painting->edit->json, list, &at, &item);) {
    if (!read_block(painting, item.value, &block))
      return false;
    left = block.left < left ? block.left : left;
    top = block.top < top ? block.top : top;
    right = block.left + block.columns > right ? block.left + block.columns : right;
    bottom = block.top + block.rows > bottom ? block.top + block.rows : bottom;
  }
  const int32_t bounds[] = {left, top, right - left, bottom - top};
  for (int i = 0; i < 4 && right > left; ++i) {
    json_t *value = json_integer(bounds[i]);
    refresh_layer(painting);
    if (json_edit_find(&painting->edit->json, painting->layer, keys[i]).end > 0)
      json_edit_set(&painting->edit->json, painting->layer, keys[i], value);
    json_decref(value);
  }
  return true;
}

static bool add_chunks(painting_t *painting) {
  bool added = false;
  for (uint32_t i = 0; i < painting->count; ++i) {
    const map_paint_t *painted_cell = &painting->cells[i];
    if (painting->painted[i] || painted_cell->cell == 0)
      continue;
    if (abs(painted_cell->column) > MAP_MAX_SIDE - 1024 || abs(painted_cell->row) > MAP_MAX_SIDE - 1024)
      return error_set(painting->error, "cell %d, %d is too far from the map's origin (at most %d cells)",
                       painted_cell->column, painted_cell->row, MAP_MAX_SIDE - 1024);
    if (!add_chunk(painting, painted_cell->column, painted_cell->row))
      return false;
    added = true;
  }
  return !added || update_bounds(painting);
}

// --- painting

static bool paint_layer(painting_t *painting) {
  json_edit_t *json = &painting->edit->json;
  json_span_t chunks = json_edit_find(json, painting->layer, "chunks");
  json_item_t item;
  block_t block = {0};
  bool is_infinite = json_edit_is_list(json, chunks); // same test as in the map reader
  if (!is_infinite && !(read_block(painting, painting->layer, &block) && paint_block(painting, &block)))
    return false;
  for (uint32_t at = 0; json_edit_next(json, chunks, &at, &item);)
    if (!read_block(painting, item.value, &block) || !paint_block(painting, &block))
      return false;
  for (uint32_t i = 0; !is_infinite && i < painting->count; ++i)
    if (!painting->painted[i])
      return fail_layer(painting,
                        "cell %d, %d is outside the layer (columns %d to %d, rows %d to %d): enlarge the map in Tiled",
                        painting->cells[i].column, painting->cells[i].row, block.left, block.left + block.columns - 1,
                        block.top, block.top + block.rows - 1);
  json_edit_apply(json);
  return !is_infinite || add_chunks(painting);
}

bool map_edit_paint(map_edit_t *edit, const map_edit_layer_t *layer, const map_paint_t *cells, uint32_t count,
                    error_info_t *error) {
  painting_t painting = {.edit = edit, .desc = layer, .cells = cells, .count = count, .error = error};
  painting.layer = map_edit_find_layer(edit, layer, "tilelayer", error);
  if (painting.layer.end == 0 || count == 0)
    return painting.layer.end > 0;
  json_t *compression = json_edit_value(&edit->json, json_edit_find(&edit->json, painting.layer, "compression"));
  snprintf(painting.compression, sizeof painting.compression, "%s",
           json_string_value(compression) ? json_string_value(compression) : "");
  json_decref(compression);
  json_span_t level = json_edit_find(&edit->json, json_edit_root(&edit->json), "compressionlevel");
  painting.compression_level = (int)fmin(fmax(json_edit_number(&edit->json, level, -1), -1), 22);
  map_edit_t backup = {.file = edit->file};
  json_edit_init(&backup.json, edit->json.memory, edit->json.text, edit->json.bytes);
  painting.painted = alloc_resize(edit->json.memory, NULL, 0, count);
  memset(painting.painted, 0, count);
  bool ok = paint_layer(&painting);
  alloc_resize(edit->json.memory, painting.painted, count, 0);
  map_edit_t discarded = ok ? backup : *edit;
  if (!ok)
    *edit = backup;
  map_edit_fini(&discarded);
  return ok;
}
