// Drawing: lines, shapes, sprites, words, and triangles with textures and shaders of the plugin's own.
//
//   static void draw(shoal_context *c, const shoal_view *v, float dt_s) { // .phase = SHOAL_PHASE_RENDER
//     struct waves *w = shoal_state(c);
//     shoal_look look = {.image = w->foam, .shader = w->shader};
//     shoal_draw_layer(c, 3);
//     shoal_draw_uniform(c, w->shader, "wind", &w->wind, 1);
//     shoal_draw_triangles(c, &look, w->vertices, w->count);
//   }
//
// Systems of the render phase draw; textures and shaders are made there and while loading. Nothing of it is visible to
// the simulation. Without a window everything is checked and nothing is drawn. Textures and shaders belong to the
// instance of the plugin that made them and are freed with it, also in a reload: make them in `open`.
//
// A function that fails (a missing texture, a number that is not finite, a call from another place) draws nothing,
// returns false or 0, and the current call fails with a message. Main thread. Part of the public plugin headers: C11,
// usable from C++.
#ifndef SHOAL_DRAW_H
#define SHOAL_DRAW_H

#include "shoal/plugin.h"

// 32 bytes. x, y: pixels of the world, or of the screen; u, v: 0 … 1 of the texture, v down; straight colour, above 1
// for what shines (bloom).
typedef struct shoal_vertex {
  float x, y, u, v, r, g, b, a;
} shoal_vertex;

typedef struct shoal_texture_desc {
  const char *name;       // for tools
  uint32_t width, height; // 1 … 4096
  const uint8_t *rgba;    // straight, the first row above; copied. NULL: all of it is clear
  bool sharp;             // texels keep their edges
  bool repeats;           // beyond 0 … 1 it goes on
} shoal_texture_desc;

typedef struct shoal_uniform {
  const char *name;
  uint32_t floats; // 1 … 4: float, vec2, vec3, vec4
} shoal_uniform;

// GLSL 3.30 without #version and without what every shader has:
//
// | stage    | it has                                                                                             |
// |----------|----------------------------------------------------------------------------------------------------|
// | vertex   | in vec2 at, uv; in vec4 colour: of the vertex. out vec2 v_at, v_uv; out vec4 v_colour.             |
// |          | vec4 place(vec2 at): where that lies, for gl_Position                                              |
// | fragment | in vec2 v_at, v_uv; in vec4 v_colour. out vec4 result, premultiplied: vec4 cover(vec4 straight).   |
// |          | vec4 below(vec2 pixels): what was drawn before, so many pixels to the right and down               |
// | both     | sampler2D image, other; float time (of the world, s); vec2 size (of the picture, in pixels);       |
// |          | the uniforms                                                                                       |
//
// Both are looked through as a game's shaders are (engine/docs/shaders.md): loops have numbers as bounds.
typedef struct shoal_shader_desc {
  const char *name;
  const char *fragment;
  const char *vertex; // NULL: gives v_at, v_uv and v_colour on
  // A game's asset in the place of a text, "shaders/grass.frag", which is loaded again when it changes; where the game
  // has none, the text counts. NULL: none.
  const char *fragment_file, *vertex_file;
  const shoal_uniform *uniforms; // up to one without a name, at most 16; NULL for none
} shoal_shader_desc;

// What triangles look like. Zeros: their colours alone.
typedef struct shoal_look {
  shoal_texture image, other; // the sampler `image`, which is white where there is none; a second one
  const char *asset;          // an image of the game's as `image`, "hero.png"; NULL for none
  shoal_shader shader;        // 0: the image times the colour
  bool add;                   // it adds to what lies below, as light does
} shoal_look;

typedef struct shoal_sprite_desc {
  const char *image; // an asset
  float x, y, angle;
  float scale_x, scale_y; // 0: 1
  int32_t frame;          // of its sheet, from 1; 0: the whole image
} shoal_sprite_desc;

typedef struct shoal_words {
  const char *text, *font; // UTF-8; font: assets, NULL: the engine's
  float x, y, size;        // size 0: 24
  float wrap;              // 0: none
  int32_t align, valign;   // 0: x is the left end, y the top; 1: the middle; 2: the right end, the bottom
} shoal_words;

// --- textures and shaders: systems of the render phase, and while loading

// 0 after a failure: a size of 0 or above 4096, or more than 128 MB or 256 textures of all plugins.
static inline shoal_texture shoal_texture_new(shoal_context *c, const shoal_texture_desc *desc) {
  return c->api->texture_new(c, desc);
}

// Other texels for a part of it: `rgba` has width × height of them.
static inline bool shoal_texture_put(shoal_context *c, shoal_texture texture, uint32_t x, uint32_t y, uint32_t width,
                                     uint32_t height, const uint8_t *rgba) {
  return c->api->texture_put(c, texture, x, y, width, height, rgba);
}

// Before the plugin goes; then all of them are given back.
static inline bool shoal_texture_free(shoal_context *c, shoal_texture texture) {
  return c->api->texture_free(c, texture);
}

// 0 after a failure: a text that is refused, with its line. What a driver refuses is known when it is drawn: that is a
// line in the log, and nothing is drawn with the shader, or what was drawn before with it. A file of the game's that
// cannot be used is a line in the log, too, and the text stands for it, or the file as it was.
static inline shoal_shader shoal_shader_new(shoal_context *c, const shoal_shader_desc *desc) {
  return c->api->shader_new(c, desc);
}

static inline bool shoal_shader_free(shoal_context *c, shoal_shader shader) {
  return c->api->shader_free(c, shader);
}

// Holds for what is drawn with the shader from here on. They are 0 at first.
static inline bool shoal_draw_uniform(shoal_context *c, shoal_shader shader, const char *name, const float *value,
                                      uint32_t floats) {
  return c->api->draw_uniform(c, shader, name, value, floats);
}

// --- where and how: systems of the render phase
// These hold for the following calls of this run of the system. At its start they are world space, all views, layer 0,
// white, no depth, no blending. Within a layer later calls are drawn over earlier ones.

// Returns the size of the game's logical screen in pixels. Everywhere except in parts of shoal_jobs.
static inline void shoal_screen(shoal_context *c, float *width, float *height) {
  c->api->screen(c, width, height);
}

static inline bool shoal_draw_space(shoal_context *c, bool screen) {
  return c->api->draw_space(c, screen);
}

// For one camera, in screen space from the corner of its view, and clipped to it; 0: for all cameras.
static inline bool shoal_draw_view(shoal_context *c, shoal_entity camera) {
  return c->api->draw_view(c, camera);
}

static inline bool shoal_draw_layer(shoal_context *c, int32_t layer) {
  return c->api->draw_layer(c, layer);
}

static inline bool shoal_draw_colour(shoal_context *c, float r, float g, float b, float a) {
  return c->api->draw_colour(c, r, g, b, a);
}

// Sorts the following calls among the entities with a y_sort in the same layer, as if their feet were at y.
static inline bool shoal_draw_at_depth(shoal_context *c, float y) {
  return c->api->draw_at_depth(c, y);
}

// Adds to the colours below, as light does. For triangles see shoal_look.
static inline bool shoal_draw_blend(shoal_context *c, bool add) {
  return c->api->draw_blend(c, add);
}

// --- lines, shapes, sprites, words: in the colour that is set

static inline bool shoal_draw_line(shoal_context *c, float x1, float y1, float x2, float y2, float width) {
  return c->api->draw_line(c, x1, y1, x2, y2, width);
}

// `line_width` 0: filled. For rectangles x, y is the top left, and `corner` the radius of the corners.
static inline bool shoal_draw_circle(shoal_context *c, float x, float y, float radius, float line_width) {
  return c->api->draw_circle(c, x, y, radius, line_width);
}

static inline bool shoal_draw_rect(shoal_context *c, float x, float y, float width, float height, float corner,
                                   float line_width) {
  return c->api->draw_rect(c, x, y, width, height, corner, line_width);
}

// `xy` contains `points` pairs: a simple polygon, which may be concave. `width` is the outline's if it is not filled.
static inline bool shoal_draw_polygon(shoal_context *c, const float *xy, uint32_t points, bool filled, float width) {
  return c->api->draw_polygon(c, xy, points, filled, width);
}

static inline bool shoal_draw_sprite(shoal_context *c, const shoal_sprite_desc *sprite) {
  return c->api->draw_sprite(c, sprite);
}

static inline bool shoal_draw_words(shoal_context *c, const shoal_words *words) {
  return c->api->draw_words(c, words);
}

// `x`, `y`: top left; `size` in pixels; UTF-8, copied.
static inline bool shoal_draw_text(shoal_context *c, const char *text, float x, float y, float size) {
  shoal_words words;
  memset(&words, 0, sizeof words);
  words.text = text;
  words.x = x;
  words.y = y;
  words.size = size;
  return shoal_draw_words(c, &words);
}

// --- triangles

// `count` vertices, three for a triangle; copied. At most 1,048,576 in a frame, of all plugins. `look` NULL: zeros.
static inline bool shoal_draw_triangles(shoal_context *c, const shoal_look *look, const shoal_vertex *vertices,
                                        uint32_t count) {
  return c->api->draw_triangles(c, look, vertices, count);
}

// The shader over the whole of each view, in the layer that is set. v_uv is 0 … 1 of the view, v_at the position in the
// world.
static inline bool shoal_draw_pass(shoal_context *c, const shoal_look *look) {
  return c->api->draw_pass(c, look);
}

// Triangles with depth, three corners each, eight numbers a corner: the position in clip space (x y z w, as a
// projection matrix returns it; the clip box is the whole screen) and the colour (0 … 1). Depth is tested within one
// call. In world space they are in each view of a split screen, and in screen space in that of shoal_draw_view: around
// its middle, as large as it is high. The colour that is set is not used.
static inline bool shoal_draw_solids(shoal_context *c, const float *corners, uint32_t triangles) {
  return c->api->draw_solids(c, corners, triangles);
}

#endif
