// Draws a frame_t with OpenGL 3.3 core. A GL context must be current in every call.
//
// Without bloom, instances are drawn to the window directly. With bloom they are drawn to a half-float target; its
// light is downsampled to a quarter, blurred down and up a mipmap chain, and added back with tone mapping.
#ifndef SHOAL_RENDER_GL_H
#define SHOAL_RENDER_GL_H

#include "base/error.h"
#include "platform/assets.h"
#include "platform/letterbox.h"
#include "platform/platform.h"
#include "render/frame.h"

typedef struct gl_o gl_o;

// Creates the renderer. `assets` is borrowed; its shaders/ contains the programs. Returns NULL with an error.
gl_o *gl_create(const assets_t *assets, log_o *log, error_t *error);
void gl_destroy(gl_o *g);
void gl_forget(gl_o *g); // frees everything of the game; the next game may have its own shaders
// Reloads a shader asset that changed. If the old one is kept, stores the reason in `why`.
asset_fate_t gl_changed(gl_o *g, const char *name, error_t *why);

// Rebuilds the shaders of plugins after a change. Returns false with an error if the driver rejects one; the old ones
// are then kept.
bool gl_paint_changed(gl_o *g, const paint_o *p, error_t *why);

// Uploads the frame's instances and new glyphs of the atlas.
void gl_upload(gl_o *g, const frame_t *f);
// Draws the last upload into `area` of the bound framebuffer; the image is at `box` within it.
void gl_draw(gl_o *g, const frame_t *f, letterbox_t box, platform_area_t area);
// Returns the texture of a canvas; creates it if no canvas has this name and size. Request all canvases of a frame
// before drawing any; gl_end_canvases frees those not requested.
uint32_t gl_canvas(gl_o *g, const char *name, int width, int height);
// Draws the last upload into the canvas with this texture.
void gl_draw_canvas(gl_o *g, const frame_t *f, uint32_t texture);
void gl_end_canvases(gl_o *g);
// Draws the frame to an offscreen target and reads it back: width × height × 3 bytes, top row first. Free with
// alloc_resize.
uint8_t *gl_read(gl_o *g, const frame_t *f, letterbox_t box, int width, int height, allocator_t *a);

#endif
