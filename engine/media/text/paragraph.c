// Computes bidi levels, then runs of equal font, size, script and direction, then the runs' glyphs.
#include "text/paragraph.h"

#include "base/assert.h"
#include "text/line_breaks.h"
#include "text/layout.h"

#include <string.h>

#define TAB_BLANKS 4.0

// --- character directions

static bool may_be_right_to_left(const paragraph_t *p) {
  for (uint32_t i = 0; i < p->count; ++i)
    if (p->codes.items[i] >= 0x590)
      return true;
  return false;
}

static void compute_bidi_levels(paragraph_t *p) {
  allocator_t *allocator = p->allocator;
  p->left_to_right = true;
  array_reserve(allocator, &p->levels, p->count);
  memset(p->levels.items, 0, p->count * sizeof *p->levels.items);
  if (!may_be_right_to_left(p))
    return;
  FriBidiParType base = FRIBIDI_PAR_ON;
  FriBidiStrIndex count = (FriBidiStrIndex)p->count;
  array_reserve(allocator, &p->types, p->count);
  array_reserve(allocator, &p->brackets, p->count);
  fribidi_get_bidi_types(p->codes.items, count, p->types.items);
  fribidi_get_bracket_types(p->codes.items, count, p->types.items, p->brackets.items);
  if (fribidi_get_par_embedding_levels_ex(p->types.items, p->brackets.items, count, &base, p->levels.items) == 0)
    memset(p->levels.items, 0, p->count * sizeof *p->levels.items);
  p->left_to_right = !FRIBIDI_IS_RTL(base);
}

// --- runs

// Returns true for marks, spaces and invisible characters (joiners, variation selectors, …), which take the font and
// script of the preceding character.
static bool inherits_font(uint32_t code) {
  if (break_is_blank(code))
    return true;
  if (code < 0xAD)
    return false;
  bool ignorable = code == 0xAD || (code >= 0x200B && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) ||
                   (code >= 0x2060 && code <= 0x206F) || (code >= 0xFE00 && code <= 0xFE0F) || code == 0xFEFF ||
                   (code >= 0xE0000 && code <= 0xE0FFF) || code == 0x34F || code == 0x61C || code == 0x180E;
  hb_unicode_general_category_t category = hb_unicode_general_category(hb_unicode_funcs_get_default(), code);
  return ignorable || category == HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK ||
         category == HB_UNICODE_GENERAL_CATEGORY_SPACING_MARK || category == HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK;
}

static bool is_control(uint32_t code) {
  return (code < 32 && code != '\t') || (code >= 0x7F && code < 0xA0);
}

static uint32_t choose_face(paragraph_t *p, uint32_t i, const run_t *previous, uint32_t chain) {
  uint32_t code = p->codes.items[i];
  bool inherits = inherits_font(code);
  if (p->chars[i].code == MARKUP_ICON)
    return PARAGRAPH_ICON;
  if (inherits && previous && previous->chain == chain && previous->face < PARAGRAPH_ICON &&
      (faces_has_glyph(p->faces, previous->face, code) || !break_is_blank(code)))
    return previous->face;
  uint32_t face = faces_find(p->faces, chain, code);
  if (face == FACE_NONE && !inherits && p->report_missing_glyph)
    p->report_missing_glyph(p->context, code, chain);
  return face;
}

static hb_script_t get_script(const paragraph_t *p, uint32_t i) {
  uint32_t code = p->codes.items[i];
  if (code < 0x80)
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ? HB_SCRIPT_LATIN : HB_SCRIPT_COMMON;
  hb_script_t script = hb_unicode_script(hb_unicode_funcs_get_default(), code);
  return script == HB_SCRIPT_INHERITED || script == HB_SCRIPT_UNKNOWN ? HB_SCRIPT_COMMON : script;
}

static hb_script_t find_first_script(const paragraph_t *p) {
  for (uint32_t i = 0; i < p->count; ++i)
    if (get_script(p, i) != HB_SCRIPT_COMMON)
      return get_script(p, i);
  return HB_SCRIPT_LATIN;
}

static void split_into_runs(paragraph_t *p) {
  hb_script_t script = find_first_script(p);
  p->runs.count = 0;
  for (uint32_t i = 0; i < p->count; ++i) {
    run_t *previous = p->runs.count ? &p->runs.items[p->runs.count - 1] : NULL;
    uint32_t span = p->chars[i].span, chain = p->chains[span];
    hb_script_t char_script = get_script(p, i);
    script = char_script == HB_SCRIPT_COMMON ? script : char_script;
    run_t run = {.first = i, .end = i + 1, .chain = chain, .span = span, .size = p->spans[span].size, .script = script};
    run.face = choose_face(p, i, previous, chain);
    run.level = (uint8_t)p->levels.items[i];
    bool continues_run = previous && previous->face == run.face && previous->chain == chain &&
                         previous->script == script && previous->level == run.level && previous->size == run.size &&
                         run.face != PARAGRAPH_ICON;
    if (continues_run)
      previous->end = i + 1;
    else
      array_push(p->allocator, &p->runs, run);
  }
}

// --- glyphs

static void push_missing_glyphs(paragraph_t *p, const run_t *run, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i) {
    uint32_t index = run->level & 1 ? first + end - 1 - i : i, code = p->codes.items[index];
    double width = run->face == PARAGRAPH_ICON                    ? (double)p->spans[run->span].icon_width
                   : inherits_font(code) && !break_is_blank(code) ? 0.0
                                                                  : TEXT_BOX_WIDTH;
    shaped_t box = {.advance = width * (double)run->size, .glyph = code, .cluster = index, .face = run->face};
    array_push(p->allocator, &p->shaped, box);
  }
}

static void push_glyphs(paragraph_t *p, const run_t *run) {
  const face_t *face = &p->faces->faces.items[run->face];
  double scale = (double)run->size / face->units_per_em;
  shoal_assert(face->font && face->units_per_em > 0.0, "the face is not open");
  unsigned count = 0;
  const hb_glyph_info_t *glyph_infos = hb_buffer_get_glyph_infos(p->buffer, &count);
  const hb_glyph_position_t *positions = hb_buffer_get_glyph_positions(p->buffer, NULL);
  array_reserve(p->allocator, &p->shaped, p->shaped.count + count);
  for (unsigned i = 0; i < count; ++i) {
    shaped_t *glyph = &p->shaped.items[p->shaped.count++];
    bool is_tab = p->chars[glyph_infos[i].cluster].code == '\t';
    *glyph = (shaped_t){.advance = positions[i].x_advance * scale * (is_tab ? TAB_BLANKS : 1.0),
                        .x = positions[i].x_offset * scale,
                        .y = positions[i].y_offset * scale,
                        .glyph = glyph_infos[i].codepoint,
                        .cluster = glyph_infos[i].cluster,
                        .face = run->face};
    p->cells.items[glyph->cluster].unsafe_to_break |=
        (hb_glyph_info_get_glyph_flags(&glyph_infos[i]) & HB_GLYPH_FLAG_UNSAFE_TO_BREAK) != 0;
  }
}

// Shapes the range and appends its glyphs to `shaped`.
static void shape_range(paragraph_t *p, const run_t *run, uint32_t first, uint32_t end) {
  shoal_assert(first < end && end <= p->count, "characters %u to %u are out of range (count %u)", first, end, p->count);
  if (run->face >= PARAGRAPH_ICON) {
    push_missing_glyphs(p, run, first, end);
    return;
  }
  hb_buffer_clear_contents(p->buffer);
  hb_buffer_set_direction(p->buffer, run->level & 1 ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
  hb_buffer_set_script(p->buffer, run->script);
  hb_buffer_add_codepoints(p->buffer, p->codes.items, (int)p->count, first, (int)(end - first));
  hb_shape(p->faces->faces.items[run->face].font, p->buffer, NULL, 0);
  push_glyphs(p, run);
}

static void fill_cells(paragraph_t *p) {
  for (uint32_t i = 0; i < p->shaped.count; ++i) {
    cell_t *cell = &p->cells.items[p->shaped.items[i].cluster];
    cell->starts_cluster = true;
    cell->advance += p->shaped.items[i].advance;
  }
}

void paragraph_shape(paragraph_t *p, const text_char_t *chars, uint32_t count) {
  p->chars = chars;
  p->count = count;
  p->shaped.count = p->runs.count = 0;
  shoal_assert(p->buffer && p->spans && p->chains, "a paragraph must have a buffer, spans and chains");
  array_reserve(p->allocator, &p->codes, count);
  array_reserve(p->allocator, &p->cells, count);
  if (count == 0)
    return;
  memset(p->cells.items, 0, count * sizeof *p->cells.items);
  for (uint32_t i = 0; i < count; ++i)
    p->codes.items[i] = chars[i].code == '\t' ? ' ' : is_control(chars[i].code) ? 0x200B : chars[i].code;
  compute_bidi_levels(p);
  split_into_runs(p);
  for (uint32_t i = 0; i < p->runs.count; ++i) {
    run_t *run = &p->runs.items[i];
    run->shaped_first = p->shaped.count;
    shape_range(p, run, run->first, run->end);
    run->shaped_end = p->shaped.count;
  }
  fill_cells(p);
}

// Returns the leftmost glyph of a run whose cluster is at or after `cluster`; in right-to-left runs, the leftmost glyph
// whose cluster is before `cluster`.
static uint32_t find_glyph(const paragraph_t *p, const run_t *run, uint32_t cluster) {
  uint32_t low = run->shaped_first, high = run->shaped_end;
  while (low < high) {
    uint32_t middle = (low + high) / 2, current = p->shaped.items[middle].cluster;
    if (run->level & 1 ? current >= cluster : current < cluster)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const shaped_t *paragraph_shape_piece(paragraph_t *p, const run_t *run, uint32_t first, uint32_t end, uint32_t *count) {
  shoal_assert(first >= run->first && end <= run->end, "characters %u to %u are outside the run from %u to %u", first,
               end, run->first, run->end);
  bool must_reshape = (first > run->first && p->cells.items[first].unsafe_to_break) ||
                      (end < run->end && p->cells.items[end].unsafe_to_break);
  uint32_t first_glyph, end_glyph;
  if (must_reshape) {
    first_glyph = p->runs.items[p->runs.count - 1].shaped_end;
    p->shaped.count = first_glyph; // discard the glyphs that the previous call reshaped
    shape_range(p, run, first, end);
    end_glyph = p->shaped.count;
  } else if (run->level & 1) {
    first_glyph = find_glyph(p, run, end);
    end_glyph = find_glyph(p, run, first);
  } else {
    first_glyph = find_glyph(p, run, first);
    end_glyph = find_glyph(p, run, end);
  }
  *count = end_glyph - first_glyph;
  return &p->shaped.items[first_glyph];
}

void paragraph_free(paragraph_t *p) {
  array_free(p->allocator, &p->codes);
  array_free(p->allocator, &p->levels);
  array_free(p->allocator, &p->types);
  array_free(p->allocator, &p->brackets);
  array_free(p->allocator, &p->runs);
  array_free(p->allocator, &p->shaped);
  array_free(p->allocator, &p->cells);
}
