// What a plugin draws: triangles with colours, textures and shaders of its own, and sprites, shapes and words beside
// them.
//
//   static void draw(shoal_context *c, const shoal_view *v, float dt_s) { // .phase = SHOAL_PHASE_RENDER
//     struct waves *w = shoal_state(c);
//     shoal_look look = {.image = w->foam, .shader = w->shader};
//     shoal_draw_layer(c, 3);
//     shoal_draw_uniform(c, w->shader, "wind", &w->wind, 1);
//     shoal_draw_triangles(c, &look, w->vertices, w->count);
//   }
//
// Space, layer, view and colour are those of <shoal/plugin.h> (shoal_draw_space, …), and hold for the calls that follow
// in this run of the system; within a layer what is drawn later lies on top. It is presentation: systems of the render
// phase draw, textures and shaders are made there and while loading, and nothing of it is seen by the simulation. With
// no window the same is looked through and nothing is drawn. What belongs to a plugin is given back when it goes, also
// when it is reloaded: an instance makes its own in `open`.
//
// What is wrong (a texture that is gone, a number that is not finite, drawing elsewhere) does nothing, and the call
// that is going on has failed with a sentence. Main thread. Part of the public plugin headers: C11, usable from C++.
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

// --- drawing: systems of the render phase

// `count` vertices, three for a triangle; copied. At most 1,048,576 in a frame, of all plugins. `look` NULL: zeros.
static inline bool shoal_draw_triangles(shoal_context *c, const shoal_look *look, const shoal_vertex *vertices,
                                        uint32_t count) {
  return c->api->draw_triangles(c, look, vertices, count);
}

// A pass: the shader over the whole of each view, in the layer that is set. v_uv is 0 … 1 of the view, v_at the place
// in the world.
static inline bool shoal_draw_pass(shoal_context *c, const shoal_look *look) {
  return c->api->draw_pass(c, look);
}

// In the colour that is set, which tints it.
static inline bool shoal_draw_sprite(shoal_context *c, const shoal_sprite_desc *sprite) {
  return c->api->draw_sprite(c, sprite);
}

// `line_width` 0: filled. For rectangles x, y is the top left, and `corner` the radius of the corners.
static inline bool shoal_draw_circle(shoal_context *c, float x, float y, float radius, float line_width) {
  return c->api->draw_circle(c, x, y, radius, line_width);
}

static inline bool shoal_draw_rect(shoal_context *c, float x, float y, float width, float height, float corner,
                                   float line_width) {
  return c->api->draw_rect(c, x, y, width, height, corner, line_width);
}

// Words with a font, set from any side; shoal_draw_text is the short one.
static inline bool shoal_draw_words(shoal_context *c, const shoal_words *words) {
  return c->api->draw_words(c, words);
}

// Among entities with a y_sort in the same layer, what follows lies as deep as one whose feet are at y.
static inline bool shoal_draw_at_depth(shoal_context *c, float y) {
  return c->api->draw_at_depth(c, y);
}

// What follows adds to what lies below, as light does; false as at the start. Of triangles shoal_look says it.
static inline bool shoal_draw_blend(shoal_context *c, bool add) {
  return c->api->draw_blend(c, add);
}

#endif
