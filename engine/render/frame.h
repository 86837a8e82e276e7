// One frame as plain data: instances in drawing order, grouped into batches. Built from the world and the draw list
// without OpenGL, then uploaded and drawn by gl.c. Positions are physical pixels of the image (inside the black
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

// 80 bytes; the GPU expands it to four corners.
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
// A cut (nx, ny) is relative to the axis; zero for none. `kind` from 0 down to -1: a box with a soft edge, whose
// outer fraction -kind of the radius fades out. `colour` is premultiplied; alpha 0 makes it additive.
typedef struct instance_t {
  float a[4], b[4], c[4], colour[4];
  float kind, more[3];
} instance_t;

#define FRAME_POINT_MIN 1.0f // point sizes in pixels that every driver supports (batch_t)
#define FRAME_POINT_MAX 64.0f

#define FRAME_CUTS VIEWPORTS_MAX // clip numbers above this one refer to `cuts`

// BATCH_LIGHT: applies the lights of view number `first` to everything below. BATCH_MESH: draws mesh `first` of
// `paint` at `mesh_places[points]`.
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
  bool smooth;           // PROGRAM_PLAIN with bilinear filtering suffices for all instances
  bool exact;            // PROGRAM_PLAIN with nearest filtering suffices for all instances
  bool large;            // mipmaps are not needed: all instances are drawn at half their size or larger
  uint32_t first, count; // instances; BATCH_SOLIDS: corners
  uint32_t points;       // number of instances that can be drawn as points: upright square images and discs
  uint32_t clip;         // 0: the whole image; up to FRAME_CUTS: a view, from 1; above: an entry of `cuts`
} batch_t;

typedef struct cut_t {
  int32_t part[4]; // pixels of the image: left, top, right, bottom
} cut_t;

typedef struct mesh_place_t {
  affine_t to_pixels;
  float seen[4]; // visible part of the image: left, top, right, bottom
} mesh_place_t;

typedef struct image_t {
  uint32_t texture;
  int32_t width, height;
  const sheet_t *sheet; // may be NULL
  bool sharp;           // nearest-neighbour magnification
} image_t;

// Image lookup: implemented by the renderer, and by tests.
typedef struct image_source_t {
  void *context;
  image_t (*find)(void *context, const char *name);
} image_source_t;

typedef struct view_t {
  affine_t world, screen; // to pixels
  float width, height;    // of the image, in pixels
  float bloom;            // 0 to 1
  float background[4];
  float seen[4]; // left, top, right, bottom of the current target: the image, or the view that clips it
} view_t;

// The view of one camera.
typedef struct camera_view_t {
  shoal_entity camera; // 0 if none
  affine_t world, screen;
  bool clipped;
  int32_t clip[4]; // its part of the image: left, top, right, bottom
  float background[4];
  uint64_t first, end; // range of sort keys it shows (draw_list.c)
  bool lit;
  ambient_t ambient; // ambient light at the camera
} camera_view_t;

// A visible layer of a tilemap.
typedef struct tile_layer_t {
  shoal_entity entity;
  uint32_t row, layer; // row in tilemap, layer in its map
  int32_t order;       // position among all visible layers
} tile_layer_t;

// The image of a string id, looked up once per frame.
typedef struct image_memo_t {
  uint32_t frame;
  image_t image;
} image_memo_t;

// An item to draw: its sort key, and its depth within the layer (draw_list.c).
typedef struct sort_item_t {
  uint64_t key, depth;
} sort_item_t;

#define FRAME_MAX_PASSES 16u
#define FRAME_MAX_UNIFORMS 16u

// A uniform of a post-processing pass.
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

// A post-processing pass as currently configured in the world (passes.c).
typedef struct shader_pass_t {
  char name[FIELD_NAME_MAX], file[128]; // asset
  bool on;
  bool all; // also applies to screen-space drawing
  uniform_t uniforms[FRAME_MAX_UNIFORMS];
  uint32_t uniform_count;
} shader_pass_t;

typedef struct frame_t {
  allocator_t allocator;
  glyphs_o *glyphs;
  image_source_t images;
  log_o *log;
  view_t view;
  camera_view_t views[VIEWPORTS_MAX]; // back to front
  uint32_t view_count;                // at least one
  uint32_t clip;                      // current clip region, as in batch_t
  bool passing;         // short-lived things are being emitted: drawing them at half their size counts as `large`
  shoal_entity seen_by; // camera of the current view
  ARRAY(instance_t) instances;
  ARRAY(batch_t) batches;
  ARRAY(cut_t) cuts; // clip rectangles of the draw list
  paint_o *paint;    // of the draw list; may be NULL
  ARRAY(mesh_place_t) mesh_places;
  ARRAY(solid_corner_t) corners; // of `solids`, colours premultiplied
  uint32_t screen_batch;         // first batch in screen space
  uint32_t overlay_batch;        // first batch drawn after bloom, without effects
  ARRAY(sort_item_t) order;      // sort keys of everything to draw (draw_list.c)
  sort_item_t *sort_scratch;
  uint32_t sort_capacity;
  ARRAY(float) scratch; // points of the current outline, in pixels
  ARRAY(tile_layer_t) tile_layers;
  ARRAY(particle_cloud_t) clouds;
  lights_t lights;
  float light_detail; // light samples per pixel; 0: no view is lit
  shader_pass_t passes[FRAME_MAX_PASSES];
  uint32_t pass_count;
  float time_s;       // time of the world as drawn (interpolated)
  bool copies_logged; // the warning about an image layer with too many copies has been logged
  outlines_t outlines;
  ARRAY(image_memo_t) images_by_id;
  uint32_t number; // number of frames collected so far
  poses_t poses;
} frame_t;

void frame_init(frame_t *f, glyphs_o *glyphs, image_source_t images, log_o *log);
void frame_fini(frame_t *f);

// Fills instances, batches and view. `width`, `height`: size of the image in physical pixels; `scale_x`, `scale_y`:
// physical per logical pixel. `world`, `draw` and `type` may be NULL; without `type` no text is drawn.
typedef struct frame_desc_t {
  world_o *world;
  const draw_o *draw;
  typesetter_o *type;
  float alpha;
  float width, height, scale_x, scale_y;
  int logical_width, logical_height;
  const canvas_t *canvas; // draws this canvas, with its camera only; NULL: the screen
} frame_desc_t;
void frame_collect(frame_t *f, const frame_desc_t *desc);

#endif
