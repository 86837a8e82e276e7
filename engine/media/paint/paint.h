// Drawing data of plugins: textures and shaders, which exist until their owner releases them or is unloaded, and
// meshes, which last one frame. Independent of OpenGL (paint_gl.h), so that errors are reported in the same way with
// and without a window.
//
// Ids of textures and shaders contain a generation, so that ids of released objects are rejected.
//
// Main thread only.
#ifndef SHOAL_PAINT_PAINT_H
#define SHOAL_PAINT_PAINT_H

#include "base/array.h"
#include "base/error.h"
#include "platform/assets.h"

#define PAINT_MAX_TEXTURES 256u
#define PAINT_MAX_SHADERS 64u
#define PAINT_MAX_SIDE 4096u                // maximum width and height of a texture in texels
#define PAINT_MAX_BYTES ((size_t)128 << 20) // maximum total size of all textures
#define PAINT_MAX_VERTICES (1u << 20)       // maximum number of vertices per frame
#define PAINT_MAX_MESHES 4096u              // maximum number of meshes per frame
#define PAINT_MAX_UNIFORMS 16u
#define PAINT_NAME_MAX 64u
#define PAINT_FILE_MAX 128u

typedef uint32_t paint_id; // id of a texture or shader; 0: no object

typedef struct paint_vertex_t {
  float x, y, u, v, colour[4]; // position, texture coordinates, and colour (not premultiplied)
} paint_vertex_t;

typedef struct paint_texture_t {
  const void *owner; // owner; NULL if the slot is free
  uint32_t generation;
  char name[PAINT_NAME_MAX]; // name, shown in tools
  uint32_t width, height;
  bool sharp, repeats;
  uint8_t *pixels;                  // pixels as premultiplied RGBA
  uint32_t dirty_top, dirty_bottom; // rows not yet uploaded to the GPU
} paint_texture_t;

typedef enum paint_stage_t { PAINT_FRAGMENT, PAINT_VERTEX, PAINT_STAGES } paint_stage_t;

typedef struct paint_uniform_t {
  char name[PAINT_NAME_MAX];
  uint32_t floats; // number of floats, 1 to 4
  float value[4];
} paint_uniform_t;

typedef struct paint_shader_t {
  const void *owner;
  uint32_t generation;
  char name[PAINT_NAME_MAX];
  // Game asset that overrides the source; "" if the shader has no such asset.
  char file[PAINT_STAGES][PAINT_FILE_MAX];
  char *owner_text[PAINT_STAGES];                             // owner's source; NULL: the default source of that stage
  char *text[PAINT_STAGES];                                   // source in use; NULL: the default source
  char origin[PAINT_STAGES][PAINT_NAME_MAX + PAINT_FILE_MAX]; // origin of `text`, for messages
  paint_uniform_t uniforms[PAINT_MAX_UNIFORMS];
  uint32_t uniform_count;
  uint32_t version; // version of the sources in use, incremented when they change
  bool reads_below; // true if the fragment source contains `below`, which samples the frame drawn so far
} paint_shader_t;

typedef struct paint_mesh_t {
  uint32_t first, count; // range of vertices; if count is 0, the mesh covers the whole view
  paint_id image, second_image, shader;
  uint32_t values; // index in paint_o.values of the mesh's uniforms, four floats each
  bool add;
} paint_mesh_t;

typedef struct paint_o {
  allocator_t allocator;
  paint_texture_t textures[PAINT_MAX_TEXTURES];
  paint_shader_t shaders[PAINT_MAX_SHADERS];
  size_t texture_bytes;
  const assets_t *assets; // assets of the most recently added shader; borrowed
  ARRAY(paint_vertex_t) vertices;
  ARRAY(paint_mesh_t) meshes;
  ARRAY(float) values;
} paint_o;

paint_o *paint_create(void);
void paint_destroy(paint_o *p);
void paint_clear(paint_o *p);                            // starts a frame: drops all meshes
void paint_release_owner(paint_o *p, const void *owner); // releases all objects of an owner

// Description of a new texture. `rgba`: not premultiplied, top row first; NULL: transparent.
typedef struct paint_texture_desc_t {
  const char *name;
  uint32_t width, height;
  const uint8_t *rgba;
  bool sharp, repeats;
} paint_texture_desc_t;

// Creates a texture. Returns its id, or 0 with an error if the description is invalid, or if there would be more than
// PAINT_MAX_TEXTURES textures or PAINT_MAX_BYTES bytes of textures. The following functions with an `owner` parameter
// fail if the object does not belong to that owner.
paint_id paint_texture_add(paint_o *p, const void *owner, const paint_texture_desc_t *desc, error_info_t *error);
typedef struct paint_region_t {
  uint32_t x, y, width, height;
} paint_region_t;
bool paint_texture_write(paint_o *p, const void *owner, paint_id texture, const paint_region_t *region,
                         const uint8_t *rgba, error_info_t *error);
bool paint_texture_remove(paint_o *p, const void *owner, paint_id texture, error_info_t *error);
uint32_t paint_texture_count(const paint_o *p);
// Returns the i-th texture, for tools, or NULL after the last texture.
const paint_texture_t *paint_texture_at(const paint_o *p, uint32_t i);
// Returns the texture with this id, or NULL if the id is unknown.
const paint_texture_t *paint_find_texture(const paint_o *paint, paint_id texture);

typedef struct paint_shader_desc_t {
  const char *name;
  const char *text[PAINT_STAGES]; // GLSL source, indexed by stage; NULL: the default source
  const char *file[PAINT_STAGES]; // game asset that overrides the source; may be NULL
  const char *uniforms[PAINT_MAX_UNIFORMS];
  uint32_t floats[PAINT_MAX_UNIFORMS];
  uint32_t uniform_count;
  const assets_t *assets;
} paint_shader_desc_t;

// Creates a shader. Returns its id, or 0 with an error if the description is invalid or there are PAINT_MAX_SHADERS
// shaders. If one of the game's files is invalid, the owner's source is used, and the function succeeds but also sets
// the error.
paint_id paint_shader_add(paint_o *p, const void *owner, const paint_shader_desc_t *desc, error_info_t *error);
bool paint_shader_set(paint_o *p, const void *owner, paint_id shader, const char *uniform, const float *value,
                      uint32_t floats, error_info_t *error);
bool paint_shader_remove(paint_o *p, const void *owner, paint_id shader, error_info_t *error);
const paint_shader_t *paint_find_shader(const paint_o *p, paint_id shader);
// Reloads a changed, added or deleted game file: updates the shaders that use the file, and returns ASSET_RELOADED.
// Stops at the first rejected shader, which keeps its sources, and returns ASSET_KEPT with an error. Returns
// ASSET_UNUSED if no shader uses the file.
asset_fate_t paint_asset_changed(paint_o *p, const char *name, error_info_t *error);

typedef struct paint_mesh_desc_t {
  paint_id image, second_image, shader;
  bool add;
  const paint_vertex_t *vertices;
  uint32_t count; // number of vertices; 0: the mesh covers the whole view
} paint_mesh_desc_t;

// Adds a mesh. Returns its index in this frame, or UINT32_MAX with an error if a texture or the shader does not belong
// to `owner`, a vertex is invalid, or the frame would have more than PAINT_MAX_VERTICES vertices or PAINT_MAX_MESHES
// meshes.
uint32_t paint_mesh_add(paint_o *p, const void *owner, const paint_mesh_desc_t *desc, error_info_t *error);

#endif
