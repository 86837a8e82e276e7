// Rasterizes glyphs on first use. An outline is the glyph expanded by a stroke. A character that no font contains is
// drawn as a box.
#include "render/glyphs.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/hash_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_GLYPH_H
#include FT_STROKER_H

#define ATLAS_MIN_SIZE 512
#define ATLAS_MAX_SIZE 4096

typedef struct face_slot_t {
  FT_Face face; // open face; NULL if the face is not open
  bool is_tried;
  int32_t size;
} face_slot_t;

typedef struct cached_glyph_t {
  uint64_t key;
  glyph_t glyph;
} cached_glyph_t;

typedef struct shelf_t {
  int32_t y, height, used_width;
} shelf_t;

struct glyphs_o {
  allocator_t allocator;
  log_o *log;
  const typesetter_o *type;
  uint32_t version;
  FT_Library library; // FreeType; NULL if it could not be initialized, in which case there are no glyphs
  FT_Stroker stroker;
  bool is_full, is_full_logged;
  ARRAY(face_slot_t) faces;
  ARRAY(shelf_t) shelves;
  ARRAY(cached_glyph_t) cached;
  hash_table_t cached_by_key; // maps a key to its index in `cached` + 1
  atlas_t atlas;
};

// --- life cycle

static void clear_atlas(glyphs_o *glyphs) {
  glyphs->shelves.count = 0;
  glyphs->cached.count = 0;
  hash_table_free(&glyphs->cached_by_key, &glyphs->allocator);
  glyphs->is_full = false;
  memset(glyphs->atlas.pixels, 0, (size_t)glyphs->atlas.size * (size_t)glyphs->atlas.size);
  glyphs->atlas.dirty_top = 0;
  glyphs->atlas.dirty_bottom = glyphs->atlas.size;
}

static void close_faces(glyphs_o *glyphs) {
  for (uint32_t i = 0; i < glyphs->faces.count; ++i)
    if (glyphs->faces.items[i].face)
      FT_Done_Face(glyphs->faces.items[i].face);
  glyphs->faces.count = 0;
}

glyphs_o *glyphs_create(log_o *log) {
  glyphs_o *glyphs = alloc_object(sizeof *glyphs);
  glyphs->log = log;
  if (FT_Init_FreeType(&glyphs->library) != 0 || FT_Stroker_New(glyphs->library, &glyphs->stroker) != 0)
    log_error(log, "render: cannot draw text: FreeType failed to initialize");
  glyphs->atlas.size = ATLAS_MIN_SIZE;
  glyphs->atlas.pixels = alloc_resize(&glyphs->allocator, NULL, 0, (size_t)ATLAS_MIN_SIZE * ATLAS_MIN_SIZE);
  clear_atlas(glyphs);
  return glyphs;
}

void glyphs_destroy(glyphs_o *glyphs) {
  if (!glyphs)
    return;
  close_faces(glyphs);
  if (glyphs->stroker)
    FT_Stroker_Done(glyphs->stroker);
  if (glyphs->library)
    FT_Done_FreeType(glyphs->library);
  array_free(&glyphs->allocator, &glyphs->faces);
  array_free(&glyphs->allocator, &glyphs->shelves);
  array_free(&glyphs->allocator, &glyphs->cached);
  hash_table_free(&glyphs->cached_by_key, &glyphs->allocator);
  alloc_resize(&glyphs->allocator, glyphs->atlas.pixels, (size_t)glyphs->atlas.size * (size_t)glyphs->atlas.size, 0);
  shoal_assert(glyphs->allocator.bytes == 0, "glyphs leaked %zu bytes", glyphs->allocator.bytes);
  free(glyphs);
}

void glyphs_begin_frame(glyphs_o *glyphs, const typesetter_o *type) {
  bool changed = glyphs->type != type || (type && glyphs->version != typesetter_version(type));
  if (changed)
    close_faces(glyphs);
  if (changed || glyphs->is_full)
    clear_atlas(glyphs);
  glyphs->type = type;
  glyphs->version = type ? typesetter_version(type) : 0;
}

atlas_t *glyphs_get_atlas(glyphs_o *glyphs) {
  return &glyphs->atlas;
}

// Returns a face at a size, or NULL if the face is not usable. The bytes of the face belong to the typesetter, which
// has validated them.
static FT_Face open_face(glyphs_o *glyphs, uint32_t index, int32_t size) {
  while (glyphs->faces.count <= index) {
    face_slot_t empty = {0};
    array_push(&glyphs->allocator, &glyphs->faces, empty);
  }
  face_slot_t *slot = &glyphs->faces.items[index];
  size_t bytes;
  const char *file = glyphs->type && glyphs->library ? typesetter_get_face(glyphs->type, index, &bytes) : NULL;
  if (!slot->is_tried && file &&
      FT_New_Memory_Face(glyphs->library, (const FT_Byte *)file, (FT_Long)bytes, 0, &slot->face) != 0)
    slot->face = NULL;
  slot->is_tried = true;
  if (slot->face && slot->size != size && FT_Set_Pixel_Sizes(slot->face, 0, (FT_UInt)size) != 0)
    return NULL;
  slot->size = size;
  return slot->face;
}

// --- the atlas

int32_t glyphs_choose_raster_size(float pixels) {
  int32_t size = pixels > 4.0f ? (int32_t)(pixels < 256.0f ? pixels + 0.5f : 256.0f) : 4;
  int32_t step = size <= 32 ? 1 : size <= 64 ? 2 : size <= 128 ? 4 : 8;
  size = (size + step / 2) / step * step;
  return size;
}

static bool grow_atlas(glyphs_o *glyphs) {
  if (glyphs->atlas.size >= ATLAS_MAX_SIZE)
    return false;
  size_t old_size = (size_t)glyphs->atlas.size, new_size = old_size * 2;
  uint8_t *pixels = alloc_resize(&glyphs->allocator, NULL, 0, new_size * new_size);
  memset(pixels, 0, new_size * new_size);
  for (size_t y = 0; y < old_size; ++y)
    memcpy(pixels + y * new_size, glyphs->atlas.pixels + y * old_size, old_size);
  alloc_resize(&glyphs->allocator, glyphs->atlas.pixels, old_size * old_size, 0);
  glyphs->atlas.pixels = pixels;
  glyphs->atlas.size = (int32_t)new_size;
  glyphs->atlas.dirty_top = 0;
  glyphs->atlas.dirty_bottom = glyphs->atlas.size;
  return true;
}

// Allocates width × height pixels, with a free border of one pixel, on a shelf of similar height. Grows the atlas if
// necessary. Returns true on success, or false if the atlas is full and cannot grow.
static bool allocate_area(glyphs_o *glyphs, int32_t width, int32_t height, int32_t *x, int32_t *y) {
  shoal_assert(width > 0 && height > 0, "the glyph size must be positive, got %d × %d", width, height);
  int32_t cell_width = width + 2, cell_height = (height + 2 + 3) / 4 * 4, bottom = 0;
  for (uint32_t i = 0; i < glyphs->shelves.count; ++i) {
    shelf_t *s = &glyphs->shelves.items[i];
    bottom = s->y + s->height;
    if (s->height < cell_height || s->height > cell_height + cell_height / 4 ||
        s->used_width + cell_width > glyphs->atlas.size)
      continue;
    *x = s->used_width + 1;
    *y = s->y + 1;
    s->used_width += cell_width;
    return true;
  }
  if (bottom + cell_height > glyphs->atlas.size || cell_width > glyphs->atlas.size)
    return grow_atlas(glyphs) && allocate_area(glyphs, width, height, x, y);
  shelf_t shelf = {.y = bottom, .height = cell_height, .used_width = cell_width};
  array_push(&glyphs->allocator, &glyphs->shelves, shelf);
  *x = 1;
  *y = bottom + 1;
  return true;
}

static uint8_t *get_atlas_row(const glyphs_o *glyphs, const glyph_t *glyph, int32_t row) {
  return glyphs->atlas.pixels + (size_t)(glyph->atlas_y + row) * (size_t)glyphs->atlas.size + glyph->atlas_x;
}

// Allocates space for a glyph and marks its rows as dirty. Returns true on success, or false if the atlas is full.
static bool allocate_cell(glyphs_o *glyphs, glyph_t *out) {
  if (!allocate_area(glyphs, out->width, out->height, &out->atlas_x, &out->atlas_y))
    return false;
  atlas_t *atlas = &glyphs->atlas;
  bool is_clean = atlas->dirty_top >= atlas->dirty_bottom;
  atlas->dirty_top = is_clean || out->atlas_y < atlas->dirty_top ? out->atlas_y : atlas->dirty_top;
  atlas->dirty_bottom =
      is_clean || out->atlas_y + out->height > atlas->dirty_bottom ? out->atlas_y + out->height : atlas->dirty_bottom;
  return true;
}

// --- drawing

static uint8_t read_coverage(const FT_Bitmap *bitmap, const uint8_t *row, int32_t x) {
  return bitmap->pixel_mode == FT_PIXEL_MODE_MONO ? (row[x >> 3] >> (7 - (x & 7)) & 1 ? 255 : 0) : row[x];
}

static bool store_bitmap(glyphs_o *glyphs, const FT_Bitmap *bitmap, int32_t left, int32_t top, glyph_t *out) {
  bool is_supported = bitmap->pixel_mode == FT_PIXEL_MODE_GRAY || bitmap->pixel_mode == FT_PIXEL_MODE_MONO;
  bool fits = bitmap->width <= ATLAS_MAX_SIZE && bitmap->rows <= ATLAS_MAX_SIZE;
  if (!is_supported || !fits || bitmap->width == 0 || bitmap->rows == 0 || !bitmap->buffer)
    return true; // glyphs without pixels are cached as well
  *out = (glyph_t){.width = (int32_t)bitmap->width, .height = (int32_t)bitmap->rows, .left = left, .top = top};
  if (!allocate_cell(glyphs, out))
    return false;
  for (int32_t row = 0; row < out->height; ++row) {
    const uint8_t *source = bitmap->buffer + (ptrdiff_t)row * bitmap->pitch;
    uint8_t *destination = get_atlas_row(glyphs, out, row);
    for (int32_t x = 0; x < out->width; ++x)
      destination[x] = read_coverage(bitmap, source, x);
  }
  return true;
}

// Returns true if a glyph's outline, enlarged by a stroke of up to `stroke` pixels, fits into the atlas.
static bool is_drawable(const FT_Outline *outline, int32_t stroke) {
  FT_BBox box;
  FT_Outline_Get_CBox(outline, &box);
  const FT_Pos max_extent = 64 * ATLAS_MAX_SIZE - 128 * (stroke + 1);
  return box.xMin > -max_extent && box.yMin > -max_extent && box.xMax - box.xMin < max_extent &&
         box.yMax - box.yMin < max_extent && box.xMax < max_extent && box.yMax < max_extent;
}

// Rasterizes a glyph expanded by a stroke of `outline` steps. Returns true on success, or false if the atlas is full.
static bool draw_stroked_glyph(glyphs_o *glyphs, FT_GlyphSlot slot, uint32_t outline, glyph_t *out) {
  FT_Glyph glyph = NULL;
  FT_Fixed radius = (FT_Fixed)((float)outline * 64.0f / GLYPHS_OUTLINE_STEPS);
  bool fits = true;
  if (FT_Get_Glyph(slot, &glyph) != 0)
    return true;
  FT_Stroker_Set(glyphs->stroker, radius, FT_STROKER_LINECAP_ROUND, FT_STROKER_LINEJOIN_ROUND, 0);
  if (FT_Glyph_StrokeBorder(&glyph, glyphs->stroker, 0, 1) == 0 &&
      FT_Glyph_To_Bitmap(&glyph, FT_RENDER_MODE_NORMAL, NULL, 1) == 0) {
    FT_BitmapGlyph b = (FT_BitmapGlyph)glyph;
    fits = store_bitmap(glyphs, &b->bitmap, b->left, -b->top, out);
  }
  FT_Done_Glyph(glyph);
  return fits;
}

// Draws the box for characters that no font contains. Returns true on success, or false if the atlas is full.
static bool draw_box(glyphs_o *glyphs, int32_t size, uint32_t outline, glyph_t *out) {
  int32_t stroke = (int32_t)((float)outline / GLYPHS_OUTLINE_STEPS + 0.5f), line_width = size / 16 > 1 ? size / 16 : 1;
  int32_t box_width = (int32_t)(TEXT_BOX_WIDTH * 0.76f * (float)size),
          box_height = (int32_t)(TEXT_BOX_HEIGHT * (float)size);
  *out = (glyph_t){.width = (box_width > 2 ? box_width : 2) + 2 * stroke,
                   .height = (box_height > 2 ? box_height : 2) + 2 * stroke,
                   .left = (int32_t)(TEXT_BOX_WIDTH * 0.12f * (float)size) - stroke,
                   .top = -box_height - stroke};
  if (!allocate_cell(glyphs, out))
    return false;
  line_width += 2 * stroke;
  for (int32_t y = 0; y < out->height; ++y)
    for (int32_t x = 0; x < out->width; ++x) {
      bool is_edge = x < line_width || y < line_width || x >= out->width - line_width || y >= out->height - line_width;
      get_atlas_row(glyphs, out, y)[x] = is_edge ? 255 : 0;
    }
  return true;
}

static bool rasterize_glyph(glyphs_o *glyphs, uint32_t face_index, uint32_t glyph, int32_t size, uint32_t outline,
                            glyph_t *out) {
  *out = (glyph_t){0};
  if (face_index == TEXT_NO_FACE)
    return draw_box(glyphs, size, outline, out);
  FT_Face face = open_face(glyphs, face_index, size);
  if (!face || FT_Load_Glyph(face, glyph, FT_LOAD_TARGET_LIGHT) != 0)
    return true;
  FT_GlyphSlot slot = face->glyph;
  if (slot->format == FT_GLYPH_FORMAT_OUTLINE && !is_drawable(&slot->outline, (int32_t)outline))
    return true;
  if (outline > 0)
    return slot->format != FT_GLYPH_FORMAT_OUTLINE || draw_stroked_glyph(glyphs, slot, outline, out);
  if (FT_Render_Glyph(slot, FT_RENDER_MODE_NORMAL) != 0)
    return true;
  return store_bitmap(glyphs, &slot->bitmap, slot->bitmap_left, -slot->bitmap_top, out);
}

// --- cache

const glyph_t *glyphs_find_or_rasterize(glyphs_o *glyphs, uint32_t face, uint32_t glyph, int32_t raster_size,
                                        uint32_t outline) {
  shoal_assert(raster_size > 0 && raster_size < 512 && outline < 512,
               "the glyph size %d px or the outline %u px is out of range (below 512 px)", raster_size, outline);
  glyph = face == TEXT_NO_FACE ? 0 : glyph; // all boxes share one cache entry
  uint64_t key = (uint64_t)(face + 1) << 39 | (uint64_t)outline << 30 | (uint64_t)(uint32_t)raster_size << 21 | glyph;
  uint64_t hash = (key * 0x9E3779B97F4A7C15u) >> 40;
  for (uint32_t cursor = 0, i; (i = hash_table_find_next(&glyphs->cached_by_key, hash, &cursor)) != 0;)
    if (glyphs->cached.items[i - 1].key == key)
      return &glyphs->cached.items[i - 1].glyph;
  cached_glyph_t entry = {.key = key};
  if (glyphs->is_full || !rasterize_glyph(glyphs, face, glyph, raster_size, outline, &entry.glyph)) {
    if (!glyphs->is_full_logged)
      log_warn(glyphs->log,
               "render: the glyph atlas of %d px is full, so some characters are not drawn: use fewer fonts and sizes "
               "at once",
               ATLAS_MAX_SIZE);
    glyphs->is_full = glyphs->is_full_logged = true;
    return NULL;
  }
  array_push(&glyphs->allocator, &glyphs->cached, entry);
  hash_table_insert(&glyphs->cached_by_key, &glyphs->allocator, hash, glyphs->cached.count);
  return &glyphs->cached.items[glyphs->cached.count - 1].glyph;
}
