// Creates and destroys typesetters, and caches layouts in two generations. When the young generation exceeds
// YOUNG_MAX_BYTES, the old generation is dropped and the young generation becomes old. Every hit moves a layout to the
// young generation.
#include "text/typesetter.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/log_once.h"
#include "base/system_random.h"
#include "text/line_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define YOUNG_MAX_BYTES (6u << 20)
#define MAX_WARNINGS 64u

typedef struct entry_t {
  uint64_t hash;
  void *key; // bytes of the style and the text
  uint32_t key_bytes;
  text_layout_t layout;
} entry_t;

typedef struct generation_t {
  ARRAY(entry_t) entries;
  hash_table_t table; // values are indices + 1
  size_t bytes;
} generation_t;

struct typesetter_o {
  allocator_t allocator;
  log_o *log;
  faces_o faces;
  game_strings_o *strings;
  lines_t lines;
  generation_t young, old;
  ARRAY(char) key;
  log_once_t logged;
  text_prompts_t prompts;
  uint32_t prompt_changes;
  bool truncation_logged; // true once a warning about a truncated text has been logged
};

// --- warnings, logged once

// Returns true if the warning must be logged, or false if the log is muted, if the warning has already been logged, or
// if MAX_WARNINGS warnings have been logged.
static bool record_warning(typesetter_o *t, uint64_t key) {
  return !log_is_muted(t->log) && log_once_add(&t->logged, &t->allocator, key, MAX_WARNINGS);
}

static void format_chain_fonts(const typesetter_o *t, uint32_t chain, char *out, size_t out_bytes) {
  const chain_t *entry = &t->faces.chains.items[chain];
  size_t length = 0;
  out[0] = '\0';
  for (uint32_t i = 0; i < entry->faces.count && length + 1 < out_bytes; ++i) {
    const face_t *face = &t->faces.faces.items[entry->faces.items[i]];
    int added = face->font ? snprintf(out + length, out_bytes - length, "%s%s", length ? ", " : "", face->name) : 0;
    length += added > 0 ? (size_t)added : 0;
  }
}

static void encode_utf8(uint32_t code, char out[5]) {
  static const uint8_t LEAD_BITS[] = {0, 0, 0xC0, 0xE0, 0xF0};
  int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  memset(out, 0, 5);
  for (int i = length - 1; i > 0; --i, code >>= 6)
    out[i] = (char)(0x80 | (code & 0x3F));
  out[0] = (char)(LEAD_BITS[length] | code);
}

// Returns true for characters that are normally displayed in colour.
static bool is_emoji(uint32_t code) {
  return (code >= 0x1F300 && code <= 0x1FAFF) || (code >= 0x1F1E6 && code <= 0x1F1FF);
}

static void warn_missing_glyph(void *context, uint32_t code, uint32_t chain) {
  typesetter_o *t = context;
  char names[300], character[5];
  if (code == 0x200B || !record_warning(t, (uint64_t)code << 32 | chain))
    return;
  format_chain_fonts(t, chain, names, sizeof names);
  encode_utf8(code, character);
  log_warn(t->log, "text: no font has the character U+%04X (%s): showing a box instead (searched %s): %s", code,
           character, names[0] ? names : "no fonts",
           is_emoji(code) ? "colour emoji are not drawn: use an icon, or add a font with emoji as outlines"
                          : "add a font to `fonts` in game.lua");
}

static void warn_tag(typesetter_o *t, uint64_t hash, const char *text, const char *problem) {
  if (record_warning(t, hash))
    log_warn(t->log, "text: %s: showing the tag literally (write [[ for a bracket) in: %.60s", problem, text);
}

// --- generations

static void free_layout(allocator_t *a, text_layout_t *l) {
  array_free(a, &l->glyphs);
  array_free(a, &l->icons);
  array_free(a, &l->spans);
  array_free(a, &l->lines);
  array_free(a, &l->carets);
}

static void drop_generation(allocator_t *allocator, generation_t *g) {
  for (uint32_t i = 0; i < g->entries.count; ++i) {
    free_layout(allocator, &g->entries.items[i].layout);
    alloc_resize(allocator, g->entries.items[i].key, g->entries.items[i].key_bytes, 0);
  }
  array_free(allocator, &g->entries);
  hash_table_free(&g->table, allocator);
  g->bytes = 0;
}

static size_t entry_bytes(const entry_t *entry) {
  const text_layout_t *layout = &entry->layout;
  return sizeof *entry + entry->key_bytes + layout->glyphs.capacity * sizeof *layout->glyphs.items +
         layout->spans.capacity * sizeof *layout->spans.items + layout->lines.capacity * sizeof *layout->lines.items +
         layout->carets.capacity * sizeof *layout->carets.items + layout->icons.capacity * sizeof *layout->icons.items;
}

static entry_t *add_to_young_generation(typesetter_o *t, entry_t entry) {
  if (t->young.bytes > YOUNG_MAX_BYTES) {
    drop_generation(&t->allocator, &t->old);
    t->old = t->young;
    t->young = (generation_t){0};
  }
  generation_t *generation = &t->young;
  array_push(&t->allocator, &generation->entries, entry);
  hash_table_insert(&generation->table, &t->allocator, entry.hash, generation->entries.count);
  generation->bytes += entry_bytes(&entry);
  return &generation->entries.items[generation->entries.count - 1];
}

// Returns the entry with the key `t->key`, or NULL if no entry has this key.
static entry_t *find_entry(const typesetter_o *t, const generation_t *generation, uint64_t hash) {
  for (uint32_t cursor = 0, i; (i = hash_table_find_next(&generation->table, hash, &cursor)) != 0;) {
    entry_t *entry = &generation->entries.items[i - 1];
    if (entry->key_bytes == t->key.count && memcmp(entry->key, t->key.items, t->key.count) == 0)
      return entry;
  }
  return NULL;
}

// --- layouts

static void append_to_key(typesetter_o *t, const void *bytes, size_t count) {
  array_reserve(&t->allocator, &t->key, t->key.count + (uint32_t)count);
  memcpy(t->key.items + t->key.count, bytes, count);
  t->key.count += (uint32_t)count;
}

static void build_key(typesetter_o *t, const text_style_t *style, const char *text, uint32_t bytes) {
  shoal_assert(text || bytes == 0, "text must not be NULL (%u bytes)", bytes);
  const float numbers[3] = {style->size, style->wrap, style->line_spacing};
  const uint8_t flags[4] = {(uint8_t)style->align, (uint8_t)style->valign, style->markup, style->carets};
  const char *font = style->font ? style->font : "";
  t->key.count = 0;
  append_to_key(t, numbers, sizeof numbers);
  append_to_key(t, flags, sizeof flags);
  append_to_key(t, font, strlen(font) + 1);
  append_to_key(t, text, bytes);
}

static void resolve_chains(typesetter_o *t, const text_style_t *style, const char *text) {
  lines_t *lines = &t->lines;
  const char *font = style->font ? style->font : "";
  uint32_t default_chain = faces_find_or_add_chain(&t->faces, font, strlen(font));
  lines->chains.count = 0;
  for (uint32_t i = 0; i < lines->markup.spans.count; ++i) {
    const text_span_t *span = &lines->markup.spans.items[i];
    array_push(&t->allocator, &lines->chains,
               span->font_bytes ? faces_find_or_add_chain(&t->faces, text + span->font_offset, span->font_bytes)
                                : default_chain);
  }
}

static void lay_out_entry(typesetter_o *t, const text_style_t *style, const char *text, uint32_t bytes,
                          entry_t *entry) {
  error_info_t markup_error = {0};
  lines_t *lines = &t->lines;
  text_layout_t *out = &entry->layout;
  lines->markup.prompts = &t->prompts;
  if (!markup_parse(&t->allocator, text, bytes, style->size, style->markup, &lines->markup, &markup_error))
    warn_tag(t, entry->hash, text, markup_error.text);
  resolve_chains(t, style, text);
  array_reserve(&t->allocator, &out->spans, lines->markup.spans.count);
  memcpy(out->spans.items, lines->markup.spans.items, lines->markup.spans.count * sizeof *out->spans.items);
  out->spans.count = lines->markup.spans.count;
  out->characters = lines->markup.chars.count;
  lines->paragraph.spans = lines->markup.spans.items;
  lines->paragraph.chains = lines->chains.items;
  shoal_assert(lines->chains.count == out->spans.count && out->spans.count > 0,
               "%u font chains for %u spans: the counts must be equal and not 0", lines->chains.count,
               out->spans.count);
  lines_lay_out(lines, style, bytes, out);
}

static uint32_t truncate_length(typesetter_o *t, const char *text, size_t bytes) {
  if (bytes <= TEXT_MAX_BYTES)
    return (uint32_t)bytes;
  if (!t->truncation_logged)
    log_warn(t->log, "text: truncated a text of %zu bytes (at most %u): %.40s", bytes, TEXT_MAX_BYTES, text);
  t->truncation_logged = true;
  return TEXT_MAX_BYTES;
}

const text_layout_t *typesetter_layout(typesetter_o *t, const text_style_t *style, const char *text, size_t size) {
  bool has_size = style->size > 0.0f && style->size < 1e6f; // the comparison is false for NaN
  uint32_t bytes = has_size ? truncate_length(t, text, size) : 0;
  build_key(t, style, text, bytes);
  uint64_t hash = hash_bytes(t->key.items, t->key.count, 0);
  entry_t *cached = find_entry(t, &t->young, hash);
  if (cached)
    return &cached->layout;
  cached = find_entry(t, &t->old, hash);
  entry_t entry = {.hash = hash, .key_bytes = t->key.count};
  if (cached) {
    entry = *cached;
    *cached = (entry_t){0}; // the entry moves to the young generation; an empty key matches no text
  } else {
    entry.key = alloc_resize(&t->allocator, NULL, 0, t->key.count);
    memcpy(entry.key, t->key.items, t->key.count);
    if (bytes > 0 || (has_size && style->carets))
      lay_out_entry(t, style, text, bytes, &entry);
  }
  return &add_to_young_generation(t, entry)->layout;
}

// Measures a paragraph of ASCII text without laying it out. Returns true on success, or false if the text needs a
// layout: it must be shaped, or contains tags or line ends.
static bool measure_pairs(typesetter_o *t, const text_style_t *style, const char *text, float *width, float *height) {
  size_t bytes = strlen(text);
  const char *font = style->font ? style->font : "";
  bool has_size = style->size > 0.0f && style->size < 1e6f;
  if (!has_size || bytes == 0 || style->carets || style->align || style->valign ||
      (style->markup && memchr(text, '[', bytes)))
    return false;
  uint32_t chain = faces_find_or_add_chain(&t->faces, font, strlen(font));
  return lines_measure_pairs(&t->lines, style, chain, text, bytes, width, height);
}

void typesetter_measure(typesetter_o *t, const text_style_t *style, const char *text, float *width, float *height) {
  if (measure_pairs(t, style, text, width, height))
    return;
  const text_layout_t *l = typesetter_layout(t, style, text, strlen(text));
  *width = l->width;
  *height = l->height;
}

// --- life cycle

static void clear_cache(typesetter_o *t) {
  drop_generation(&t->allocator, &t->young);
  drop_generation(&t->allocator, &t->old);
  t->logged.count = 0;
}

typesetter_o *typesetter_create(const assets_t *assets, log_o *log) {
  typesetter_o *t = alloc_object(sizeof *t);
  t->log = log;
  faces_init(&t->faces, assets, log);
  // The version starts at a random number, because the typesetter of a different game may get the same address. If
  // the system provides no random number, it starts at 0.
  (void)!system_random(&t->faces.version, sizeof t->faces.version);
  t->lines.paragraph.allocator = &t->allocator;
  t->lines.paragraph.faces = &t->faces;
  t->lines.paragraph.buffer = hb_buffer_create();
  t->lines.paragraph.report_missing_glyph = warn_missing_glyph;
  t->lines.paragraph.context = t;
  return t;
}

void typesetter_destroy(typesetter_o *t) {
  if (!t)
    return;
  clear_cache(t);
  lines_free(&t->lines);
  hb_buffer_destroy(t->lines.paragraph.buffer);
  faces_fini(&t->faces);
  array_free(&t->allocator, &t->key);
  array_free(&t->allocator, &t->logged);
  array_free(&t->allocator, &t->prompts);
  shoal_assert(t->allocator.bytes == 0, "the typesetter leaked %zu bytes", t->allocator.bytes);
  free(t);
}

asset_fate_t typesetter_asset_changed(typesetter_o *t, const char *name, error_info_t *error) {
  asset_fate_t fate = faces_asset_changed(&t->faces, name, error);
  if (fate == ASSET_RELOADED)
    clear_cache(t);
  return fate;
}

void typesetter_set_fallbacks(typesetter_o *t, const char *names) {
  uint32_t previous_version = t->faces.version;
  faces_set_fallbacks(&t->faces, names);
  if (t->faces.version != previous_version)
    clear_cache(t);
}

const char *typesetter_fallbacks(const typesetter_o *t) {
  return t->faces.fallbacks;
}

// Drops all cached layouts if the text has changed.
void typesetter_set_prompt(typesetter_o *t, const char *name, const char *text) {
  text_prompt_t prompt = {0}, *found = NULL;
  shoal_assert(name[0], "a prompt must have a name");
  snprintf(prompt.name, sizeof prompt.name, "%s", name);
  snprintf(prompt.text, sizeof prompt.text, "%s", text);
  for (uint32_t i = 0; i < t->prompts.count; ++i)
    found = strcmp(t->prompts.items[i].name, prompt.name) == 0 ? &t->prompts.items[i] : found;
  if (found && strcmp(found->text, prompt.text) == 0)
    return;
  if (found)
    *found = prompt;
  else
    array_push(&t->allocator, &t->prompts, prompt);
  t->prompt_changes++;
  clear_cache(t);
}

void typesetter_set_strings(typesetter_o *t, game_strings_o *strings) {
  t->strings = strings;
}

const char *typesetter_resolve(typesetter_o *t, const char *text) {
  return game_strings_resolve(t->strings, text);
}

const char *typesetter_get_face(const typesetter_o *t, uint32_t face, size_t *size_bytes) {
  const face_t *entry = face < t->faces.faces.count ? &t->faces.faces.items[face] : NULL;
  *size_bytes = entry && entry->font ? entry->file_bytes : 0;
  return entry && entry->font ? entry->file : NULL;
}

uint32_t typesetter_version(const typesetter_o *t) {
  return t->faces.version;
}

uint32_t typesetter_change_count(const typesetter_o *t) {
  return t->faces.version + t->prompt_changes;
}
