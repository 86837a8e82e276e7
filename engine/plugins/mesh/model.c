// Builds the built-in solids and reads OBJ files line by line.
#include "model.h"

#include "plugins/scratch_array.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979f

static uint32_t add_vertex(model_t *m, float x, float y, float z) {
  GROW(m->vertices, m->vertex_capacity, m->vertex_count + 1);
  float *c = m->vertices[m->vertex_count];
  c[0] = x;
  c[1] = y;
  c[2] = z;
  return m->vertex_count++;
}

static void add_triangle(model_t *m, uint32_t a, uint32_t b, uint32_t c) {
  GROW(m->triangles, m->triangle_capacity, m->triangle_count + 1);
  uint32_t *t = m->triangles[m->triangle_count++];
  t[0] = a;
  t[1] = b;
  t[2] = c;
}

static void add_quad(model_t *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  add_triangle(m, a, b, c);
  add_triangle(m, a, c, d);
}

void model_free(model_t *m) {
  free(m->vertices);
  free(m->triangles);
  *m = (model_t){0};
}

// --- built-in solids

static void build_cube(model_t *m) {
  const float h = 0.5f;
  for (uint32_t i = 0; i < 8; ++i)
    add_vertex(m, i & 1 ? h : -h, i & 2 ? h : -h, i & 4 ? h : -h);
  add_quad(m, 0, 2, 3, 1);
  add_quad(m, 4, 5, 7, 6);
  add_quad(m, 0, 1, 5, 4);
  add_quad(m, 2, 6, 7, 3);
  add_quad(m, 0, 4, 6, 2);
  add_quad(m, 1, 3, 7, 5);
}

// Returns the midpoint of an edge, projected onto the sphere. Each midpoint is requested twice. The vertices from
// `first` on are few enough for a linear search.
static uint32_t find_or_add_midpoint(model_t *m, uint32_t a, uint32_t b, uint32_t first) {
  float x = m->vertices[a][0] + m->vertices[b][0], y = m->vertices[a][1] + m->vertices[b][1],
        z = m->vertices[a][2] + m->vertices[b][2];
  float k = 1.0f / sqrtf(x * x + y * y + z * z);
  for (uint32_t i = first; i < m->vertex_count; ++i) {
    const float *c = m->vertices[i];
    if (fabsf(c[0] - x * k) + fabsf(c[1] - y * k) + fabsf(c[2] - z * k) < 1e-5f)
      return i;
  }
  return add_vertex(m, x * k, y * k, z * k);
}

// Builds a sphere from an icosahedron by dividing each triangle into four, `times` times. All faces have about the same
// size, unlike those of a sphere divided by latitude and longitude.
static void build_sphere(model_t *m, uint32_t times) {
  static const uint8_t faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                       {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                       {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                       {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  const float long_side = 0.850651f, short_side = 0.525731f;
  for (uint32_t axis = 0; axis < 3; ++axis)
    for (uint32_t i = 0; i < 4; ++i) {
      float at[3] = {0, 0, 0};
      at[axis] = i & 1 ? short_side : -short_side;
      at[(axis + 1) % 3] = i < 2 ? long_side : -long_side;
      add_vertex(m, at[0], at[1], at[2]);
    }
  for (uint32_t i = 0; i < 20; ++i)
    add_triangle(m, faces[i][0], faces[i][1], faces[i][2]);
  for (uint32_t i = 0; i < times; ++i) {
    uint32_t count = m->triangle_count, first = m->vertex_count;
    for (uint32_t k = 0; k < count; ++k) {
      uint32_t a = m->triangles[k][0], b = m->triangles[k][1], c = m->triangles[k][2];
      uint32_t ab = find_or_add_midpoint(m, a, b, first), bc = find_or_add_midpoint(m, b, c, first),
               ca = find_or_add_midpoint(m, c, a, first);
      m->triangles[k][0] = ab;
      m->triangles[k][1] = bc;
      m->triangles[k][2] = ca;
      add_triangle(m, a, ab, ca);
      add_triangle(m, b, bc, ab);
      add_triangle(m, c, ca, bc);
    }
  }
}

// Adds a ring of `sides` vertices around the y axis and returns the index of its first vertex.
static uint32_t add_ring(model_t *m, uint32_t sides, float radius, float y) {
  uint32_t first = m->vertex_count;
  for (uint32_t i = 0; i < sides; ++i) {
    float angle = 2.0f * PI * (float)i / (float)sides;
    add_vertex(m, radius * cosf(angle), y, radius * sinf(angle));
  }
  return first;
}

// Connects a ring to a tip above it, or below it if `up` is false.
static void add_fan(model_t *m, uint32_t first, uint32_t sides, float y, bool up) {
  uint32_t tip = add_vertex(m, 0, y, 0);
  for (uint32_t i = 0; i < sides; ++i) {
    uint32_t a = first + i, b = first + (i + 1) % sides;
    add_triangle(m, tip, up ? b : a, up ? a : b);
  }
}

static void build_cone(model_t *m, uint32_t sides) {
  uint32_t first = add_ring(m, sides, 0.5f, -0.5f);
  add_fan(m, first, sides, 0.5f, true);
  add_fan(m, first, sides, -0.5f, false);
}

static void build_cylinder(model_t *m, uint32_t sides) {
  uint32_t low = add_ring(m, sides, 0.5f, -0.5f), high = add_ring(m, sides, 0.5f, 0.5f);
  for (uint32_t i = 0; i < sides; ++i) {
    uint32_t k = (i + 1) % sides;
    add_quad(m, low + i, high + i, high + k, low + k);
  }
  add_fan(m, high, sides, 0.5f, true);
  add_fan(m, low, sides, -0.5f, false);
}

static void build_torus(model_t *m, uint32_t sides, uint32_t around) {
  for (uint32_t i = 0; i < around; ++i)
    for (uint32_t k = 0; k < sides; ++k) {
      float u = 2.0f * PI * (float)i / (float)around, v = 2.0f * PI * (float)k / (float)sides;
      float far = 0.8f + 0.2f * cosf(v);
      add_vertex(m, far * cosf(u), 0.2f * sinf(v), far * sinf(u));
    }
  for (uint32_t i = 0; i < around; ++i)
    for (uint32_t k = 0; k < sides; ++k) {
      uint32_t next_i = (i + 1) % around, next_k = (k + 1) % sides;
      add_quad(m, i * sides + k, i * sides + next_k, next_i * sides + next_k, next_i * sides + k);
    }
}

// Builds a flat disc that is visible from both sides.
static void build_disc(model_t *m, uint32_t sides) {
  uint32_t first = add_ring(m, sides, 0.5f, 0);
  add_fan(m, first, sides, 0, true);
  add_fan(m, first, sides, 0, false);
}

bool model_build_primitive(model_t *m, const char *word) {
  *m = (model_t){0};
  if (strcmp(word, "cube") == 0)
    build_cube(m);
  else if (strcmp(word, "sphere") == 0)
    build_sphere(m, 2);
  else if (strcmp(word, "ball") == 0)
    build_sphere(m, 3);
  else if (strcmp(word, "cylinder") == 0)
    build_cylinder(m, 20);
  else if (strcmp(word, "cone") == 0)
    build_cone(m, 20);
  else if (strcmp(word, "pyramid") == 0)
    build_cone(m, 4);
  else if (strcmp(word, "torus") == 0)
    build_torus(m, 10, 40);
  else if (strcmp(word, "disc") == 0)
    build_disc(m, 32);
  else if (strcmp(word, "plane") == 0)
    build_disc(m, 4);
  return m->triangle_count > 0;
}

// --- OBJ

// Parses the vertex of a face, such as "7", "7/1/3" or "-1", into an index. Returns UINT32_MAX if the text is malformed
// or the vertex does not exist.
static uint32_t parse_vertex_index(const char *word, uint32_t count) {
  char *end;
  long n = strtol(word, &end, 10);
  if (end == word || (*end && *end != '/'))
    return UINT32_MAX;
  long at = n < 0 ? (long)count + n : n - 1;
  return n != 0 && at >= 0 && at < (long)count ? (uint32_t)at : UINT32_MAX;
}

static bool read_vertex_position(model_t *m, char *words) {
  float at[3];
  char *rest = words;
  for (uint32_t i = 0; i < 3; ++i) {
    char *end;
    at[i] = strtof(rest, &end);
    if (end == rest || !isfinite(at[i]))
      return false;
    rest = end;
  }
  add_vertex(m, at[0], at[1], at[2]);
  return true;
}

static bool read_face(model_t *m, char *words) {
  uint32_t first = UINT32_MAX, last = UINT32_MAX, count = 0;
  char *place = NULL;
  for (char *word = strtok_r(words, " \t\r", &place); word; word = strtok_r(NULL, " \t\r", &place)) {
    uint32_t here = parse_vertex_index(word, m->vertex_count);
    if (here == UINT32_MAX)
      return false;
    if (count == 0)
      first = here;
    else if (count > 1)
      add_triangle(m, first, last, here);
    last = here;
    ++count;
  }
  return count >= 3;
}

static bool read_line(model_t *m, char *line) {
  line += strspn(line, " \t");
  if (line[0] == 'v' && (line[1] == ' ' || line[1] == '\t'))
    return read_vertex_position(m, line + 1);
  if (line[0] == 'f' && (line[1] == ' ' || line[1] == '\t'))
    return read_face(m, line + 1);
  return true;
}

static const char *reject_model(model_t *m, const char *words) {
  model_free(m);
  return words;
}

const char *model_read(model_t *m, const char *text, size_t bytes, uint32_t *line) {
  char words[1024];
  *m = (model_t){0};
  *line = 0;
  if (bytes > MODEL_MAX_BYTES)
    return "the OBJ file is too large (at most 64 MB)";
  for (const char *at = text, *end = text + bytes; at < end;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((stop ? stop : end) - at);
    ++*line;
    bool fits = length < sizeof words;
    memcpy(words, at, fits ? length : 0);
    words[fits ? length : 0] = 0;
    if (!fits || memchr(words, 0, fits ? length : 0) || !read_line(m, words))
      return reject_model(m, "expected \"v x y z\" or \"f 1 2 3\" with vertices of earlier lines");
    if (m->vertex_count > MODEL_MAX || m->triangle_count > MODEL_MAX)
      return reject_model(m, "the OBJ file has too many vertices or triangles (at most 200000 each)");
    at += length + 1;
  }
  if (m->triangle_count > 0)
    return NULL;
  *line = 0;
  return reject_model(m, "the OBJ file has no faces: export the model with faces");
}
