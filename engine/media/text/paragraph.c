// Computes bidi levels, then runs of equal font, size, script and direction, then the runs' glyphs.
#include "text/paragraph.h"

#include "base/assert.h"
#include "base/utf8.h"
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

static void compute_bidi_levels(paragraph_t *paragraph) {
  allocator_t *allocator = paragraph->allocator;
  paragraph->left_to_right = true;
  array_reserve(allocator, &paragraph->levels, paragraph->count);
  memset(paragraph->levels.items, 0, paragraph->count * sizeof *paragraph->levels.items);
  if (!may_be_right_to_left(paragraph))
    return;
  FriBidiParType base = FRIBIDI_PAR_ON;
  FriBidiStrIndex count = (FriBidiStrIndex)paragraph->count;
  array_reserve(allocator, &paragraph->types, paragraph->count);
  array_reserve(allocator, &paragraph->brackets, paragraph->count);
  fribidi_get_bidi_types(paragraph->codes.items, count, paragraph->types.items);
  fribidi_get_bracket_types(paragraph->codes.items, count, paragraph->types.items, paragraph->brackets.items);
  if (fribidi_get_par_embedding_levels_ex(paragraph->types.items, paragraph->brackets.items, count, &base,
                                          paragraph->levels.items) == 0)
    memset(paragraph->levels.items, 0, paragraph->count * sizeof *paragraph->levels.items);
  paragraph->left_to_right = !FRIBIDI_IS_RTL(base);
}

// --- runs

// Returns true for marks, spaces and invisible characters (joiners, variation selectors, …), which take the font and
// script of the preceding character.
static bool inherits_font(uint32_t code) {
  if (break_is_blank(code) || code == 0xA0 || code == 0x2007 || code == 0x202F)
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

static uint32_t choose_face(paragraph_t *paragraph, uint32_t i, const run_t *previous, uint32_t chain) {
  uint32_t code = paragraph->codes.items[i];
  bool inherits = inherits_font(code);
  if (paragraph->chars[i].code == MARKUP_ICON)
    return PARAGRAPH_ICON;
  if (inherits && previous && previous->chain == chain && previous->face < PARAGRAPH_ICON &&
      (faces_find_substitute(paragraph->faces, previous->face, code) || !break_is_blank(code)))
    return previous->face;
  uint32_t face = faces_find(paragraph->faces, chain, code);
  if (face == FACE_NONE && !inherits && paragraph->report_missing_glyph)
    paragraph->report_missing_glyph(paragraph->context, code, chain);
  return face;
}

// Returns the character that HarfBuzz receives instead of character `i`.
static uint32_t find_shaped_code(const paragraph_t *paragraph, uint32_t i, uint32_t face) {
  uint32_t code = paragraph->codes.items[i];
  uint32_t substitute = face < PARAGRAPH_ICON ? faces_find_substitute(paragraph->faces, face, code) : 0;
  return substitute ? substitute : code;
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

static void split_into_runs(paragraph_t *paragraph) {
  hb_script_t script = find_first_script(paragraph);
  paragraph->runs.count = 0;
  for (uint32_t i = 0; i < paragraph->count; ++i) {
    run_t *previous = paragraph->runs.count ? &paragraph->runs.items[paragraph->runs.count - 1] : NULL;
    uint32_t span = paragraph->chars[i].span, chain = paragraph->chains[span];
    hb_script_t char_script = get_script(paragraph, i);
    script = char_script == HB_SCRIPT_COMMON ? script : char_script;
    run_t run = {
        .first = i, .end = i + 1, .chain = chain, .span = span, .size = paragraph->spans[span].size, .script = script};
    run.face = choose_face(paragraph, i, previous, chain);
    paragraph->codes.items[i] = find_shaped_code(paragraph, i, run.face);
    run.level = (uint8_t)paragraph->levels.items[i];
    bool continues_run = previous && previous->face == run.face && previous->chain == chain &&
                         previous->script == script && previous->level == run.level && previous->size == run.size &&
                         run.face != PARAGRAPH_ICON;
    if (continues_run)
      previous->end = i + 1;
    else
      array_push(paragraph->allocator, &paragraph->runs, run);
  }
}

// --- glyphs

static void push_missing_glyphs(paragraph_t *paragraph, const run_t *run, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; ++i) {
    uint32_t index = run->level & 1 ? first + end - 1 - i : i, code = paragraph->codes.items[index];
    double width = run->face == PARAGRAPH_ICON                    ? (double)paragraph->spans[run->span].icon_width
                   : inherits_font(code) && !break_is_blank(code) ? 0.0
                                                                  : TEXT_BOX_WIDTH;
    shaped_t box = {.advance = width * (double)run->size, .glyph = code, .cluster = index, .face = run->face};
    array_push(paragraph->allocator, &paragraph->shaped, box);
  }
}

static void push_glyphs(paragraph_t *paragraph, const run_t *run) {
  const face_t *face = &paragraph->faces->faces.items[run->face];
  double scale = (double)run->size / face->units_per_em;
  shoal_assert(face->font && face->units_per_em > 0.0, "the face is not open");
  unsigned count = 0;
  const hb_glyph_info_t *glyph_infos = hb_buffer_get_glyph_infos(paragraph->buffer, &count);
  const hb_glyph_position_t *positions = hb_buffer_get_glyph_positions(paragraph->buffer, NULL);
  array_reserve(paragraph->allocator, &paragraph->shaped, paragraph->shaped.count + count);
  for (unsigned i = 0; i < count; ++i) {
    shaped_t *glyph = &paragraph->shaped.items[paragraph->shaped.count++];
    bool is_tab = paragraph->chars[glyph_infos[i].cluster].code == '\t';
    *glyph = (shaped_t){.advance = positions[i].x_advance * scale * (is_tab ? TAB_BLANKS : 1.0),
                        .x = positions[i].x_offset * scale,
                        .y = positions[i].y_offset * scale,
                        .glyph = glyph_infos[i].codepoint,
                        .cluster = glyph_infos[i].cluster,
                        .face = run->face};
    paragraph->cells.items[glyph->cluster].unsafe_to_break |=
        (hb_glyph_info_get_glyph_flags(&glyph_infos[i]) & HB_GLYPH_FLAG_UNSAFE_TO_BREAK) != 0;
  }
}

// Shapes the range and appends its glyphs to `shaped`.
static void shape_range(paragraph_t *paragraph, const run_t *run, uint32_t first, uint32_t end) {
  shoal_assert(first < end && end <= paragraph->count, "characters %u to %u are out of range (count %u)", first, end,
               paragraph->count);
  if (run->face >= PARAGRAPH_ICON) {
    push_missing_glyphs(paragraph, run, first, end);
    return;
  }
  hb_buffer_clear_contents(paragraph->buffer);
  hb_buffer_set_direction(paragraph->buffer, run->level & 1 ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
  hb_buffer_set_script(paragraph->buffer, run->script);
  hb_buffer_add_codepoints(paragraph->buffer, paragraph->codes.items, (int)paragraph->count, first, (int)(end - first));
  hb_shape(paragraph->faces->faces.items[run->face].font, paragraph->buffer, NULL, 0);
  push_glyphs(paragraph, run);
}

static void fill_cells(paragraph_t *p) {
  for (uint32_t i = 0; i < p->shaped.count; ++i) {
    cell_t *cell = &p->cells.items[p->shaped.items[i].cluster];
    cell->starts_cluster = true;
    cell->advance += p->shaped.items[i].advance;
  }
}

void paragraph_shape(paragraph_t *paragraph, const text_char_t *chars, uint32_t count) {
  paragraph->chars = chars;
  paragraph->count = count;
  paragraph->shaped.count = paragraph->runs.count = 0;
  shoal_assert(paragraph->buffer && paragraph->spans && paragraph->chains,
               "a paragraph must have a buffer, spans and chains");
  array_reserve(paragraph->allocator, &paragraph->codes, count);
  array_reserve(paragraph->allocator, &paragraph->cells, count);
  if (count == 0)
    return;
  memset(paragraph->cells.items, 0, count * sizeof *paragraph->cells.items);
  for (uint32_t i = 0; i < count; ++i)
    paragraph->codes.items[i] = chars[i].code == '\t' ? ' ' : utf8_is_control(chars[i].code) ? 0x200B : chars[i].code;
  compute_bidi_levels(paragraph);
  split_into_runs(paragraph);
  for (uint32_t i = 0; i < paragraph->runs.count; ++i) {
    run_t *run = &paragraph->runs.items[i];
    run->shaped_first = paragraph->shaped.count;
    shape_range(paragraph, run, run->first, run->end);
    run->shaped_end = paragraph->shaped.count;
  }
  fill_cells(paragraph);
}

// Returns the index of a run's leftmost glyph whose cluster is at or after `cluster`. In a right-to-left run, returns
// the index of the leftmost glyph whose cluster is before `cluster`.
static uint32_t find_glyph(const paragraph_t *paragraph, const run_t *run, uint32_t cluster) {
  uint32_t low = run->shaped_first, high = run->shaped_end;
  while (low < high) {
    uint32_t middle = (low + high) / 2, current = paragraph->shaped.items[middle].cluster;
    if (run->level & 1 ? current >= cluster : current < cluster)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const shaped_t *paragraph_shape_piece(paragraph_t *paragraph, const run_t *run, uint32_t first, uint32_t end,
                                      uint32_t *count) {
  shoal_assert(first >= run->first && end <= run->end, "characters %u to %u are outside the run from %u to %u", first,
               end, run->first, run->end);
  bool must_reshape = (first > run->first && paragraph->cells.items[first].unsafe_to_break) ||
                      (end < run->end && paragraph->cells.items[end].unsafe_to_break);
  uint32_t first_glyph, end_glyph;
  if (must_reshape) {
    first_glyph = paragraph->runs.items[paragraph->runs.count - 1].shaped_end;
    paragraph->shaped.count = first_glyph; // discards the glyphs that the previous call reshaped
    shape_range(paragraph, run, first, end);
    end_glyph = paragraph->shaped.count;
  } else if (run->level & 1) {
    first_glyph = find_glyph(paragraph, run, end);
    end_glyph = find_glyph(paragraph, run, first);
  } else {
    first_glyph = find_glyph(paragraph, run, first);
    end_glyph = find_glyph(paragraph, run, end);
  }
  *count = end_glyph - first_glyph;
  return &paragraph->shaped.items[first_glyph];
}

void paragraph_free(paragraph_t *paragraph) {
  array_free(paragraph->allocator, &paragraph->codes);
  array_free(paragraph->allocator, &paragraph->levels);
  array_free(paragraph->allocator, &paragraph->types);
  array_free(paragraph->allocator, &paragraph->brackets);
  array_free(paragraph->allocator, &paragraph->runs);
  array_free(paragraph->allocator, &paragraph->shaped);
  array_free(paragraph->allocator, &paragraph->cells);
}
