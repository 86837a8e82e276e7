// The grass plugin: meadows in the wind. An entity with `grass` has a field of blades around it. An entity with
// `grass_foot` parts the blades. This is an example of a plugin with textures, a shader and an asset type: the `kind`
// of a field is a .grass file, and a file in the game can replace the shader. The plugin only reads the world. How the
// blades bend depends on the time and on the positions of the feet.
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

#define TRACK_TEXELS 96u // width and height, in texels, of the texture that stores a field's tracks
#define SHADOW_TEXELS 32u

// A loaded .grass file, with its colours on the GPU.
typedef struct meadow_t {
  grass_kind_t kind;
  shoal_texture palette;
} meadow_t;

// The generated field of an entity. Each frame compares its parameters with the current values, and rebuilds the field
// if they differ.
typedef struct field_t {
  shoal_entity entity;
  uint32_t last_used_frame; // number of the most recent frame in which the field was drawn
  float x, y, width, height, density;
  uint32_t seed;
  grass_kind_t kind;
  blades_t blades;
  shoal_texture tracks; // direction in which blades are pushed: x in red, y in green; 128 means no push
  uint8_t *texels;
} field_t;

typedef struct grass_state_t {
  meadow_t default_meadow; // meadow of fields without a `kind`
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

static bool create_palette(shoal_context *c, meadow_t *meadow, const char *name) {
  uint8_t texels[2 * GRASS_MAX_COLOURS * BLADES_PALETTE_ROWS * 4];
  blades_write_palette(&meadow->kind, texels);
  meadow->palette = shoal_texture_create(c, &(shoal_texture_desc){.name = name,
                                                                  .width = blades_palette_columns(&meadow->kind),
                                                                  .height = BLADES_PALETTE_ROWS,
                                                                  .rgba = texels});
  return meadow->palette != 0;
}

static void *load_meadow(shoal_context *c, const char *name, const void *bytes, size_t size) {
  char message[160];
  uint32_t line = 0;
  grass_kind_t kind;
  if (!grass_read(&kind, bytes, size, &line, message, sizeof message)) {
    shoal_report_asset_error(c, line, "%s", message);
    return NULL;
  }
  meadow_t *meadow = shoal_realloc(c, NULL, 0, sizeof *meadow);
  *meadow = (meadow_t){.kind = kind};
  if (create_palette(c, meadow, name))
    return meadow;
  return shoal_realloc(c, meadow, sizeof *meadow, 0);
}

static void unload_meadow(shoal_context *c, void *data) {
  meadow_t *meadow = data;
  shoal_texture_destroy(c, meadow->palette);
  shoal_realloc(c, meadow, sizeof *meadow, 0);
}

static const meadow_t *find_meadow(shoal_context *c, const grass_state_t *state, uint32_t name_id) {
  const char *name = shoal_string(shoal_get_world(c), name_id);
  return name[0] ? shoal_get_asset(c, name, NULL) : &state->default_meadow;
}

// --- fields

static field_t *find_or_add_field(shoal_context *c, grass_state_t *state, shoal_entity e) {
  for (uint32_t i = 0; i < state->field_count; ++i)
    if (state->fields[i].entity == e)
      return &state->fields[i];
  GROW(state->fields, state->field_capacity, state->field_count + 1);
  field_t *field = &state->fields[state->field_count++];
  *field = (field_t){.entity = e, .texels = shoal_realloc(c, NULL, 0, TRACK_TEXELS * TRACK_TEXELS * 4)};
  field->tracks =
      shoal_texture_create(c, &(shoal_texture_desc){.name = "tracks", .width = TRACK_TEXELS, .height = TRACK_TEXELS});
  return field;
}

static void drop_field(shoal_context *c, grass_state_t *state, uint32_t index) {
  field_t *field = &state->fields[index];
  blades_free(&field->blades);
  shoal_texture_destroy(c, field->tracks);
  shoal_realloc(c, field->texels, TRACK_TEXELS * TRACK_TEXELS * 4, 0);
  *field = state->fields[--state->field_count];
}

static bool is_unchanged(const field_t *field, const blades_desc_t *desc) {
  return field->x == desc->x && field->y == desc->y && field->width == desc->width && field->height == desc->height &&
         field->density == desc->density && field->seed == desc->seed &&
         memcmp(&field->kind, desc->kind, sizeof field->kind) == 0;
}

static void update_field(field_t *field, const blades_desc_t *desc) {
  if (is_unchanged(field, desc))
    return;
  blades_build(&field->blades, desc);
  field->x = desc->x, field->y = desc->y, field->width = desc->width, field->height = desc->height;
  field->density = desc->density;
  field->seed = desc->seed;
  // Uses memcpy to copy the padding, too, because memcmp compares it.
  memcpy(&field->kind, desc->kind, sizeof field->kind);
}

// --- tracks

typedef struct foot_t {
  float x, y, radius, force;
} foot_t;

static uint8_t blend_push(uint8_t old_value, float push) {
  float value = (float)old_value + push * 127.0f;
  return (uint8_t)(value < 1.0f ? 1.0f : value > 255.0f ? 255.0f : value);
}

// Pushes blades away from a foot. The push decreases with the distance.
static void push_blades(field_t *field, const foot_t *foot) {
  float step_x = field->width / TRACK_TEXELS, step_y = field->height / TRACK_TEXELS;
  float left = floorf((foot->x - foot->radius - field->x) / step_x),
        right = ceilf((foot->x + foot->radius - field->x) / step_x);
  float top = floorf((foot->y - foot->radius - field->y) / step_y),
        bottom = ceilf((foot->y + foot->radius - field->y) / step_y);
  for (int32_t y = (int32_t)fmaxf(top, 0); y < (int32_t)fminf(bottom, TRACK_TEXELS); ++y)
    for (int32_t x = (int32_t)fmaxf(left, 0); x < (int32_t)fminf(right, TRACK_TEXELS); ++x) {
      float dx = field->x + ((float)x + 0.5f) * step_x - foot->x, dy = field->y + ((float)y + 0.5f) * step_y - foot->y;
      // The field is viewed from the side, so vertical distances are weighted more.
      float distance = sqrtf(dx * dx + dy * dy * 1.7f), strength = 1.0f - distance / foot->radius;
      uint8_t *texel = field->texels + ((uint32_t)y * TRACK_TEXELS + (uint32_t)x) * 4;
      if (strength <= 0.0f || distance < 1e-3f)
        continue;
      texel[0] = blend_push(texel[0], dx / distance * strength * foot->force);
      texel[1] = blend_push(texel[1], dy / distance * strength * foot->force);
    }
}

static void render_tracks(shoal_context *c, grass_state_t *state, field_t *field) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows feet = shoal_get_rows(w, &grass_foot_component);
  const grass_foot_columns *foot = SHOAL_ROWS_COLUMNS(feet, grass_foot);
  const transform_columns *transforms = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  for (uint32_t i = 0; i < TRACK_TEXELS * TRACK_TEXELS; ++i)
    memcpy(field->texels + (size_t)i * 4, (const uint8_t[4]){128, 128, 0, 255}, 4);
  for (uint32_t i = 0; i < feet.count; ++i) {
    uint32_t row = shoal_find_row(w, &transform_component, feet.entities[i]);
    if (row == SHOAL_NO_ROW || enabled_rows_index(&state->shown_feet, i) == SHOAL_NO_ROW || !(foot->radius[i] > 0.0f))
      continue;
    push_blades(field, &(foot_t){transforms->world[row][12], transforms->world[row][13],
                                 fminf(foot->radius[i], 1000.0f), foot->force[i]});
  }
  shoal_texture_update(c, field->tracks, 0, 0, TRACK_TEXELS, TRACK_TEXELS, field->texels);
}

// --- drawing

static void set_wind(shoal_context *c, const grass_state_t *state, const field_t *field) {
  const grass_wind_columns *wind_columns =
      SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &grass_wind_component), grass_wind);
  const float bounds[4] = {field->x, field->y, field->width, field->height},
              force = field->kind.wind[0] * wind_columns->force[0];
  const float wind[4] = {cosf(wind_columns->angle[0]), sinf(wind_columns->angle[0]), field->kind.wind[1],
                         field->kind.wind[2]};
  shoal_set_uniform(c, state->shader, "field", bounds, 4);
  shoal_set_uniform(c, state->shader, "wind", wind, 4);
  shoal_set_uniform(c, state->shader, "force", &force, 1);
  shoal_set_uniform(c, state->shader, "shine", &field->kind.shine, 1);
}

// Draws a field row by row from back to front, so that entities can stand between the rows.
static void draw_field(shoal_context *c, const grass_state_t *state, const field_t *field, const meadow_t *meadow) {
  const shoal_draw_state draw_state = {.texture = meadow->palette, .texture2 = field->tracks, .shader = state->shader};
  for (uint32_t row = 0; row < field->blades.row_count; ++row) {
    uint32_t first = field->blades.rows[row], end = field->blades.rows[row + 1];
    shoal_set_draw_depth(c, field->y + ((float)row + 0.6f) * field->height / (float)field->blades.row_count);
    shoal_draw_triangles(c, &draw_state, field->blades.vertices + (size_t)first * BLADES_VERTICES,
                         (end - first) * BLADES_VERTICES);
  }
}

static void draw_debug_field(shoal_context *c, const field_t *field, const char *name) {
  char label[160];
  snprintf(label, sizeof label, "%s: %u blades", name[0] ? name : "grass", field->blades.count);
  shoal_set_draw_depth(c, field->y + field->height + 1000.0f);
  shoal_set_draw_color(c, 1, 1, 1, 0.8f);
  shoal_draw_rect(c, field->x, field->y, field->width, field->height, 0, 2);
  shoal_draw_circle(c, field->x, field->y, 4, 0);
  shoal_draw_text_desc(
      c, &(shoal_text_desc){
             .string = label, .x = field->x + field->width, .y = field->y, .size = 16, .align = 2, .valign = 2});
}

static void draw_shadows(shoal_context *c, const grass_state_t *state) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows feet = shoal_get_rows(w, &grass_foot_component);
  const grass_foot_columns *foot = SHOAL_ROWS_COLUMNS(feet, grass_foot);
  const transform_columns *transforms = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
  for (uint32_t i = 0; i < feet.count; ++i) {
    uint32_t row = shoal_find_row(w, &transform_component, feet.entities[i]);
    if (row == SHOAL_NO_ROW || enabled_rows_index(&state->shown_feet, i) == SHOAL_NO_ROW || !(foot->shadow[i] > 0.0f))
      continue;
    float x = transforms->world[row][12], y = transforms->world[row][13], rx = foot->shadow[i], ry = rx * 0.45f;
    const shoal_vertex top_left = {x - rx, y - ry, 0, 0, 0, 0, 0, 0.5f},
                       top_right = {x + rx, y - ry, 1, 0, 0, 0, 0, 0.5f};
    const shoal_vertex bottom_left = {x - rx, y + ry, 0, 1, 0, 0, 0, 0.5f},
                       bottom_right = {x + rx, y + ry, 1, 1, 0, 0, 0, 0.5f};
    const shoal_vertex triangles[6] = {top_left, top_right, bottom_left, bottom_left, top_right, bottom_right};
    shoal_set_draw_depth(c, y - 1.0f);
    shoal_draw_triangles(c, &(shoal_draw_state){.texture = state->shadow}, triangles, 6);
  }
}

static void draw_row(shoal_context *c, grass_state_t *state, uint32_t i, const float matrix[16]) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows rows = shoal_get_rows(w, &grass_component);
  const grass_columns *columns = SHOAL_ROWS_COLUMNS(rows, grass);
  const meadow_t *meadow = find_meadow(c, state, columns->kind[i]);
  float width = fminf(columns->width[i], 16384.0f), height = fminf(columns->height[i], 16384.0f);
  float density = columns->density[i] > 0.0f ? fminf(columns->density[i], 16.0f) : 0.0f;
  if (!meadow || !(width >= 1.0f) || !(height >= 1.0f) || !isfinite(matrix[12]) || !isfinite(matrix[13]))
    return;
  field_t *drawn_field = find_or_add_field(c, state, rows.entities[i]);
  drawn_field->last_used_frame = state->frame;
  update_field(drawn_field, &(blades_desc_t){&meadow->kind, matrix[12] - width * 0.5f, matrix[13] - height * 0.5f,
                                             width, height, density, columns->seed[i]});
  render_tracks(c, state, drawn_field);
  set_wind(c, state, drawn_field);
  shoal_set_draw_layer(c, columns->layer[i]);
  draw_field(c, state, drawn_field, meadow);
  if (columns->marked[i])
    draw_debug_field(c, drawn_field, shoal_string(w, columns->kind[i]));
}

static void draw(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  (void)v, (void)dt_s;
  grass_state_t *state = shoal_plugin_state(c);
  shoal_rows fields = shoal_get_rows(w, &grass_component);
  ++state->frame;
  enabled_rows_read(&state->shown_fields, c, &grass_component);
  enabled_rows_read(&state->shown_feet, c, &grass_foot_component);
  draw_shadows(c, state);
  for (uint32_t i = 0; i < fields.count; ++i) {
    uint32_t row = shoal_find_row(w, &transform_component, fields.entities[i]);
    const transform_columns *transforms = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &transform_component), transform);
    if (row != SHOAL_NO_ROW && enabled_rows_index(&state->shown_fields, i) != SHOAL_NO_ROW)
      draw_row(c, state, i, transforms->world[row]);
  }
  for (uint32_t i = state->field_count; i > 0; --i)
    if (state->fields[i - 1].last_used_frame != state->frame)
      drop_field(c, state, i - 1);
}

// --- the plugin

static shoal_texture create_shadow_texture(shoal_context *c) {
  uint8_t texels[SHADOW_TEXELS * SHADOW_TEXELS * 4] = {0};
  for (uint32_t i = 0; i < SHADOW_TEXELS * SHADOW_TEXELS; ++i) {
    float x = ((float)(i % SHADOW_TEXELS) + 0.5f) / (SHADOW_TEXELS * 0.5f) - 1.0f,
          y = ((float)(i / SHADOW_TEXELS) + 0.5f) / (SHADOW_TEXELS * 0.5f) - 1.0f;
    float brightness = fmaxf(1.0f - sqrtf(x * x + y * y), 0.0f);
    memset(texels + (size_t)i * 4, 255, 3);
    texels[(size_t)i * 4 + 3] = (uint8_t)(255.0f * brightness * brightness * (3.0f - 2.0f * brightness));
  }
  return shoal_texture_create(
      c, &(shoal_texture_desc){.name = "shadow", .width = SHADOW_TEXELS, .height = SHADOW_TEXELS, .rgba = texels});
}

static void *open(shoal_context *c) {
  grass_state_t *state = shoal_realloc(c, NULL, 0, sizeof *state);
  memset(state, 0, sizeof *state);
  grass_set_defaults(&state->default_meadow.kind);
  state->shader = shoal_shader_create(c, &(shoal_shader_desc){.name = "grass",
                                                              .vertex = VERTEX,
                                                              .fragment = FRAGMENT,
                                                              .vertex_file = "shaders/grass.vert",
                                                              .fragment_file = "shaders/grass.frag",
                                                              .uniforms = UNIFORMS});
  state->shadow = create_shadow_texture(c);
  create_palette(c, &state->default_meadow, "meadow");
  return state;
}

static void close(shoal_context *c, void *data) {
  grass_state_t *state = data;
  while (state->field_count > 0)
    drop_field(c, state, state->field_count - 1);
  free(state->fields);
  enabled_rows_free(&state->shown_fields);
  enabled_rows_free(&state->shown_feet);
  shoal_realloc(c, state, sizeof *state, 0);
}

SHOAL_PLUGIN(.name = "grass", .version = 1, .doc = "meadows in the wind that part where entities walk",
             .components = SHOAL_COMPONENTS(grass, grass_foot, grass_wind), .uses = SHOAL_COMPONENTS(transform),
             .systems = SHOAL_SYSTEMS({.name = "draw", .phase = SHOAL_PHASE_RENDER, .run = draw}), .open = open,
             .close = close,
             .assets = SHOAL_ASSETS({.extension = ".grass", .load = load_meadow, .unload = unload_meadow}))
