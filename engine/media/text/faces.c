// Loads fonts and builds font chains. Fonts are opened on first use. A font that cannot be opened keeps its entry,
// which then has a name but no font.
#include "text/faces.h"

#include "base/assert.h"
#include "base/files.h"
#include "decode/asset_format.h"
#include "text/font_check.h"

#include <harfbuzz/hb-ot.h>
#include <stdlib.h>
#include <string.h>

#define ENGINE_FONT "fonts/ui.ttf"
#define ENGINE_FONTS "fonts/ui.ttf, fonts/mono.ttf" // fonts of the engine; mono.ttf has characters that ui.ttf lacks
#define MAX_FONT_BYTES (64u << 20)
#define MAX_LINE_HEIGHT_EM 16
#define MAX_FACES 1000u
#define MAX_CHAINS 4096u

static char *copy_text(const char *text, size_t bytes) {
  char *copy = malloc(bytes + 1);
  if (!copy)
    abort();
  memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  return copy;
}

// --- one face

static void close_face(faces_o *f, face_t *face) {
  pair_widths_destroy(&f->allocator, face->pair_widths);
  face->pair_widths = NULL;
  hb_font_destroy(face->font);
  if (face->file)
    file_free(&f->allocator, face->file, face->file_bytes);
  face->font = NULL;
  face->file = NULL;
}

// Returns true for the engine's own fonts.
static bool is_engine_font(const faces_o *f, const char *path) {
  size_t length = strlen(f->assets->engine);
  return length > 0 && strncmp(path, f->assets->engine, length) == 0 && path[length] == '/';
}

static hb_font_t *create_font(const char *file, size_t bytes) {
  hb_blob_t *blob = hb_blob_create(file, (unsigned)bytes, HB_MEMORY_MODE_READONLY, NULL, NULL);
  hb_face_t *face = hb_face_create(blob, 0);
  hb_font_t *font = hb_font_create(face);
  hb_ot_font_set_funcs(font);
  hb_face_destroy(face);
  hb_blob_destroy(blob);
  return font;
}

// Reads the line metrics. Returns true on success. Returns false if the height of a line or glyph is not positive or is
// excessive, because glyph bitmaps are allocated by these heights.
static bool measure_lines(face_t *face) {
  hb_font_extents_t extents = {0};
  hb_font_get_h_extents(face->font, &extents);
  face->units_per_em = hb_face_get_upem(hb_font_get_face(face->font));
  face->ascent = extents.ascender;
  face->descent = -extents.descender;
  face->line_height = extents.ascender - extents.descender + extents.line_gap;
  double max_height = MAX_LINE_HEIGHT_EM * face->units_per_em;
  int32_t height = face->ascent + face->descent;
  return height > 0 && height <= max_height && face->line_height > 0 && face->line_height <= max_height &&
         face->ascent >= -max_height && face->ascent <= max_height;
}

static bool check_font(const char *file, size_t bytes, error_info_t *error) {
  if (bytes == 0)
    return error_set(error, "the file is empty");
  if (asset_format_detect((const uint8_t *)file, bytes) != FORMAT_FONT)
    return error_set(error, "the file is %s: fonts must be TTF, OTF or TTC",
                     asset_format_describe((const uint8_t *)file, bytes));
  return bytes <= MAX_FONT_BYTES ||
         error_set(error, "the file is too large: %zu MB (at most %u MB)", bytes >> 20, MAX_FONT_BYTES >> 20);
}

// Checks a font that may be malicious. Each content is checked only once per run, because the check takes longer than
// the rest of a reload. Returns true if the font passes, otherwise false with an error.
static bool check_untrusted_font(const faces_o *f, const face_t *face, error_info_t *error) {
  if (assets_is_checked(f->assets, face->file, face->file_bytes))
    return true;
  if (!font_check_run(face->file, face->file_bytes, error))
    return false;
  assets_record_check(f->assets, face->file, face->file_bytes);
  return true;
}

// Opens the font that `face` names. Returns true on success, or false with an error. close_face is safe in both cases.
static bool open_face(faces_o *faces, face_t *face, error_info_t *error) {
  char path[1280];
  error_info_t reason = {0};
  if (!assets_find(faces->assets, face->name, path, sizeof path))
    return error_set(error, "%s", path);
  face->file = file_read(&faces->allocator, path, &face->file_bytes, error);
  if (!face->file)
    return false;
  if (!check_font(face->file, face->file_bytes, &reason) ||
      !(is_engine_font(faces, path) || check_untrusted_font(faces, face, &reason)))
    return error_set(error, "%s: cannot load font: %s", path, reason.text);
  face->font = create_font(face->file, face->file_bytes);
  if (!measure_lines(face))
    return error_set(error, "%s: cannot load font: invalid metrics (line height %d, em size %.0f)", path,
                     face->line_height, face->units_per_em);
  return true;
}

static uint32_t add_face(faces_o *faces, const char *name, size_t bytes) {
  face_t face = {.name = copy_text(name, bytes)};
  error_info_t error = {0};
  if (faces->assets && !open_face(faces, &face, &error)) {
    char requester[160];
    if (!assets_has_reported(faces->assets, face.name))
      log_warn(faces->log, "text: %s%s", error.text,
               assets_format_requester(faces->assets, face.name, requester, sizeof requester));
    close_face(faces, &face);
  }
  array_push(&faces->allocator, &faces->faces, face);
  return faces->faces.count - 1;
}

static uint32_t find_or_add_face(faces_o *f, const char *name, size_t bytes) {
  for (uint32_t i = 0; i < f->faces.count; ++i)
    if (strncmp(f->faces.items[i].name, name, bytes) == 0 && f->faces.items[i].name[bytes] == '\0')
      return i;
  return f->faces.count < MAX_FACES ? add_face(f, name, bytes) : FACE_NONE;
}

// --- chains

static void add_to_chain(faces_o *f, chain_t *chain, uint32_t face) {
  for (uint32_t i = 0; i < chain->faces.count; ++i)
    if (chain->faces.items[i] == face)
      return;
  if (face != FACE_NONE)
    array_push(&f->allocator, &chain->faces, (uint16_t)face);
}

// Adds the fonts of a comma-separated list to the chain.
static void add_names(faces_o *faces, chain_t *chain, const char *names) {
  while (*names) {
    size_t bytes = strcspn(names, ","), start = strspn(names, " ");
    size_t end = bytes;
    while (end > start && names[end - 1] == ' ')
      --end;
    if (start < end)
      add_to_chain(faces, chain, find_or_add_face(faces, names + start, end - start));
    names += names[bytes] ? bytes + 1 : bytes;
  }
}

static void fill_chain(faces_o *faces, chain_t *chain) {
  if (chain->filled)
    return;
  chain->filled = true;
  chain->faces.count = 0;
  add_names(faces, chain, chain->names[0] ? chain->names : ENGINE_FONT);
  add_names(faces, chain, faces->fallbacks);
  add_names(faces, chain, ENGINE_FONTS);
}

uint32_t faces_find_or_add_chain(faces_o *faces, const char *names, size_t bytes) {
  for (uint32_t i = 0; i < faces->chains.count; ++i)
    if (strncmp(faces->chains.items[i].names, names, bytes) == 0 && faces->chains.items[i].names[bytes] == '\0') {
      fill_chain(faces, &faces->chains.items[i]);
      return i;
    }
  if (faces->chains.count >= MAX_CHAINS)
    return 0;
  chain_t chain = {.names = copy_text(names, bytes)};
  fill_chain(faces, &chain);
  array_push(&faces->allocator, &faces->chains, chain);
  return faces->chains.count - 1;
}

static bool has_glyph(const face_t *face, uint32_t code) {
  hb_codepoint_t glyph;
  return hb_font_get_nominal_glyph(face->font, code, &glyph);
}

// Returns true for the characters of Unicode's category Zs, and for the zero-width space.
static bool is_space(uint32_t code) {
  return code == ' ' || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200B) || code == 0x202F ||
         code == 0x205F || code == 0x3000;
}

uint32_t faces_find_substitute(const faces_o *f, uint32_t face, uint32_t code) {
  enum { OGHAM_SPACE = 0x1680, HYPHEN = 0x2010, NO_BREAK_HYPHEN = 0x2011 };
  shoal_assert(face == FACE_NONE || face < f->faces.count, "face %u is out of range (count %u)", face, f->faces.count);
  const face_t *entry = face == FACE_NONE ? NULL : &f->faces.items[face];
  if (!entry || !entry->font)
    return 0;
  if (has_glyph(entry, code))
    return code;
  if (is_space(code) && has_glyph(entry, ' '))
    return code == OGHAM_SPACE ? ' ' : code; // HarfBuzz synthesizes the other spaces from U+0020
  if (code == NO_BREAK_HYPHEN && has_glyph(entry, HYPHEN))
    return HYPHEN;
  return (code == HYPHEN || code == NO_BREAK_HYPHEN) && has_glyph(entry, '-') ? '-' : 0;
}

uint32_t faces_find(const faces_o *f, uint32_t chain, uint32_t code) {
  shoal_assert(chain < f->chains.count, "chain %u is out of range (count %u)", chain, f->chains.count);
  const chain_t *entry = &f->chains.items[chain];
  for (uint32_t i = 0; i < entry->faces.count; ++i)
    if (faces_find_substitute(f, entry->faces.items[i], code))
      return entry->faces.items[i];
  return FACE_NONE;
}

pair_widths_o *faces_get_pair_widths(faces_o *f, const face_t *face) {
  face_t *entry = &f->faces.items[face - f->faces.items];
  shoal_assert(entry == face && face->font, "the face is not open");
  if (!entry->has_pair_widths)
    entry->pair_widths = pair_widths_create(&f->allocator, face->font);
  entry->has_pair_widths = true;
  return entry->pair_widths;
}

const face_t *faces_find_first(const faces_o *f, uint32_t chain) {
  shoal_assert(chain < f->chains.count, "chain %u is out of range (count %u)", chain, f->chains.count);
  const chain_t *entry = &f->chains.items[chain];
  for (uint32_t i = 0; i < entry->faces.count; ++i)
    if (f->faces.items[entry->faces.items[i]].font)
      return &f->faces.items[entry->faces.items[i]];
  return NULL;
}

// --- life cycle

void faces_init(faces_o *f, const assets_t *assets, log_o *log) {
  *f = (faces_o){.assets = assets, .log = log, .fallbacks = copy_text("", 0)};
}

void faces_fini(faces_o *faces) {
  for (uint32_t i = 0; i < faces->faces.count; ++i) {
    close_face(faces, &faces->faces.items[i]);
    free(faces->faces.items[i].name);
  }
  for (uint32_t i = 0; i < faces->chains.count; ++i) {
    array_free(&faces->allocator, &faces->chains.items[i].faces);
    free(faces->chains.items[i].names);
  }
  array_free(&faces->allocator, &faces->faces);
  array_free(&faces->allocator, &faces->chains);
  free(faces->fallbacks);
  shoal_assert(faces->allocator.bytes == 0, "fonts leaked %zu bytes", faces->allocator.bytes);
}

asset_fate_t faces_asset_changed(faces_o *faces, const char *name, error_info_t *error) {
  for (uint32_t i = 0; i < faces->faces.count; ++i) {
    face_t *face = &faces->faces.items[i];
    if (strcmp(face->name, name) != 0)
      continue;
    face_t reloaded = {.name = face->name};
    if (!open_face(faces, &reloaded, error)) {
      close_face(faces, &reloaded);
      return ASSET_KEPT;
    }
    close_face(faces, face);
    *face = reloaded;
    faces->version++;
    return ASSET_RELOADED;
  }
  return ASSET_UNUSED;
}

void faces_set_fallbacks(faces_o *faces, const char *names) {
  if (strcmp(names, faces->fallbacks) == 0)
    return;
  free(faces->fallbacks);
  faces->fallbacks = copy_text(names, strlen(names));
  for (uint32_t i = 0; i < faces->chains.count; ++i)
    faces->chains.items[i].filled = false;
  faces->version++;
}
