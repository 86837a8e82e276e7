// Draws the meshes of paint.h with OpenGL 3.3. A GL context must be current in every call.
#ifndef SHOAL_PAINT_PAINT_GL_H
#define SHOAL_PAINT_PAINT_GL_H

#include "base/log.h"
#include "paint/paint.h"
#include "base/affine.h"

#include <epoxy/gl.h>

typedef struct paint_gl_texture_t {
  GLuint name;
  uint32_t generation; // generation of the uploaded texture
} paint_gl_texture_t;

typedef struct paint_gl_program_t {
  GLuint name;                  // OpenGL program; 0 until a version has been built successfully
  uint32_t generation, version; // generation and version of the last build, even if it failed
} paint_gl_program_t;

// OpenGL objects of a paint_o. Must be zero-initialized.
typedef struct paint_gl_t {
  GLuint vertex_array, vertex_buffer, white_texture;
  GLuint backdrop; // copy of the frame drawn so far, for shaders that sample it
  int backdrop_width, backdrop_height;
  paint_gl_texture_t textures[PAINT_MAX_TEXTURES];
  paint_gl_program_t programs[PAINT_MAX_SHADERS];
  GLuint default_program; // program for meshes without a shader
} paint_gl_t;

void paint_gl_fini(paint_gl_t *g);

// Builds new shaders, and uploads new texels and the vertices of the frame's meshes. A shader that the driver rejects
// is logged once and keeps its previous program. Without a previous program, the meshes of the shader are not drawn.
// `p` may be NULL.
void paint_gl_upload(paint_gl_t *g, paint_o *p, log_o *log);
// Rebuilds shaders after paint_asset_changed. Returns true on success, or false with an error if the driver rejects a
// shader, whose previous program stays in use.
bool paint_gl_rebuild_shaders(paint_gl_t *gl, const paint_o *paint, error_info_t *error);

// Destination of a mesh. Positions are in pixels of the image, y down. The members from `framebuffer` to
// `surface_height` describe the image's area in the framebuffer.
typedef struct paint_view_t {
  affine_t to_pixels;  // transform from mesh coordinates
  float width, height; // size of the image in pixels
  float view[4];       // visible part of the image in pixels: left, top, right, bottom
  GLuint framebuffer;
  int x, y, surface_width, surface_height;
  GLuint image; // texture of an asset for the sampler `image`, if the mesh has no image; 0: no texture
  float time_s;
} paint_view_t;
void paint_gl_draw(paint_gl_t *g, const paint_o *p, uint32_t mesh, const paint_view_t *view);

#endif
