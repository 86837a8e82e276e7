// Draws the meshes of paint.h with OpenGL 3.3. A GL context is current in every call.
#ifndef SHOAL_PAINT_PAINT_GL_H
#define SHOAL_PAINT_PAINT_GL_H

#include "base/log.h"
#include "paint/paint.h"

#include <epoxy/gl.h>

typedef struct paint_gl_texture_t {
  GLuint name;
  uint32_t generation; // of what it shows
} paint_gl_texture_t;

typedef struct paint_gl_program_t {
  GLuint name;                  // 0: there is none that this driver takes
  uint32_t generation, version; // of what was built last, whether it was taken or not
} paint_gl_program_t;

// Zeroed before.
typedef struct paint_gl_t {
  GLuint array, buffer, white;
  GLuint behind; // a picture of what lies below, for shaders that read it
  int behind_width, behind_height;
  paint_gl_texture_t textures[PAINT_MAX_TEXTURES];
  paint_gl_program_t programs[PAINT_MAX_SHADERS];
  GLuint usual; // program of meshes without a shader
} paint_gl_t;

void paint_gl_fini(paint_gl_t *g);

// Builds shaders that are new, and uploads what is new. What a driver refuses is logged, once, and the program before
// it stays; without one nothing is drawn with it. `p` may be NULL.
void paint_gl_upload(paint_gl_t *g, paint_o *p, log_o *log);
// After paint_changed: false with a sentence where this driver refuses one of them, and those before stay.
bool paint_gl_build(paint_gl_t *g, const paint_o *p, error_t *error);

// Where a mesh goes: pixels of the picture, y down, and the part of the framebuffer that the picture is.
typedef struct paint_place_t {
  float axes[4], origin[2]; // p → (axes[0], axes[1]) · p.x + (axes[2], axes[3]) · p.y + origin
  float width, height;      // of the picture
  float view[4];            // the part of it that is seen: left, top, right, bottom
  GLuint framebuffer;
  int x, y, surface_width, surface_height;
  GLuint image; // an asset's texture, for `image`; 0 for none
  float time_s;
} paint_place_t;
void paint_gl_draw(paint_gl_t *g, const paint_o *p, uint32_t mesh, const paint_place_t *place);

#endif
