// Canvases: images drawn by cameras of the world and used like any other image, under the name canvas:NAME. The
// component canvas defines them; their pixels are redrawn every frame and are not part of the world.
#ifndef SHOAL_CAMERA_CANVAS_H
#define SHOAL_CAMERA_CANVAS_H

#include "base/log_once.h"
#include "components/builtin.h"

#define CANVAS_IMAGE "canvas:"    // name prefix of images drawn by a camera
#define CANVASES_MAX 16u          // maximum number of canvases; additional canvases are not drawn
#define CANVAS_MAX_SIDE 4096      // maximum width and height in pixels
#define CANVAS_NAME_MAX 64u       // maximum size of a name including '\0'
#define CANVASES_MAX_WARNINGS 64u // maximum number of warnings; each warning is logged once

typedef enum canvas_filter_t { CANVAS_AUTO, CANVAS_SMOOTH, CANVAS_PIXELS } canvas_filter_t;

typedef struct canvas_t {
  char name[CANVAS_NAME_MAX];
  shoal_entity camera;
  uint32_t row; // row in the component camera
  int32_t width, height, order;
  canvas_filter_t filter;
  bool enabled; // true if the canvas is drawn; false if it is only listed
} canvas_t;

// The canvases in drawing order. Zero-initialize.
typedef struct canvases_t {
  canvas_t items[CANVASES_MAX];
  uint32_t count;
  log_o *log;
  allocator_t allocator;
  log_once_t logged;
} canvases_t;

// Component of a camera that draws into a canvas. width, height: size of the canvas in pixels, which is also the
// camera's logical size. Canvases are drawn in ascending order, so a canvas with a lower order has already been redrawn
// when a canvas with a higher order shows it.
BUILTIN_COMPONENT(canvas, SHOAL_CANVAS_FIELDS)
BUILTIN_COMPONENT(camera_layers, SHOAL_CAMERA_LAYERS_FIELDS)
// Declares canvas and camera_layers. Call on a fresh world, after the other built-in components. Returns true on
// success, or false with an error if a declaration is rejected.
bool canvas_declare(world_o *w, error_info_t *error);

// Lists the world's canvases; `w` may be NULL. Invalid canvases are logged once.
void canvases_list(canvases_t *c, world_o *w);
void canvases_fini(canvases_t *c);

// Returns true if `image` has the form canvas:NAME.
bool canvas_is_reference(const char *image);
// Returns the index of the canvas that an image name refers to, or CANVASES_MAX for an unknown canvas, which is logged
// once.
uint32_t canvases_find(canvases_t *c, const char *image);
// Logs once that a canvas is skipped because its own camera would have to draw it.
void canvases_warn_own_camera(canvases_t *c, uint32_t index);

// Stores the range of layers that a camera shows, from `first` to `last`. Without camera_layers, the camera shows all
// layers.
void camera_layers_read(world_o *w, shoal_entity camera, int32_t *first, int32_t *last);

#endif
