// What plugins draw with triangles, as data: textures and shaders, which stay until their owner gives them back or
// goes, and the meshes of one frame, which go when the next begins. Nothing here knows OpenGL (paint_gl.h), so that a
// mistake is the same sentence with a window and without one.
//
// The names of textures and shaders are numbers with a generation: one that was given back, or whose owner has gone,
// means nothing any more, and is refused. Main thread.
#ifndef SHOAL_PAINT_PAINT_H
#define SHOAL_PAINT_PAINT_H

#include "base/array.h"
#include "base/error.h"
#include "platform/assets.h"

#define PAINT_MAX_TEXTURES 256u
#define PAINT_MAX_SHADERS 64u
#define PAINT_MAX_SIDE 4096u                // texels
#define PAINT_MAX_BYTES ((size_t)128 << 20) // of all textures
#define PAINT_MAX_VERTICES (1u << 20)       // of a frame
#define PAINT_MAX_MESHES 4096u              // of a frame
#define PAINT_MAX_UNIFORMS 16u
#define PAINT_NAME_MAX 64u
#define PAINT_FILE_MAX 128u

typedef uint32_t paint_id; // 0: none

typedef struct paint_vertex_t {
  float x, y, u, v, colour[4]; // straight
} paint_vertex_t;

typedef struct paint_texture_t {
  const void *owner; // NULL: nobody's, and its place is free
  uint32_t generation;
  char name[PAINT_NAME_MAX]; // for tools
  uint32_t width, height;
  bool sharp, repeats;
  uint8_t *pixels;                  // premultiplied
  uint32_t dirty_top, dirty_bottom; // rows that are not on the GPU yet
} paint_texture_t;

typedef enum paint_stage_t { PAINT_FRAGMENT, PAINT_VERTEX, PAINT_STAGES } paint_stage_t;

typedef struct paint_uniform_t {
  char name[PAINT_NAME_MAX];
  uint32_t floats; // 1 … 4
  float value[4];
} paint_uniform_t;

typedef struct paint_shader_t {
  const void *owner;
  uint32_t generation;
  char name[PAINT_NAME_MAX];
  char file[PAINT_STAGES][PAINT_FILE_MAX];                   // of a game, in the place of the owner's text; "" for none
  char *own[PAINT_STAGES];                                   // the owner's; NULL of a stage that is the usual one
  char *text[PAINT_STAGES];                                  // that counts; NULL: the usual one
  char place[PAINT_STAGES][PAINT_NAME_MAX + PAINT_FILE_MAX]; // where it is from, for messages
  paint_uniform_t uniforms[PAINT_MAX_UNIFORMS];
  uint32_t uniform_count;
  uint32_t version; // another one when a text is another
  bool reads_below; // what lies below it in the picture
} paint_shader_t;

typedef struct paint_mesh_t {
  uint32_t first, count; // vertices; none: the whole view
  paint_id image, other, shader;
  uint32_t values; // of its shader's uniforms, four floats each: the first of paint_o.values
  bool add;
} paint_mesh_t;

typedef struct paint_o {
  allocator_t allocator;
  paint_texture_t textures[PAINT_MAX_TEXTURES];
  paint_shader_t shaders[PAINT_MAX_SHADERS];
  size_t texture_bytes;
  const assets_t *assets;         // of the last shader that has a file; borrowed
  ARRAY(paint_vertex_t) vertices; // of the frame
  ARRAY(paint_mesh_t) meshes;
  ARRAY(float) values;
} paint_o;

paint_o *paint_create(void);
void paint_destroy(paint_o *p);
void paint_clear(paint_o *p);                    // a frame begins
void paint_leave(paint_o *p, const void *owner); // takes back all that it has

// What a texture or shader is said to be. `rgba`: straight, the first row above; NULL: all of it is clear.
typedef struct paint_texture_desc_t {
  const char *name;
  uint32_t width, height;
  const uint8_t *rgba;
  bool sharp, repeats;
} paint_texture_desc_t;

// 0 with a sentence. For all functions below: `owner` is whose it has to be.
paint_id paint_texture_add(paint_o *p, const void *owner, const paint_texture_desc_t *desc, error_t *error);
typedef struct paint_part_t {
  uint32_t x, y, width, height;
} paint_part_t;
bool paint_texture_put(paint_o *p, const void *owner, paint_id texture, const paint_part_t *part, const uint8_t *rgba,
                       error_t *error);
bool paint_texture_remove(paint_o *p, const void *owner, paint_id texture, error_t *error);
uint32_t paint_texture_count(const paint_o *p);
const paint_texture_t *paint_texture_at(const paint_o *p, uint32_t i); // the i-th of them, for tools; NULL behind them
const paint_texture_t *paint_texture(const paint_o *p, paint_id texture); // NULL when there is none

typedef struct paint_shader_desc_t {
  const char *name;
  const char *text[PAINT_STAGES]; // NULL: the usual one
  const char *file[PAINT_STAGES]; // a game's own in its place; NULL for none
  const char *uniforms[PAINT_MAX_UNIFORMS];
  uint32_t floats[PAINT_MAX_UNIFORMS];
  uint32_t uniform_count;
  const assets_t *assets;
} paint_shader_desc_t;

// 0 with a sentence. One that is made may have a sentence too: a file of the game that cannot be used, in whose place
// the owner's text stands.
paint_id paint_shader_add(paint_o *p, const void *owner, const paint_shader_desc_t *desc, error_t *error);
bool paint_shader_set(paint_o *p, const void *owner, paint_id shader, const char *uniform, const float *value,
                      uint32_t floats, error_t *error);
bool paint_shader_remove(paint_o *p, const void *owner, paint_id shader, error_t *error);
const paint_shader_t *paint_shader(const paint_o *p, paint_id shader);
// A file of the game's has changed, appeared or gone. All that use it have the new one, or none of them.
asset_fate_t paint_changed(paint_o *p, const char *name, error_t *why);

typedef struct paint_mesh_desc_t {
  paint_id image, other, shader;
  bool add;
  const paint_vertex_t *vertices;
  uint32_t count; // 0: the whole view
} paint_mesh_desc_t;

// The number of the mesh among those of the frame, or UINT32_MAX with a sentence.
uint32_t paint_mesh_add(paint_o *p, const void *owner, const paint_mesh_desc_t *desc, error_t *error);

#endif
