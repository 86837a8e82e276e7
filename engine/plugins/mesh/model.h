// Models: corners and flat triangles, built in or read from an OBJ file. Built-in models fit into a sphere of radius 1
// around the origin; y is up, and triangles are counter-clockwise seen from outside.
#ifndef SHOAL_PLUGIN_MESH_MODEL_H
#define SHOAL_PLUGIN_MESH_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_MAX 200000u           // corners, and triangles, per file: all are drawn in each frame
#define MODEL_MAX_BYTES (64u << 20) // size of a file

typedef struct model_t {
  float (*corners)[3];
  uint32_t (*triangles)[3];
  uint32_t corner_count, triangle_count;
  uint32_t corner_capacity, triangle_capacity;
} model_t;

// Builds a model: cube, sphere, ball (a finer sphere), cylinder, cone, pyramid, torus, disc, plane. For other words,
// returns false and an empty model.
bool model_make(model_t *m, const char *word);
// Reads the `v` and `f` lines of a Wavefront OBJ file; larger faces become triangle fans, and other lines are ignored.
// Returns NULL, or a message with its line (0 for the whole file) and an empty model.
const char *model_read(model_t *m, const char *text, size_t bytes, uint32_t *line);
void model_free(model_t *m);

#endif
