// Drawing functions of the plugin API. They append to the frame's draw list. Triangles are added to the list's paint_o,
// which checks them. A forked process has no draw list: drawing functions then only check their arguments, triangles
// are ignored, and new textures and shaders get NO_HANDLE.
#include "service/api.h"

#include "base/assert.h"
#include "paint/paint.h"
#include "plugin/plugin.h"
#include "shoal/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NO_HANDLE 1u // handle of textures and shaders that are created without a draw list

_Static_assert(sizeof(shoal_vertex) == sizeof(paint_vertex_t),
               "shoal_vertex and paint_vertex_t must have the same size");

// Fails the current call and returns false. `function` is the __func__ of an api_NAME.
static bool reject_call(shoal_context *c, const char *function, const char *message) {
  return context_fail(context_of(c), "shoal_%s: %s", function + strlen("api_"), message);
}

static draw_o *get_draw_list(shoal_context *c) {
  return context_of(c)->plugins->desc.draw;
}

static paint_o *get_paint(shoal_context *c) {
  draw_o *draw = get_draw_list(c);
  return draw ? draw_get_paint(draw) : NULL;
}

static bool check_numbers_are_finite(shoal_context *c, const char *function, const float *numbers, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (!isfinite(numbers[i]))
      return context_fail(context_of(c), "shoal_%s: number %u of %u must be finite, got %g", function + strlen("api_"),
                          i + 1, count, (double)numbers[i]);
  return true;
}

// APPLY calls a function of the draw list, unless the process has no draw list, and returns true. DRAW first checks
// that the numbers are finite.
#define APPLY(...)                                                                                                     \
  do {                                                                                                                 \
    draw_o *draw = get_draw_list(c);                                                                                   \
    if (draw)                                                                                                          \
      __VA_ARGS__;                                                                                                     \
    return true;                                                                                                       \
  } while (0)
#define NUMBERS(...) ((const float[]){__VA_ARGS__}), sizeof((const float[]){__VA_ARGS__}) / sizeof(float)
#define DRAW(numbers_, ...)                                                                                            \
  if (!check_numbers_are_finite(c, __func__, numbers_))                                                                \
    return false;                                                                                                      \
  APPLY(__VA_ARGS__)

// --- drawing state

void api_get_screen_size(shoal_context *c, float *width, float *height) {
  *width = (float)context_of(c)->plugins->desc.width;
  *height = (float)context_of(c)->plugins->desc.height;
}

bool api_set_draw_space(shoal_context *c, bool to_screen) {
  APPLY(draw_set_space(draw, to_screen));
}

bool api_set_draw_camera(shoal_context *c, shoal_entity camera) {
  APPLY(draw_set_view(draw, camera));
}

bool api_set_draw_layer(shoal_context *c, int32_t layer) {
  APPLY(draw_set_layer(draw, layer));
}

bool api_set_draw_additive(shoal_context *c, bool additive) {
  APPLY(draw_set_blend(draw, additive));
}

bool api_set_draw_color(shoal_context *c, float r, float g, float b, float a) {
  DRAW(NUMBERS(r, g, b, a), draw_set_colour(draw, r, g, b, a));
}

bool api_set_draw_depth(shoal_context *c, float y) {
  DRAW(NUMBERS(y), draw_set_depth(draw, true, y));
}

// --- lines, shapes, sprites, text

bool api_draw_line(shoal_context *c, float x1, float y1, float x2, float y2, float width) {
  DRAW(NUMBERS(x1, y1, x2, y2, width), draw_line(draw, x1, y1, x2, y2, width));
}

bool api_draw_circle(shoal_context *c, float x, float y, float radius, float line_width) {
  DRAW(NUMBERS(x, y, radius, line_width), draw_circle(draw, x, y, radius, line_width <= 0.0f, line_width));
}

bool api_draw_rect(shoal_context *c, float x, float y, float width, float height, float corner, float line_width) {
  DRAW(NUMBERS(x, y, width, height, corner, line_width),
       draw_rounded_rect(draw, x, y, width, height, corner, line_width <= 0.0f, line_width));
}

bool api_draw_polygon(shoal_context *c, const float *xy, uint32_t points, bool filled, float width) {
  DRAW(NUMBERS(width), draw_polygon(draw, xy, xy ? points : 0, filled, width));
}

bool api_draw_depth_triangles(shoal_context *c, const float *corners, uint32_t triangles) {
  APPLY(draw_solid_triangles(draw, corners, corners ? triangles : 0));
}

bool api_draw_sprite(shoal_context *c, const shoal_sprite_desc *sprite) {
  if (!sprite->image || !sprite->image[0])
    return reject_call(c, __func__, ".image must not be empty");
  DRAW(NUMBERS(sprite->x, sprite->y, sprite->angle, sprite->scale_x, sprite->scale_y),
       draw_image(draw, sprite->image, sprite->x, sprite->y, sprite->angle,
                  sprite->scale_x != 0.0f ? sprite->scale_x : 1.0f, sprite->scale_y != 0.0f ? sprite->scale_y : 1.0f,
                  sprite->frame > 0 ? (uint32_t)sprite->frame : 0));
}

static void draw_text_desc(draw_o *draw, const shoal_text_desc *text) {
  const draw_text_style_t aligned = {.valign = text->valign == 1 || text->valign == 2 ? text->valign : 0}, plain = {0};
  draw_set_font(draw, text->font);
  draw_set_text_style(draw, &aligned);
  draw_text(draw, text->string ? text->string : "", text->x, text->y, text->size > 0.0f ? text->size : 24.0f,
            text->align == 1 || text->align == 2 ? text->align : 0, text->wrap);
  draw_set_text_style(draw, &plain);
  draw_set_font(draw, "");
}

bool api_draw_text_desc(shoal_context *c, const shoal_text_desc *text) {
  DRAW(NUMBERS(text->x, text->y, text->size, text->wrap), draw_text_desc(draw, text));
}

// --- textures and shaders

shoal_texture api_texture_create(shoal_context *c, const shoal_texture_desc *desc) {
  error_info_t error = {0};
  paint_o *paint = get_paint(c);
  const paint_texture_desc_t texture = {.name = desc->name,
                                        .width = desc->width,
                                        .height = desc->height,
                                        .rgba = desc->rgba,
                                        .sharp = desc->nearest,
                                        .repeats = desc->repeat};
  paint_id id = paint ? paint_texture_add(paint, context_of(c)->plugin, &texture, &error) : NO_HANDLE;
  if (!id)
    reject_call(c, __func__, error.text);
  return id;
}

bool api_texture_update(shoal_context *c, shoal_texture texture, uint32_t x, uint32_t y, uint32_t width,
                        uint32_t height, const uint8_t *rgba) {
  error_info_t error = {0};
  const paint_region_t part = {x, y, width, height};
  paint_o *paint = get_paint(c);
  return !paint || paint_texture_write(paint, context_of(c)->plugin, texture, &part, rgba, &error) ||
         reject_call(c, __func__, error.text);
}

bool api_texture_destroy(shoal_context *c, shoal_texture texture) {
  error_info_t error = {0};
  paint_o *paint = get_paint(c);
  return !paint || paint_texture_remove(paint, context_of(c)->plugin, texture, &error) ||
         reject_call(c, __func__, error.text);
}

shoal_shader api_shader_create(shoal_context *c, const shoal_shader_desc *desc) {
  context_t *context = context_of(c);
  error_info_t error = {0};
  paint_o *paint = get_paint(c);
  paint_shader_desc_t shader = {.name = desc->name,
                                .text = {desc->fragment, desc->vertex},
                                .file = {desc->fragment_file, desc->vertex_file},
                                .assets = context->plugins->desc.assets};
  for (const shoal_uniform *uniform = desc->uniforms; uniform && uniform->name; ++uniform, ++shader.uniform_count) {
    if (shader.uniform_count == PAINT_MAX_UNIFORMS) {
      context_fail(context, "shoal_shader_create: too many uniforms (at most %u)", PAINT_MAX_UNIFORMS);
      return 0;
    }
    shader.uniforms[shader.uniform_count] = uniform->name;
    shader.floats[shader.uniform_count] = uniform->float_count;
  }
  paint_id id = paint ? paint_shader_add(paint, context->plugin, &shader, &error) : NO_HANDLE;
  if (!id)
    reject_call(c, __func__, error.text);
  else if (error.text[0] && !context->plugins->quiet)
    log_error(context->plugins->desc.log, "plugin %s: %s: shader %s uses the plugin's own source instead",
              context->plugin->name, error.text, desc->name);
  return id;
}

bool api_shader_destroy(shoal_context *c, shoal_shader shader) {
  error_info_t error = {0};
  paint_o *paint = get_paint(c);
  return !paint || paint_shader_remove(paint, context_of(c)->plugin, shader, &error) ||
         reject_call(c, __func__, error.text);
}

bool api_set_uniform(shoal_context *c, shoal_shader shader, const char *name, const float *value, uint32_t floats) {
  error_info_t error = {0};
  paint_o *paint = get_paint(c);
  return !paint || paint_shader_set(paint, context_of(c)->plugin, shader, name, value, floats, &error) ||
         reject_call(c, __func__, error.text);
}

// --- triangles

static bool add_mesh(shoal_context *c, const char *function, const shoal_draw_state *state,
                     const shoal_vertex *vertices, uint32_t count) {
  static const shoal_draw_state DEFAULT_STATE = {0};
  draw_o *draw = context_of(c)->plugins->desc.draw;
  error_info_t error = {0};
  shoal_assert(context_of(c)->call_kind == PLUGIN_CALL_RENDER, "%s called outside the render phase", function);
  state = state ? state : &DEFAULT_STATE;
  if (!draw)
    return true;
  const paint_mesh_desc_t mesh = {.image = state->texture,
                                  .second_image = state->texture2,
                                  .shader = state->shader,
                                  .add = state->additive,
                                  .vertices = (const paint_vertex_t *)(const void *)vertices,
                                  .count = count};
  uint32_t index = paint_mesh_add(draw_get_paint(draw), context_of(c)->plugin, &mesh, &error);
  if (index == UINT32_MAX)
    return reject_call(c, function, error.text);
  draw_mesh(draw, index, state->asset);
  return true;
}

bool api_draw_triangles(shoal_context *c, const shoal_draw_state *state, const shoal_vertex *vertices, uint32_t count) {
  return count == 0 || add_mesh(c, __func__, state, vertices, count);
}

bool api_draw_fullscreen(shoal_context *c, const shoal_draw_state *state) {
  return add_mesh(c, __func__, state, NULL, 0);
}
