// Fonts by name, opened for HarfBuzz, and font chains: each character uses the chain's first font that contains the
// character.
#ifndef SHOAL_TEXT_FACES_H
#define SHOAL_TEXT_FACES_H

#include "base/array.h"
#include "base/error.h"
#include "base/log.h"
#include "platform/assets.h"
#include "text/pair_widths.h"

#include <harfbuzz/hb.h>
#include <stdbool.h>
#include <stdint.h>

#define FACE_NONE 0xFFFFu

typedef struct face_t {
  char *name;
  char *file; // contents of the font's file
  size_t file_bytes;
  hb_font_t *font; // HarfBuzz font, scaled to font units; NULL if the font could not be opened
  double units_per_em;
  // Distances in font units: from the top of a line to its baseline, from the baseline to the bottom of the line, and
  // from one baseline to the next.
  int32_t ascent, descent, line_height;
  bool has_pair_widths; // true once `pair_widths` has been determined; it may then be NULL
  pair_widths_o *pair_widths;
} face_t;

typedef struct chain_t {
  char *names;
  bool filled;           // true if `faces` is valid
  ARRAY(uint16_t) faces; // faces in search order; the engine's fonts are last
} chain_t;

typedef struct faces_o {
  allocator_t allocator;
  const assets_t *assets;
  log_o *log;
  char *fallbacks;
  uint32_t version; // value of typesetter_version
  ARRAY(face_t) faces;
  ARRAY(chain_t) chains;
} faces_o;

void faces_init(faces_o *f, const assets_t *assets, log_o *log);
void faces_fini(faces_o *f);
// Reloads the font `name` after its file has changed, and returns ASSET_RELOADED. If the file is not valid, keeps the
// previous font, stores the reason in `error` and returns ASSET_KEPT. Returns ASSET_UNUSED if the font was never
// requested.
asset_fate_t faces_asset_changed(faces_o *f, const char *name, error_info_t *error);
// Sets the fonts that follow every chain's own fonts: "a.ttf, b.ttf".
void faces_set_fallbacks(faces_o *f, const char *names);

// Returns the id of the chain for a list such as "a.ttf, b.ttf". Ids never change. Missing or invalid fonts are logged
// once and skipped. If the maximum number of chains is reached, returns 0, the first chain, for a new list.
uint32_t faces_find_or_add_chain(faces_o *f, const char *names, size_t bytes);
// Returns the chain's first face that can display the character, or FACE_NONE if no face can.
uint32_t faces_find(const faces_o *f, uint32_t chain, uint32_t code);
// Returns the character that displays `code` when it is shaped with the face: `code` itself, or a similar character. A
// face with a space can display all Unicode spaces, and a face with a hyphen can display the no-break hyphen. Returns 0
// if the face cannot display the character.
uint32_t faces_find_substitute(const faces_o *f, uint32_t face, uint32_t code);
// Returns the widths of the face's pairs of characters, or NULL if its shapes depend on longer contexts.
pair_widths_o *faces_get_pair_widths(faces_o *f, const face_t *face);
// Returns the chain's first usable face, which determines line heights, or NULL if the chain has no usable face.
const face_t *faces_find_first(const faces_o *f, uint32_t chain);

#endif
