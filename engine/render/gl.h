// A frame_t to pixels, OpenGL 3.3 core. A GL context is current in every call.
//
// Without bloom instances go straight to the window. With it they go to a half-float picture, whose light is gathered
// at a quarter of the size, blurred down and up a chain of ever smaller levels, and added back with tone mapping.
#ifndef SHOAL_RENDER_GL_H
#define SHOAL_RENDER_GL_H

#include "base/error.h"
#include "platform/assets.h"
#include "platform/letterbox.h"
#include "platform/platform.h"
#include "render/frame.h"

typedef struct gl_o gl_o;

// `assets` is borrowed: its shaders/ are the programs. NULL with a sentence.
gl_o *gl_create(const assets_t *assets, log_o *log, error_t *error);
void gl_destroy(gl_o *g);
void gl_forget(gl_o *g); // another game, which may have shaders of its own
// A file below the assets has changed: a shader is compiled again. `why` is filled when the old one is kept.
asset_fate_t gl_changed(gl_o *g, const char *name, error_t *why);

// The shaders of plugins are others: false with a sentence where this driver refuses one, and the old ones stay.
bool gl_paint_changed(gl_o *g, const paint_o *p, error_t *why);

// Uploads the frame's instances and what is new in the glyph atlas.
void gl_upload(gl_o *g, const frame_t *f);
// Draws what was uploaded last into `area` of the framebuffer that is bound, the picture at `box` of it.
void gl_draw(gl_o *g, const frame_t *f, letterbox_t box, platform_area_t area);
// The texture of a canvas, which is made where there is none of that name and size. Before the canvases of a frame are
// drawn each of them is asked for; those that were not are dropped at its end.
uint32_t gl_canvas(gl_o *g, const char *name, int width, int height);
// Draws what was uploaded last into it.
void gl_draw_canvas(gl_o *g, const frame_t *f, uint32_t texture);
void gl_end_canvases(gl_o *g);
// Draws it again beside the window and reads it: width × height × 3 bytes, top row first. Free with alloc_resize.
uint8_t *gl_read(gl_o *g, const frame_t *f, letterbox_t box, int width, int height, allocator_t *a);

#endif
