// SDL_ttf: glyphs are drawn into the atlas when first needed; lines are broken at blanks.
#include "render/fonts.h"

#include "base/apart.h"
#include "base/assert.h"
#include "base/files.h"
#include "text/font_head.h"

#include <SDL2/SDL_ttf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REFERENCE_SIZE 256
#define MOST_TIMES 16      // how high lines may be, of the size
#define TRIAL_SIZE 24      // of a font that is tried first,
#define TRIAL_MS 50        // for so long,
#define TRIAL_MOST_MS 2000 // and no single character takes longer than this
#define ATLAS_FIRST_SIZE 1024
#define ATLAS_LAST_SIZE 4096
#define KERN_FIRST 32u // pairs of printable ASCII are remembered
#define KERN_COUNT 96u
#define KERN_UNKNOWN INT16_MIN
#define ENGINE_FONT "fonts/ui.ttf"
#define FALLBACK_FONT "fonts/mono.ttf"

typedef struct face_t {
  char *name;
  char *file; // the font's bytes, read by both
  size_t file_bytes;
  TTF_Font *reference; // at REFERENCE_SIZE, for widths
  TTF_Font *raster;    // its size changes
  int32_t raster_size;
  float advance[256]; // of Latin-1 at size 1; negative: not asked yet
  int16_t *kern;      // KERN_COUNT²
  uint32_t alias;     // of the engine's font: itself, or what stands for it
} face_t;

typedef struct glyph_slot_t {
  uint64_t key; // 0: free
  glyph_t glyph;
} glyph_slot_t;

typedef struct shelf_t {
  int32_t y, height, used;
} shelf_t;

struct fonts_o {
  allocator_t allocator;
  const assets_t *assets;
  log_o *log;
  bool ready; // SDL_ttf runs
  bool full, full_logged;
  ARRAY(face_t) faces; // 0: the engine's font, 1: what has the characters that others lack
  ARRAY(shelf_t) shelves;
  glyph_slot_t *slots;
  uint32_t slot_count, slot_capacity;
  atlas_t atlas;
};

// --- faces

static TTF_Font *open_at(const face_t *face, int size, int hinting) {
  TTF_Font *font = TTF_OpenFontRW(SDL_RWFromConstMem(face->file, (int)face->file_bytes), 1, size);
  if (font)
    TTF_SetFontHinting(font, hinting);
  return font;
}

static void close_face(fonts_o *f, face_t *face) {
  if (face->reference)
    TTF_CloseFont(face->reference);
  if (face->raster)
    TTF_CloseFont(face->raster);
  if (face->file)
    file_free(&f->allocator, face->file, face->file_bytes);
  alloc_resize(&f->allocator, face->kern, face->kern ? sizeof(int16_t) * KERN_COUNT * KERN_COUNT : 0, 0);
  free(face->name);
}

static void empty_tables(fonts_o *f, face_t *face) {
  size_t pairs = (size_t)KERN_COUNT * KERN_COUNT;
  face->kern = alloc_resize(&f->allocator, NULL, 0, pairs * sizeof(int16_t));
  for (size_t i = 0; i < pairs; ++i)
    face->kern[i] = KERN_UNKNOWN;
  for (size_t i = 0; i < 256; ++i)
    face->advance[i] = -1.0f;
}

static float advance_of(face_t *face, uint32_t codepoint) {
  if (codepoint < 256 && face->advance[codepoint] >= 0.0f)
    return face->advance[codepoint];
  int advance = 0;
  TTF_GlyphMetrics32(face->reference, codepoint, NULL, NULL, NULL, NULL, &advance);
  float width = (float)(advance > 0 ? advance : 0) / REFERENCE_SIZE;
  if (codepoint < 256)
    face->advance[codepoint] = width;
  return width;
}

// Lines and letters in proportion to the size. Letters are drawn in memory for all of both.
static bool is_in_proportion(TTF_Font *font, int size) {
  int height = TTF_FontHeight(font), skip = TTF_FontLineSkip(font), ascent = TTF_FontAscent(font);
  int most = MOST_TIMES * size;
  return height > 0 && height <= most && skip > 0 && skip <= most && ascent >= -most && ascent <= most;
}

static bool open_sizes(face_t *face) {
  face->reference = open_at(face, REFERENCE_SIZE, TTF_HINTING_NONE);
  face->raster = open_at(face, REFERENCE_SIZE, TTF_HINTING_LIGHT);
  face->raster_size = REFERENCE_SIZE;
  return face->reference && face->raster;
}

// What is drawn has room in the atlas. A character that has none is nothing to see.
static bool is_drawable(TTF_Font *font, uint32_t codepoint) {
  int left = 0, right = 0, bottom = 0, top = 0, advance = 0;
  if (TTF_GlyphMetrics32(font, codepoint, &left, &right, &bottom, &top, &advance) != 0)
    return false;
  const int sides[] = {left, right, bottom, top, advance};
  for (size_t i = 0; i < sizeof sides / sizeof *sides; ++i)
    if (sides[i] > ATLAS_LAST_SIZE || sides[i] < -ATLAS_LAST_SIZE)
      return false;
  return true;
}

static SDL_Surface *draw_character(TTF_Font *font, uint32_t codepoint) {
  return is_drawable(font, codepoint) ? TTF_RenderGlyph32_Blended(font, codepoint, (SDL_Color){255, 255, 255, 255})
                                      : NULL;
}

// In a copy of the process: opens the font and draws characters for a while, from the first one on.
static bool try_work(apart_work_t *work) {
  face_t face = {.file = (char *)(uintptr_t)work->in, .file_bytes = work->in_bytes};
  if (!open_sizes(&face))
    return error_set(work->why, "%s", TTF_GetError());
  TTF_SetFontSize(face.raster, TRIAL_SIZE);
  for (uint32_t code = ' '; code < 0x10000 && clock() < TRIAL_MS * CLOCKS_PER_SEC / 1000; ++code) {
    if (!TTF_GlyphIsProvided32(face.reference, code))
      continue;
    advance_of(&face, code);
    TTF_GetFontKerningSizeGlyphs32(face.reference, 'A', code);
    SDL_FreeSurface(draw_character(face.raster, code));
  }
  return true;
}

static bool is_tried(const face_t *face, error_t *why) {
  apart_t apart;
  size_t bytes = 0;
  const apart_desc_t desc = {
      .work = try_work, .in = face->file, .in_bytes = face->file_bytes, .limit_ms = TRIAL_MOST_MS};
  if (!apart_begin(&apart, &desc, why))
    return false;
  bool good = apart_end(&apart, &bytes, why) != NULL;
  apart_free(&apart);
  return good;
}

// Those of the engine are.
static bool is_trusted(const fonts_o *f, const char *path) {
  size_t length = strlen(f->assets->engine);
  return length > 0 && strncmp(path, f->assets->engine, length) == 0 && path[length] == '/';
}

// `face` has its name and nothing else; close_face is right afterwards, whatever this returns.
static bool open_face(fonts_o *f, face_t *face, error_t *error) {
  char path[1280];
  error_t why = {0};
  if (!f->ready)
    return error_set(error, "SDL_ttf does not run");
  if (!assets_find(f->assets, face->name, path, sizeof path))
    return error_set(error, "%s", path);
  face->file = file_read(&f->allocator, path, &face->file_bytes, error);
  if (!face->file)
    return false;
  if (!font_head_check(&f->allocator, (const uint8_t *)face->file, face->file_bytes, &why) ||
      (!is_trusted(f, path) && !is_tried(face, &why)))
    return error_set(error, "%s: not a font: %s", path, why.text);
  if (!open_sizes(face))
    return error_set(error, "%s: not a font: %s", path, TTF_GetError());
  if (!is_in_proportion(face->reference, REFERENCE_SIZE))
    return error_set(error, "%s: not a font: its lines are %d high where its letters are %d", path,
                     TTF_FontHeight(face->reference), REFERENCE_SIZE);
  empty_tables(f, face);
  return true;
}

static face_t named_face(const char *name) {
  face_t face = {.name = strdup(name)};
  if (!face.name)
    abort();
  return face;
}

// One that cannot be opened keeps its place, with a name and without a font.
static uint32_t add_face(fonts_o *f, const char *name) {
  face_t face = named_face(name);
  error_t error = {0};
  if (!open_face(f, &face, &error)) {
    char who[160];
    if (f->ready && !assets_is_told(f->assets, name))
      log_warn(f->log, "render: %s%s", error.text, assets_who_asked(f->assets, name, who, sizeof who));
    close_face(f, &face);
    face = named_face(name);
  }
  array_push(&f->allocator, &f->faces, face);
  return f->faces.count - 1;
}

uint32_t fonts_find(fonts_o *f, const char *name) {
  shoal_assert(name, "a font without a name");
  uint32_t stand_in = f->faces.items[0].alias;
  if (!name || name[0] == '\0')
    return stand_in;
  for (uint32_t i = 0; i < f->faces.count; ++i)
    if (strcmp(f->faces.items[i].name, name) == 0)
      return f->faces.items[i].reference ? i : stand_in;
  uint32_t added = add_face(f, name);
  return f->faces.items[added].reference ? added : stand_in;
}

// The face that has the character: the one asked for, the engine's, the fallback; else the one asked for, with its own
// sign for what it lacks.
static uint32_t face_for(const fonts_o *f, uint32_t face, uint32_t codepoint) {
  const uint32_t order[3] = {face, 0, 1};
  for (int i = 0; codepoint >= 128 && i < 3; ++i) {
    TTF_Font *font = f->faces.items[order[i]].reference;
    if (font && TTF_GlyphIsProvided32(font, codepoint))
      return order[i];
  }
  return face;
}

static float kern_of(face_t *face, uint32_t before, uint32_t after) {
  uint32_t b = before - KERN_FIRST, a = after - KERN_FIRST;
  if (b >= KERN_COUNT || a >= KERN_COUNT)
    return (float)TTF_GetFontKerningSizeGlyphs32(face->reference, before, after) / REFERENCE_SIZE;
  int16_t *known = &face->kern[b * KERN_COUNT + a];
  if (*known == KERN_UNKNOWN)
    *known = (int16_t)TTF_GetFontKerningSizeGlyphs32(face->reference, before, after);
  return (float)*known / REFERENCE_SIZE;
}

// --- life

static void empty_atlas(fonts_o *f) {
  f->shelves.count = 0;
  f->slot_count = 0;
  f->full = false;
  if (f->slots)
    memset(f->slots, 0, f->slot_capacity * sizeof *f->slots);
  memset(f->atlas.pixels, 0, (size_t)f->atlas.size * (size_t)f->atlas.size);
  f->atlas.dirty_top = 0;
  f->atlas.dirty_bottom = f->atlas.size;
}

static void choose_engine_face(fonts_o *f) {
  face_t *engine = &f->faces.items[0];
  engine->alias = !engine->reference && f->faces.items[1].reference ? 1 : 0;
}

static void open_engine_faces(fonts_o *f) {
  add_face(f, ENGINE_FONT);
  add_face(f, FALLBACK_FONT);
  choose_engine_face(f);
  if (f->faces.items[0].alias != 0)
    log_warn(f->log, "render: the engine's font is missing: texts are set in %s", FALLBACK_FONT);
}

fonts_o *fonts_create(const assets_t *assets, log_o *log) {
  fonts_o *f = calloc(1, sizeof *f);
  if (!f)
    abort();
  f->assets = assets;
  f->log = log;
  f->ready = TTF_Init() == 0;
  if (!f->ready)
    log_error(log, "render: no texts: %s", TTF_GetError());
  f->atlas.size = ATLAS_FIRST_SIZE;
  f->atlas.pixels = alloc_resize(&f->allocator, NULL, 0, (size_t)ATLAS_FIRST_SIZE * ATLAS_FIRST_SIZE);
  empty_atlas(f);
  open_engine_faces(f);
  return f;
}

static void close_faces(fonts_o *f) {
  for (uint32_t i = 0; i < f->faces.count; ++i)
    close_face(f, &f->faces.items[i]);
  f->faces.count = 0;
}

void fonts_forget(fonts_o *f) {
  close_faces(f);
  empty_atlas(f);
  open_engine_faces(f);
}

void fonts_destroy(fonts_o *f) {
  if (!f)
    return;
  close_faces(f);
  array_free(&f->allocator, &f->faces);
  array_free(&f->allocator, &f->shelves);
  alloc_resize(&f->allocator, f->slots, f->slot_capacity * sizeof *f->slots, 0);
  alloc_resize(&f->allocator, f->atlas.pixels, (size_t)f->atlas.size * (size_t)f->atlas.size, 0);
  if (f->ready)
    TTF_Quit();
  shoal_assert(f->allocator.bytes == 0, "fonts leak %zu bytes", f->allocator.bytes);
  free(f);
}

void fonts_begin_frame(fonts_o *f) {
  if (f->full)
    empty_atlas(f);
}

asset_fate_t fonts_changed(fonts_o *f, const char *name, error_t *why) {
  for (uint32_t i = 0; i < f->faces.count; ++i) {
    face_t *face = &f->faces.items[i];
    if (strcmp(face->name, name) != 0)
      continue;
    face_t fresh = named_face(name);
    if (!open_face(f, &fresh, why)) {
      close_face(f, &fresh);
      return ASSET_KEPT;
    }
    close_face(f, face);
    *face = fresh;
    choose_engine_face(f);
    empty_atlas(f);
    return ASSET_RELOADED;
  }
  return ASSET_UNUSED;
}

atlas_t *fonts_atlas(fonts_o *f) {
  return &f->atlas;
}

// --- layout

// One character of UTF-8; an invalid byte becomes U+FFFD, so that broken text is seen and never read past its end.
static uint32_t decode(const char **text) {
  const uint8_t *s = (const uint8_t *)*text;
  uint32_t length = s[0] < 0x80 ? 1 : s[0] >= 0xF0 && s[0] < 0xF5 ? 4 : s[0] >= 0xE0 ? 3 : s[0] >= 0xC2 ? 2 : 0;
  uint32_t code = length == 1 ? s[0] : length > 1 ? (uint32_t)(s[0] & (0x7F >> length)) : 0xFFFD;
  if (s[0] >= 0xF5)
    length = 0;
  for (uint32_t i = 1; i < length; ++i) {
    if ((s[i] & 0xC0) != 0x80) {
      length = 0;
      break;
    }
    code = code << 6 | (s[i] & 0x3Fu);
  }
  *text += length ? length : 1;
  return length ? code : 0xFFFD;
}

typedef struct setting_t {
  fonts_o *fonts;
  set_layout_t *out;
  float size, wrap, x, y, line_height;
  int32_t align;
  uint32_t line_first; // first glyph of the line
  uint32_t word_first; // first glyph after the last blank of the line
  float word_x;        // where that word starts
  float line_end;      // right end of what is seen
  float before_blank;  // line_end at the last blank
  uint32_t before;     // character before, for kerning; 0 for none
  bool blank;          // the line has a blank to break at
} setting_t;

// Moves the glyphs [first, end) of a finished line to where the alignment wants them.
static void end_line(setting_t *s, uint32_t end, float width) {
  float shift = s->align == 1 ? -width * 0.5f : s->align == 2 ? -width : 0.0f;
  for (uint32_t i = s->line_first; i < end; ++i)
    s->out->glyphs.items[i].x += shift;
  s->out->width = width > s->out->width ? width : s->out->width;
  s->y += s->line_height;
  s->line_first = end;
}

static void start_line(setting_t *s) {
  s->x = s->line_end = s->word_x = s->before_blank = 0.0f;
  s->word_first = s->out->glyphs.count;
  s->before = 0;
  s->blank = false;
}

// Breaks before the current word, or before the current glyph when the word is alone in its line.
static void wrap_line(setting_t *s, uint32_t glyph) {
  bool at_blank = s->blank && s->word_first > s->line_first;
  uint32_t first = at_blank ? s->word_first : glyph;
  float from = at_blank ? s->word_x : s->out->glyphs.items[glyph].x;
  float width = at_blank ? s->before_blank : s->line_end;
  end_line(s, first, width);
  for (uint32_t i = first; i < s->out->glyphs.count; ++i) {
    s->out->glyphs.items[i].x -= from;
    s->out->glyphs.items[i].y = s->y;
  }
  s->x -= from;
  s->word_first = first;
  s->word_x = 0.0f;
  s->blank = false;
}

static void set_blank(setting_t *s, float width) {
  if (s->before != ' ' && s->before != '\t')
    s->before_blank = s->line_end;
  s->x += width;
  s->word_x = s->x;
  s->word_first = s->out->glyphs.count;
  s->blank = true;
}

static void set_character(setting_t *s, uint32_t wanted_face, uint32_t code) {
  if (code == '\n') {
    end_line(s, s->out->glyphs.count, s->line_end);
    start_line(s);
    return;
  }
  if (code < 32 && code != '\t')
    return;
  uint32_t number = face_for(s->fonts, wanted_face, code);
  face_t *face = &s->fonts->faces.items[number];
  float advance = advance_of(face, code == '\t' ? ' ' : code) * s->size * (code == '\t' ? 4.0f : 1.0f);
  if (code == ' ' || code == '\t') {
    set_blank(s, advance);
  } else {
    s->x += s->before ? kern_of(face, s->before, code) * s->size : 0.0f;
    set_glyph_t glyph = {.codepoint = code, .face = number, .x = s->x, .y = s->y};
    array_push(&s->fonts->allocator, &s->out->glyphs, glyph);
    s->x += advance;
    if (s->wrap > 0.0f && s->x > s->wrap && s->out->glyphs.count - 1 > s->line_first)
      wrap_line(s, s->out->glyphs.count - 1);
    s->line_end = s->x;
  }
  s->before = code;
}

void fonts_layout(fonts_o *f, uint32_t face, const char *text, float size, int32_t align, float wrap,
                  set_layout_t *out) {
  shoal_assert(face < f->faces.count, "face %u of %u", face, f->faces.count);
  out->glyphs.count = 0;
  out->width = out->height = 0.0f;
  const face_t *main = &f->faces.items[face];
  if (!main->reference || text[0] == '\0' || !(size > 0.0f))
    return;
  setting_t s = {.fonts = f, .out = out, .size = size, .wrap = wrap, .align = align};
  s.line_height = (float)TTF_FontLineSkip(main->reference) * size / REFERENCE_SIZE;
  start_line(&s);
  while (*text)
    set_character(&s, face, decode(&text));
  end_line(&s, out->glyphs.count, s.line_end);
  out->height = s.y;
}

void fonts_free_layout(fonts_o *f, set_layout_t *layout) {
  array_free(&f->allocator, &layout->glyphs);
}

// --- glyphs

int32_t fonts_raster_size(float pixels) {
  int32_t size = pixels > 4.0f ? (int32_t)(pixels < 256.0f ? pixels + 0.5f : 256.0f) : 4;
  int32_t step = size <= 32 ? 1 : size <= 64 ? 2 : size <= 128 ? 4 : 8;
  size = (size + step / 2) / step * step;
  return size;
}

static bool grow_atlas(fonts_o *f) {
  if (f->atlas.size >= ATLAS_LAST_SIZE)
    return false;
  size_t before = (size_t)f->atlas.size, after = before * 2;
  uint8_t *pixels = alloc_resize(&f->allocator, NULL, 0, after * after);
  memset(pixels, 0, after * after);
  for (size_t y = 0; y < before; ++y)
    memcpy(pixels + y * after, f->atlas.pixels + y * before, before);
  alloc_resize(&f->allocator, f->atlas.pixels, before * before, 0);
  f->atlas.pixels = pixels;
  f->atlas.size = (int32_t)after;
  f->atlas.dirty_top = 0;
  f->atlas.dirty_bottom = f->atlas.size;
  return true;
}

// A place of width × height with a free pixel around it, on a shelf that is not much higher.
static bool place(fonts_o *f, int32_t width, int32_t height, int32_t *x, int32_t *y) {
  shoal_assert(width > 0 && height > 0, "a glyph of %d × %d", width, height);
  int32_t wide = width + 2, high = (height + 2 + 3) / 4 * 4, bottom = 0;
  for (uint32_t i = 0; i < f->shelves.count; ++i) {
    shelf_t *s = &f->shelves.items[i];
    bottom = s->y + s->height;
    if (s->height < high || s->height > high + high / 4 || s->used + wide > f->atlas.size)
      continue;
    *x = s->used + 1;
    *y = s->y + 1;
    s->used += wide;
    return true;
  }
  if (bottom + high > f->atlas.size || wide > f->atlas.size)
    return grow_atlas(f) && place(f, width, height, x, y);
  shelf_t shelf = {.y = bottom, .height = high, .used = wide};
  array_push(&f->allocator, &f->shelves, shelf);
  *x = 1;
  *y = bottom + 1;
  return true;
}

static void copy_coverage(fonts_o *f, const SDL_Surface *surface, const glyph_t *g) {
  shoal_assert(surface && surface->w > 0 && surface->h > 0, "an empty glyph is not copied");
  shoal_assert(g->atlas_x + g->width <= f->atlas.size && g->atlas_y + g->height <= f->atlas.size,
               "a glyph at %d, %d of an atlas of %d pixels", g->atlas_x, g->atlas_y, f->atlas.size);
  for (int32_t row = 0; row < g->height; ++row) {
    const uint32_t *from = (const uint32_t *)((const uint8_t *)surface->pixels + row * surface->pitch);
    uint8_t *to = f->atlas.pixels + (size_t)(g->atlas_y + row) * (size_t)f->atlas.size + g->atlas_x;
    for (int32_t x = 0; x < g->width; ++x)
      to[x] = (uint8_t)(from[x] >> 24);
  }
  atlas_t *a = &f->atlas;
  bool clean = a->dirty_top >= a->dirty_bottom;
  a->dirty_top = clean || g->atlas_y < a->dirty_top ? g->atlas_y : a->dirty_top;
  a->dirty_bottom = clean || g->atlas_y + g->height > a->dirty_bottom ? g->atlas_y + g->height : a->dirty_bottom;
}

static bool rasterise(fonts_o *f, face_t *face, uint32_t codepoint, int32_t size, glyph_t *out) {
  if (face->raster_size != size)
    TTF_SetFontSize(face->raster, size);
  face->raster_size = size;
  SDL_Surface *surface = draw_character(face->raster, codepoint);
  *out = (glyph_t){0};
  if (!surface)
    return true; // nothing to see is an answer that is kept
  int left = 0, top = 0;
  TTF_GlyphMetrics32(face->raster, codepoint, &left, NULL, NULL, &top, NULL);
  // SDL_ttf draws a character as a line of its own: from its origin, or further left where it overhangs.
  out->left = left < 0 ? left : 0;
  int32_t above = TTF_FontAscent(face->raster) - top;
  out->top = above < 0 ? above : 0;
  out->width = surface->w;
  out->height = surface->h;
  bool fits = place(f, out->width, out->height, &out->atlas_x, &out->atlas_y);
  if (fits)
    copy_coverage(f, surface, out);
  SDL_FreeSurface(surface);
  return fits;
}

static glyph_slot_t *find_slot(const fonts_o *f, uint64_t key) {
  shoal_assert(f->slot_count < f->slot_capacity && (f->slot_capacity & (f->slot_capacity - 1)) == 0,
               "%u glyphs in a table for %u", f->slot_count, f->slot_capacity);
  uint32_t mask = f->slot_capacity - 1;
  uint32_t i = (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 40) & mask;
  while (f->slots[i].key != 0 && f->slots[i].key != key)
    i = (i + 1) & mask;
  return &f->slots[i];
}

static void grow_slots(fonts_o *f) {
  glyph_slot_t *before = f->slots;
  uint32_t count = f->slot_capacity;
  f->slot_capacity = count ? count * 2 : 256;
  f->slots = alloc_resize(&f->allocator, NULL, 0, f->slot_capacity * sizeof *f->slots);
  memset(f->slots, 0, f->slot_capacity * sizeof *f->slots);
  for (uint32_t i = 0; i < count; ++i)
    if (before[i].key)
      *find_slot(f, before[i].key) = before[i];
  alloc_resize(&f->allocator, before, count * sizeof *before, 0);
}

const glyph_t *fonts_glyph(fonts_o *f, uint32_t face, uint32_t codepoint, int32_t raster_size) {
  uint64_t key = (uint64_t)(face + 1) << 48 | (uint64_t)(uint32_t)raster_size << 32 | codepoint;
  if (f->slot_count * 4 >= f->slot_capacity * 3)
    grow_slots(f);
  glyph_slot_t *slot = find_slot(f, key);
  if (slot->key == key)
    return &slot->glyph;
  glyph_t glyph;
  if (f->full || !rasterise(f, &f->faces.items[face], codepoint, raster_size, &glyph)) {
    if (!f->full_logged)
      log_warn(f->log, "render: too many sizes of text at once: the glyph atlas (%d px) is full", ATLAS_LAST_SIZE);
    f->full = f->full_logged = true;
    return NULL;
  }
  *slot = (glyph_slot_t){.key = key, .glyph = glyph};
  f->slot_count++;
  return &slot->glyph;
}
