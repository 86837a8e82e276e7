// One frame as plain data: instances in drawing order, grouped into batches. The frame is built from the world and the
// draw list without OpenGL; gl.c then uploads and draws it. Positions are physical pixels of the image (inside the
// black bars), with y pointing down.
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

// A primitive for the GPU, which expands it to four corners; 80 bytes.
//
// |       | box: circle, capsule, rectangle   | quad: any four corners       | textured                           |
// |-------|-----------------------------------|------------------------------|------------------------------------|
// | a     | centre, unit axis u               | corners 0 and 1              | centre, half axis u                |
// | b     | half size, corner radius,         | corners 2 and 3 (as a strip) | half axis v, 1 for smoothed edges, |
// |       | half line width or -1 for filled  |                              | 1 for sharp texels                 |
// | c     | cuts at both ends of the axis     | coverage of each corner      | left, top, right, bottom in texels |
// | kind, | 0                                 | 1                            | BATCH_MATERIAL: effects, packed by |
// | more  |                                   |                              | pack_material (emit.c)             |
//
// A cut is a normal (nx, ny) relative to the axis; zero means no cut. A `kind` between 0 and -1 is a box with a soft
// edge: the outer fraction -kind of its radius fades out. `colour` is premultiplied; with alpha 0 it is additive.
typedef struct instance_t {
  float a[4], b[4], c[4], colour[4];
  float kind, more[3];
} instance_t;

#define FRAME_POINT_MIN 1.0f // range of point sizes, in pixels, that every driver supports (batch_t)
#define FRAME_POINT_MAX 64.0f

#define FRAME_MAX_VIEW_CLIP VIEWPORTS_MAX // clip numbers above this refer to `clip_rects`

// BATCH_LIGHT: applies the lights of the view with index `first` to everything drawn before. BATCH_MESH: draws mesh
// `first` of `paint` at `mesh_instances[points]`.
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
  uint32_t texture; // texture of the batch, only for BATCH_IMAGE, BATCH_MATERIAL and BATCH_MESH
  bool smooth;      // true if PROGRAM_PLAIN can draw all instances with bilinear filtering
  bool exact;       // true if PROGRAM_PLAIN can draw all instances with nearest filtering
  bool reduced;     // true if PROGRAM_REDUCED is needed: mipmaps would blend an image part with its neighbours
  // True if mipmaps are not needed: all instances are short-lived and drawn at half their size or larger.
  bool large;
  uint32_t first, count; // range of instances; for BATCH_SOLIDS, range of corners
  uint32_t points;       // number of instances that can be drawn as points (upright square images and discs)
  // clip region: 0: the whole image; 1 to FRAME_MAX_VIEW_CLIP: a view; larger: an element of `clip_rects`
  uint32_t clip;
} batch_t;

typedef struct clip_rect_t {
  int32_t rect[4]; // rectangle in pixels of the image: left, top, right, bottom
} clip_rect_t;

typedef struct mesh_instance_t {
  affine_t to_pixels;
  float visible[4]; // visible part of the image: left, top, right, bottom
} mesh_instance_t;

typedef struct image_t {
  uint32_t texture;
  int32_t width, height;
  const sheet_t *sheet; // sheet of the image; may be NULL
  bool sharp;           // true if magnification uses nearest-neighbour filtering
} image_t;

// Image lookup, implemented by the renderer and by tests.
typedef struct image_source_t {
  void *context;
  image_t (*find)(void *context, const char *name);
} image_source_t;

typedef struct view_t {
  affine_t world, screen; // transforms from world space and from screen space to pixels
  float width, height;    // size of the image in pixels
  float strip;            // height of the tool strip below the image, in pixels
  // Parts of the image, as left, top, right and bottom: `screen_rect` contains the logical screen, and `view_rect` the
  // current view at its logical size. With LETTERBOX_EXPAND, the image and the views at its edges continue beyond these
  // parts.
  float screen_rect[4], view_rect[4];
  float bloom; // strength of bloom, 0 to 1
  float background[4];
  // Visible rectangle of the current target (the image, or a view that clips it): left, top, right, bottom.
  float visible[4];
} view_t;

typedef struct camera_view_t {
  shoal_entity camera; // camera; 0 if the world has no camera
  affine_t world, screen;
  float rect[4]; // logical size of the view in pixels of the image: left, top, right, bottom
  bool clipped;
  int32_t clip[4]; // part of the image that the view covers, in pixels: left, top, right, bottom
  float background[4];
  uint64_t first_key, end_key; // range of sort keys that the view shows (draw_list.c)
  bool lit;
  ambient_t ambient; // ambient light at the camera
} camera_view_t;

#define TILE_LAYER_BACKGROUND UINT32_MAX

// A visible layer of a tilemap.
typedef struct tile_layer_t {
  shoal_entity entity;
  uint32_t row;   // row in the component `tilemap`
  uint32_t layer; // index of the layer in its map; TILE_LAYER_BACKGROUND: the map's background colour
  int32_t order;  // drawing layer: the tilemap's layer plus the order of the layer in its map
} tile_layer_t;

// Image of a string id, looked up once per frame.
typedef struct image_memo_t {
  uint32_t frame;
  image_t image;
} image_memo_t;

// An item to be drawn: its sort key, and its depth within the layer (draw_list.c).
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

// A post-processing pass and its current settings, read from the world (passes.c).
typedef struct shader_pass_t {
  char name[FIELD_NAME_MAX], file[128]; // name of the pass; asset name of its shader
  bool enabled;
  bool covers_screen; // true if the pass also applies to screen-space drawing
  uniform_t uniforms[FRAME_MAX_UNIFORMS];
  uint32_t uniform_count;
} shader_pass_t;

typedef struct frame_t {
  allocator_t allocator;
  glyphs_o *glyphs;
  image_source_t images;
  log_o *log;
  view_t view;
  camera_view_t views[VIEWPORTS_MAX]; // visible cameras, from back to front
  uint32_t view_count;                // number of views, at least one
  uint32_t clip;                      // current clip region, as in batch_t
  bool is_short_lived;                // true while emitting short-lived items, whose batches may be `large`
  shoal_entity current_camera;        // camera of the current view
  ARRAY(instance_t) instances;
  ARRAY(batch_t) batches;
  ARRAY(clip_rect_t) clip_rects; // clip rectangles of the draw list
  paint_o *paint;                // textures, shaders and meshes of plugins, from the draw list; borrowed; may be NULL
  ARRAY(mesh_instance_t) mesh_instances;
  ARRAY(solid_corner_t) corners; // corners of triangles, with premultiplied colours
  uint32_t screen_batch;         // index of the first batch in screen space
  uint32_t overlay_batch;        // index of the first batch drawn after bloom, without effects
  ARRAY(sort_item_t) order;      // sort keys of everything to draw (draw_list.c)
  sort_item_t *sort_scratch;
  uint32_t sort_capacity;
  ARRAY(float) scratch; // points of the current outline, in pixels
  ARRAY(tile_layer_t) tile_layers;
  ARRAY(particle_cloud_t) clouds;
  lights_t lights;
  float light_detail; // resolution of the lighting relative to the image; 0 if no view is lit
  shader_pass_t passes[FRAME_MAX_PASSES];
  uint32_t pass_count;
  float time_s;        // interpolated time of the world as drawn
  bool copies_logged;  // true if the warning about too many copies of an image layer was logged
  bool ambient_logged; // true if the warning about lights without ambient light was logged
  outlines_t outlines;
  ARRAY(image_memo_t) images_by_id;
  uint32_t number; // number of frames collected so far
  poses_t poses;
} frame_t;

void frame_init(frame_t *frame, glyphs_o *glyphs, image_source_t images, log_o *log);
// Frees the data kept between frames.
void frame_fini(frame_t *frame);

// Input of frame_collect. `width`, `height`: size of the image in physical pixels. `scale_x`, `scale_y`: physical
// pixels per logical pixel. `world`, `draw` and `type` may be NULL; without `type`, no text is drawn.
typedef struct frame_desc_t {
  world_o *world;
  const draw_o *draw;
  typesetter_o *type;
  float alpha;
  float width, height, scale_x, scale_y;
  float strip;     // height of the tool strip below the image, in physical pixels
  float margin[4]; // parts of the image beyond the logical screen, in physical pixels: left, top, right, bottom
  int logical_width, logical_height;
  const canvas_t *canvas; // canvas to draw, as seen by the canvas's camera; NULL: draw the screen
} frame_desc_t;
// Fills in the instances, batches and views of the frame.
void frame_collect(frame_t *frame, const frame_desc_t *desc);

#endif
