// Generates the blades of a field. The field is divided into rows from back to front. The area of a row determines its
// number of blades, and the position of a blade is a hash of its number.
#include "blades.h"

#include "plugins/scratch_array.h"

#include <math.h>
#include <string.h>

#define STEPS 4 // number of segments of a blade; each consists of two triangles

static const float UP[STEPS + 1] = {0.0f, 0.4f, 0.76f, 0.9f, 1.0f};

static uint32_t hash_bits(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// Returns a pseudorandom number in [0, 1) that depends only on `number` and `which`.
static float random_fraction(uint32_t number, uint32_t which) {
  return (float)(hash_bits(number * 31u + which * 0x9e3779b9u) >> 8) * (1.0f / 16777216.0f);
}

static float interpolate(const float range[2], float share) {
  return range[0] + (range[1] - range[0]) * share;
}

uint32_t blades_palette_columns(const grass_kind_t *kind) {
  return kind->tip_count + (kind->flowers > 0.0f ? kind->petal_count : 0);
}

void blades_write_palette(const grass_kind_t *kind, uint8_t *rgba) {
  uint32_t columns = blades_palette_columns(kind);
  for (uint32_t row = 0; row < BLADES_PALETTE_ROWS; ++row) {
    float up = 1.0f - ((float)row + 0.5f) / BLADES_PALETTE_ROWS, lit = up * up * (3.0f - 2.0f * up);
    for (uint32_t c = 0; c < columns; ++c) {
      bool flower = c >= kind->tip_count;
      const uint8_t *tip = kind->tips[flower ? c % kind->tip_count : c];
      uint8_t *to = rgba + ((size_t)row * columns + c) * 4;
      for (int i = 0; i < 3; ++i) {
        float leaf = (float)kind->root[i] + ((float)tip[i] - (float)kind->root[i]) * lit;
        to[i] = (uint8_t)(flower && up > 0.77f ? (float)kind->petals[c - kind->tip_count][i] : leaf);
      }
      to[3] = 255;
    }
  }
}

// Returns half the width of a blade at a step. A flower has a thin stem up to step 1 and a head from step 2 on.
static float half_width_at(int step, float width, float height, bool flower) {
  static const float HEAD[STEPS + 1] = {0.0f, 0.0f, 0.3f, 1.0f, 0.5f};
  float up = UP[step], blade = width * 0.5f * (1.0f - up * up);
  return flower && step > 1 ? HEAD[step] * fminf(width * 1.2f, height * 0.12f) : flower ? width * 0.25f : blade;
}

static void write_blade(blades_t *b, const blades_desc_t *d, uint32_t number, float x, float y) {
  const grass_kind_t *k = d->kind;
  bool flower = k->flowers > 0.0f && random_fraction(number, 3) < k->flowers;
  uint32_t columns = blades_palette_columns(k);
  uint32_t column =
      flower ? k->tip_count + hash_bits(number ^ 77u) % k->petal_count : hash_bits(number ^ 5u) % k->tip_count;
  float height = interpolate(k->height, random_fraction(number, 4)) * (flower ? 1.12f : 1.0f);
  float width = interpolate(k->width, random_fraction(number, 5)) * (flower ? 1.3f : 1.0f);
  shoal_vertex at[STEPS + 1][2];
  for (int i = 0; i <= STEPS; ++i)
    for (int side = 0; side < 2; ++side) {
      float up = UP[i], out = half_width_at(i, width, height, flower);
      at[i][side] = (shoal_vertex){.x = x,
                                   .y = y,
                                   .u = ((float)column + 0.5f) / (float)columns,
                                   .v = up,
                                   .r = side ? out : -out,
                                   .g = height,
                                   .b = random_fraction(number, 6) * 2.0f - 1.0f,
                                   .a = random_fraction(number, 7)};
    }
  shoal_vertex *to = b->vertices + (size_t)b->count++ * BLADES_VERTICES;
  for (int i = 0; i < STEPS; ++i) {
    const shoal_vertex six[6] = {at[i][0], at[i][1], at[i + 1][0], at[i + 1][0], at[i][1], at[i + 1][1]};
    memcpy(to, six, sizeof six);
    to += 6;
  }
}

// Returns true if the blade exists. Density decreases towards the edges, so that fields do not end in a straight line.
static bool has_blade(const blades_desc_t *d, uint32_t number, float x, float y) {
  float u = (x - d->x) / d->width, v = (y - d->y) / d->height;
  float edge_x = fminf(u, 1.0f - u) * d->width / 60.0f, edge_y = fminf(v, 1.0f - v) * d->height / 40.0f;
  return random_fraction(number, 8) < fminf(fminf(edge_x, edge_y), 1.0f);
}

void blades_build(blades_t *b, const blades_desc_t *d) {
  float wanted = d->width * d->height * 0.01f * d->kind->blades * d->density;
  uint32_t rows = (uint32_t)ceilf(fminf(d->height / BLADES_ROW, 4096.0f));
  float each = fminf(wanted, (float)BLADES_MAX) / (float)rows;
  b->count = 0;
  b->row_count = rows;
  GROW(b->rows, b->row_capacity, rows + 1);
  GROW(b->vertices, b->vertex_capacity, ((uint32_t)(each * (float)rows) + rows) * BLADES_VERTICES);
  uint32_t number = hash_bits(d->seed * 2654435761u), tried = 0;
  for (uint32_t row = 0; row < rows; ++row) {
    b->rows[row] = b->count;
    for (; (float)tried < each * (float)(row + 1); ++tried, ++number) {
      float x = d->x + random_fraction(number, 1) * d->width;
      float y = d->y + ((float)row + random_fraction(number, 2)) * d->height / (float)rows;
      if (has_blade(d, number, x, y))
        write_blade(b, d, number, x, y);
    }
  }
  b->rows[rows] = b->count;
}

void blades_free(blades_t *b) {
  free(b->vertices);
  free(b->rows);
  *b = (blades_t){0};
}
