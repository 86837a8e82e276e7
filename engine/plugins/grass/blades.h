// Blades of grass as triangles. Their positions depend only on the parameters of the field. The shader bends the
// blades.
#ifndef SHOAL_PLUGINS_BLADES_H
#define SHOAL_PLUGINS_BLADES_H

#include "grass_file.h"

#include <shoal/draw.h>

#define BLADES_ROW 14.0f    // height of a row in pixels; all blades with roots in one row are drawn at the same depth
#define BLADES_MAX 24000u   // maximum number of blades per field
#define BLADES_VERTICES 24u // number of vertices per blade
#define BLADES_PALETTE_ROWS 64u

typedef struct blades_t {
  shoal_vertex *vertices;
  uint32_t vertex_capacity, count; // capacity of `vertices`, and current number of blades
  uint32_t *rows;                  // index of the first blade of each row, followed by the total number of blades
  uint32_t row_capacity, row_count;
} blades_t;

typedef struct blades_desc_t {
  const grass_kind_t *kind;
  float x, y, width, height; // top left corner and size of the field
  float density;
  uint32_t seed;
} blades_desc_t;

// Creates the blades of a field. Fields of a vertex:
//
// - x, y: root of the blade
// - u: column of the palette
// - v: height, 0 to 1
// - r: sideways offset in pixels
// - g: height of the blade in pixels
// - b: lean of the blade
// - a: phase of the blade's sway, 0 to 1
void blades_build(blades_t *blades, const blades_desc_t *desc);
void blades_free(blades_t *blades);

// The palette, with alpha not premultiplied: one column for each tip colour, then one for each flower colour. The top
// of a column is the tip, the bottom is the root.
uint32_t blades_palette_columns(const grass_kind_t *kind);
void blades_write_palette(const grass_kind_t *kind, uint8_t *rgba);

#endif
