// Builds the built-in solids and reads OBJ files line by line.
#include "model.h"

#include "plugins/scratch_array.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979f

static uint32_t add_vertex(model_t *model, float x, float y, float z) {
  GROW(model->vertices, model->vertex_capacity, model->vertex_count + 1);
  float *vertex = model->vertices[model->vertex_count];
  vertex[0] = x;
  vertex[1] = y;
  vertex[2] = z;
  return model->vertex_count++;
}

static void add_triangle(model_t *model, uint32_t a, uint32_t b, uint32_t c) {
  GROW(model->triangles, model->triangle_capacity, model->triangle_count + 1);
  uint32_t *triangle = model->triangles[model->triangle_count++];
  triangle[0] = a;
  triangle[1] = b;
  triangle[2] = c;
}

static void add_quad(model_t *model, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  add_triangle(model, a, b, c);
  add_triangle(model, a, c, d);
}

void model_free(model_t *model) {
  free(model->vertices);
  free(model->triangles);
  *model = (model_t){0};
}

// --- built-in solids

static void build_cube(model_t *model) {
  const float half_size = 0.5f;
  for (uint32_t i = 0; i < 8; ++i)
    add_vertex(model, i & 1 ? half_size : -half_size, i & 2 ? half_size : -half_size, i & 4 ? half_size : -half_size);
  add_quad(model, 0, 2, 3, 1);
  add_quad(model, 4, 5, 7, 6);
  add_quad(model, 0, 1, 5, 4);
  add_quad(model, 2, 6, 7, 3);
  add_quad(model, 0, 4, 6, 2);
  add_quad(model, 1, 3, 7, 5);
}

// Returns the midpoint of an edge, projected onto the sphere. Each midpoint is requested twice. The vertices starting
// at `first_vertex` are few enough for a linear search.
static uint32_t find_or_add_midpoint(model_t *model, uint32_t a, uint32_t b, uint32_t first_vertex) {
  float x = model->vertices[a][0] + model->vertices[b][0], y = model->vertices[a][1] + model->vertices[b][1],
        z = model->vertices[a][2] + model->vertices[b][2];
  float scale = 1.0f / sqrtf(x * x + y * y + z * z);
  for (uint32_t i = first_vertex; i < model->vertex_count; ++i) {
    const float *vertex = model->vertices[i];
    if (fabsf(vertex[0] - x * scale) + fabsf(vertex[1] - y * scale) + fabsf(vertex[2] - z * scale) < 1e-5f)
      return i;
  }
  return add_vertex(model, x * scale, y * scale, z * scale);
}

// Builds a sphere from an icosahedron by dividing each triangle into four, `subdivisions` times. All faces have about
// the same size, unlike the faces of a sphere divided by latitude and longitude.
static void build_sphere(model_t *model, uint32_t subdivisions) {
  static const uint8_t faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                       {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                       {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                       {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  const float long_side = 0.850651f, short_side = 0.525731f;
  for (uint32_t axis = 0; axis < 3; ++axis)
    for (uint32_t i = 0; i < 4; ++i) {
      float position[3] = {0, 0, 0};
      position[axis] = i & 1 ? short_side : -short_side;
      position[(axis + 1) % 3] = i < 2 ? long_side : -long_side;
      add_vertex(model, position[0], position[1], position[2]);
    }
  for (uint32_t i = 0; i < 20; ++i)
    add_triangle(model, faces[i][0], faces[i][1], faces[i][2]);
  for (uint32_t i = 0; i < subdivisions; ++i) {
    uint32_t count = model->triangle_count, first_vertex = model->vertex_count;
    for (uint32_t k = 0; k < count; ++k) {
      uint32_t a = model->triangles[k][0], b = model->triangles[k][1], c = model->triangles[k][2];
      uint32_t ab = find_or_add_midpoint(model, a, b, first_vertex),
               bc = find_or_add_midpoint(model, b, c, first_vertex),
               ca = find_or_add_midpoint(model, c, a, first_vertex);
      model->triangles[k][0] = ab;
      model->triangles[k][1] = bc;
      model->triangles[k][2] = ca;
      add_triangle(model, a, ab, ca);
      add_triangle(model, b, bc, ab);
      add_triangle(model, c, ca, bc);
    }
  }
}

// Adds a ring of `sides` vertices around the y axis and returns the index of its first vertex.
static uint32_t add_ring(model_t *model, uint32_t sides, float radius, float y) {
  uint32_t first_vertex = model->vertex_count;
  for (uint32_t i = 0; i < sides; ++i) {
    float angle = 2.0f * PI * (float)i / (float)sides;
    add_vertex(model, radius * cosf(angle), y, radius * sinf(angle));
  }
  return first_vertex;
}

// Adds a tip at height `y` and connects it to a ring by triangles that face up, or down if `points_up` is false.
static void add_fan(model_t *model, uint32_t first_vertex, uint32_t sides, float y, bool points_up) {
  uint32_t tip = add_vertex(model, 0, y, 0);
  for (uint32_t i = 0; i < sides; ++i) {
    uint32_t a = first_vertex + i, b = first_vertex + (i + 1) % sides;
    add_triangle(model, tip, points_up ? b : a, points_up ? a : b);
  }
}

static void build_cone(model_t *model, uint32_t sides) {
  uint32_t first_vertex = add_ring(model, sides, 0.5f, -0.5f);
  add_fan(model, first_vertex, sides, 0.5f, true);
  add_fan(model, first_vertex, sides, -0.5f, false);
}

static void build_cylinder(model_t *model, uint32_t sides) {
  uint32_t bottom = add_ring(model, sides, 0.5f, -0.5f), top = add_ring(model, sides, 0.5f, 0.5f);
  for (uint32_t i = 0; i < sides; ++i) {
    uint32_t next = (i + 1) % sides;
    add_quad(model, bottom + i, top + i, top + next, bottom + next);
  }
  add_fan(model, top, sides, 0.5f, true);
  add_fan(model, bottom, sides, -0.5f, false);
}

static void build_torus(model_t *model, uint32_t sides, uint32_t segments) {
  for (uint32_t i = 0; i < segments; ++i)
    for (uint32_t k = 0; k < sides; ++k) {
      float u = 2.0f * PI * (float)i / (float)segments, v = 2.0f * PI * (float)k / (float)sides;
      float ring_radius = 0.8f + 0.2f * cosf(v);
      add_vertex(model, ring_radius * cosf(u), 0.2f * sinf(v), ring_radius * sinf(u));
    }
  for (uint32_t i = 0; i < segments; ++i)
    for (uint32_t k = 0; k < sides; ++k) {
      uint32_t next_i = (i + 1) % segments, next_k = (k + 1) % sides;
      add_quad(model, i * sides + k, i * sides + next_k, next_i * sides + next_k, next_i * sides + k);
    }
}

// Builds a flat disc that is visible from both sides.
static void build_disc(model_t *model, uint32_t sides) {
  uint32_t first_vertex = add_ring(model, sides, 0.5f, 0);
  add_fan(model, first_vertex, sides, 0, true);
  add_fan(model, first_vertex, sides, 0, false);
}

bool model_build_primitive(model_t *model, const char *name) {
  *model = (model_t){0};
  if (strcmp(name, "cube") == 0)
    build_cube(model);
  else if (strcmp(name, "sphere") == 0)
    build_sphere(model, 2);
  else if (strcmp(name, "ball") == 0)
    build_sphere(model, 3);
  else if (strcmp(name, "cylinder") == 0)
    build_cylinder(model, 20);
  else if (strcmp(name, "cone") == 0)
    build_cone(model, 20);
  else if (strcmp(name, "pyramid") == 0)
    build_cone(model, 4);
  else if (strcmp(name, "torus") == 0)
    build_torus(model, 10, 40);
  else if (strcmp(name, "disc") == 0)
    build_disc(model, 32);
  else if (strcmp(name, "plane") == 0)
    build_disc(model, 4);
  return model->triangle_count > 0;
}

// --- OBJ

// Parses the vertex of a face, such as "7", "7/1/3" or "-1", into an index. Returns UINT32_MAX if the text is malformed
// or the vertex does not exist.
static uint32_t parse_vertex_index(const char *word, uint32_t count) {
  char *end;
  long number = strtol(word, &end, 10);
  if (end == word || (*end && *end != '/'))
    return UINT32_MAX;
  long index = number < 0 ? (long)count + number : number - 1;
  return number != 0 && index >= 0 && index < (long)count ? (uint32_t)index : UINT32_MAX;
}

static bool read_vertex_position(model_t *model, char *text) {
  float position[3];
  char *cursor = text;
  for (uint32_t i = 0; i < 3; ++i) {
    char *end;
    position[i] = strtof(cursor, &end);
    if (end == cursor || !isfinite(position[i]))
      return false;
    cursor = end;
  }
  add_vertex(model, position[0], position[1], position[2]);
  return true;
}

static bool read_face(model_t *model, char *text) {
  uint32_t first_index = UINT32_MAX, previous_index = UINT32_MAX, count = 0;
  char *state = NULL;
  for (char *word = strtok_r(text, " \t\r", &state); word; word = strtok_r(NULL, " \t\r", &state)) {
    uint32_t index = parse_vertex_index(word, model->vertex_count);
    if (index == UINT32_MAX)
      return false;
    if (count == 0)
      first_index = index;
    else if (count > 1)
      add_triangle(model, first_index, previous_index, index);
    previous_index = index;
    ++count;
  }
  return count >= 3;
}

static bool read_line(model_t *model, char *line) {
  line += strspn(line, " \t");
  if (line[0] == 'v' && (line[1] == ' ' || line[1] == '\t'))
    return read_vertex_position(model, line + 1);
  if (line[0] == 'f' && (line[1] == ' ' || line[1] == '\t'))
    return read_face(model, line + 1);
  return true;
}

static const char *reject_model(model_t *model, const char *message) {
  model_free(model);
  return message;
}

const char *model_read(model_t *model, const char *text, size_t bytes, uint32_t *line) {
  char line_text[1024];
  *model = (model_t){0};
  *line = 0;
  if (bytes > MODEL_MAX_BYTES)
    return "the OBJ file is too large (at most 64 MB)";
  for (const char *cursor = text, *end = text + bytes; cursor < end;) {
    const char *stop = memchr(cursor, '\n', (size_t)(end - cursor));
    size_t length = (size_t)((stop ? stop : end) - cursor);
    ++*line;
    bool fits = length < sizeof line_text;
    memcpy(line_text, cursor, fits ? length : 0);
    line_text[fits ? length : 0] = 0;
    if (!fits || memchr(line_text, 0, fits ? length : 0) || !read_line(model, line_text))
      return reject_model(model, "expected \"v x y z\" or \"f 1 2 3\" with vertices of earlier lines");
    if (model->vertex_count > MODEL_MAX_ELEMENTS || model->triangle_count > MODEL_MAX_ELEMENTS)
      return reject_model(model, "the OBJ file has too many vertices or triangles (at most 200000 each)");
    cursor += length + 1;
  }
  if (model->triangle_count > 0)
    return NULL;
  *line = 0;
  return reject_model(model, "the OBJ file has no faces: export the model with faces");
}
