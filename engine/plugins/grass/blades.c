// Generates the blades of a field. The field is divided into rows from back to front. The area of a row determines its
// number of blades, and the position of a blade is a hash of its number.
#include "blades.h"

#include "plugins/scratch_array.h"

#include <math.h>
#include <string.h>

#define BLADE_SEGMENTS 4 // number of segments of a blade; each consists of two triangles

static const float SEGMENT_HEIGHTS[BLADE_SEGMENTS + 1] = {0.0f, 0.4f, 0.76f, 0.9f, 1.0f};

static uint32_t hash_bits(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// Returns a pseudorandom number in [0, 1) that depends only on `number` and `stream`. Different streams give
// independent numbers.
static float random_fraction(uint32_t number, uint32_t stream) {
  return (float)(hash_bits(number * 31u + stream * 0x9e3779b9u) >> 8) * (1.0f / 16777216.0f);
}

static float interpolate(const float range[2], float fraction) {
  return range[0] + (range[1] - range[0]) * fraction;
}

uint32_t blades_palette_columns(const grass_kind_t *kind) {
  return kind->tip_count + (kind->flowers > 0.0f ? kind->petal_count : 0);
}

void blades_write_palette(const grass_kind_t *kind, uint8_t *rgba) {
  uint32_t columns = blades_palette_columns(kind);
  for (uint32_t row = 0; row < BLADES_PALETTE_ROWS; ++row) {
    float height = 1.0f - ((float)row + 0.5f) / BLADES_PALETTE_ROWS,
          brightness = height * height * (3.0f - 2.0f * height);
    for (uint32_t column = 0; column < columns; ++column) {
      bool is_flower = column >= kind->tip_count;
      const uint8_t *tip = kind->tips[is_flower ? column % kind->tip_count : column];
      uint8_t *texel = rgba + ((size_t)row * columns + column) * 4;
      for (int i = 0; i < 3; ++i) {
        float leaf_color = (float)kind->root[i] + ((float)tip[i] - (float)kind->root[i]) * brightness;
        texel[i] =
            (uint8_t)(is_flower && height > 0.77f ? (float)kind->petals[column - kind->tip_count][i] : leaf_color);
      }
      texel[3] = 255;
    }
  }
}

// Returns half the width of a blade at a step. A flower has a thin stem up to step 1, and a head above.
static float get_half_width(int segment, float width, float height, bool is_flower) {
  static const float HEAD_WIDTHS[BLADE_SEGMENTS + 1] = {0.0f, 0.0f, 0.3f, 1.0f, 0.5f};
  float height_fraction = SEGMENT_HEIGHTS[segment],
        blade_half_width = width * 0.5f * (1.0f - height_fraction * height_fraction);
  return is_flower && segment > 1 ? HEAD_WIDTHS[segment] * fminf(width * 1.2f, height * 0.12f)
         : is_flower              ? width * 0.25f
                                  : blade_half_width;
}

static void write_blade(blades_t *blades, const blades_desc_t *desc, uint32_t number, float x, float y) {
  const grass_kind_t *kind = desc->kind;
  bool is_flower = kind->flowers > 0.0f && random_fraction(number, 3) < kind->flowers;
  uint32_t columns = blades_palette_columns(kind);
  uint32_t column = is_flower ? kind->tip_count + hash_bits(number ^ 77u) % kind->petal_count
                              : hash_bits(number ^ 5u) % kind->tip_count;
  float height = interpolate(kind->height, random_fraction(number, 4)) * (is_flower ? 1.12f : 1.0f);
  float width = interpolate(kind->width, random_fraction(number, 5)) * (is_flower ? 1.3f : 1.0f);
  shoal_vertex points[BLADE_SEGMENTS + 1][2];
  for (int i = 0; i <= BLADE_SEGMENTS; ++i)
    for (int side = 0; side < 2; ++side) {
      float height_fraction = SEGMENT_HEIGHTS[i], half_width = get_half_width(i, width, height, is_flower);
      points[i][side] = (shoal_vertex){.x = x,
                                       .y = y,
                                       .u = ((float)column + 0.5f) / (float)columns,
                                       .v = height_fraction,
                                       .r = side ? half_width : -half_width,
                                       .g = height,
                                       .b = random_fraction(number, 6) * 2.0f - 1.0f,
                                       .a = random_fraction(number, 7)};
    }
  shoal_vertex *vertices = blades->vertices + (size_t)blades->count++ * BLADES_VERTICES;
  for (int i = 0; i < BLADE_SEGMENTS; ++i) {
    const shoal_vertex triangles[6] = {points[i][0],     points[i][1], points[i + 1][0],
                                       points[i + 1][0], points[i][1], points[i + 1][1]};
    memcpy(vertices, triangles, sizeof triangles);
    vertices += 6;
  }
}

// Returns true if the blade exists. Density decreases towards the edges, so that fields do not end in a straight line.
static bool has_blade(const blades_desc_t *desc, uint32_t number, float x, float y) {
  float u = (x - desc->x) / desc->width, v = (y - desc->y) / desc->height;
  float edge_x = fminf(u, 1.0f - u) * desc->width / 60.0f, edge_y = fminf(v, 1.0f - v) * desc->height / 40.0f;
  return random_fraction(number, 8) < fminf(fminf(edge_x, edge_y), 1.0f);
}

void blades_build(blades_t *blades, const blades_desc_t *desc) {
  float expected_count = desc->width * desc->height * 0.01f * desc->kind->blades * desc->density;
  uint32_t rows = (uint32_t)ceilf(fminf(desc->height / BLADES_ROW, 4096.0f));
  float blades_per_row = fminf(expected_count, (float)BLADES_MAX) / (float)rows;
  blades->count = 0;
  blades->row_count = rows;
  GROW(blades->rows, blades->row_capacity, rows + 1);
  GROW(blades->vertices, blades->vertex_capacity, ((uint32_t)(blades_per_row * (float)rows) + rows) * BLADES_VERTICES);
  uint32_t number = hash_bits(desc->seed * 2654435761u), candidate_count = 0;
  for (uint32_t row = 0; row < rows; ++row) {
    blades->rows[row] = blades->count;
    for (; (float)candidate_count < blades_per_row * (float)(row + 1); ++candidate_count, ++number) {
      float x = desc->x + random_fraction(number, 1) * desc->width;
      float y = desc->y + ((float)row + random_fraction(number, 2)) * desc->height / (float)rows;
      if (has_blade(desc, number, x, y))
        write_blade(blades, desc, number, x, y);
    }
  }
  blades->rows[rows] = blades->count;
}

void blades_free(blades_t *blades) {
  free(blades->vertices);
  free(blades->rows);
  *blades = (blades_t){0};
}
