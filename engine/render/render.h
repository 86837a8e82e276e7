// Draws a world: sprites, shapes and texts instanced straight from their columns, then the draw list, through the
// active camera. OpenGL 3.3 core; a null twin (headless) takes the same calls and draws nothing. Reads the world, never
// writes it.
#ifndef SHOAL_RENDER_RENDER_H
#define SHOAL_RENDER_RENDER_H

#include "animation/sheets.h"
#include "base/error.h"
#include "base/log.h"
#include "ecs/world.h"
#include "platform/assets.h"
#include "platform/letterbox.h"
#include "platform/platform.h"
#include "render/draw.h"
#include "text/typesetter.h"

typedef struct render_o render_o;

typedef struct render_desc_t {
  platform_o *platform;   // borrowed; headless → the null twin
  const assets_t *assets; // borrowed; may change between games (render_forget)
  int width, height;      // the game's logical size
  log_o *log;
} render_desc_t;

render_o *render_create(const render_desc_t *desc, error_t *error);
void render_destroy(render_o *r);
// `sharp`: images whose sheet does not say otherwise keep the edges of their pixels.
void render_set_picture(render_o *r, int width, int height, letterbox_mode_t scale, bool sharp);

// `alpha` 0…1: how far between the last tick and the next; positions are interpolated from where they were when
// render_remember looked to where they are. Moves of more than POSES_SNAP_PIXELS in one tick (a wrap, a teleport) are
// not. `world` may be NULL (only the list is drawn), and so may `sheets`, of its images.
// Screen-space drawing at this layer or above comes after bloom and tone mapping, as it is: error cards, tools.
#define RENDER_OVERLAY_LAYER 10000
void render_frame(render_o *r, world_o *world, sheets_o *sheets, draw_o *draw, float alpha);
// Before the last tick of a frame. Without it, or when the world is at another tick than the next one, things are drawn
// where they are.
void render_remember(render_o *r, world_o *world);

// Sets the texts from now on, until render_forget; NULL: the renderer's own, for when there is no game. Borrowed.
void render_use_type(render_o *r, typesetter_o *type);
typesetter_o *render_type(const render_o *r); // the one in use
// Width and height in logical pixels of a text as it is drawn. The same without a window.
void render_text_size(render_o *r, const text_style_t *style, const char *text, float *width, float *height);

// How large a frame of an image is before anything scales it, and where its origin lies (0 … 1), as a sprite shows it.
// False, and nothing is filled, where the image is not there, or not there yet.
typedef struct render_image_t {
  const char *image;
  int32_t frame, frames; // as a sprite has them
} render_image_t;
bool render_image_frame(render_o *r, sheets_o *sheets, const render_image_t *of, float size[2], float pivot[2]);

// The last frame as a PNG, in real pixels. The null twin writes nothing and says so.
bool render_screenshot(render_o *r, const char *path, error_t *error);
// The picture of the last frame, without bars and small, as a PNG. False without a message where nothing is drawn.
bool render_thumbnail(render_o *r, const char *path, error_t *error);
#define RENDER_THUMBNAIL_SIDE 320u // pixels at most
// The picture of the window among others, an image; "" for none. What cannot be had is said, and the old one stays.
void render_set_icon(render_o *r, const char *image);
// Begins to decode an image that is not known yet, off the frame; until it is there it is not drawn. Is it under way?
bool render_preload(render_o *r, const char *name);
// A file `name` below the assets has changed, appeared or gone: an image, a font or a shader that uses it is loaded
// again in place, so that every name goes on to mean it. `why` (may be NULL) is filled when the old one is kept.
// Between two frames only.
asset_fate_t render_asset_changed(render_o *r, const char *name, error_t *why);
// What lies on the GPU besides the screen, for tools: images that were asked for, canvases, glyphs, textures of
// plugins. False behind the last one.
typedef struct render_texture_t {
  const char *name, *kind; // borrowed; "image", "missing", "canvas", "plugin" or "glyphs"
  int32_t width, height;
  size_t bytes; // 0 without a window
} render_texture_t;
bool render_texture(const render_o *r, uint32_t number, render_texture_t *out);
// Drops textures and fonts, and looks for the shaders anew (another game).
void render_forget(render_o *r);

#endif
