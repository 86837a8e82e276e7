// One frame as plain data: instances in drawing order, cut into batches. Collected from the world and the draw list
// without any OpenGL, then uploaded and drawn by gl.c. Positions are real pixels of the picture (inside the black
// bars), y down.
#ifndef SHOAL_RENDER_FRAME_H
#define SHOAL_RENDER_FRAME_H

#include "animation/sheet.h"
#include "base/array.h"
#include "camera/viewport.h"
#include "camera/canvas.h"
#include "ecs/world.h"
#include "light/light.h"
#include "outline/outline.h"
#include "paint/paint.h"
#include "particles/emitter.h"
#include "poses/poses.h"
#include "render/draw_internal.h"
#include "render/glyphs.h"

#include <stdbool.h>
#include <stdint.h>

// 80 bytes, four corners on the GPU.
//
// |       | box: circle, capsule, rectangle   | quad: any four corners       | textured                           |
// |-------|-----------------------------------|------------------------------|------------------------------------|
// | a     | centre, unit axis u               | corners 0 and 1              | centre, half axis u                |
// | b     | half size, corner radius,         | corners 2 and 3 (as a strip) | half axis v, 1 for smoothed edges, |
// |       | half line width or -1 for filled  |                              | 1 for sharp texels                 |
// | c     | cuts at both ends of the axis     | coverage of each corner      | left, top, right, bottom in texels |
// | kind, | 0                                 | 1                            | BATCH_MATERIAL: what it does to    |
// | more  |                                   |                              | the image (emit.c)                 |
//
// A cut (nx, ny) is in the frame of the axis; zero for none. A kind from 0 down to -1 is a box whose edge is soft: so
// much of its radius fades out. `colour` is premultiplied; alpha 0 makes it additive.
typedef struct instance_t {
  float a[4], b[4], c[4], colour[4];
  float kind, more[3];
} instance_t;

#define FRAME_POINT_MIN 1.0f // pixels across: what every driver draws as a point (batch_t)
#define FRAME_POINT_MAX 64.0f

#define FRAME_CUTS VIEWPORTS_MAX // a batch's clips above this one are in `cuts`

// BATCH_LIGHT: all that lies below is lit by the lights of its view, whose number is its `first`.
// BATCH_MESH: `first` is a mesh of `paint`, which lies where `mesh_places[points]` says.
typedef enum batch_kind_t {
  BATCH_SHAPES,
  BATCH_GLYPHS,
  BATCH_IMAGE,
  BATCH_MATERIAL,
  BATCH_SOLIDS,
  BATCH_LIGHT,
  BATCH_MESH
} batch_kind_t;

typedef struct batch_t {
  batch_kind_t kind;
  uint32_t texture;      // BATCH_IMAGE, BATCH_MATERIAL, BATCH_MESH
  bool smooth, exact;    // a shorter program draws all instances right, with smoothed texels; with the nearest ones
  bool large;            // no smaller picture of the texture is needed: all are drawn at half its size or larger
  uint32_t first, count; // instances; BATCH_SOLIDS: corners
  uint32_t points;       // of the instances: those that a point draws as well, upright squares of images and discs
  uint32_t clip;         // the part of the picture that it stays in, from 1: of a view, or behind those of `cuts`
} batch_t;               // 0: all of the picture

typedef struct cut_t {
  int32_t part[4]; // of the picture: left, top, right, bottom
} cut_t;

typedef struct mesh_place_t {
  affine_t to_pixels;
  float seen[4]; // of the picture: left, top, right, bottom
} mesh_place_t;

typedef struct image_t {
  uint32_t texture;
  int32_t width, height;
  const sheet_t *sheet; // NULL: it has none
  bool sharp;           // its texels keep their edges when they are larger than pixels
} image_t;

// Where images come from: gl.c; a test gives its own.
typedef struct image_source_t {
  void *context;
  image_t (*find)(void *context, const char *name);
} image_source_t;

typedef struct view_t {
  affine_t world, screen; // to pixels
  float width, height;    // of the picture, in pixels
  float bloom;            // 0 … 1
  float background[4];
  float seen[4]; // left, top, right, bottom of what is emitted now: the picture, or the view that it is cut to
} view_t;

// What one camera sees.
typedef struct camera_view_t {
  shoal_entity camera; // 0 where there is none
  affine_t world, screen;
  bool clipped;
  int32_t clip[4]; // its part of the picture: left, top, right, bottom
  float background[4];
  uint64_t first, end; // keys of what it shows (draw_list.c)
  bool lit;
  ambient_t ambient; // where it is
} camera_view_t;

// A layer of a map that is to be seen.
typedef struct tile_layer_t {
  shoal_entity entity;
  uint32_t row, layer; // of tilemap, of its map
  int32_t order;       // where it lies among all layers of the picture
} tile_layer_t;

// The image of a string id, looked up once a frame.
typedef struct image_memo_t {
  uint32_t frame;
  image_t image;
} image_memo_t;

// A thing to be drawn: where it belongs, and how deep it lies there (draw_list.c).
typedef struct sort_item_t {
  uint64_t key, depth;
} sort_item_t;

#define FRAME_MAX_PASSES 16u
#define FRAME_MAX_UNIFORMS 16u

// A number, or several, of a pass over the finished picture.
typedef enum uniform_kind_t {
  UNIFORM_FLOAT,
  UNIFORM_INT,
  UNIFORM_BOOL,
  UNIFORM_VEC2,
  UNIFORM_VEC3,
  UNIFORM_VEC4
} uniform_kind_t;
typedef struct uniform_t {
  char name[FIELD_NAME_MAX];
  uniform_kind_t kind;
  float value[4];
} uniform_t;

// One that is on or not, as the world has it now (passes.c).
typedef struct shader_pass_t {
  char name[FIELD_NAME_MAX], file[128]; // an asset
  bool on;
  bool all; // it covers what is on the screen, too
  uniform_t uniforms[FRAME_MAX_UNIFORMS];
  uint32_t uniform_count;
} shader_pass_t;

typedef struct frame_t {
  allocator_t allocator;
  glyphs_o *glyphs;
  image_source_t images;
  log_o *log;
  view_t view;
  camera_view_t views[VIEWPORTS_MAX]; // from below
  uint32_t view_count;                // one at least
  uint32_t clip;                      // of what is emitted now, as in batch_t
  bool passing;                       // it is there for a moment only: half its size is large (batch_t)
  shoal_entity seen_by;               // the camera of what is emitted now
  ARRAY(instance_t) instances;
  ARRAY(batch_t) batches;
  ARRAY(cut_t) cuts; // what the draw list is clipped to
  paint_o *paint;    // of the draw list; NULL: there is none
  ARRAY(mesh_place_t) mesh_places;
  ARRAY(solid_corner_t) corners; // of triangles with depth, colours premultiplied
  uint32_t screen_batch;         // batches from here on are on the screen
  uint32_t overlay_batch;        // batches from here on are drawn after bloom, as they are
  ARRAY(sort_item_t) order;      // what is drawn, sorted (draw_list.c)
  sort_item_t *sort_scratch;
  uint32_t sort_capacity;
  ARRAY(float) scratch; // points on their way to pixels
  ARRAY(tile_layer_t) tile_layers;
  ARRAY(particle_cloud_t) clouds;
  lights_t lights;
  float light_detail; // points of light for each pixel; 0: no view is lit
  shader_pass_t passes[FRAME_MAX_PASSES];
  uint32_t pass_count;
  float time_s;       // of the world, as it is drawn
  bool copies_logged; // an image of a map that would be repeated too often
  outlines_t outlines;
  ARRAY(image_memo_t) images_by_id;
  uint32_t number; // of frames so far
  poses_t poses;
} frame_t;

void frame_init(frame_t *f, glyphs_o *glyphs, image_source_t images, log_o *log);
void frame_fini(frame_t *f);

// Fills instances, batches and view. `width`, `height`: the picture in real pixels; `scale_x`, `scale_y`: of these per
// logical pixel. `world`, `draw` and `type` may be NULL: without the last one there are no texts.
typedef struct frame_desc_t {
  world_o *world;
  const draw_o *draw;
  typesetter_o *type;
  float alpha;
  float width, height, scale_x, scale_y;
  int logical_width, logical_height;
  const canvas_t *canvas; // what is collected is a canvas: what its camera sees, and nothing else. NULL: the screen
} frame_desc_t;
void frame_collect(frame_t *f, const frame_desc_t *desc);

#endif
