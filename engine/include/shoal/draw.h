// Drawing in the render phase: lines, shapes, sprites, text, and triangles with the plugin's textures and shaders.
//
//   static void draw(shoal_context *c, const shoal_view *v, float dt_s) { // .phase = SHOAL_PHASE_RENDER
//     struct waves *w = shoal_plugin_state(c);
//     shoal_draw_state state = {.texture = w->foam, .shader = w->shader};
//     shoal_set_draw_layer(c, 3);
//     shoal_set_uniform(c, w->shader, "wind", &w->wind, 1);
//     shoal_draw_triangles(c, &state, w->vertices, w->count);
//   }
//
// Only systems of the render phase draw. Textures and shaders can also be created while loading. The simulation cannot
// read back what was drawn. Without a window, arguments are checked but nothing is drawn. Textures and shaders belong
// to the instance of the plugin that created them, so create them in `open`: a reload frees them with the previous
// instance.
//
// A function that fails (missing texture, non-finite number, call from a place where drawing is not allowed) draws
// nothing, returns false or 0, and fails the current call with a message. Main thread.
//
// Coordinates are pixels: of the world, or of the game's logical screen (shoal_set_draw_space); y points down, angles
// are radians. Colors are 0 … 1, not premultiplied. Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_DRAW_H
#define SHOAL_DRAW_H

#include "shoal/plugin.h"

// A corner of a triangle, 32 bytes. x, y: position in pixels; u, v: texture coordinates 0 … 1, v pointing down; r, g,
// b, a: color, not premultiplied. Values of r, g, b above 1 glow (bloom).
typedef struct shoal_vertex {
  float x, y, u, v, r, g, b, a;
} shoal_vertex;

typedef struct shoal_texture_desc {
  const char *name SHOAL_ZERO;                  // name shown in tools; 1 to 63 bytes
  uint32_t width SHOAL_ZERO, height SHOAL_ZERO; // size in texels, 1 … 4096 per side
  const uint8_t *rgba SHOAL_ZERO; // width × height texels, not premultiplied, top row first; copied. NULL: transparent
  bool nearest SHOAL_ZERO;        // true: nearest-neighbour sampling, false: bilinear
  bool repeat SHOAL_ZERO;         // true: repeats outside 0 … 1, false: clamps
} shoal_texture_desc;

typedef struct shoal_uniform {
  const char *name;
  uint32_t float_count; // number of floats, 1 … 4: float, vec2, vec3, vec4
} shoal_uniform;

// A shader in GLSL 3.30, without #version. The host adds these declarations:
//
// | stage    | declarations                                                                                       |
// |----------|----------------------------------------------------------------------------------------------------|
// | vertex   | in vec2 at, uv; in vec4 colour: of the vertex. out vec2 v_at, v_uv; out vec4 v_colour.             |
// |          | vec4 place(vec2 at): the clip-space position of `at`, for gl_Position                              |
// | fragment | in vec2 v_at, v_uv; in vec4 v_colour. out vec4 result: premultiplied; cover(c) premultiplies c.           |
// |          | vec4 below(vec2 offset): the color below this fragment, `offset` pixels right and down            |
// | both     | sampler2D image, other; float time (of the world, s); vec2 size (of the frame, px);                |
// |          | the uniforms                                                                                       |
//
// Shaders are checked like a game's shaders (engine/docs/shaders.md): bounds of loops must be constant.
typedef struct shoal_shader_desc {
  // Name shown in tools; 1 to 63 bytes.
  const char *name SHOAL_ZERO;
  const char *fragment SHOAL_ZERO;
  const char *vertex SHOAL_ZERO; // vertex shader; NULL: a default shader that passes v_at, v_uv and v_colour
  // Assets of the game that replace the sources above, "shaders/grass.frag", and are reloaded when they change. The
  // sources are used if the game has no such file. May be NULL.
  const char *fragment_file SHOAL_ZERO, *vertex_file SHOAL_ZERO;
  // Uniforms of the shader: at most 16, terminated by an entry without a name; may be NULL.
  const shoal_uniform *uniforms SHOAL_ZERO;
} shoal_shader_desc;

// State for drawing triangles: textures, shader and blending. If all members are zero, only vertex colors are used.
typedef struct shoal_draw_state {
  // textures of the samplers `image` and `other`; `texture` 0: white
  shoal_texture texture SHOAL_ZERO, texture2 SHOAL_ZERO;
  const char *asset SHOAL_ZERO;   // image asset of the game, "hero.png", which replaces `texture`; may be NULL
  shoal_shader shader SHOAL_ZERO; // shader; 0: draws the texture multiplied by the vertex color
  bool additive SHOAL_ZERO;       // true: additive blending; false: alpha blending
} shoal_draw_state;

// A sprite. x, y: position of its center, or of the pivot if the image's sprite sheet defines one.
typedef struct shoal_sprite_desc {
  const char *image SHOAL_ZERO; // name of an image asset
  float x SHOAL_ZERO, y SHOAL_ZERO, angle SHOAL_ZERO;
  float scale_x SHOAL_ZERO, scale_y SHOAL_ZERO; // scale factors; 0 means 1
  int32_t frame SHOAL_ZERO;                     // frame of the sheet, from 1; 0: the whole image
} shoal_sprite_desc;

typedef struct shoal_text_desc {
  // `string`: UTF-8; `font`: names of font assets, "a.ttf, b.ttf"; NULL for the engine's font
  const char *string SHOAL_ZERO, *font SHOAL_ZERO;
  float x SHOAL_ZERO, y SHOAL_ZERO, size SHOAL_ZERO; // `size`: font size (one em) in pixels; 0 means 24
  float wrap SHOAL_ZERO;                             // maximum width of a line in pixels; 0: no wrapping
  // part of the text that is at x, y: 0 left or top, 1 middle, 2 right or bottom
  int32_t align SHOAL_ZERO, valign SHOAL_ZERO;
} shoal_text_desc;

// --- textures and shaders; allowed in systems of the render phase and while loading

// Creates a texture. Returns it, or 0 and fails the call if the name or a side (1 … 4096) is invalid, or if all plugins
// together would have more than 256 textures or more than 128 MB of textures.
SHOAL_MUST_USE static inline shoal_texture shoal_texture_create(shoal_context *c, const shoal_texture_desc *desc) {
  return c->api->texture_create(c, desc);
}

// Replaces a rectangle of a texture. `rgba` contains width × height texels, which are copied. Fails if this plugin did
// not create the texture or the rectangle is not inside it.
static inline bool shoal_texture_update(shoal_context *c, shoal_texture texture, uint32_t x, uint32_t y, uint32_t width,
                                        uint32_t height, const uint8_t *rgba) {
  return c->api->texture_update(c, texture, x, y, width, height, rgba);
}

// Frees a texture. Textures that are not freed explicitly are freed with the plugin. Fails if this plugin did not
// create the texture.
static inline bool shoal_texture_destroy(shoal_context *c, shoal_texture texture) {
  return c->api->texture_destroy(c, texture);
}

// Creates a shader. Returns it, or 0 and fails the call if the source is rejected (the message contains the line), if a
// name or uniform is invalid, or if all plugins together would have more than 64 shaders. An invalid file in the game
// is reported in the log, and the previous version or the plugin's source is used instead. Errors of the OpenGL driver
// are found when the shader is first used: they are reported in the log, and the last working version, or nothing, is
// drawn.
SHOAL_MUST_USE static inline shoal_shader shoal_shader_create(shoal_context *c, const shoal_shader_desc *desc) {
  return c->api->shader_create(c, desc);
}

// Frees a shader. Shaders that are not freed explicitly are freed with the plugin. Fails if this plugin did not create
// the shader.
static inline bool shoal_shader_destroy(shoal_context *c, shoal_shader shader) {
  return c->api->shader_destroy(c, shader);
}

// Sets a uniform for the following calls that use the shader. `value` contains `float_count` numbers, which must match
// the uniform's declaration. Before the first call, uniforms are 0. Fails if this plugin did not create the shader, if
// the uniform is not declared or has a different number of floats, or if a number is not finite.
static inline bool shoal_set_uniform(shoal_context *c, shoal_shader shader, const char *name, const float *value,
                                     uint32_t float_count) {
  return c->api->set_uniform(c, shader, name, value, float_count);
}

// --- drawing state; allowed in systems of the render phase
// The state applies to the following calls in this run of the system. Each run starts with world space, all views,
// layer 0, white, no depth and alpha blending. Within a layer, later calls are drawn on top of earlier calls.

// Returns the size of the game's logical screen in pixels. Allowed everywhere except in parts of shoal_parallel_for.
static inline void shoal_get_screen_size(shoal_context *c, float *width, float *height) {
  c->api->get_screen_size(c, width, height);
}

// Selects screen space (true) or world space.
static inline bool shoal_set_draw_space(shoal_context *c, bool screen) {
  return c->api->set_draw_space(c, screen);
}

// Restricts drawing to the view of one camera, and clips it to the borders of this view. In screen space, the origin is
// then the top left of the view. If `camera` is 0, draws in all views.
static inline bool shoal_set_draw_camera(shoal_context *c, shoal_entity camera) {
  return c->api->set_draw_camera(c, camera);
}

// Selects the layer. Higher layers are drawn on top.
static inline bool shoal_set_draw_layer(shoal_context *c, int32_t layer) {
  return c->api->set_draw_layer(c, layer);
}

// Selects the color: 0 … 1, not premultiplied.
static inline bool shoal_set_draw_color(shoal_context *c, float r, float g, float b, float a) {
  return c->api->set_draw_color(c, r, g, b, a);
}

// Sorts the following calls among the entities with `y_sort` in the same layer, like an entity whose feet are at `y`.
static inline bool shoal_set_draw_depth(shoal_context *c, float y) {
  return c->api->set_draw_depth(c, y);
}

// Selects additive blending (true) or alpha blending. For triangles, use shoal_draw_state.
static inline bool shoal_set_draw_additive(shoal_context *c, bool additive) {
  return c->api->set_draw_additive(c, additive);
}

// --- lines, shapes, sprites and text, drawn in the selected color

// Draws a line. `width` is in pixels.
static inline bool shoal_draw_line(shoal_context *c, float x1, float y1, float x2, float y2, float width) {
  return c->api->draw_line(c, x1, y1, x2, y2, width);
}

// Draws a circle around x, y: filled if `line_width` is 0, otherwise its outline.
static inline bool shoal_draw_circle(shoal_context *c, float x, float y, float radius, float line_width) {
  return c->api->draw_circle(c, x, y, radius, line_width);
}

// Draws a rectangle with its top left at x, y: filled if `line_width` is 0, otherwise its outline. `corner` is the
// radius of its corners.
static inline bool shoal_draw_rect(shoal_context *c, float x, float y, float width, float height, float corner,
                                   float line_width) {
  return c->api->draw_rect(c, x, y, width, height, corner, line_width);
}

// Draws a simple polygon, which may be concave. `xy` contains `points` pairs. If `filled` is false, `width` is the
// width of the outline in pixels.
static inline bool shoal_draw_polygon(shoal_context *c, const float *xy, uint32_t points, bool filled, float width) {
  return c->api->draw_polygon(c, xy, points, filled, width);
}

// Draws an image asset. Fails if `image` is NULL or "".
static inline bool shoal_draw_sprite(shoal_context *c, const shoal_sprite_desc *sprite) {
  return c->api->draw_sprite(c, sprite);
}

// Draws text with font, wrapping and alignment. The struct and its strings are copied.
static inline bool shoal_draw_text_desc(shoal_context *c, const shoal_text_desc *desc) {
  return c->api->draw_text_desc(c, desc);
}

// Draws UTF-8 text with its top left at x, y. `size` is the font size (one em) in pixels.
static inline bool shoal_draw_text(shoal_context *c, const char *string, float x, float y, float size) {
#ifdef __cplusplus
  shoal_text_desc desc = {};
#else
  shoal_text_desc desc = {0};
#endif
  desc.string = string;
  desc.x = x;
  desc.y = y;
  desc.size = size;
  return shoal_draw_text_desc(c, &desc);
}

// --- triangles

// Draws triangles: `count` vertices, a multiple of three, copied. `state` may be NULL. All plugins together can draw
// at most 1,048,576 vertices per frame, in at most 4,096 calls.
static inline bool shoal_draw_triangles(shoal_context *c, const shoal_draw_state *state, const shoal_vertex *vertices,
                                        uint32_t count) {
  return c->api->draw_triangles(c, state, vertices, count);
}

// Draws a full-screen pass with the shader of `state`, in each view and in the selected layer. v_uv is 0 … 1 across the
// view. v_at is the position in the world.
static inline bool shoal_draw_fullscreen(shoal_context *c, const shoal_draw_state *state) {
  return c->api->draw_fullscreen(c, state);
}

// Draws triangles with a depth buffer that is cleared for each call. `corners` contains three corners per triangle and
// eight numbers per corner. The first four are the position in clip space (x y z w), as returned by a projection
// matrix. The clip box is the whole screen. The last four are the color, 0 … 1. World space draws the triangles in
// every view. Screen space draws them only in the view of shoal_set_draw_camera, around its center, with a square clip
// box. The selected color is ignored.
static inline bool shoal_draw_depth_triangles(shoal_context *c, const float *corners, uint32_t triangles) {
  return c->api->draw_depth_triangles(c, corners, triangles);
}

#endif
