// Draws a frame_t with OpenGL 3.3 core. A GL context must be current during every call.
//
// Without bloom, instances are drawn directly to the destination: the window, a canvas, or the target that the
// post-processing passes read. With bloom, instances are drawn to a half-float target. The light of this target is
// downsampled to a quarter of the width and height, and blurred down and up a chain of ever smaller targets. The result
// is added to the target's contents, followed by tone mapping.
#ifndef SHOAL_RENDER_GL_H
#define SHOAL_RENDER_GL_H

#include "base/error.h"
#include "platform/assets.h"
#include "platform/letterbox.h"
#include "platform/platform.h"
#include "render/frame.h"

typedef struct gl_o gl_o;

// Creates the renderer. `assets` (borrowed): its folder shaders/ contains the programs. Returns the renderer, or NULL
// with an error if the driver lacks OpenGL 3.3, or if a program cannot be built.
gl_o *gl_create(const assets_t *assets, log_o *log, error_info_t *error);
void gl_destroy(gl_o *gl);
void gl_reset(gl_o *gl); // rebuilds the shaders and frees the post-processing passes, for the next game
// Reloads a shader asset that has changed. Returns ASSET_RELOADED on success, ASSET_UNUSED if no program or pass uses
// the asset, or ASSET_KEPT with the reason in `error` if the old shader is kept.
asset_fate_t gl_asset_changed(gl_o *gl, const char *name, error_info_t *error);

// Rebuilds the plugins' shaders after a change. Returns true on success, or false with an error if the driver rejects a
// shader, whose previous program stays in use.
bool gl_build_paint(gl_o *gl, const paint_o *p, error_info_t *error);

// Uploads the frame's contents and the atlas's new glyphs.
void gl_upload(gl_o *gl, const frame_t *frame);
// Draws the most recent upload into `area` of the bound framebuffer. `letterbox`: placement of the logical
// screen in that area.
void gl_draw(gl_o *gl, const frame_t *frame, letterbox_t letterbox, platform_area_t area);
// Returns the texture of a canvas; creates it if there is no canvas with this name and size. Call this for all canvases
// of a frame before drawing any of them; gl_end_canvases frees the canvases that were not prepared.
uint32_t gl_prepare_canvas(gl_o *gl, const char *name, int width, int height);
// Draws the most recent upload into the canvas with this texture.
void gl_draw_canvas(gl_o *gl, const frame_t *frame, uint32_t texture);
void gl_end_canvases(gl_o *gl);
// Draws the frame to an offscreen target and reads it back. Returns width × height × 3 bytes, starting with the top
// row; free them with alloc_resize.
uint8_t *gl_read_pixels(gl_o *gl, const frame_t *frame, letterbox_t letterbox, int width, int height,
                        allocator_t *allocator);

#endif
