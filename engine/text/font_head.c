// The table directory, and the outlines of a TTF (loca and glyf). A glyph made of others is counted from what it is
// made of, each glyph once: two parts each over thirty steps are a thousand million glyphs to who draws them.
#include "text/font_head.h"

#include "base/assert.h"
#include "platform/asset_format.h"

#include <string.h>

#define MOST_DEPTH 32

static const char CUT[] = "the file ends too early";

static uint32_t big16(const uint8_t *at) {
  return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t big32(const uint8_t *at) {
  return big16(at) << 16 | big16(at + 2);
}

typedef struct table_t {
  const uint8_t *at; // NULL: there is none
  size_t bytes;
} table_t;

typedef struct font_tables_t {
  table_t head, maxp, loca, glyf;
} font_tables_t;

static bool read_tables(const uint8_t *bytes, size_t size_bytes, font_tables_t *out, error_t *why) {
  size_t count = size_bytes < 12 ? 0 : big16(bytes + 4);
  if (size_bytes < 12 || 12 + 16 * count > size_bytes)
    return error_set(why, "%s", CUT);
  for (size_t i = 0; i < count; ++i) {
    const uint8_t *t = bytes + 12 + 16 * i;
    uint64_t offset = big32(t + 8), length = big32(t + 12);
    if (offset + length > size_bytes)
      return error_set(why, "%s", CUT);
    table_t table = {bytes + offset, (size_t)length};
    if (memcmp(t, "head", 4) == 0)
      out->head = table;
    else if (memcmp(t, "maxp", 4) == 0)
      out->maxp = table;
    else if (memcmp(t, "loca", 4) == 0)
      out->loca = table;
    else if (memcmp(t, "glyf", 4) == 0)
      out->glyf = table;
  }
  return true;
}

// --- outlines

typedef struct glyphs_t {
  font_tables_t tables;
  uint32_t count, depth;
  bool wide; // loca has 32 bits each
  struct {
    uint32_t parts, points;
  } * known; // parts 0: not counted yet
} glyphs_t;

// Empty for one that has no outline, or that lies outside of the table: FreeType draws nothing for it.
static table_t outline(const glyphs_t *g, uint32_t glyph) {
  const table_t *loca = &g->tables.loca, *glyf = &g->tables.glyf;
  size_t each = g->wide ? 4 : 2;
  if (((size_t)glyph + 2) * each > loca->bytes)
    return (table_t){0};
  const uint8_t *at = loca->at + glyph * each;
  size_t from = g->wide ? big32(at) : 2 * big16(at), to = g->wide ? big32(at + 4) : 2 * big16(at + 2);
  if (to > glyf->bytes)
    to = glyf->bytes;
  return from + 10 <= to ? (table_t){glyf->at + from, to - from} : (table_t){0};
}

enum { WORDS = 1, ONE_SCALE = 8, MORE = 32, TWO_SCALES = 64, FOUR_SCALES = 128 };

static bool count_glyph(glyphs_t *g, uint32_t glyph, error_t *why);

static bool count_parts(glyphs_t *g, uint32_t glyph, table_t o, error_t *why) {
  uint32_t parts = 1, points = 0, flags = MORE;
  for (size_t at = 10; (flags & MORE) && at + 4 <= o.bytes;) {
    flags = big16(o.at + at);
    uint32_t part = big16(o.at + at + 2);
    at += 4 + (flags & WORDS ? 4u : 2u);
    at += flags & ONE_SCALE ? 2u : flags & TWO_SCALES ? 4u : flags & FOUR_SCALES ? 8u : 0u;
    if (part >= g->count)
      continue;
    if (!count_glyph(g, part, why))
      return false;
    parts += g->known[part].parts;
    points += g->known[part].points;
    if (parts > FONT_MOST_PARTS || points > FONT_MOST_POINTS)
      return error_set(why, "glyph %u is made of more than %u others, or of more than %u points", glyph,
                       FONT_MOST_PARTS, FONT_MOST_POINTS);
  }
  g->known[glyph].parts = parts;
  g->known[glyph].points = points;
  return true;
}

static bool count_points(glyphs_t *g, uint32_t glyph, table_t o, error_t *why) {
  size_t contours = o.bytes ? big16(o.at) : 0, last = 10 + 2 * (contours ? contours - 1 : 0);
  uint32_t points = contours && last + 2 <= o.bytes ? big16(o.at + last) + 1 : 0;
  g->known[glyph].parts = 1;
  g->known[glyph].points = points;
  return points <= FONT_MOST_POINTS ||
         error_set(why, "glyph %u has %u points, and %u are the most", glyph, points, FONT_MOST_POINTS);
}

static bool count_glyph(glyphs_t *g, uint32_t glyph, error_t *why) {
  if (g->known[glyph].parts)
    return true;
  if (g->depth == MOST_DEPTH)
    return error_set(why, "glyph %u is a part of itself, or of more than %u glyphs in a row", glyph, MOST_DEPTH);
  table_t o = outline(g, glyph);
  ++g->depth;
  bool good = o.bytes && (o.at[0] & 0x80) ? count_parts(g, glyph, o, why) : count_points(g, glyph, o, why);
  --g->depth;
  return good;
}

static bool check_glyphs(allocator_t *a, const font_tables_t *tables, error_t *why) {
  glyphs_t g = {.tables = *tables, .count = big16(tables->maxp.at + 4), .wide = big16(tables->head.at + 50) != 0};
  size_t bytes = g.count * sizeof *g.known;
  bool good = true;
  g.known = alloc_resize(a, NULL, 0, bytes);
  for (uint32_t i = 0; i < g.count; ++i)
    g.known[i].parts = 0;
  for (uint32_t i = 0; i < g.count && good; ++i)
    good = count_glyph(&g, i, why);
  alloc_resize(a, g.known, bytes, 0);
  return good;
}

bool font_head_check(allocator_t *a, const uint8_t *bytes, size_t size_bytes, error_t *why) {
  shoal_assert(bytes, "%zu bytes are nowhere", size_bytes);
  font_tables_t tables = {0};
  if (size_bytes == 0)
    return error_set(why, "the file is empty");
  if (asset_format(bytes, size_bytes) != FORMAT_FONT)
    return error_set(why, "it is %s: fonts are TTF or OTF", asset_format_words(bytes, size_bytes));
  if (size_bytes > FONT_MOST_BYTES)
    return error_set(why, "it has %zu MB, and %u are the most", size_bytes >> 20, FONT_MOST_BYTES >> 20);
  if (!read_tables(bytes, size_bytes, &tables, why))
    return false;
  if (tables.head.bytes < 54 || tables.maxp.bytes < 6 || big16(tables.maxp.at + 4) == 0)
    return error_set(why, "it has no glyphs (its tables head and maxp)");
  return !tables.glyf.at || !tables.loca.at || check_glyphs(a, &tables, why);
}
