// Blades of grass as triangles: where they stand follows from the field's numbers alone, and never changes while those
// do not. What moves them is the shader's.
#ifndef SHOAL_PLUGINS_BLADES_H
#define SHOAL_PLUGINS_BLADES_H

#include "grass_file.h"

#include <shoal/draw.h>

#define BLADES_ROW 14.0f    // pixels: blades whose roots lie in one row have one place among what stands in them
#define BLADES_MAX 24000u   // of a field
#define BLADES_VERTICES 24u // of one
#define BLADES_PALETTE_ROWS 64u

typedef struct blades_t {
  shoal_vertex *vertices;
  uint32_t vertex_capacity, count; // blades
  uint32_t *rows;                  // the first blade of each row, and behind the last the count
  uint32_t row_capacity, row_count;
} blades_t;

typedef struct blades_desc_t {
  const grass_kind_t *kind;
  float x, y, width, height; // the field's top left, and its size
  float density;
  uint32_t seed;
} blades_desc_t;

// A vertex: x, y is the blade's root; u the column of the palette, v how far up it is, 0 … 1; r how far it is to the
// side, in pixels; g the blade's height, b where it leans to by itself, a when it trembles, 0 … 1.
void blades_make(blades_t *b, const blades_desc_t *desc);
void blades_free(blades_t *b);

// The palette: a column for each tip, and behind them one for each flower; from the tip down to the root. Straight.
uint32_t blades_palette_columns(const grass_kind_t *kind);
void blades_palette(const grass_kind_t *kind, uint8_t *rgba);

#endif
