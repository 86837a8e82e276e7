// Models: vertices and flat triangles, built in or read from an OBJ file. Built-in models fit into a sphere of radius 1
// around the origin. y points up. Triangles are counter-clockwise when seen from outside.
#ifndef SHOAL_PLUGIN_MESH_MODEL_H
#define SHOAL_PLUGIN_MESH_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Maximum number of vertices and maximum number of triangles per file, because every frame draws all of them.
#define MODEL_MAX_ELEMENTS 200000u
#define MODEL_MAX_BYTES (64u << 20) // maximum size of a file in bytes

typedef struct model_t {
  float (*vertices)[3];
  uint32_t (*triangles)[3];
  uint32_t vertex_count, triangle_count;
  uint32_t vertex_capacity, triangle_capacity;
} model_t;

// Builds the model with this name: cube, sphere, ball (a finer sphere), cylinder, cone, pyramid, torus, disc or plane.
// Returns true on success. For any other name, returns false and an empty model.
bool model_build_primitive(model_t *model, const char *name);
// Reads the `v` and `f` lines of a Wavefront OBJ file. Ignores all remaining lines. Faces with more than three vertices
// become triangle fans. Returns NULL on success. Otherwise, returns a message, stores the number of the line (0 for the
// whole file), and leaves the model empty.
const char *model_read(model_t *model, const char *text, size_t bytes, uint32_t *line);
void model_free(model_t *model);

#endif
