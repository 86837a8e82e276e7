// Placement of the game's image, with black bars, in a window with a different aspect ratio.
#ifndef SHOAL_PLATFORM_LETTERBOX_H
#define SHOAL_PLATFORM_LETTERBOX_H

#include "base/assert.h"

typedef enum letterbox_mode_t {
  LETTERBOX_FIT, // scales the image to the largest size that fits
  // Uses the largest integer scale that fits; like LETTERBOX_FIT if the window is smaller than the logical size.
  LETTERBOX_INTEGER,
  LETTERBOX_STRETCH // fills the window and ignores the aspect ratio
} letterbox_mode_t;

typedef struct letterbox_t {
  int x, y, width, height; // image in units of the given window size; y from the top
  float scale_x, scale_y;  // units per logical pixel; equal unless the image is stretched
} letterbox_t;

// Places the image in a window of `width` × `height`, centred together with a strip of `strip` logical pixels below it,
// which tools use (0: none). The strip may reduce the scale; an integer scale then need not remain an integer.
static inline letterbox_t letterbox_fit(int logical_width, int logical_height, float strip, int width, int height,
                                        letterbox_mode_t mode) {
  shoal_assert(logical_width > 0 && logical_height > 0, "the logical size must be positive, got %d × %d", logical_width,
               logical_height);
  shoal_assert(strip >= 0.0f, "the strip must not be negative, got %g", (double)strip);
  letterbox_t box = {.width = width > 0 ? width : 1, .height = height > 0 ? height : 1};
  box.scale_x = (float)box.width / (float)logical_width;
  box.scale_y = (float)box.height / ((float)logical_height + strip);
  if (mode == LETTERBOX_STRETCH) {
    box.height = (int)((float)logical_height * box.scale_y + 0.5f);
    return box;
  }
  float height_scale = (float)box.height / (float)logical_height;
  float scale = box.scale_x < height_scale ? box.scale_x : height_scale;
  if (mode == LETTERBOX_INTEGER && scale >= 1.0f)
    scale = (float)(int)scale;
  scale = scale < box.scale_y ? scale : box.scale_y;
  int fitted_width = (int)((float)logical_width * scale + 0.5f);
  int fitted_height = (int)((float)logical_height * scale + 0.5f);
  fitted_width = fitted_width < 1 ? 1 : fitted_width;
  fitted_height = fitted_height < 1 ? 1 : fitted_height;
  box.x = (box.width - fitted_width) / 2;
  box.y = (box.height - fitted_height - (int)(strip * scale + 0.5f)) / 2;
  box.width = fitted_width;
  box.height = fitted_height;
  box.scale_x = box.scale_y = scale;
  return box;
}

// Converts a point in the window, in the units of the box, to logical pixels.
static inline void letterbox_to_logical(const letterbox_t *box, float x, float y, float *logical_x, float *logical_y) {
  *logical_x = (x - (float)box->x) / box->scale_x;
  *logical_y = (y - (float)box->y) / box->scale_y;
}

#endif
