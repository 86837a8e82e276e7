// Reads Aseprite files. Format, in little-endian order: a header of 128 bytes, followed by the frames. A frame has a
// header of 16 bytes and its chunks, each of which begins with its size and kind. Layers are chunks of the first frame.
// A cel is the picture of a layer in a frame. A linked cel repeats the cel of an earlier frame.
#include "decode/aseprite.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "decode/image.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define HEADER_BYTES 128u
#define FRAME_HEADER_BYTES 16u
#define CHUNK_HEADER_BYTES 6u
#define FILE_MAGIC 0xA5E0u
#define FRAME_MAGIC 0xF1FAu
#define PALETTE_COLOURS 256u

// --- fields

static const uint8_t *take_bytes(aseprite_fields_t *fields, size_t bytes) {
  if (bytes > fields->size_bytes - fields->position) {
    fields->is_past_end = true;
    fields->position = fields->size_bytes;
    return NULL;
  }
  const uint8_t *start = fields->bytes + fields->position;
  fields->position += bytes;
  return start;
}

uint32_t aseprite_read_unsigned(aseprite_fields_t *fields, size_t bytes) {
  const uint8_t *start = take_bytes(fields, bytes);
  uint32_t number = 0;
  for (size_t i = bytes; start && i-- > 0;)
    number = number << 8 | start[i];
  return number;
}

int32_t aseprite_read_signed(aseprite_fields_t *fields, size_t bytes) {
  uint32_t number = aseprite_read_unsigned(fields, bytes);
  return bytes == 2 ? (int16_t)number : (int32_t)number;
}

void aseprite_skip(aseprite_fields_t *fields, size_t bytes) {
  take_bytes(fields, bytes);
}

const char *aseprite_read_string(aseprite_fields_t *fields, size_t *length) {
  *length = aseprite_read_unsigned(fields, 2);
  const char *string = (const char *)take_bytes(fields, *length);
  *length = string ? *length : 0;
  return string ? string : "";
}

// --- frames and chunks

size_t aseprite_first_frame(void) {
  return HEADER_BYTES;
}

static aseprite_fields_t fields_at(const aseprite_t *file, size_t offset) {
  return (aseprite_fields_t){.bytes = file->bytes + offset, .size_bytes = file->size_bytes - offset};
}

aseprite_frame_t aseprite_frame_at(const aseprite_t *file, size_t offset) {
  aseprite_fields_t fields = fields_at(file, offset);
  uint32_t size_bytes = aseprite_read_unsigned(&fields, 4);
  aseprite_skip(&fields, 2); // magic number
  uint32_t old_count = aseprite_read_unsigned(&fields, 2), duration_ms = aseprite_read_unsigned(&fields, 2);
  aseprite_skip(&fields, 2);
  uint32_t count = aseprite_read_unsigned(&fields, 4);
  return (aseprite_frame_t){.duration_ms = duration_ms,
                            .chunk = offset + FRAME_HEADER_BYTES,
                            .end = offset + size_bytes,
                            .remaining_count = count > 0 ? count : old_count};
}

bool aseprite_next_chunk(const aseprite_t *file, aseprite_frame_t *frame, aseprite_chunk_t *out) {
  if (frame->remaining_count == 0)
    return false;
  aseprite_fields_t fields = fields_at(file, frame->chunk);
  uint32_t size_bytes = aseprite_read_unsigned(&fields, 4);
  out->kind = aseprite_read_unsigned(&fields, 2);
  out->fields = (aseprite_fields_t){.bytes = file->bytes + frame->chunk + CHUNK_HEADER_BYTES,
                                    .size_bytes = size_bytes - CHUNK_HEADER_BYTES};
  frame->chunk += size_bytes;
  --frame->remaining_count;
  return true;
}

static bool check_chunks(const aseprite_t *file, aseprite_frame_t frame) {
  for (; frame.remaining_count > 0; --frame.remaining_count) {
    if (frame.end - frame.chunk < CHUNK_HEADER_BYTES)
      return false;
    aseprite_fields_t fields = fields_at(file, frame.chunk);
    uint32_t size_bytes = aseprite_read_unsigned(&fields, 4);
    if (size_bytes < CHUNK_HEADER_BYTES || size_bytes > frame.end - frame.chunk)
      return false;
    frame.chunk += size_bytes;
  }
  return true;
}

static bool check_frames(const aseprite_t *file, error_info_t *error) {
  size_t offset = HEADER_BYTES;
  for (uint32_t i = 0; i < file->frame_count; ++i) {
    aseprite_fields_t fields = fields_at(file, offset);
    uint32_t size_bytes = aseprite_read_unsigned(&fields, 4), magic = aseprite_read_unsigned(&fields, 2);
    if (file->size_bytes - offset < FRAME_HEADER_BYTES || size_bytes > file->size_bytes - offset)
      return error_set(error, "unexpected end of file in frame %u of %u", i + 1, file->frame_count);
    if (magic != FRAME_MAGIC || size_bytes < FRAME_HEADER_BYTES || !check_chunks(file, aseprite_frame_at(file, offset)))
      return error_set(error, "frame %u is damaged: save the file again", i + 1);
    offset += size_bytes;
  }
  return true;
}

// Chooses the grid of the frames: as close to a square as possible, within the maximum size of an image.
static void arrange_frames(aseprite_t *file) {
  uint32_t columns = 1, max_columns = IMAGE_MAX_SIDE / file->width;
  while (columns < max_columns && columns < file->frame_count &&
         (uint64_t)columns * file->width < (uint64_t)((file->frame_count + columns - 1) / columns) * file->height)
    ++columns;
  file->columns = columns;
  file->rows = (file->frame_count + columns - 1) / columns;
}

bool aseprite_open(const void *bytes, size_t size_bytes, aseprite_t *out, error_info_t *error) {
  aseprite_fields_t fields = {.bytes = bytes, .size_bytes = size_bytes};
  *out = (aseprite_t){.bytes = bytes, .size_bytes = size_bytes};
  uint32_t file_bytes = aseprite_read_unsigned(&fields, 4), magic = aseprite_read_unsigned(&fields, 2);
  out->frame_count = aseprite_read_unsigned(&fields, 2);
  out->width = aseprite_read_unsigned(&fields, 2);
  out->height = aseprite_read_unsigned(&fields, 2);
  out->pixel_bytes = aseprite_read_unsigned(&fields, 2) / 8;
  uint32_t flags = aseprite_read_unsigned(&fields, 4);
  aseprite_skip(&fields, 10); // speed and reserved fields
  out->transparent_index = (uint8_t)aseprite_read_unsigned(&fields, 1);
  out->has_layer_opacity = (flags & 1) != 0;
  out->has_group_opacity = (flags & 2) != 0;
  if (size_bytes < HEADER_BYTES || file_bytes > size_bytes)
    return error_set(error, "unexpected end of file");
  if (magic != FILE_MAGIC)
    return error_set(error, "the file is not an Aseprite file");
  if (out->pixel_bytes != 1 && out->pixel_bytes != 2 && out->pixel_bytes != 4)
    return error_set(error, "the colour depth must be 8, 16 or 32 bits, got %u", out->pixel_bytes * 8);
  if (out->frame_count == 0 || out->width == 0 || out->height == 0)
    return error_set(error, "the sprite is empty: %u frames of %u × %u pixels", out->frame_count, out->width,
                     out->height);
  if (out->width > IMAGE_MAX_SIDE || out->height > IMAGE_MAX_SIDE)
    return error_set(error, "width and height must be at most %u pixels, got %u × %u", IMAGE_MAX_SIDE, out->width,
                     out->height);
  arrange_frames(out);
  return check_frames(out, error);
}

aseprite_layer_t aseprite_read_layer(const aseprite_t *file, aseprite_fields_t *fields) {
  aseprite_layer_t layer = {.flags = aseprite_read_unsigned(fields, 2)};
  layer.kind = aseprite_read_unsigned(fields, 2);
  layer.level = aseprite_read_unsigned(fields, 2);
  aseprite_skip(fields, 4); // default size
  layer.blend_mode = aseprite_read_unsigned(fields, 2);
  layer.opacity = aseprite_read_unsigned(fields, 1);
  aseprite_skip(fields, 3);
  layer.name = aseprite_read_string(fields, &layer.name_length);
  bool is_group = layer.kind == 1;
  if (is_group ? !file->has_group_opacity : !file->has_layer_opacity)
    layer.opacity = 255;
  if (is_group && !file->has_group_opacity)
    layer.blend_mode = 0;
  return layer;
}

// --- drawing

typedef struct cel_t {
  uint32_t layer;
  int32_t x, y, order, z;
  uint32_t opacity, kind;
  aseprite_fields_t fields; // width, height and pixels; for a linked cel, the number of the linked frame
} cel_t;

typedef struct drawing_t {
  const aseprite_t *file;
  uint8_t *rgba;
  error_info_t *error;
  size_t *frame_offsets;
  aseprite_layer_t *layers; // layers, combined with the visibility and opacity of their groups
  uint32_t layer_count;
  cel_t *cels; // cels of the current frame
  uint32_t cel_capacity;
  uint8_t palette[PALETTE_COLOURS][4];
  bool has_new_palette; // true if the file has new palettes; old palettes, which have no alpha, are then ignored
  uint8_t *row;         // decompressed pixels of one row of a cel
} drawing_t;

// Multiplies two numbers from 0 to 255 that represent 0 to 1, rounded as in Aseprite.
static uint32_t multiply(uint32_t a, uint32_t b) {
  uint32_t product = a * b + 128;
  return (product + (product >> 8)) >> 8;
}

static void blend_pixel(uint8_t *target, const uint8_t *source, uint32_t opacity) {
  uint32_t alpha = multiply(source[3], opacity);
  if (alpha == 0)
    return;
  uint32_t result_alpha = target[3] + alpha - multiply(target[3], alpha);
  for (int i = 0; i < 3; ++i)
    if (target[3] == 0)
      target[i] = source[i];
    else
      target[i] = (uint8_t)(target[i] + ((int32_t)source[i] - target[i]) * (int32_t)alpha / (int32_t)result_alpha);
  target[3] = (uint8_t)result_alpha;
}

static void convert_pixel(const drawing_t *drawing, const uint8_t *pixel, bool is_background, uint8_t out[4]) {
  switch (drawing->file->pixel_bytes) {
  case 4: memcpy(out, pixel, 4); return;
  case 2:
    memset(out, pixel[0], 3);
    out[3] = pixel[1];
    return;
  default:
    memcpy(out, drawing->palette[pixel[0]], 4);
    if (pixel[0] == drawing->file->transparent_index && !is_background)
      out[3] = 0;
  }
}

// Draws a row of `width` pixels of a cel into a frame, clipped to the frame.
static void draw_row(const drawing_t *drawing, const cel_t *cel, uint32_t frame, const uint8_t *row, uint32_t width,
                     int32_t y) {
  const aseprite_t *file = drawing->file;
  const aseprite_layer_t *layer = &drawing->layers[cel->layer];
  if (y < 0 || y >= (int32_t)file->height)
    return;
  size_t left = (size_t)(frame % file->columns) * file->width,
         top = (size_t)(frame / file->columns) * file->height + (size_t)y;
  uint8_t *target = drawing->rgba + (top * file->columns * file->width + left) * 4, rgba[4];
  uint32_t opacity = multiply(cel->opacity, layer->opacity);
  int32_t begin = cel->x < 0 ? -cel->x : 0, end = (int32_t)file->width - cel->x;
  end = end < (int32_t)width ? end : (int32_t)width;
  for (int32_t x = begin; x < end; ++x) {
    convert_pixel(drawing, row + (size_t)x * file->pixel_bytes, (layer->flags & ASEPRITE_LAYER_BACKGROUND) != 0, rgba);
    blend_pixel(target + (size_t)(cel->x + x) * 4, rgba, opacity);
  }
}

static bool reject_cel(const drawing_t *drawing, const cel_t *cel, uint32_t frame, const char *reason) {
  const aseprite_layer_t *layer = &drawing->layers[cel->layer];
  return error_set(drawing->error, "frame %u, layer \"%.*s\": %s: save the file again", frame + 1,
                   (int)layer->name_length, layer->name, reason);
}

static bool draw_raw_cel(drawing_t *drawing, cel_t cel, uint32_t frame, uint32_t width, uint32_t height) {
  size_t row_bytes = (size_t)width * drawing->file->pixel_bytes;
  for (uint32_t y = 0; y < height; ++y) {
    const uint8_t *row = take_bytes(&cel.fields, row_bytes);
    if (!row)
      return reject_cel(drawing, &cel, frame, "pixels are missing");
    draw_row(drawing, &cel, frame, row, width, cel.y + (int32_t)y);
  }
  return true;
}

// Decompresses and draws a cel row by row. A cel therefore needs little memory, however large its header says it is.
// Returns true on success, or false with an error if the compressed pixels are damaged.
static bool draw_compressed_cel(drawing_t *drawing, const cel_t *cel, uint32_t frame, uint32_t width, uint32_t height) {
  const uint8_t *bytes = cel->fields.bytes + cel->fields.position;
  size_t size_bytes = cel->fields.size_bytes - cel->fields.position;
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size_bytes};
  if (inflateInit(&stream) != Z_OK)
    return error_set(drawing->error, "out of memory");
  bool ok = true;
  for (uint32_t y = 0; ok && y < height; ++y) {
    stream.next_out = drawing->row;
    stream.avail_out = (uInt)(width * drawing->file->pixel_bytes);
    int status = inflate(&stream, Z_SYNC_FLUSH);
    ok = (status == Z_OK || status == Z_STREAM_END) && stream.avail_out == 0;
    if (ok)
      draw_row(drawing, cel, frame, drawing->row, width, cel->y + (int32_t)y);
  }
  inflateEnd(&stream);
  return ok || reject_cel(drawing, cel, frame, "the compressed pixels are damaged");
}

static bool read_cel(const drawing_t *drawing, aseprite_fields_t fields, cel_t *out) {
  *out = (cel_t){.layer = aseprite_read_unsigned(&fields, 2)};
  out->x = aseprite_read_signed(&fields, 2);
  out->y = aseprite_read_signed(&fields, 2);
  out->opacity = aseprite_read_unsigned(&fields, 1);
  out->kind = aseprite_read_unsigned(&fields, 2);
  out->z = aseprite_read_signed(&fields, 2);
  aseprite_skip(&fields, 5);
  out->order = (int32_t)out->layer + out->z;
  out->fields = fields;
  return !fields.is_past_end && out->layer < drawing->layer_count;
}

// Finds the cel of a layer in a frame and stores it in `out`. Returns true on success, or false if the frame has no
// such cel.
static bool find_cel(const drawing_t *drawing, uint32_t frame_index, uint32_t layer, cel_t *out) {
  aseprite_frame_t frame = aseprite_frame_at(drawing->file, drawing->frame_offsets[frame_index]);
  for (aseprite_chunk_t chunk; aseprite_next_chunk(drawing->file, &frame, &chunk);)
    if (chunk.kind == ASEPRITE_CEL && read_cel(drawing, chunk.fields, out) && out->layer == layer)
      return true;
  return false;
}

enum { CEL_RAW, CEL_LINKED, CEL_COMPRESSED, CEL_TILEMAP };

static bool draw_cel(drawing_t *drawing, const cel_t *listed_cel, uint32_t frame) {
  cel_t cel = *listed_cel;
  // Links lead to earlier frames only, so that a cycle is impossible.
  for (uint32_t source = frame; cel.kind == CEL_LINKED;) {
    uint32_t linked_frame = aseprite_read_unsigned(&cel.fields, 2);
    if (cel.fields.is_past_end || linked_frame >= source || !find_cel(drawing, linked_frame, cel.layer, &cel))
      return reject_cel(drawing, listed_cel, frame, "the linked cel is missing");
    source = linked_frame;
  }
  if (cel.kind == CEL_TILEMAP)
    return true; // the sheet reader has already reported the layer
  uint32_t width = aseprite_read_unsigned(&cel.fields, 2), height = aseprite_read_unsigned(&cel.fields, 2);
  if (cel.fields.is_past_end || cel.kind > CEL_TILEMAP)
    return reject_cel(drawing, &cel, frame, "the cel is damaged");
  if (width == 0 || height == 0)
    return true;
  return cel.kind == CEL_RAW ? draw_raw_cel(drawing, cel, frame, width, height)
                             : draw_compressed_cel(drawing, &cel, frame, width, height);
}

static int compare_cels(const void *left, const void *right) {
  const cel_t *a = left, *b = right;
  if (a->order != b->order)
    return a->order < b->order ? -1 : 1;
  return a->z != b->z ? (a->z < b->z ? -1 : 1) : (a->layer > b->layer) - (a->layer < b->layer);
}

// --- palettes

static void read_palette(drawing_t *drawing, aseprite_fields_t fields) {
  aseprite_skip(&fields, 4); // number of entries in the palette
  uint32_t first = aseprite_read_unsigned(&fields, 4), last = aseprite_read_unsigned(&fields, 4);
  size_t length;
  aseprite_skip(&fields, 8);
  for (uint64_t i = first; i <= last && i < PALETTE_COLOURS && !fields.is_past_end; ++i) {
    bool has_name = (aseprite_read_unsigned(&fields, 2) & 1) != 0;
    for (int k = 0; k < 4; ++k)
      drawing->palette[i][k] = (uint8_t)aseprite_read_unsigned(&fields, 1);
    if (has_name)
      aseprite_read_string(&fields, &length);
  }
}

static void read_old_palette(drawing_t *drawing, aseprite_fields_t fields) {
  uint32_t packet_count = aseprite_read_unsigned(&fields, 2), index = 0;
  for (uint32_t packet = 0; packet < packet_count && !fields.is_past_end; ++packet) {
    index += aseprite_read_unsigned(&fields, 1);
    uint32_t count = aseprite_read_unsigned(&fields, 1);
    for (uint32_t i = count > 0 ? count : PALETTE_COLOURS; i > 0 && index < PALETTE_COLOURS; --i, ++index) {
      for (int k = 0; k < 3; ++k)
        drawing->palette[index][k] = (uint8_t)aseprite_read_unsigned(&fields, 1);
      drawing->palette[index][3] = 255;
    }
  }
}

// --- layers and frames

// Reads all layers, and applies the visibility and the opacity of groups to their layers. Returns true on success, or
// false with an error.
static bool read_layers(drawing_t *drawing) {
  aseprite_frame_t frame = aseprite_frame_at(drawing->file, HEADER_BYTES);
  // Index of the most recent layer at each level: the group of the following layers one level below.
  uint32_t *groups = alloc_object((drawing->layer_count + 1) * sizeof *groups);
  bool ok = true;
  uint32_t count = 0;
  for (aseprite_chunk_t chunk; ok && aseprite_next_chunk(drawing->file, &frame, &chunk);) {
    if (chunk.kind != ASEPRITE_LAYER)
      continue;
    aseprite_layer_t layer = aseprite_read_layer(drawing->file, &chunk.fields);
    ok = layer.level <= count && !chunk.fields.is_past_end;
    if (ok && layer.level > 0) {
      const aseprite_layer_t *group = &drawing->layers[groups[layer.level - 1]];
      layer.flags &= ~ASEPRITE_LAYER_VISIBLE | (group->flags & ASEPRITE_LAYER_VISIBLE);
      layer.opacity = multiply(layer.opacity, group->opacity);
    }
    if (ok) {
      groups[layer.level] = count;
      drawing->layers[count++] = layer;
    }
  }
  free(groups);
  return ok || error_set(drawing->error, "layer %u is damaged: save the file again", count + 1);
}

// Stores the offsets of all frames, the number of layers, the maximum number of cels per frame, and whether the file
// has new palettes.
static void survey_frames(drawing_t *drawing) {
  size_t offset = HEADER_BYTES;
  for (uint32_t i = 0; i < drawing->file->frame_count; ++i) {
    aseprite_frame_t frame = aseprite_frame_at(drawing->file, offset);
    uint32_t cel_count = 0;
    drawing->frame_offsets[i] = offset;
    offset = frame.end;
    for (aseprite_chunk_t chunk; aseprite_next_chunk(drawing->file, &frame, &chunk);) {
      cel_count += chunk.kind == ASEPRITE_CEL;
      drawing->layer_count += i == 0 && chunk.kind == ASEPRITE_LAYER;
      drawing->has_new_palette = drawing->has_new_palette || chunk.kind == ASEPRITE_PALETTE;
    }
    drawing->cel_capacity = cel_count > drawing->cel_capacity ? cel_count : drawing->cel_capacity;
  }
}

static bool draw_frame(drawing_t *drawing, uint32_t index) {
  aseprite_frame_t frame = aseprite_frame_at(drawing->file, drawing->frame_offsets[index]);
  uint32_t count = 0;
  for (aseprite_chunk_t chunk; aseprite_next_chunk(drawing->file, &frame, &chunk);) {
    if (chunk.kind == ASEPRITE_PALETTE)
      read_palette(drawing, chunk.fields);
    else if (chunk.kind == ASEPRITE_OLD_PALETTE && !drawing->has_new_palette)
      read_old_palette(drawing, chunk.fields);
    else if (chunk.kind == ASEPRITE_CEL && !read_cel(drawing, chunk.fields, &drawing->cels[count++]))
      return error_set(drawing->error, "frame %u: a cel is damaged: save the file again", index + 1);
  }
  if (count > 0)
    qsort(drawing->cels, count, sizeof *drawing->cels, compare_cels);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t flags = drawing->layers[drawing->cels[i].layer].flags;
    bool is_drawn = (flags & ASEPRITE_LAYER_VISIBLE) && !(flags & ASEPRITE_LAYER_REFERENCE);
    if (is_drawn && !draw_cel(drawing, &drawing->cels[i], index))
      return false;
  }
  return true;
}

bool aseprite_decode(const aseprite_t *file, uint8_t *rgba, error_info_t *error) {
  drawing_t drawing = {.file = file, .rgba = rgba, .error = error};
  shoal_assert(file->frame_count > 0 && rgba, "the file must be open, and rgba must not be NULL");
  drawing.frame_offsets = alloc_object(file->frame_count * sizeof *drawing.frame_offsets);
  survey_frames(&drawing);
  drawing.layers = alloc_object((drawing.layer_count + 1) * sizeof *drawing.layers);
  drawing.cels = alloc_object((drawing.cel_capacity + 1) * sizeof *drawing.cels);
  drawing.row = alloc_object((size_t)UINT16_MAX * file->pixel_bytes);
  bool ok = read_layers(&drawing);
  for (uint32_t i = 0; ok && i < file->frame_count; ++i)
    ok = draw_frame(&drawing, i);
  free(drawing.frame_offsets);
  free(drawing.layers);
  free(drawing.cels);
  free(drawing.row);
  return ok;
}
