// Breaks lines greedily. Spaces at the end of a line have no width.
#include "text/line_layout.h"

#include "base/assert.h"
#include "text/line_breaks.h"

#include <math.h>
#include <string.h>

#define MAX_BIDI_LEVEL 126

// --- line heights

typedef struct heights_t {
  double ascent, line_height;
} heights_t;

static void include_font(const lines_t *l, uint32_t chain, float size, heights_t *heights) {
  const face_t *face = faces_find_first(l->paragraph.faces, chain);
  double ascent = face ? face->ascent / face->units_per_em : 0.9,
         line = face ? face->line_height / face->units_per_em : 1.2;
  heights->ascent = ascent * (double)size > heights->ascent ? ascent * (double)size : heights->ascent;
  heights->line_height = line * (double)size > heights->line_height ? line * (double)size : heights->line_height;
}

static heights_t compute_line_heights(const lines_t *lines, uint32_t first, uint32_t end, uint32_t run) {
  const paragraph_t *paragraph = &lines->paragraph;
  heights_t heights = {0};
  for (; run < paragraph->runs.count && paragraph->runs.items[run].first < end; ++run)
    include_font(lines, paragraph->runs.items[run].chain, paragraph->runs.items[run].size, &heights);
  if (first == end) { // an empty line has the height of its line end or of the preceding character
    uint32_t index = lines->first + first;
    const text_char_t *chars = lines->markup.chars.items;
    uint32_t span = index < lines->markup.chars.count ? chars[index].span : index > 0 ? chars[index - 1].span : 0;
    include_font(lines, lines->chains.items[span], lines->markup.spans.items[span].size, &heights);
  }
  return heights;
}

// --- bidirectional reordering

static void reverse_pieces(piece_t *pieces, uint32_t first, uint32_t end) {
  for (; first + 1 < end; ++first, --end) {
    piece_t piece = pieces[first];
    pieces[first] = pieces[end - 1];
    pieces[end - 1] = piece;
  }
}

// Implements Unicode bidi rule L2: from the highest level down, reverses every sequence of runs at that level or
// higher.
static void reorder_pieces(piece_t *pieces, uint32_t count) {
  uint8_t max_level = 0;
  for (uint32_t i = 0; i < count; ++i)
    max_level = pieces[i].run->level > max_level ? pieces[i].run->level : max_level;
  shoal_assert(max_level <= MAX_BIDI_LEVEL, "bidi level %u exceeds %u", max_level, MAX_BIDI_LEVEL);
  for (uint8_t level = max_level; level > 0; --level)
    for (uint32_t i = 0; i < count;) {
      uint32_t end = i;
      while (end < count && pieces[end].run->level >= level)
        ++end;
      reverse_pieces(pieces, i, end);
      i = end > i ? end : i + 1;
    }
}

// --- glyphs

static bool is_visible(const lines_t *l, const shaped_t *glyph) {
  uint32_t code = l->paragraph.chars[glyph->cluster].code;
  return !break_is_blank(code) && (glyph->face != FACE_NONE || glyph->advance > 0.0);
}

// Adds one end of a key cap. The end that is added first starts the cap. The second end, in visual order, completes it.
static void append_cap_end(lines_t *lines, const shaped_t *glyph, text_icon_t icon) {
  text_icon_t *open_cap = lines->out->icons.count ? &lines->out->icons.items[lines->out->icons.count - 1] : NULL;
  if (open_cap && open_cap->width < 0.0f && open_cap->y == icon.y && open_cap->span == icon.span) {
    open_cap->width = icon.x + (float)glyph->advance - open_cap->x;
    return;
  }
  icon.width = -1.0f;
  array_push(lines->paragraph.allocator, &lines->out->icons, icon);
}

static void append_glyph(lines_t *lines, const run_t *run, const shaped_t *shaped_glyph, double x, double baseline) {
  allocator_t *allocator = lines->paragraph.allocator;
  const text_char_t *character = &lines->paragraph.chars[shaped_glyph->cluster];
  if (shaped_glyph->face == PARAGRAPH_ICON) {
    text_icon_t icon = {.x = (float)x, .y = (float)(baseline - 0.84 * (double)run->size), .size = run->size};
    icon.span = (uint16_t)character->span;
    icon.character = lines->first + shaped_glyph->cluster;
    if (lines->paragraph.spans[character->span].cap)
      append_cap_end(lines, shaped_glyph, icon);
    else
      array_push(allocator, &lines->out->icons, icon);
    return;
  }
  text_glyph_t shaped = {.x = (float)(x + shaped_glyph->x),
                         .y = (float)(baseline - shaped_glyph->y),
                         .size = run->size,
                         .glyph = shaped_glyph->glyph,
                         .face = (uint16_t)shaped_glyph->face,
                         .span = (uint16_t)character->span,
                         .character = lines->first + shaped_glyph->cluster};
  if (is_visible(lines, shaped_glyph))
    array_push(allocator, &lines->out->glyphs, shaped);
}

// Sets the carets of a cluster at `x`. Divides the width of a ligature evenly.
static void set_carets(lines_t *lines, const run_t *run, uint32_t cluster, uint32_t end, double x, double width) {
  bool right_to_left = run->level & 1;
  for (uint32_t i = cluster; i < end; ++i) {
    double offset = width * (i - cluster) / (end - cluster);
    text_caret_t *caret = &lines->out->carets.items[lines->first + i];
    caret->offset = lines->paragraph.chars[i].offset;
    caret->line = lines->out->lines.count;
    caret->x = (float)(right_to_left ? x + width - offset : x + offset);
  }
}

static double append_piece(lines_t *lines, const piece_t *piece, double x, double baseline) {
  uint32_t count;
  const shaped_t *shaped = paragraph_shape_piece(&lines->paragraph, piece->run, piece->first, piece->end, &count);
  bool right_to_left = piece->run->level & 1;
  for (uint32_t i = 0, previous = piece->end; i < count;) {
    uint32_t cluster = shaped[i].cluster;
    double start = x;
    for (; i < count && shaped[i].cluster == cluster; ++i) {
      append_glyph(lines, piece->run, &shaped[i], x, baseline);
      x += shaped[i].advance;
    }
    uint32_t end = right_to_left ? previous : i < count ? shaped[i].cluster : piece->end;
    if (lines->style->carets)
      set_carets(lines, piece->run, cluster, end, start, x - start);
    previous = cluster;
  }
  return x;
}

// Sets the carets of the spaces at the end of a line, and the caret after them.
static void set_last_carets(lines_t *lines, uint32_t first, uint32_t end, double width) {
  bool left_to_right = lines->paragraph.left_to_right;
  double x = left_to_right ? width : 0.0;
  for (uint32_t i = first; i < end; ++i) {
    text_caret_t caret = {lines->paragraph.chars[i].offset, lines->out->lines.count, (float)x};
    lines->out->carets.items[lines->first + i] = caret;
    x += left_to_right ? lines->paragraph.cells.items[i].advance : -lines->paragraph.cells.items[i].advance;
  }
  // The caret after the last character. If another line follows, it overwrites this caret.
  text_caret_t last_caret = {0, lines->out->lines.count, (float)x};
  lines->out->carets.items[lines->first + end] = last_caret;
}

// Collects the pieces of a line in visual order.
static void collect_pieces(lines_t *lines, uint32_t run_index, uint32_t first, uint32_t end) {
  const paragraph_t *paragraph = &lines->paragraph;
  lines->pieces.count = 0;
  for (; run_index < paragraph->runs.count && paragraph->runs.items[run_index].first < end; ++run_index) {
    const run_t *run = &paragraph->runs.items[run_index];
    piece_t piece = {run, run->first > first ? run->first : first, run->end < end ? run->end : end};
    if (piece.first < piece.end)
      array_push(paragraph->allocator, &lines->pieces, piece);
  }
  reorder_pieces(lines->pieces.items, lines->pieces.count);
}

static void move_line(lines_t *lines, uint32_t glyph, uint32_t icon, uint32_t first, uint32_t end, float shift) {
  text_layout_t *out = lines->out;
  for (; glyph < out->glyphs.count; ++glyph)
    out->glyphs.items[glyph].x += shift;
  for (; icon < out->icons.count; ++icon)
    out->icons.items[icon].x += shift;
  for (uint32_t i = first; lines->style->carets && i <= end; ++i)
    out->carets.items[lines->first + i].x += shift;
}

static double get_line_advance(const text_style_t *style, double line_height) {
  return line_height * (style->line_spacing > 0.0f ? (double)style->line_spacing : 1.0);
}

// Appends characters [first, end) of the paragraph as the next line. `run` is the index of the first character's run.
static void append_line(lines_t *lines, uint32_t run, uint32_t first, uint32_t end) {
  const paragraph_t *paragraph = &lines->paragraph;
  text_layout_t *out = lines->out;
  uint32_t visible_end = end, glyph = out->glyphs.count, icon = out->icons.count;
  while (visible_end > first && break_is_blank(paragraph->chars[visible_end - 1].code))
    --visible_end;
  heights_t heights = compute_line_heights(lines, first, end, run);
  double baseline = (double)lines->y + heights.ascent, x = 0.0;
  collect_pieces(lines, run, first, visible_end);
  // Sets defaults, which characters without a glyph keep.
  for (uint32_t i = first; lines->style->carets && i < visible_end; ++i)
    out->carets.items[lines->first + i] = (text_caret_t){paragraph->chars[i].offset, out->lines.count, 0.0f};
  for (uint32_t i = 0; i < lines->pieces.count; ++i)
    x = append_piece(lines, &lines->pieces.items[i], x, baseline);
  if (lines->style->carets)
    set_last_carets(lines, visible_end, end, x);
  float width = (float)x;
  float shift = lines->style->align == TEXT_CENTER ? -width * 0.5f : lines->style->align == TEXT_RIGHT ? -width : 0.0f;
  move_line(lines, glyph, icon, first, end, shift);
  text_line_t line = {shift, lines->y, width, (float)heights.line_height, (float)baseline, 0, 0};
  line.first = first < paragraph->count ? paragraph->chars[first].offset : 0;
  array_push(paragraph->allocator, &out->lines, line);
  lines->advance = (float)get_line_advance(lines->style, heights.line_height);
  lines->y += lines->advance;
}

// --- line ends

static bool may_break_before(const paragraph_t *paragraph, uint32_t i) {
  if (!paragraph->cells.items[i].starts_cluster)
    return false;
  const text_span_t *span = &paragraph->spans[paragraph->chars[i].span],
                    *previous = &paragraph->spans[paragraph->chars[i - 1].span];
  if (span->cap && previous->cap) // a line may break between two key caps, but not within a cap
    return paragraph->chars[i].code == MARKUP_ICON && paragraph->chars[i - 1].code == MARKUP_ICON && span != previous;
  if (paragraph->chars[i].code == MARKUP_ICON || paragraph->chars[i - 1].code == MARKUP_ICON)
    return !break_is_blank(paragraph->chars[i].code);
  return break_is_allowed(i > 1 ? paragraph->chars[i - 2].code : 0, paragraph->chars[i - 1].code,
                          paragraph->chars[i].code);
}

// Returns the maximum width of a line, with a tolerance, so that text fits into its own measured width.
static double get_max_line_width(const text_style_t *style) {
  return (double)style->wrap * 1.000001 + 1e-3;
}

// Returns the end of the line that starts at `first`. A line contains at least one cluster.
static uint32_t find_line_end(const lines_t *lines, uint32_t first) {
  const paragraph_t *paragraph = &lines->paragraph;
  double x = 0.0, max_width = get_max_line_width(lines->style);
  uint32_t break_index = first, cluster = first;
  for (uint32_t i = first; i < paragraph->count; ++i) {
    const cell_t *cell = &paragraph->cells.items[i];
    if (i > first && may_break_before(paragraph, i))
      break_index = i;
    cluster = cell->starts_cluster ? i : cluster;
    x += cell->advance;
    if (x > max_width && cluster > first && !break_is_blank(paragraph->chars[i].code))
      return break_index > first ? break_index : cluster;
  }
  return paragraph->count;
}

static void lay_out_paragraph(lines_t *lines, uint32_t first, uint32_t end) {
  paragraph_t *paragraph = &lines->paragraph;
  shoal_assert(first <= end && end <= lines->markup.chars.count, "characters %u to %u are out of range (count %u)",
               first, end, lines->markup.chars.count);
  paragraph_shape(paragraph, lines->markup.chars.items + first, end - first);
  lines->first = first;
  uint32_t run = 0, start = 0;
  do {
    uint32_t line_end = lines->style->wrap > 0.0f ? find_line_end(lines, start) : paragraph->count;
    append_line(lines, run, start, line_end);
    start = line_end;
    while (run < paragraph->runs.count && paragraph->runs.items[run].end <= start)
      ++run;
  } while (start < paragraph->count);
}

static void finish_layout(lines_t *l, uint32_t bytes) {
  text_layout_t *out = l->out;
  text_line_t *lines = out->lines.items;
  shoal_assert(out->lines.count > 0, "a layout must have at least one line");
  float left = 0.0f, right = 0.0f, height = lines[out->lines.count - 1].y + lines[out->lines.count - 1].height;
  float shift = l->style->valign == TEXT_MIDDLE ? -height * 0.5f : l->style->valign == TEXT_BOTTOM ? -height : 0.0f;
  for (uint32_t i = 0; i < out->lines.count; ++i) {
    left = i == 0 || lines[i].x < left ? lines[i].x : left;
    right = i == 0 || lines[i].x + lines[i].width > right ? lines[i].x + lines[i].width : right;
    lines[i].end = i + 1 < out->lines.count ? lines[i + 1].first : bytes;
    lines[i].y += shift;
    lines[i].baseline += shift;
  }
  for (uint32_t i = 0; i < out->glyphs.count; ++i)
    out->glyphs.items[i].y += shift;
  for (uint32_t i = 0; i < out->icons.count; ++i)
    out->icons.items[i].y += shift;
  out->x = left;
  out->y = shift;
  out->width = right - left;
  out->height = height;
}

void lines_lay_out(lines_t *lines, const text_style_t *style, uint32_t bytes, text_layout_t *out) {
  const text_char_t *chars = lines->markup.chars.items;
  uint32_t count = lines->markup.chars.count;
  allocator_t *allocator = lines->paragraph.allocator;
  lines->style = style;
  lines->out = out;
  lines->y = 0.0f;
  if (style->carets) {
    array_reserve(allocator, &out->carets, count + 1);
    out->carets.count = count + 1;
  }
  for (uint32_t first = 0, end = 0;; first = ++end) {
    while (end < count && chars[end].code != '\n')
      ++end;
    uint32_t line = out->lines.count;
    lay_out_paragraph(lines, first, end);
    if (first == end)
      out->lines.items[line].first = end < count ? chars[end].offset : bytes;
    if (style->carets)
      out->carets.items[end].offset = end < count ? chars[end].offset : bytes;
    if (end == count)
      break;
  }
  finish_layout(lines, bytes);
}

// --- measuring without shaping

enum { MAX_PAIR_BYTES = 512 };

// The advances of a text without tags that consists of printable ASCII characters.
typedef struct ascii_line_t {
  const pair_widths_o *widths;
  const char *text;
  uint32_t bytes;
  const int32_t *sums; // sums of the advances in front of each character, in font units; they never decrease
  double scale;        // size of a font unit
} ascii_line_t;

// A layout adds the products of advances and `scale`. The rounding error of such a sum, in font units, is less than
// SUM_ERROR times the square of the number of characters, because advances are less than 2^17.
#define SUM_ERROR 0x1p-35
#define MAX_SUM 0x1p30   // maximum sum of advances, in font units
#define LIMIT_ERROR 1e-3 // upper bound of the combined error of a sum and its limit, in font units

// Compares the bits of two widths, because text widths affect world hashes.
static bool is_same_width(float a, float b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static int32_t get_advance(const ascii_line_t *line, uint32_t i) {
  return line->sums[i + 1] - line->sums[i];
}

// Adds the advances of characters [first, end) in the order of the glyphs.
static double add_in_order(const ascii_line_t *line, uint32_t first, uint32_t end) {
  double x = 0.0;
  for (uint32_t i = first; i < end; ++i)
    x += get_advance(line, i) * line->scale;
  return x;
}

// Returns the width of characters [first, end) without the spaces at the end. A line has no pairs with characters of
// the neighbouring lines. The result equals the sum of advances in the order of the glyphs.
static float compute_line_width(const ascii_line_t *line, uint32_t first, uint32_t end) {
  while (end > first && line->text[end - 1] == ' ')
    --end;
  if (end == first)
    return 0.0f;
  const char *text = line->text;
  int32_t before = first > 0 ? pair_widths_get_kerning(line->widths, text[first - 1], text[first], true) : 0;
  int32_t after = end < line->bytes ? pair_widths_get_kerning(line->widths, text[end - 1], text[end], false) : 0;
  double x = (line->sums[end] - line->sums[first] - before - after) * line->scale;
  double error = (double)(end - first) * (end - first) * SUM_ERROR * line->scale;
  float width = (float)(x - error);
  if (is_same_width(width, (float)(x + error)))
    return width;
  x = 0.0;
  for (uint32_t i = first; i < end; ++i)
    x += (get_advance(line, i) - (i == first ? before : 0) - (i + 1 == end ? after : 0)) * line->scale;
  return (float)x;
}

// Returns the first character at which a line that starts at `first` is wider than `max_width`, or the end of the text
// if the whole text fits. A line contains at least one character, and spaces at its end have no width. `max_width` is
// the maximum of a sum in the order of the glyphs.
static uint32_t find_overflow(const ascii_line_t *line, uint32_t first, double max_width) {
  const double limit = fmin(max_width / line->scale, MAX_SUM);
  const int32_t start = line->sums[first], fits = (int32_t)(limit - LIMIT_ERROR),
                overflows = (int32_t)(limit + LIMIT_ERROR) + 1;
  if (line->sums[line->bytes] - start <= fits)
    return line->bytes;
  for (uint32_t i = first; i < line->bytes; ++i) {
    int32_t sum = line->sums[i + 1] - start;
    if (sum > fits && (sum >= overflows || add_in_order(line, first, i + 1) > max_width) && i > first &&
        line->text[i] != ' ')
      return i;
  }
  return line->bytes;
}

// Returns the same line end as find_line_end, computed from sums of advances.
static uint32_t find_ascii_line_end(const ascii_line_t *line, uint32_t first, double max_width) {
  const uint32_t overflow = find_overflow(line, first, max_width);
  const char *text = line->text;
  if (overflow == line->bytes)
    return overflow;
  for (uint32_t i = overflow; i > first; --i)
    if ((text[i - 1] == ' ' || text[i - 1] == '-') &&
        break_is_allowed(i > 1 ? (uint8_t)text[i - 2] : 0, (uint8_t)text[i - 1], (uint8_t)text[i]))
      return i;
  return overflow;
}

bool lines_measure_pairs(lines_t *lines, const text_style_t *style, uint32_t chain, const char *text, size_t size,
                         float *width, float *height) {
  int32_t sums[MAX_PAIR_BYTES + 1];
  const face_t *face = faces_find_first(lines->paragraph.faces, chain);
  pair_widths_o *widths = face && size <= MAX_PAIR_BYTES ? faces_get_pair_widths(lines->paragraph.faces, face) : NULL;
  uint32_t bytes = (uint32_t)size, line_end = bytes;
  if (!widths || !pair_widths_sum_advances(widths, lines->paragraph.buffer, text, bytes, sums))
    return false;
  const ascii_line_t ascii = {widths, text, bytes, sums, (double)style->size / face->units_per_em};
  heights_t heights = {0};
  float y = 0.0f;
  include_font(lines, chain, style->size, &heights);
  *width = *height = 0.0f;
  for (uint32_t start = 0; start < bytes; start = line_end) {
    line_end = style->wrap > 0.0f ? find_ascii_line_end(&ascii, start, get_max_line_width(style)) : bytes;
    float line = compute_line_width(&ascii, start, line_end);
    *width = line > *width ? line : *width;
    *height = y + (float)heights.line_height;
    y += (float)get_line_advance(style, heights.line_height);
  }
  return true;
}

void lines_free(lines_t *l) {
  allocator_t *allocator = l->paragraph.allocator;
  paragraph_free(&l->paragraph);
  markup_free(allocator, &l->markup);
  array_free(allocator, &l->chains);
  array_free(allocator, &l->pieces);
}
