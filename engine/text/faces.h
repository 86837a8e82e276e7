// Fonts by name, as HarfBuzz reads them, and chains of fonts: for each character the first that has it.
#ifndef SHOAL_TEXT_FACES_H
#define SHOAL_TEXT_FACES_H

#include "base/array.h"
#include "base/error.h"
#include "base/log.h"
#include "platform/assets.h"

#include <harfbuzz/hb.h>
#include <stdbool.h>
#include <stdint.h>

#define FACE_NONE 0xFFFFu

typedef struct face_t {
  char *name;
  char *file; // the font's bytes
  size_t file_bytes;
  hb_font_t *font;               // NULL: it cannot be opened; its scale is its own units
  double units;                  // of an em
  int32_t ascent, descent, line; // of the baseline below the top; of the bottom below that; from line to line: in units
} face_t;

typedef struct chain_t {
  char *names;
  bool filled;           // its fonts have been looked for
  ARRAY(uint16_t) faces; // the engine's are the last
} chain_t;

typedef struct faces_o {
  allocator_t allocator;
  const assets_t *assets;
  log_o *log;
  char *fallbacks;
  uint32_t version; // another one whenever a face or a chain is
  ARRAY(face_t) faces;
  ARRAY(chain_t) chains;
} faces_o;

void faces_init(faces_o *f, const assets_t *assets, log_o *log);
void faces_fini(faces_o *f);
asset_fate_t faces_changed(faces_o *f, const char *name, error_t *why);
void faces_set_fallbacks(faces_o *f, const char *names);

// "a.ttf, b.ttf" → a chain, which keeps its number. A font that is missing or broken is logged once and left out.
uint32_t faces_chain(faces_o *f, const char *names, size_t bytes);
// The first face of the chain that has the character, or FACE_NONE.
uint32_t faces_of(const faces_o *f, uint32_t chain, uint32_t code);
bool faces_has(const faces_o *f, uint32_t face, uint32_t code);
// The first one of the chain that can be used, for the heights of lines; NULL when there is none.
const face_t *faces_first(const faces_o *f, uint32_t chain);

#endif
