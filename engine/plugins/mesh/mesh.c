// The mesh plugin: solids in 3D. An entity has a pose and, for each of its parts, a named mesh. An entity with a lens
// is a camera, and a single sun lights the scene. Solids are drawn in the render phase on top of lower layers. The
// plugin only reads the world.
#include "plugins/scratch_array.h"
#include "plugins/enabled_rows.h"
#include "model.h"
#include "scene.h"

#include <shoal/asset.h>
#include <shoal/draw.h>

#include <cglm/cglm.h>
#include <string.h>

#define POSE_FIELDS(F)                                                                                                 \
  F(vec3, position, 0, 0, 0, .doc = "right-handed, y up")                                                              \
  F(quat, rotation, 0, 0, 0, 1)                                                                                        \
  F(f32, scale, 1)

#define MESH_FIELDS(F)                                                                                                 \
  F(asset, model, "cube",                                                                                              \
    .doc = "cube, sphere, ball, cylinder, cone, pyramid, torus, disc, plane, or an .obj file below assets/")           \
  F(vec3, offset, 0, 0, 0, .doc = "offset of the part in the entity's pose")                                           \
  F(quat, rotation, 0, 0, 0, 1)                                                                                        \
  F(vec3, size, 1, 1, 1)                                                                                               \
  F(vec4, colour, 1, 1, 1, 1)                                                                                          \
  F(f32, glow, 0, .doc = "self-illumination: 0 is lit by the sun, 1 glows")                                            \
  F(bool, visible, 1)

#define LENS_FIELDS(F)                                                                                                 \
  F(bool, enabled, 1, .renamed_from = "active",                                                                        \
    .doc = "an enabled lens draws into its viewport; of the enabled lenses without one, only the first draws, on the " \
           "whole screen")                                                                                             \
  F(vec3, eye, 0, 2, 8)                                                                                                \
  F(vec3, target, 0, 0, 0)                                                                                             \
  F(f32, fov, 0.9f, .unit = "rad", .doc = "vertical field of view")                                                    \
  F(f32, near, 0.1f)                                                                                                   \
  F(f32, far, 500)                                                                                                     \
  F(i32, layer, 0, .doc = "layer in which the solids are drawn")

#define SUN_FIELDS(F)                                                                                                  \
  F(vec3, direction, -1, -1.5f, -1)                                                                                    \
  F(f32, ambient, 0.25f)                                                                                               \
  F(vec3, fog, 0, 0, 0)                                                                                                \
  F(f32, fog_from, 0)                                                                                                  \
  F(f32, fog_to, 0, .doc = "distance at which fog is complete; no fog unless > fog_from")

SHOAL_COMPONENT(pose, POSE_FIELDS)
SHOAL_MANY(mesh, MESH_FIELDS)
SHOAL_COMPONENT(lens, LENS_FIELDS)
SHOAL_SINGLE(sun, SUN_FIELDS)

#define MODEL_EXTENSION ".obj"
#define MAX_NAME_BYTES 128u // limit of shoal_get_asset, including the terminator

typedef struct named_model_t {
  char *name;
  model_t model; // built-in model; empty if the name is unknown (already reported)
} named_model_t;

typedef struct mesh_state_t {
  named_model_t *models;
  uint32_t model_count, model_capacity;
  uint32_t *rows; // rows of the entities in `pose`, indexed by row of `mesh`
  uint32_t row_capacity;
  enabled_rows_t shown_meshes, shown_lenses;
  scene_t scene;
} mesh_state_t;

// --- models

static void *load_model(shoal_context *c, const char *name, const void *bytes, size_t size) {
  model_t *model = shoal_realloc(c, NULL, 0, sizeof *model);
  uint32_t line = 0;
  (void)name;
  const char *problem = model_read(model, bytes, size, &line);
  if (!problem)
    return model;
  shoal_report_asset_error(c, line, "%s", problem);
  shoal_realloc(c, model, sizeof *model, 0);
  return NULL;
}

static void unload_model(shoal_context *c, void *data) {
  model_free(data);
  shoal_realloc(c, data, sizeof(model_t), 0);
}

// Logs an error for a model name that is neither built-in nor an .obj file, or whose file is missing.
static void report_unknown_model(shoal_context *c, const char *name) {
  size_t size = 0;
  char *file = shoal_read_asset(c, name, &size); // logs a missing file
  if (!file)
    return;
  shoal_log(c, SHOAL_LOG_ERROR, "assets/%s: a model must be an .obj file", name);
  shoal_realloc(c, file, size + 1, 0);
}

static const model_t *find_or_build_model(shoal_context *c, mesh_state_t *state, const char *name) {
  for (uint32_t i = 0; i < state->model_count; ++i)
    if (strcmp(state->models[i].name, name) == 0)
      return &state->models[i].model;
  GROW(state->models, state->model_capacity, state->model_count + 1);
  named_model_t *entry = &state->models[state->model_count++];
  size_t bytes = strlen(name) + 1;
  *entry = (named_model_t){.name = shoal_realloc(c, NULL, 0, bytes)};
  memcpy(entry->name, name, bytes);
  if (!model_build_primitive(&entry->model, name))
    report_unknown_model(c, name);
  return &entry->model;
}

// Returns the model with this name, or NULL if its file is missing or invalid. For an unknown name, returns an empty
// model. In both cases, the error is already reported.
static const model_t *find_model(shoal_context *c, mesh_state_t *state, uint32_t id) {
  const char *name = shoal_string(shoal_get_world(c), id), *extension = strrchr(name, '.');
  bool is_file = extension && strcmp(extension, MODEL_EXTENSION) == 0 && strlen(name) < MAX_NAME_BYTES;
  return is_file ? shoal_get_asset(c, name, NULL) : find_or_build_model(c, state, name);
}

// --- drawing

static void compute_part_transform(const pose_columns *poses, uint32_t row, const mesh_columns *meshes, uint32_t i,
                                   mat4 out) {
  mat4 rotation;
  versor pose_rotation = {poses->rotation.x[row], poses->rotation.y[row], poses->rotation.z[row],
                          poses->rotation.w[row]};
  versor part_rotation = {meshes->rotation.x[i], meshes->rotation.y[i], meshes->rotation.z[i], meshes->rotation.w[i]};
  glm_translate_make(out, (vec3){poses->position.x[row], poses->position.y[row], poses->position.z[row]});
  glm_quat_mat4(pose_rotation, rotation);
  glm_mat4_mul(out, rotation, out);
  glm_scale_uni(out, poses->scale[row]);
  glm_translate(out, (vec3){meshes->offset.x[i], meshes->offset.y[i], meshes->offset.z[i]});
  glm_quat_mat4(part_rotation, rotation);
  glm_mat4_mul(out, rotation, out);
  glm_scale(out, (vec3){meshes->size.x[i], meshes->size.y[i], meshes->size.z[i]});
}

static scene_light_t read_light(shoal_context *c) {
  const sun_columns *state = SHOAL_ROWS_COLUMNS(shoal_get_rows(shoal_get_world(c), &sun_component), sun);
  return (scene_light_t){.direction = {state->direction.x[0], state->direction.y[0], state->direction.z[0]},
                         .ambient = state->ambient[0],
                         .fog = {state->fog.x[0], state->fog.y[0], state->fog.z[0]},
                         .fog_from = state->fog_from[0],
                         .fog_to = state->fog_to[0]};
}

static void collect_meshes(shoal_context *c, mesh_state_t *state) {
  shoal_world *w = shoal_get_world(c);
  shoal_rows rows = shoal_get_rows(w, &mesh_component);
  const mesh_columns *meshes = SHOAL_ROWS_COLUMNS(rows, mesh);
  const pose_columns *poses = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &pose_component), pose);
  GROW(state->rows, state->row_capacity, rows.count);
  shoal_find_rows(w, &pose_component, rows.entities, rows.count, state->rows);
  enabled_rows_read(&state->shown_meshes, c, &mesh_component);
  for (uint32_t i = 0; i < rows.count; ++i) {
    if (!meshes->visible[i] || state->rows[i] == SHOAL_NO_ROW ||
        enabled_rows_index(&state->shown_meshes, i) == SHOAL_NO_ROW)
      continue;
    const model_t *model = find_model(c, state, meshes->model[i]);
    if (!model)
      continue;
    mat4 transform;
    float colour[4] = {meshes->colour.x[i], meshes->colour.y[i], meshes->colour.z[i], meshes->colour.w[i]};
    compute_part_transform(poses, state->rows[i], meshes, i, transform);
    scene_add(&state->scene, model, (const float *)transform, colour, meshes->glow[i]);
  }
}

// Draws through a lens in the view of `camera`, or on the whole screen if `camera` is 0.
static void draw_lens(shoal_context *c, const lens_columns *lenses, uint32_t row, shoal_entity camera) {
  mesh_state_t *state = shoal_plugin_state(c);
  scene_light_t light = read_light(c);
  scene_view_t view = {.eye = {lenses->eye.x[row], lenses->eye.y[row], lenses->eye.z[row]},
                       .target = {lenses->target.x[row], lenses->target.y[row], lenses->target.z[row]},
                       .fov = lenses->fov[row],
                       .near = lenses->near[row] > 1e-3f ? lenses->near[row] : 1e-3f,
                       .far = lenses->far[row]};
  shoal_get_screen_size(c, &view.width, &view.height);
  scene_begin(&state->scene, &view, &light);
  collect_meshes(c, state);
  shoal_set_draw_space(c, true);
  shoal_set_draw_camera(c, camera);
  shoal_set_draw_layer(c, lenses->layer[row]);
  shoal_draw_depth_triangles(c, state->scene.vertices, state->scene.count);
}

static void draw(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  (void)v, (void)dt_s;
  shoal_rows lenses = shoal_get_rows(w, &lens_component);
  if (lenses.count == 0)
    return;
  const lens_columns *columns = SHOAL_ROWS_COLUMNS(lenses, lens);
  mesh_state_t *state = shoal_plugin_state(c);
  enabled_rows_read(&state->shown_lenses, c, &lens_component);
  const shoal_component *viewport = shoal_find_component(w, "viewport");
  bool screen_drawn = false;
  for (uint32_t i = 0; i < lenses.count; ++i) {
    if (!columns->enabled[i] || enabled_rows_index(&state->shown_lenses, i) == SHOAL_NO_ROW)
      continue;
    bool has_viewport = viewport && shoal_find_row(w, viewport, lenses.entities[i]) != SHOAL_NO_ROW;
    if (has_viewport || !screen_drawn)
      draw_lens(c, columns, i, has_viewport ? lenses.entities[i] : 0);
    screen_drawn = screen_drawn || !has_viewport;
  }
}

// --- functions for scripts

static void script_turn(shoal_context *c, const shoal_value *in, shoal_value *out) {
  (void)c;
  vec3 axis = {(float)in[0].number, (float)in[1].number, (float)in[2].number};
  versor rotation;
  glm_quatv(rotation, (float)in[3].number, axis);
  for (uint32_t i = 0; i < 4; ++i)
    out[i].number = (double)rotation[i];
}

// Multiplies quaternions. Does not use cglm's function, because its results may differ between processors, and results
// may be stored in the world. The order of its additions, and therefore their rounding, depends on the vector
// instructions of the processor.
static void multiply_quaternions(const versor p, const versor q, versor out) {
  out[0] = p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1];
  out[1] = p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0];
  out[2] = p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3];
  out[3] = p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2];
}

static float quaternion_length(const versor q) {
  return sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

static void script_after(shoal_context *c, const shoal_value *in, shoal_value *out) {
  (void)c;
  versor first, second, product;
  for (uint32_t i = 0; i < 4; ++i) {
    first[i] = (float)in[i].number;
    second[i] = (float)in[4 + i].number;
  }
  multiply_quaternions(second, first, product);
  float length = quaternion_length(product);
  for (uint32_t i = 0; i < 4; ++i)
    out[i].number = length > 0 ? (double)(product[i] / length) : i == 3;
}

// --- the plugin

static void *open(shoal_context *c) {
  mesh_state_t *state = shoal_realloc(c, NULL, 0, sizeof *state);
  memset(state, 0, sizeof *state);
  return state;
}

static void close(shoal_context *c, void *data) {
  mesh_state_t *state = data;
  for (uint32_t i = 0; i < state->model_count; ++i) {
    model_free(&state->models[i].model);
    shoal_realloc(c, state->models[i].name, strlen(state->models[i].name) + 1, 0);
  }
  free(state->models);
  free(state->rows);
  enabled_rows_free(&state->shown_meshes);
  enabled_rows_free(&state->shown_lenses);
  scene_free(&state->scene);
  shoal_realloc(c, state, sizeof *state, 0);
}

SHOAL_PLUGIN(.name = "mesh", .version = 1, .doc = "3D solids, any number per entity",
             .components = SHOAL_COMPONENTS(pose, mesh, lens, sun),
             .systems = SHOAL_SYSTEMS({.name = "draw", .phase = SHOAL_PHASE_RENDER, .run = draw}),
             .functions = SHOAL_FUNCTIONS(
                 {.name = "turn",
                  .parameters = "x:number y:number z:number angle:number",
                  .results = "qx:number qy:number qz:number qw:number",
                  .doc = "Returns the rotation by an angle around an axis.",
                  .pure = true,
                  .call = script_turn},
                 {.name = "after",
                  .parameters = "ax:number ay:number az:number aw:number bx:number by:number bz:number bw:number",
                  .results = "qx:number qy:number qz:number qw:number",
                  .doc = "Returns the rotation a followed by b.",
                  .pure = true,
                  .call = script_after}),
             .open = open, .close = close,
             .assets = SHOAL_ASSETS({.extension = MODEL_EXTENSION, .load = load_model, .unload = unload_model}))
