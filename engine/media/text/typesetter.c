// Creates and destroys typesetters, and caches layouts in two generations. When the young generation exceeds
// YOUNG_MAX_BYTES, the old one is dropped and the young one becomes old. Every hit moves a layout to the young
// generation.
#include "text/typesetter.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/log_once.h"
#include "text/line_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define YOUNG_MAX_BYTES (6u << 20)
#define MAX_WARNINGS 64u

typedef struct entry_t {
  uint64_t hash;
  void *key; // bytes of style and text
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
  game_strings_o *phrases;
  lines_t lines;
  generation_t young, old;
  ARRAY(char) key;
  log_once_t logged;
  text_prompts_t prompts;
  uint32_t prompt_changes;
  bool cut; // a warning about a truncated text has been logged
};

// --- warnings, logged once

// Returns false if the warning has been logged before, or if MAX_WARNINGS warnings have been logged.
static bool record_warning(typesetter_o *t, uint64_t key) {
  return log_once_add(&t->logged, &t->allocator, key, MAX_WARNINGS);
}

static void format_chain_fonts(const typesetter_o *t, uint32_t chain, char *out, size_t out_bytes) {
  const chain_t *c = &t->faces.chains.items[chain];
  size_t used = 0;
  out[0] = '\0';
  for (uint32_t i = 0; i < c->faces.count && used + 1 < out_bytes; ++i) {
    const face_t *face = &t->faces.faces.items[c->faces.items[i]];
    int more = face->font ? snprintf(out + used, out_bytes - used, "%s%s", used ? ", " : "", face->name) : 0;
    used += more > 0 ? (size_t)more : 0;
  }
}

// Encodes one character as UTF-8.
static void encode_utf8(uint32_t code, char out[5]) {
  static const uint8_t MARKS[] = {0, 0, 0xC0, 0xE0, 0xF0};
  int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  memset(out, 0, 5);
  for (int i = length - 1; i > 0; --i, code >>= 6)
    out[i] = (char)(0x80 | (code & 0x3F));
  out[0] = (char)(MARKS[length] | code);
}

static void warn_missing(void *context, uint32_t code, uint32_t chain) {
  typesetter_o *t = context;
  char names[300], sign[5];
  if (code == 0x200B || !record_warning(t, (uint64_t)code << 32 | chain))
    return;
  format_chain_fonts(t, chain, names, sizeof names);
  encode_utf8(code, sign);
  log_warn(t->log,
           "text: no font has the character U+%04X (%s): showing a box instead (searched %s): add a font to `fonts` in "
           "game.lua",
           code, sign, names[0] ? names : "no fonts");
}

static void warn_tag(typesetter_o *t, uint64_t hash, const char *text, const char *why) {
  if (record_warning(t, hash))
    log_warn(t->log, "text: %s: showing the tag literally (write [[ for a bracket) in: %.60s", why, text);
}

// --- generations

static void free_layout(allocator_t *a, text_layout_t *l) {
  array_free(a, &l->glyphs);
  array_free(a, &l->icons);
  array_free(a, &l->spans);
  array_free(a, &l->lines);
  array_free(a, &l->carets);
}

static void drop_generation(allocator_t *a, generation_t *g) {
  for (uint32_t i = 0; i < g->entries.count; ++i) {
    free_layout(a, &g->entries.items[i].layout);
    alloc_resize(a, g->entries.items[i].key, g->entries.items[i].key_bytes, 0);
  }
  array_free(a, &g->entries);
  hash_table_free(&g->table, a);
  g->bytes = 0;
}

static size_t entry_bytes(const entry_t *e) {
  const text_layout_t *l = &e->layout;
  return sizeof *e + e->key_bytes + l->glyphs.capacity * sizeof *l->glyphs.items +
         l->spans.capacity * sizeof *l->spans.items + l->lines.capacity * sizeof *l->lines.items +
         l->carets.capacity * sizeof *l->carets.items + l->icons.capacity * sizeof *l->icons.items;
}

static entry_t *add_to_young_generation(typesetter_o *t, entry_t e) {
  if (t->young.bytes > YOUNG_MAX_BYTES) {
    drop_generation(&t->allocator, &t->old);
    t->old = t->young;
    t->young = (generation_t){0};
  }
  generation_t *g = &t->young;
  array_push(&t->allocator, &g->entries, e);
  hash_table_insert(&g->table, &t->allocator, e.hash, g->entries.count);
  g->bytes += entry_bytes(&e);
  return &g->entries.items[g->entries.count - 1];
}

// Finds the entry with the key `t->key`. Returns NULL if it is missing.
static entry_t *find_entry(const typesetter_o *t, const generation_t *g, uint64_t hash) {
  for (uint32_t at = 0, i; (i = hash_table_find_next(&g->table, hash, &at)) != 0;) {
    entry_t *e = &g->entries.items[i - 1];
    if (e->key_bytes == t->key.count && memcmp(e->key, t->key.items, t->key.count) == 0)
      return e;
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
  lines_t *l = &t->lines;
  const char *font = style->font ? style->font : "";
  uint32_t first = faces_get_chain(&t->faces, font, strlen(font));
  l->chains.count = 0;
  for (uint32_t i = 0; i < l->markup.spans.count; ++i) {
    const text_span_t *s = &l->markup.spans.items[i];
    array_push(&t->allocator, &l->chains,
               s->font_bytes ? faces_get_chain(&t->faces, text + s->font_at, s->font_bytes) : first);
  }
}

static void lay_out_entry(typesetter_o *t, const text_style_t *style, const char *text, uint32_t bytes, entry_t *e) {
  error_info_t why = {0};
  lines_t *l = &t->lines;
  text_layout_t *out = &e->layout;
  l->markup.prompts = &t->prompts;
  if (!markup_parse(&t->allocator, text, bytes, style->size, style->markup, &l->markup, &why))
    warn_tag(t, e->hash, text, why.text);
  resolve_chains(t, style, text);
  array_reserve(&t->allocator, &out->spans, l->markup.spans.count);
  memcpy(out->spans.items, l->markup.spans.items, l->markup.spans.count * sizeof *out->spans.items);
  out->spans.count = l->markup.spans.count;
  out->characters = l->markup.chars.count;
  l->paragraph.spans = l->markup.spans.items;
  l->paragraph.chains = l->chains.items;
  shoal_assert(l->chains.count == out->spans.count && out->spans.count > 0,
               "%u font chains for %u spans: the counts must be equal and not 0", l->chains.count, out->spans.count);
  lines_lay_out(l, style, bytes, out);
}

static uint32_t truncate_length(typesetter_o *t, const char *text, size_t bytes) {
  if (bytes <= TEXT_MAX_BYTES)
    return (uint32_t)bytes;
  if (!t->cut)
    log_warn(t->log, "text: truncated a text of %zu bytes (at most %u): %.40s", bytes, TEXT_MAX_BYTES, text);
  t->cut = true;
  return TEXT_MAX_BYTES;
}

const text_layout_t *typesetter_layout(typesetter_o *t, const text_style_t *style, const char *text, size_t size) {
  bool sized = style->size > 0.0f && style->size < 1e6f; // the comparison is false for NaN
  uint32_t bytes = sized ? truncate_length(t, text, size) : 0;
  build_key(t, style, text, bytes);
  uint64_t hash = hash_bytes(t->key.items, t->key.count, 0);
  entry_t *found = find_entry(t, &t->young, hash);
  if (found)
    return &found->layout;
  found = find_entry(t, &t->old, hash);
  entry_t e = {.hash = hash, .key_bytes = t->key.count};
  if (found) {
    e = *found;
    *found = (entry_t){0}; // the entry moves to the young generation; an empty key matches no text
  } else {
    e.key = alloc_resize(&t->allocator, NULL, 0, t->key.count);
    memcpy(e.key, t->key.items, t->key.count);
    if (bytes > 0 || (sized && style->carets))
      lay_out_entry(t, style, text, bytes, &e);
  }
  return &add_to_young_generation(t, e)->layout;
}

void typesetter_measure(typesetter_o *t, const text_style_t *style, const char *text, float *width, float *height) {
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
  t->lines.paragraph.allocator = &t->allocator;
  t->lines.paragraph.faces = &t->faces;
  t->lines.paragraph.buffer = hb_buffer_create();
  t->lines.paragraph.missing = warn_missing;
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

asset_fate_t typesetter_asset_changed(typesetter_o *t, const char *name, error_info_t *why) {
  asset_fate_t fate = faces_asset_changed(&t->faces, name, why);
  if (fate == ASSET_RELOADED)
    clear_cache(t);
  return fate;
}

void typesetter_set_fallbacks(typesetter_o *t, const char *names) {
  uint32_t before = t->faces.version;
  faces_set_fallbacks(&t->faces, names);
  if (t->faces.version != before)
    clear_cache(t);
}

const char *typesetter_fallbacks(const typesetter_o *t) {
  return t->faces.fallbacks;
}

// Drops all cached layouts if the prompt's text has changed.
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

void typesetter_set_strings(typesetter_o *t, game_strings_o *phrases) {
  t->phrases = phrases;
}

const char *typesetter_resolve(typesetter_o *t, const char *text) {
  return game_strings_resolve(t->phrases, text);
}

const char *typesetter_get_face(const typesetter_o *t, uint32_t face, size_t *size_bytes) {
  const face_t *f = face < t->faces.faces.count ? &t->faces.faces.items[face] : NULL;
  *size_bytes = f && f->font ? f->file_bytes : 0;
  return f && f->font ? f->file : NULL;
}

uint32_t typesetter_version(const typesetter_o *t) {
  return t->faces.version;
}

uint32_t typesetter_change_count(const typesetter_o *t) {
  return t->faces.version + t->prompt_changes;
}
