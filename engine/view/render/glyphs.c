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

#define ATLAS_FIRST_SIZE 512
#define ATLAS_LAST_SIZE 4096

typedef struct opened_t {
  FT_Face face; // NULL if the face is not open
  bool tried;
  int32_t size;
} opened_t;

typedef struct cached_glyph_t {
  uint64_t key;
  glyph_t glyph;
} cached_glyph_t;

typedef struct shelf_t {
  int32_t y, height, used;
} shelf_t;

struct glyphs_o {
  allocator_t allocator;
  log_o *log;
  const typesetter_o *type;
  uint32_t version;
  FT_Library library; // NULL if FreeType could not be initialized; there are then no glyphs
  FT_Stroker stroker;
  bool full, full_logged;
  ARRAY(opened_t) faces;
  ARRAY(shelf_t) shelves;
  ARRAY(cached_glyph_t) cached;
  hash_table_t cached_by_key; // maps a key to its index in `cached` + 1
  atlas_t atlas;
};

// --- life cycle

static void clear_atlas(glyphs_o *g) {
  g->shelves.count = 0;
  g->cached.count = 0;
  hash_table_free(&g->cached_by_key, &g->allocator);
  g->full = false;
  memset(g->atlas.pixels, 0, (size_t)g->atlas.size * (size_t)g->atlas.size);
  g->atlas.dirty_top = 0;
  g->atlas.dirty_bottom = g->atlas.size;
}

static void close_faces(glyphs_o *g) {
  for (uint32_t i = 0; i < g->faces.count; ++i)
    if (g->faces.items[i].face)
      FT_Done_Face(g->faces.items[i].face);
  g->faces.count = 0;
}

glyphs_o *glyphs_create(log_o *log) {
  glyphs_o *g = alloc_object(sizeof *g);
  g->log = log;
  if (FT_Init_FreeType(&g->library) != 0 || FT_Stroker_New(g->library, &g->stroker) != 0)
    log_error(log, "render: cannot draw text: FreeType failed to initialize");
  g->atlas.size = ATLAS_FIRST_SIZE;
  g->atlas.pixels = alloc_resize(&g->allocator, NULL, 0, (size_t)ATLAS_FIRST_SIZE * ATLAS_FIRST_SIZE);
  clear_atlas(g);
  return g;
}

void glyphs_destroy(glyphs_o *g) {
  if (!g)
    return;
  close_faces(g);
  if (g->stroker)
    FT_Stroker_Done(g->stroker);
  if (g->library)
    FT_Done_FreeType(g->library);
  array_free(&g->allocator, &g->faces);
  array_free(&g->allocator, &g->shelves);
  array_free(&g->allocator, &g->cached);
  hash_table_free(&g->cached_by_key, &g->allocator);
  alloc_resize(&g->allocator, g->atlas.pixels, (size_t)g->atlas.size * (size_t)g->atlas.size, 0);
  shoal_assert(g->allocator.bytes == 0, "glyphs leaked %zu bytes", g->allocator.bytes);
  free(g);
}

void glyphs_begin_frame(glyphs_o *g, const typesetter_o *type) {
  bool changed = g->type != type || (type && g->version != typesetter_version(type));
  if (changed)
    close_faces(g);
  if (changed || g->full)
    clear_atlas(g);
  g->type = type;
  g->version = type ? typesetter_version(type) : 0;
}

atlas_t *glyphs_get_atlas(glyphs_o *g) {
  return &g->atlas;
}

// Returns a face at a size, or NULL if the face is not usable. Its bytes belong to the typesetter, which has validated
// them.
static FT_Face open_face(glyphs_o *g, uint32_t number, int32_t size) {
  while (g->faces.count <= number) {
    opened_t none = {0};
    array_push(&g->allocator, &g->faces, none);
  }
  opened_t *o = &g->faces.items[number];
  size_t bytes;
  const char *file = g->type && g->library ? typesetter_get_face(g->type, number, &bytes) : NULL;
  if (!o->tried && file && FT_New_Memory_Face(g->library, (const FT_Byte *)file, (FT_Long)bytes, 0, &o->face) != 0)
    o->face = NULL;
  o->tried = true;
  if (o->face && o->size != size && FT_Set_Pixel_Sizes(o->face, 0, (FT_UInt)size) != 0)
    return NULL;
  o->size = size;
  return o->face;
}

// --- the atlas

int32_t glyphs_raster_size(float pixels) {
  int32_t size = pixels > 4.0f ? (int32_t)(pixels < 256.0f ? pixels + 0.5f : 256.0f) : 4;
  int32_t step = size <= 32 ? 1 : size <= 64 ? 2 : size <= 128 ? 4 : 8;
  size = (size + step / 2) / step * step;
  return size;
}

static bool grow_atlas(glyphs_o *g) {
  if (g->atlas.size >= ATLAS_LAST_SIZE)
    return false;
  size_t before = (size_t)g->atlas.size, after = before * 2;
  uint8_t *pixels = alloc_resize(&g->allocator, NULL, 0, after * after);
  memset(pixels, 0, after * after);
  for (size_t y = 0; y < before; ++y)
    memcpy(pixels + y * after, g->atlas.pixels + y * before, before);
  alloc_resize(&g->allocator, g->atlas.pixels, before * before, 0);
  g->atlas.pixels = pixels;
  g->atlas.size = (int32_t)after;
  g->atlas.dirty_top = 0;
  g->atlas.dirty_bottom = g->atlas.size;
  return true;
}

// Allocates width × height pixels, with a free border of one pixel, on a shelf of similar height. Grows the atlas if
// necessary. Returns false if the atlas is full and cannot grow.
static bool allocate_area(glyphs_o *g, int32_t width, int32_t height, int32_t *x, int32_t *y) {
  shoal_assert(width > 0 && height > 0, "the glyph size must be positive, got %d × %d", width, height);
  int32_t wide = width + 2, high = (height + 2 + 3) / 4 * 4, bottom = 0;
  for (uint32_t i = 0; i < g->shelves.count; ++i) {
    shelf_t *s = &g->shelves.items[i];
    bottom = s->y + s->height;
    if (s->height < high || s->height > high + high / 4 || s->used + wide > g->atlas.size)
      continue;
    *x = s->used + 1;
    *y = s->y + 1;
    s->used += wide;
    return true;
  }
  if (bottom + high > g->atlas.size || wide > g->atlas.size)
    return grow_atlas(g) && allocate_area(g, width, height, x, y);
  shelf_t shelf = {.y = bottom, .height = high, .used = wide};
  array_push(&g->allocator, &g->shelves, shelf);
  *x = 1;
  *y = bottom + 1;
  return true;
}

static uint8_t *get_atlas_row(const glyphs_o *g, const glyph_t *at, int32_t row) {
  return g->atlas.pixels + (size_t)(at->atlas_y + row) * (size_t)g->atlas.size + at->atlas_x;
}

// Allocates space for a glyph and marks its rows as dirty. Returns false if the atlas is full.
static bool allocate_cell(glyphs_o *g, glyph_t *out) {
  if (!allocate_area(g, out->width, out->height, &out->atlas_x, &out->atlas_y))
    return false;
  atlas_t *a = &g->atlas;
  bool unchanged = a->dirty_top >= a->dirty_bottom;
  a->dirty_top = unchanged || out->atlas_y < a->dirty_top ? out->atlas_y : a->dirty_top;
  a->dirty_bottom =
      unchanged || out->atlas_y + out->height > a->dirty_bottom ? out->atlas_y + out->height : a->dirty_bottom;
  return true;
}

// --- drawing

static uint8_t read_coverage(const FT_Bitmap *b, const uint8_t *row, int32_t x) {
  return b->pixel_mode == FT_PIXEL_MODE_MONO ? (row[x >> 3] >> (7 - (x & 7)) & 1 ? 255 : 0) : row[x];
}

static bool store_bitmap(glyphs_o *g, const FT_Bitmap *b, int32_t left, int32_t top, glyph_t *out) {
  bool supported = b->pixel_mode == FT_PIXEL_MODE_GRAY || b->pixel_mode == FT_PIXEL_MODE_MONO;
  bool fits = b->width <= ATLAS_LAST_SIZE && b->rows <= ATLAS_LAST_SIZE;
  if (!supported || !fits || b->width == 0 || b->rows == 0 || !b->buffer)
    return true; // cache glyphs without pixels too
  *out = (glyph_t){.width = (int32_t)b->width, .height = (int32_t)b->rows, .left = left, .top = top};
  if (!allocate_cell(g, out))
    return false;
  for (int32_t row = 0; row < out->height; ++row) {
    const uint8_t *from = b->buffer + (ptrdiff_t)row * b->pitch;
    uint8_t *to = get_atlas_row(g, out, row);
    for (int32_t x = 0; x < out->width; ++x)
      to[x] = read_coverage(b, from, x);
  }
  return true;
}

// Returns true if a glyph's outline, enlarged by a stroke of up to `stroke` pixels, fits into the atlas.
static bool is_drawable(const FT_Outline *outline, int32_t stroke) {
  FT_BBox box;
  FT_Outline_Get_CBox(outline, &box);
  const FT_Pos max_extent = 64 * ATLAS_LAST_SIZE - 128 * (stroke + 1);
  return box.xMin > -max_extent && box.yMin > -max_extent && box.xMax - box.xMin < max_extent &&
         box.yMax - box.yMin < max_extent && box.xMax < max_extent && box.yMax < max_extent;
}

// Rasterizes a glyph expanded by a stroke of `outline` steps. Returns false if the atlas is full.
static bool draw_stroked_glyph(glyphs_o *g, FT_GlyphSlot slot, uint32_t outline, glyph_t *out) {
  FT_Glyph glyph = NULL;
  FT_Fixed radius = (FT_Fixed)((float)outline * 64.0f / GLYPHS_OUTLINE_STEPS);
  bool fits = true;
  if (FT_Get_Glyph(slot, &glyph) != 0)
    return true;
  FT_Stroker_Set(g->stroker, radius, FT_STROKER_LINECAP_ROUND, FT_STROKER_LINEJOIN_ROUND, 0);
  if (FT_Glyph_StrokeBorder(&glyph, g->stroker, 0, 1) == 0 &&
      FT_Glyph_To_Bitmap(&glyph, FT_RENDER_MODE_NORMAL, NULL, 1) == 0) {
    FT_BitmapGlyph b = (FT_BitmapGlyph)glyph;
    fits = store_bitmap(g, &b->bitmap, b->left, -b->top, out);
  }
  FT_Done_Glyph(glyph);
  return fits;
}

// Draws the box for characters that no font contains. Returns false if the atlas is full.
static bool draw_box(glyphs_o *g, int32_t size, uint32_t outline, glyph_t *out) {
  int32_t stroke = (int32_t)((float)outline / GLYPHS_OUTLINE_STEPS + 0.5f), line = size / 16 > 1 ? size / 16 : 1;
  int32_t wide = (int32_t)(TEXT_BOX_WIDTH * 0.76f * (float)size), high = (int32_t)(TEXT_BOX_HEIGHT * (float)size);
  *out = (glyph_t){.width = (wide > 2 ? wide : 2) + 2 * stroke,
                   .height = (high > 2 ? high : 2) + 2 * stroke,
                   .left = (int32_t)(TEXT_BOX_WIDTH * 0.12f * (float)size) - stroke,
                   .top = -high - stroke};
  if (!allocate_cell(g, out))
    return false;
  line += 2 * stroke;
  for (int32_t y = 0; y < out->height; ++y)
    for (int32_t x = 0; x < out->width; ++x) {
      bool edge = x < line || y < line || x >= out->width - line || y >= out->height - line;
      get_atlas_row(g, out, y)[x] = edge ? 255 : 0;
    }
  return true;
}

static bool rasterize_glyph(glyphs_o *g, uint32_t number, uint32_t glyph, int32_t size, uint32_t outline,
                            glyph_t *out) {
  *out = (glyph_t){0};
  if (number == TEXT_NO_FACE)
    return draw_box(g, size, outline, out);
  FT_Face face = open_face(g, number, size);
  if (!face || FT_Load_Glyph(face, glyph, FT_LOAD_TARGET_LIGHT) != 0)
    return true;
  FT_GlyphSlot slot = face->glyph;
  if (slot->format == FT_GLYPH_FORMAT_OUTLINE && !is_drawable(&slot->outline, (int32_t)outline))
    return true;
  if (outline > 0)
    return slot->format != FT_GLYPH_FORMAT_OUTLINE || draw_stroked_glyph(g, slot, outline, out);
  if (FT_Render_Glyph(slot, FT_RENDER_MODE_NORMAL) != 0)
    return true;
  return store_bitmap(g, &slot->bitmap, slot->bitmap_left, -slot->bitmap_top, out);
}

// --- cache

const glyph_t *glyphs_find_or_rasterize(glyphs_o *g, uint32_t face, uint32_t glyph, int32_t raster_size,
                                        uint32_t outline) {
  shoal_assert(raster_size > 0 && raster_size < 512 && outline < 512,
               "the glyph size %d px or the outline %u px is out of range (below 512 px)", raster_size, outline);
  glyph = face == TEXT_NO_FACE ? 0 : glyph; // all boxes share one cache entry
  uint64_t key = (uint64_t)(face + 1) << 39 | (uint64_t)outline << 30 | (uint64_t)(uint32_t)raster_size << 21 | glyph;
  uint64_t hash = (key * 0x9E3779B97F4A7C15u) >> 40;
  for (uint32_t at = 0, i; (i = hash_table_find_next(&g->cached_by_key, hash, &at)) != 0;)
    if (g->cached.items[i - 1].key == key)
      return &g->cached.items[i - 1].glyph;
  cached_glyph_t fresh = {.key = key};
  if (g->full || !rasterize_glyph(g, face, glyph, raster_size, outline, &fresh.glyph)) {
    if (!g->full_logged)
      log_warn(g->log,
               "render: the glyph atlas of %d px is full, so some characters are not drawn: use fewer fonts and sizes "
               "at once",
               ATLAS_LAST_SIZE);
    g->full = g->full_logged = true;
    return NULL;
  }
  array_push(&g->allocator, &g->cached, fresh);
  hash_table_insert(&g->cached_by_key, &g->allocator, hash, g->cached.count);
  return &g->cached.items[g->cached.count - 1].glyph;
}
