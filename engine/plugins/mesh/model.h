// Models: corners and flat triangles, made from a word or read from an OBJ file. Unit size: what is made lies within
// one unit of the origin, y up, and its triangles turn counter-clockwise seen from outside.
#ifndef SHOAL_PLUGIN_MESH_MODEL_H
#define SHOAL_PLUGIN_MESH_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_MAX 200000u           // corners, and triangles, of a file: all are drawn in every frame
#define MODEL_MAX_BYTES (64u << 20) // of the file

typedef struct model_t {
  float (*corners)[3];
  uint32_t (*triangles)[3];
  uint32_t corner_count, triangle_count;
  uint32_t corner_capacity, triangle_capacity;
} model_t;

// `word`: one of cube, sphere, ball (a finer sphere), cylinder, cone, pyramid, torus, disc, plane. False for others,
// and then `m` is empty.
bool model_make(model_t *m, const char *word);
// The `v` and `f` lines of a Wavefront OBJ file; faces of more corners are cut into fans, everything else is passed
// over. NULL, or what is wrong, in words, with its line (0: with the file), and then `m` is empty.
const char *model_read(model_t *m, const char *text, size_t bytes, uint32_t *line);
void model_free(model_t *m);

#endif
