// A plugin that draws. The environment variable MISTAKE selects a mistake; without it, all calls are valid.
#include <shoal/asset.h>
#include <shoal/builtin.h>
#include <shoal/draw.h>

#include <math.h>
#include <stdlib.h>

static bool is_selected(const char *mistake) {
  const char *wanted = getenv("MISTAKE");
  return wanted && strcmp(wanted, mistake) == 0;
}
#define MADE(word) is_selected(#word)
#ifndef ENDING
#define ENDING ".dye"
#endif

SHOAL_COMPONENT(sprite, SHOAL_SPRITE_FIELDS)
SHOAL_COMPONENT(shape, SHOAL_SHAPE_FIELDS)
SHOAL_COMPONENT(camera, SHOAL_CAMERA_FIELDS)

typedef struct paint {
  shoal_texture texture, gone;
  shoal_shader shader;
  uint32_t seen; // version of the dye asset that was drawn last
} paint;

// Loads a .dye file, which contains a colour, "r g b".
static void *load(shoal_context *c, const char *name, const void *bytes, size_t size) {
  float rgb[3];
  (void)name, (void)size;
  if (sscanf(bytes, "%f %f %f", &rgb[0], &rgb[1], &rgb[2]) != 3) {
    shoal_report_asset_error(c, 1, "a dye is three numbers, and not “%.20s”", (const char *)bytes);
    return NULL;
  }
  if (MADE(asks_in_load)) {
    (void)shoal_get_asset(c, "other.dye", NULL);
    return NULL;
  }
  float *out = shoal_realloc(c, NULL, 0, sizeof rgb);
  memcpy(out, rgb, sizeof rgb);
  return out;
}

static void unload(shoal_context *c, void *data) {
  shoal_realloc(c, data, 3 * sizeof(float), 0);
}

static const shoal_uniform UNIFORMS[] = {{"tint", 4}, {"moved", 2}, {NULL, 0}};

static void *open(shoal_context *c) {
  const uint8_t texels[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
  // 41 MB: three such textures fit into the limit of 128 MB for all plugins, four exceed it
  uint32_t side = MADE(large) ? 3300 : 2;
  paint *p = shoal_realloc(c, NULL, 0, sizeof *p);
  memset(p, 0, sizeof *p);
  p->texture = shoal_texture_create(c, &(shoal_texture_desc){.name = "four",
                                                             .width = MADE(no_size) ? 0 : side,
                                                             .height = side,
                                                             .rgba = side == 2 ? texels : NULL,
                                                             .nearest = true});
  p->gone = shoal_texture_create(c, &(shoal_texture_desc){.name = "gone", .width = 1, .height = 1});
  shoal_texture_destroy(c, p->gone);
  p->shader = shoal_shader_create(
      c,
      &(shoal_shader_desc){.name = "tinted",
                           .fragment = MADE(endless)  ? "void main() {\n  while (true) {}\n}\n"
                                       : MADE(driver) ? "void main() {\n  result = vec4(nothing);\n}\n"
                                                      : "void main() { result = cover(tint) * vec4(v_uv.x > 0.0); }\n",
                           .vertex = "void main() { v_uv = uv + vec2(1.0); gl_Position = place(at + moved); }\n",
                           .fragment_file = "shaders/tinted.frag",
                           .uniforms = UNIFORMS});
  if (MADE(draws_in_open))
    shoal_draw_circle(c, 0, 0, 1, 0);
  return p;
}

static void close(shoal_context *c, void *state) {
  shoal_realloc(c, state, sizeof(paint), 0);
}

static void fill_quad(shoal_vertex *v, float x, float y, float side, const float *rgba) {
  static const float CORNERS[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}};
  for (int i = 0; i < 6; ++i)
    v[i] = (shoal_vertex){x + CORNERS[i][0] * side,
                          y + CORNERS[i][1] * side,
                          CORNERS[i][0],
                          CORNERS[i][1],
                          rgba[0],
                          rgba[1],
                          rgba[2],
                          rgba[3]};
}

// Draws a texture with four colours at 0, 0, a square in the colour of wall.dye at 40, 0, and a square at 75, 0 that
// the shader moves to 80, 0.
static void draw(shoal_context *c, const shoal_view *view, float dt_s) {
  const float white[4] = {1, 1, 1, 1}, tint[4] = {0, 0.5f, 1, 1}, moved[2] = {5, 0};
  paint *p = shoal_plugin_state(c);
  shoal_vertex v[6];
  (void)view, (void)dt_s;
  shoal_set_draw_space(c, true);
  shoal_set_draw_layer(c, 5);
  fill_quad(v, 0, 0, 20, white);
  if (MADE(nan))
    v[1].x = NAN;
  shoal_draw_triangles(
      c, &(shoal_draw_state){.texture = MADE(gone) ? p->gone : p->texture, .shader = MADE(no_shader) ? 77 : 0}, v,
      MADE(half) ? 5 : 6);
  uint32_t version = 0;
  const float *dye = shoal_get_asset(c, MADE(other_ending) ? "wall.die" : "wall.dye", &version);
  if (version != p->seen) {
    p->seen = version;
    shoal_log(c, SHOAL_LOG_INFO, "dye %u", version);
  }
  if (dye) {
    fill_quad(v, 40, 0, 20, (const float[4]){dye[0], dye[1], dye[2], 1});
    shoal_draw_triangles(c, NULL, v, 6);
  }
  fill_quad(v, 75, 0, 20, white);
  shoal_set_uniform(c, p->shader, MADE(no_uniform) ? "tnit" : "tint", tint, 4);
  shoal_set_uniform(c, p->shader, "moved", moved, 2);
  shoal_draw_triangles(c, &(shoal_draw_state){.shader = p->shader}, v, 6);
  shoal_set_draw_color(c, 0, 1, 1, 1);
  shoal_draw_rect(c, 120, 0, 20, 20, 0, 0);
  shoal_draw_circle(c, 170, 10, MADE(nan_circle) ? NAN : 10, 0);
  shoal_draw_text_desc(c,
                       &(shoal_text_desc){.string = "words", .x = 100, .y = 90, .size = 12, .align = 1, .valign = 2});
  if (MADE(put_outside))
    shoal_texture_update(c, p->texture, 1, 1, 4, 4, (const uint8_t *)v);
}

static void update(shoal_context *c, const shoal_view *view, float dt_s) {
  shoal_vertex v[3] = {{0}};
  (void)view, (void)dt_s;
  if (MADE(early))
    shoal_draw_triangles(c, NULL, v, 3);
  if (MADE(makes_early))
    shoal_texture_create(c, &(shoal_texture_desc){.name = "x", .width = 1, .height = 1});
}

// Writes columns of a built-in component.
static void grow(shoal_context *c, const shoal_view *view, float dt_s) {
  (void)c, (void)dt_s;
  for (uint32_t i = 0; i < view->count; ++i) {
    SHOAL_COLUMN(view, sprite, width)[i] = 0.5f;
    SHOAL_COLUMN(view, sprite, frames)[i] = 7;
    SHOAL_COLUMN(view, sprite, flip_y)[i] = 1;
  }
}

SHOAL_PLUGIN(.name = "painter", .version = 1, .uses = SHOAL_COMPONENTS(sprite, shape, camera),
             .systems = SHOAL_SYSTEMS({.name = "draw", .phase = SHOAL_PHASE_RENDER, .run = draw},
                                      {.name = "update", .run = update},
                                      {.name = "grow", .query = {"sprite"}, .run = grow}),
             .open = open, .close = close,
             .assets = SHOAL_ASSETS({.extension = ENDING, .load = load, .unload = unload}))
