// Draws a world as seen by its active cameras: tilemaps, sprites, shapes, particles, trails and text from its columns,
// together with the draw list, sorted by layer and depth. Uses OpenGL 3.3 core; the headless implementation accepts the
// same calls and draws nothing. Never writes to the world.
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
typedef struct pose_corrections_t pose_corrections_t; // defined in poses/pose_corrections.h

typedef struct render_desc_t {
  platform_o *platform;   // platform with the window; borrowed. If it is headless, nothing is drawn
  const assets_t *assets; // assets of the game; borrowed; may change between games (render_reset)
  int width, height;      // logical size of the game
  bool waits_for_images;  // true if each frame waits for all images being decoded, so that frames are reproducible
  log_o *log;
} render_desc_t;

render_o *render_create(const render_desc_t *desc, error_info_t *error);
void render_destroy(render_o *render);
// Sets the logical size and the scaling. `sharp`: use nearest-neighbour magnification for images whose sheet does not
// set `filter`.
void render_set_screen(render_o *render, int width, int height, letterbox_mode_t scale, bool sharp);
// Sets the height of the tool strip below the image, in logical pixels (0: no strip), as for platform_set_strip.
// Screen-space drawing at RENDER_OVERLAY_LAYER or above may extend into the strip.
void render_set_strip(render_o *render, float height);

// Screen-space drawing at this layer or above is drawn after bloom and tone mapping, without effects: error cards,
// tools.
#define RENDER_OVERLAY_LAYER 10000
// Draws a frame. `alpha`: interpolation factor from 0 to 1 between the positions at the last render_store_poses and the
// current positions. Moves of more than POSES_SNAP_PIXELS in a tick (wrapping, teleporting) are not interpolated.
// `world` may be NULL to draw only the list. `sheets`, the sprite sheets of the world's images, may be NULL.
void render_frame(render_o *render, world_o *world, sheets_o *sheets, draw_o *draw, float alpha);
// Stores the current positions for interpolation. Call before the last tick of a frame. Positions are interpolated only
// if the world is drawn exactly one tick later.
void render_store_poses(render_o *render, world_o *world);
// Sets the rollback corrections, borrowed until the next call. NULL: no corrections.
void render_set_pose_corrections(render_o *render, const pose_corrections_t *corrections);

// Sets the typesetter, which is borrowed until render_reset. NULL selects the renderer's own typesetter, which is also
// used while there is no game.
void render_set_typesetter(render_o *render, typesetter_o *type);
typesetter_o *render_typesetter(const render_o *render); // returns the typesetter in use
// Stores the width and height of the text in logical pixels. The result does not depend on the window.
void render_measure_text(render_o *render, const text_style_t *style, const char *text, float *width, float *height);

typedef struct render_image_t {
  const char *image;
  int32_t frame, frames; // frame numbers, as in the component `sprite`
} render_image_t;
// Stores the unscaled size of an image's frame in pixels, and its pivot (0 to 1), as used by sprites. Returns true on
// success. If the image is not decoded yet, returns false and stores nothing. A missing image has the size of the
// checkerboard.
bool render_get_image_frame(render_o *render, sheets_o *sheets, const render_image_t *image_frame, float size[2],
                            float pivot[2]);

// Returns the most recent frame as RGB, from the top, in physical pixels: width × height × 3 bytes, owned by the
// caller. Returns NULL if headless or before the first frame.
uint8_t *render_read_frame(render_o *render, allocator_t *allocator, int *width, int *height);
// Saves the most recent frame as a PNG, in physical pixels. Returns true on success, or false with an error if
// headless, before the first frame, or if the file cannot be written.
bool render_write_screenshot(render_o *render, const char *path, error_info_t *error);
// Saves a reduced version of the most recent frame, without bars, as a PNG. Returns true on success, false with an
// error if the file cannot be written, and false without an error if nothing was drawn yet or the renderer is headless.
bool render_write_thumbnail(render_o *render, const char *path, error_info_t *error);
#define RENDER_THUMBNAIL_SIDE 320u // maximum width and maximum height in pixels
// Sets the window icon to an image; "" keeps the current icon. If the image cannot be loaded, logs a warning and keeps
// the current icon.
void render_set_icon(render_o *render, const char *image);
// Sets the pointer's image, with the pivot of its sheet as the hot spot; "" selects the system's pointer. The image is
// enlarged by a whole number, up to the scale of the game's image. Reads the image only if its file, its name or the
// scale has changed. Returns true on success, or false with an error if the image cannot be used. After a failure, the
// system's pointer is shown, and later calls with this image do nothing and return true. `sheets` may be NULL.
bool render_set_pointer_image(render_o *render, sheets_o *sheets, const char *image, error_info_t *error);
// Starts decoding an image in the background; the image is not drawn until it is decoded. Returns true while the image
// is being decoded.
bool render_preload(render_o *render, const char *name);
// Reloads an asset in use that was changed, added or deleted: an image, a font, a shader, or one of the game's files
// that overrides a plugin's shader. Returns ASSET_RELOADED on success, ASSET_UNUSED if the asset is not in use, or
// ASSET_KEPT with the reason in `error` (may be NULL) if the old version stays in use. Call between frames.
asset_fate_t render_asset_changed(render_o *render, const char *name, error_info_t *error);
// Description of a texture for tools. The texture contains the glyphs, a canvas, a plugin's texture, or an image, which
// may be missing or not yet loaded. Numbers start at 0; render_get_texture returns false after the last texture.
typedef struct render_texture_t {
  const char *name, *kind; // name, and "image", "missing", "canvas", "plugin" or "glyphs"; borrowed
  int32_t width, height;
  size_t bytes; // GPU memory in bytes; 0 if there is no window, except for "plugin"
} render_texture_t;
bool render_get_texture(const render_o *render, uint32_t number, render_texture_t *out);
// Frees the images and post-processing passes, returns to the renderer's own typesetter, and rebuilds the shaders. Call
// before a different game starts.
void render_reset(render_o *render);

#endif
