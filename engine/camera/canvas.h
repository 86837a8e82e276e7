// Canvases: pictures that cameras of a world draw, shown as any other image under the name canvas:NAME. Columns say
// which there are; what is in them is drawn anew for each frame and is no part of the world.
#ifndef SHOAL_CANVAS_CANVAS_H
#define SHOAL_CANVAS_CANVAS_H

#include "base/log_once.h"
#include "components/builtin.h"

#define CANVAS_IMAGE "canvas:" // begins the name of an image that a camera draws
#define CANVASES_MAX 16u       // those after that are not drawn
#define CANVAS_MAX_SIDE 4096   // pixels
#define CANVAS_NAME_MAX 64u    // bytes with the '\0'
#define CANVASES_MAX_SAID 64u  // things that are said, each once

typedef enum canvas_filter_t { CANVAS_AUTO, CANVAS_SMOOTH, CANVAS_PIXELS } canvas_filter_t;

typedef struct canvas_t {
  char name[CANVAS_NAME_MAX];
  shoal_entity camera;
  uint32_t row; // of camera
  int32_t width, height, order;
  canvas_filter_t filter;
  bool on; // else it is known, and nothing is drawn
} canvas_t;

// Zeroed before. In the order in which they are drawn.
typedef struct canvases_t {
  canvas_t items[CANVASES_MAX];
  uint32_t count;
  log_o *log;
  allocator_t allocator;
  log_once_t said;
} canvases_t;

// On a camera. width, height: its pixels, which are the camera's logical ones. Canvases may show those of a lower order
// as they are in this frame.
BUILTIN_COMPONENT(canvas, SHOAL_CANVAS_FIELDS)
BUILTIN_COMPONENT(camera_layers, SHOAL_CAMERA_LAYERS_FIELDS)
// Declares canvas and camera_layers, in a fresh world behind the others. False with a message.
bool canvas_declare(world_o *w, error_t *error);

// What the world has now; `w` may be NULL. What cannot be drawn as it is written is said once in the world's log.
void canvases_list(canvases_t *c, world_o *w);
void canvases_fini(canvases_t *c);

// Is it a name of a canvas, whether there is one or not?
bool canvas_is_named(const char *image);
// Of such a name. CANVASES_MAX where unknown canvas, which is said once.
uint32_t canvases_find(canvases_t *c, const char *image);
// A canvas that its own camera would show. Said once.
void canvases_refuse_own(canvases_t *c, uint32_t number);

// The layers that a camera shows: from `first` to `last`. All, where it does not say so.
void camera_layers_of(world_o *w, shoal_entity camera, int32_t *first, int32_t *last);

#endif
