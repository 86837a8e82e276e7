// The grass plugin: meadows in the wind. An entity with `grass` has a field of blades around it; an entity with
// `grass_foot` parts the blades. This is an example of a plugin with textures, a shader and an asset type: the `kind`
// of a field is a .grass file, and a file in the game can replace the shader. The plugin only reads the world; the
// blades bend depending on time and on the positions of the feet.
#include "plugins/scratch_array.h"
#include "plugins/enabled_rows.h"
#include "blades.h"
#include "grass_file.h"

#include <shoal/asset.h>
#include <shoal/draw.h>
#include <shoal/plugin.h>

#include <math.h>
#include <string.h>

#define GRASS_FIELDS(F)                                                                                                \
  F(asset, kind, "", .doc = "a .grass file in assets/; if empty, the default meadow")                                  \
  F(f32, width, 400, .unit = "px", .doc = "width of the field around the entity")                                      \
  F(f32, height, 240, .unit = "px")                                                                                    \
  F(f32, density, 1, .doc = "factor on the number of blades")                                                          \
  F(u32, seed, 1)                                                                                                      \
  F(i32, layer, 0)                                                                                                     \
  F(bool, marked, 0, .doc = "shows the edges and blades for debugging")

#define GRASS_FOOT_FIELDS(F)                                                                                           \
  F(f32, radius, 34, .unit = "px", .doc = "radius in which blades are parted")                                         \
  F(f32, force, 1) F(f32, shadow, 0, .unit = "px", .doc = "radius of a soft shadow below the entity; 0: no shadow")

#define GRASS_WIND_FIELDS(F)                                                                                           \
  F(f32, force, 1, .doc = "factor on the wind strength of all kinds")                                                  \
  F(f32, angle, 0.3f, .unit = "rad", .doc = "direction of the wind")

SHOAL_COMPONENT(grass, GRASS_FIELDS)
SHOAL_COMPONENT(grass_foot, GRASS_FOOT_FIELDS)
SHOAL_SINGLE(grass_wind, GRASS_WIND_FIELDS)
SHOAL_COMPONENT(transform, SHOAL_TRANSFORM_FIELDS)

#define TRACKS 96u // width and height, in texels, of the texture that stores a field's tracks
#define SHADOW 32u

// A loaded .grass file, with its colours on the GPU.
typedef struct meadow_t {
  grass_kind_t kind;
  shoal_texture palette;
} meadow_t;

// The drawn field of an entity. Its parameters are compared in each frame; if they have changed, the field is rebuilt.
typedef struct field_t {
  shoal_entity entity;
  uint32_t used; // number of the most recent frame in which the field was drawn
  float x, y, width, height, density;
  uint32_t seed;
  grass_kind_t kind;
  blades_t blades;
  shoal_texture tracks; // direction in which blades are pushed: x in red, y in green; 128 means no push
  uint8_t *texels;
} field_t;

typedef struct grass_state_t {
  meadow_t own; // meadow of fields without a `kind`
  shoal_shader shader;
  shoal_texture shadow;
  field_t *fields;
  uint32_t field_count, field_capacity, frame;
  enabled_rows_t shown_fields, shown_feet;
} grass_state_t;

// --- the shader

static const char VERTEX[] =
    "out float light;\n"
    "void main() {\n"
    "  float up = uv.y;\n"
    "  vec2 track = textureLod(other, (at - field.xy) / field.zw, 0.0).rg * 2.0 - 1.00392;\n"
    "  float way = dot(at, wind.xy);\n"
    "  float across = dot(at, vec2(-wind.y, wind.x));\n"
    "  float gust = sin(way / wind.z * 6.2832 - time * wind.w * 2.2 + sin(across / wind.z * 3.1) * 1.3);\n"
    "  gust = gust * 0.6 + 0.4 * sin(way / wind.z * 14.3 - time * wind.w * 3.7 + across / wind.z * 5.3);\n"
    "  float tremble = sin(time * (5.0 + colour.a * 4.0) + colour.a * 40.0) * 0.06;\n"
    "  vec2 lean = wind.xy * force * (0.45 + 0.55 * gust + tremble) + vec2(colour.b * 0.22, 0.0);\n"
    "  float stepped = min(length(track) * 1.2, 1.0);\n"
    "  lean = lean * (1.0 - stepped) + track * 1.7;\n"
    "  float far = length(lean);\n"
    "  float high = colour.g * (1.0 - 0.16 * min(far * far, 2.6)) * (1.0 - 0.25 * stepped);\n"
    "  vec2 bow = vec2(lean.x, lean.y * 0.45) * colour.g * up * up * 0.8;\n"
    "  v_at = at;\n"
    "  v_uv = vec2(uv.x, 1.0 - up);\n"
    "  v_colour = colour;\n"
    "  light = 0.86 + shine * up * (0.30 + 0.70 * gust) - 0.28 * stepped;\n"
    "  gl_Position = place(at + vec2(colour.r, 0.0) + bow - vec2(0.0, high * up));\n"
    "}\n";
static const char FRAGMENT[] = "in float light;\n"
                               "void main() {\n"
                               "  result = vec4(texture(image, v_uv).rgb * light, 1.0);\n"
                               "}\n";
static const shoal_uniform UNIFORMS[] = {{"field", 4}, {"wind", 4}, {"force", 1}, {"shine", 1}, {NULL, 0}};

// --- meadows

static bool create_palette(shoal_context *c, meadow_t *m, const char *name) {
  uint8_t texels[2 * GRASS_MAX_COLOURS * BLADES_PALETTE_ROWS * 4];
  blades_write_palette(&m->kind, texels);
  m->palette = shoal_texture_create(
      c, &(shoal_texture_desc){
             .name = name, .width = blades_palette_columns(&m->kind), .height = BLADES_PALETTE_ROWS, .rgba = texels});
  return m->palette != 0;
}

static void *load_meadow(shoal_context *c, const char *name, const void *bytes, size_t size) {
  char words[160];
  uint32_t line = 0;
  grass_kind_t kind;
  if (!grass_read(&kind, bytes, size, &line, words, sizeof words)) {
    shoal_asset_error(c, line, "%s", words);
    return NULL;
  }
  meadow_t *m = shoal_realloc(c, NULL, 0, sizeof *m);
  *m = (meadow_t){.kind = kind};
  if (create_palette(c, m, name))
    return m;
  return shoal_realloc(c, m, sizeof *m, 0);
}

static void unload_meadow(shoal_context *c, void *data) {
  meadow_t *m = data;
  shoal_texture_destroy(c, m->palette);
  shoal_realloc(c, m, sizeof *m, 0);
}

static const meadow_t *find_meadow(shoal_context *c, const grass_state_t *s, uint32_t text) {
  const char *name = shoal_string(shoal_get_world(c), text);
  return name[0] ? shoal_get_asset(c, name, NULL) : &s->own;
}

// --- fields

static field_t *find_or_add_field(shoal_context *c, grass_state_t *s, shoal_entity e) {
  for (uint32_t i = 0; i < s->field_count; ++i)
    if (s->fields[i].entity == e)
      return &s->fields[i];
  GROW(s->fields, s->field_capacity, s->field_count + 1);
  field_t *f = &s->fields[s->field_count++];
  *f = (field_t){.entity = e, .texels = shoal_realloc(c, NULL, 0, TRACKS * TRACKS * 4)};
  f->tracks = shoal_texture_create(c, &(shoal_texture_desc){.name = "tracks", .width = TRACKS, .height = TRACKS});
  return f;
}

static void drop_field(shoal_context *c, grass_state_t *s, uint32_t number) {
  field_t *f = &s->fields[number];
  blades_free(&f->blades);
  shoal_texture_destroy(c, f->tracks);
  shoal_realloc(c, f->texels, TRACKS * TRACKS * 4, 0);
  *f = s->fields[--s->field_count];
}

static bool is_unchanged(const field_t *f, const blades_desc_t *d) {
  return f->x == d->x && f->y == d->y && f->width == d->width && f->height == d->height && f->density == d->density &&
         f->seed == d->seed && memcmp(&f->kind, d->kind, sizeof f->kind) == 0;
}

static void update_field(field_t *f, const blades_desc_t *d) {
  if (is_unchanged(f, d))
    return;
  blades_build(&f->blades, d);
  f->x = d->x, f->y = d->y, f->width = d->width, f->height = d->height;
  f->density = d->density;
  f->seed = d->seed;
  memcpy(&f->kind, d->kind, sizeof f->kind); // use memcpy to copy the padding too, because memcmp compares it
}

// --- tracks

typedef struct foot_t {
  float x, y, radius, force;
} foot_t;

static uint8_t blend_push(uint8_t before, float by) {
  float value = (float)before + by * 127.0f;
  return (uint8_t)(value < 1.0f ? 1.0f : value > 255.0f ? 255.0f : value);
}

// Pushes blades away from a foot. The push decreases with the distance.
static void push_blades(field_t *f, const foot_t *foot) {
  float step_x = f->width / TRACKS, step_y = f->height / TRACKS;
  float left = floorf((foot->x - foot->radius - f->x) / step_x),
        right = ceilf((foot->x + foot->radius - f->x) / step_x);
  float top = floorf((foot->y - foot->radius - f->y) / step_y),
        bottom = ceilf((foot->y + foot->radius - f->y) / step_y);
  for (int32_t j = (int32_t)fmaxf(top, 0); j < (int32_t)fminf(bottom, TRACKS); ++j)
    for (int32_t i = (int32_t)fmaxf(left, 0); i < (int32_t)fminf(right, TRACKS); ++i) {
      float dx = f->x + ((float)i + 0.5f) * step_x - foot->x, dy = f->y + ((float)j + 0.5f) * step_y - foot->y;
      // The field is viewed from the side, so vertical distances are weighted more.
      float far = sqrtf(dx * dx + dy * dy * 1.7f), near = 1.0f - far / foot->radius;
      uint8_t *to = f->texels + ((uint32_t)j * TRACKS + (uint32_t)i) * 4;
      if (near <= 0.0f || far < 1e-3f)
        continue;
      to[0] = blend_push(to[0], dx / far * near * foot->force);
      to[1] = blend_push(to[1], dy / far * near * foot->force);
    }
}

static void render_tracks(shoal_context *c, grass_state_t *s, field_t *f) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows feet = shoal_get_rows(w, &grass_foot_component);
  const grass_foot_columns *foot = SHOAL_ROWS_COLUMNS(feet, grass_foot);
  const transform_columns *t = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  for (uint32_t i = 0; i < TRACKS * TRACKS; ++i)
    memcpy(f->texels + (size_t)i * 4, (const uint8_t[4]){128, 128, 0, 255}, 4);
  for (uint32_t i = 0; i < feet.count; ++i) {
    uint32_t row = shoal_find_row(w, &transform_component, feet.entities[i]);
    if (row == SHOAL_NO_ROW || enabled_rows_index(&s->shown_feet, i) == SHOAL_NO_ROW || !(foot->radius[i] > 0.0f))
      continue;
    push_blades(f, &(foot_t){t->world[row][12], t->world[row][13], fminf(foot->radius[i], 1000.0f), foot->force[i]});
  }
  shoal_texture_update(c, f->tracks, 0, 0, TRACKS, TRACKS, f->texels);
}

// --- drawing

static void set_wind(shoal_context *c, const grass_state_t *s, const field_t *f) {
  const grass_wind_columns *w =
      SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &grass_wind_component), grass_wind);
  const float field[4] = {f->x, f->y, f->width, f->height}, force = f->kind.wind[0] * w->force[0];
  const float wind[4] = {cosf(w->angle[0]), sinf(w->angle[0]), f->kind.wind[1], f->kind.wind[2]};
  shoal_set_uniform(c, s->shader, "field", field, 4);
  shoal_set_uniform(c, s->shader, "wind", wind, 4);
  shoal_set_uniform(c, s->shader, "force", &force, 1);
  shoal_set_uniform(c, s->shader, "shine", &f->kind.shine, 1);
}

// Draws a field row by row from back to front, so that entities can stand between the rows.
static void draw_field(shoal_context *c, const grass_state_t *s, const field_t *f, const meadow_t *m) {
  const shoal_draw_state look = {.texture = m->palette, .texture2 = f->tracks, .shader = s->shader};
  for (uint32_t row = 0; row < f->blades.row_count; ++row) {
    uint32_t first = f->blades.rows[row], end = f->blades.rows[row + 1];
    shoal_set_draw_depth(c, f->y + ((float)row + 0.6f) * f->height / (float)f->blades.row_count);
    shoal_draw_triangles(c, &look, f->blades.vertices + (size_t)first * BLADES_VERTICES,
                         (end - first) * BLADES_VERTICES);
  }
}

static void draw_debug_field(shoal_context *c, const field_t *f, const char *name) {
  char words[160];
  snprintf(words, sizeof words, "%s: %u blades", name[0] ? name : "grass", f->blades.count);
  shoal_set_draw_depth(c, f->y + f->height + 1000.0f);
  shoal_set_draw_color(c, 1, 1, 1, 0.8f);
  shoal_draw_rect(c, f->x, f->y, f->width, f->height, 0, 2);
  shoal_draw_circle(c, f->x, f->y, 4, 0);
  shoal_draw_text_desc(
      c, &(shoal_text_desc){.string = words, .x = f->x + f->width, .y = f->y, .size = 16, .align = 2, .valign = 2});
}

static void draw_shadows(shoal_context *c, const grass_state_t *s) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows feet = shoal_get_rows(w, &grass_foot_component);
  const grass_foot_columns *foot = SHOAL_ROWS_COLUMNS(feet, grass_foot);
  const transform_columns *t = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  for (uint32_t i = 0; i < feet.count; ++i) {
    uint32_t row = shoal_find_row(w, &transform_component, feet.entities[i]);
    if (row == SHOAL_NO_ROW || enabled_rows_index(&s->shown_feet, i) == SHOAL_NO_ROW || !(foot->shadow[i] > 0.0f))
      continue;
    float x = t->world[row][12], y = t->world[row][13], rx = foot->shadow[i], ry = rx * 0.45f;
    const shoal_vertex a = {x - rx, y - ry, 0, 0, 0, 0, 0, 0.5f}, b = {x + rx, y - ry, 1, 0, 0, 0, 0, 0.5f};
    const shoal_vertex d = {x - rx, y + ry, 0, 1, 0, 0, 0, 0.5f}, e = {x + rx, y + ry, 1, 1, 0, 0, 0, 0.5f};
    const shoal_vertex six[6] = {a, b, d, d, b, e};
    shoal_set_draw_depth(c, y - 1.0f);
    shoal_draw_triangles(c, &(shoal_draw_state){.texture = s->shadow}, six, 6);
  }
}

static void draw_row(shoal_context *c, grass_state_t *s, uint32_t i, const float place[16]) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows table = shoal_get_rows(w, &grass_component);
  const grass_columns *g = SHOAL_ROWS_COLUMNS(table, grass);
  const meadow_t *m = find_meadow(c, s, g->kind[i]);
  float width = fminf(g->width[i], 16384.0f), height = fminf(g->height[i], 16384.0f);
  float density = g->density[i] > 0.0f ? fminf(g->density[i], 16.0f) : 0.0f;
  if (!m || !(width >= 1.0f) || !(height >= 1.0f) || !isfinite(place[12]) || !isfinite(place[13]))
    return;
  field_t *f = find_or_add_field(c, s, table.entities[i]);
  f->used = s->frame;
  update_field(f, &(blades_desc_t){&m->kind, place[12] - width * 0.5f, place[13] - height * 0.5f, width, height,
                                   density, g->seed[i]});
  render_tracks(c, s, f);
  set_wind(c, s, f);
  shoal_set_draw_layer(c, g->layer[i]);
  draw_field(c, s, f, m);
  if (g->marked[i])
    draw_debug_field(c, f, shoal_string(w, g->kind[i]));
}

static void draw(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  (void)v, (void)dt_s;
  grass_state_t *s = shoal_plugin_state(c);
  shoal_rows fields = shoal_get_rows(w, &grass_component);
  ++s->frame;
  enabled_rows_read(&s->shown_fields, c, &grass_component);
  enabled_rows_read(&s->shown_feet, c, &grass_foot_component);
  draw_shadows(c, s);
  for (uint32_t i = 0; i < fields.count; ++i) {
    uint32_t row = shoal_find_row(w, &transform_component, fields.entities[i]);
    const transform_columns *t = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
    if (row != SHOAL_NO_ROW && enabled_rows_index(&s->shown_fields, i) != SHOAL_NO_ROW)
      draw_row(c, s, i, t->world[row]);
  }
  for (uint32_t i = s->field_count; i > 0; --i)
    if (s->fields[i - 1].used != s->frame)
      drop_field(c, s, i - 1);
}

// --- the plugin

static shoal_texture create_shadow_texture(shoal_context *c) {
  uint8_t texels[SHADOW * SHADOW * 4] = {0};
  for (uint32_t i = 0; i < SHADOW * SHADOW; ++i) {
    float x = ((float)(i % SHADOW) + 0.5f) / (SHADOW * 0.5f) - 1.0f,
          y = ((float)(i / SHADOW) + 0.5f) / (SHADOW * 0.5f) - 1.0f;
    float near = fmaxf(1.0f - sqrtf(x * x + y * y), 0.0f);
    memset(texels + (size_t)i * 4, 255, 3);
    texels[(size_t)i * 4 + 3] = (uint8_t)(255.0f * near * near * (3.0f - 2.0f * near));
  }
  return shoal_texture_create(
      c, &(shoal_texture_desc){.name = "shadow", .width = SHADOW, .height = SHADOW, .rgba = texels});
}

static void *open(shoal_context *c) {
  grass_state_t *s = shoal_realloc(c, NULL, 0, sizeof *s);
  memset(s, 0, sizeof *s);
  grass_set_defaults(&s->own.kind);
  s->shader = shoal_shader_create(c, &(shoal_shader_desc){.name = "grass",
                                                          .vertex = VERTEX,
                                                          .fragment = FRAGMENT,
                                                          .vertex_file = "shaders/grass.vert",
                                                          .fragment_file = "shaders/grass.frag",
                                                          .uniforms = UNIFORMS});
  s->shadow = create_shadow_texture(c);
  create_palette(c, &s->own, "meadow");
  return s;
}

static void close(shoal_context *c, void *state) {
  grass_state_t *s = state;
  while (s->field_count > 0)
    drop_field(c, s, s->field_count - 1);
  free(s->fields);
  enabled_rows_free(&s->shown_fields);
  enabled_rows_free(&s->shown_feet);
  shoal_realloc(c, s, sizeof *s, 0);
}

SHOAL_PLUGIN(.name = "grass", .version = 1, .doc = "meadows in the wind that part where entities walk",
             .components = SHOAL_COMPONENTS(grass, grass_foot, grass_wind), .uses = SHOAL_COMPONENTS(transform),
             .systems = SHOAL_SYSTEMS({.name = "draw", .phase = SHOAL_PHASE_RENDER, .run = draw}), .open = open,
             .close = close,
             .assets = SHOAL_ASSETS({.extension = ".grass", .load = load_meadow, .unload = unload_meadow}))
