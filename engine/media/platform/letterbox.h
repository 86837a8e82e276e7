// Placement of the logical screen in a window with a different aspect ratio, with black bars or a larger picture.
#ifndef SHOAL_PLATFORM_LETTERBOX_H
#define SHOAL_PLATFORM_LETTERBOX_H

#include "base/assert.h"

typedef enum letterbox_mode_t {
  LETTERBOX_FIT, // scales the image to the largest size that fits
  // Uses the largest integer scale that fits. If the window is smaller than the logical size, works like LETTERBOX_FIT.
  LETTERBOX_INTEGER,
  LETTERBOX_STRETCH, // fills the window and ignores the aspect ratio
  // Places the logical screen like LETTERBOX_FIT, but the picture continues beyond it and fills the window.
  LETTERBOX_EXPAND
} letterbox_mode_t;

typedef struct letterbox_t {
  int x, y, width, height; // logical screen in units of the given window size; y from the top
  float scale_x, scale_y;  // units per logical pixel; equal unless the screen is stretched
  // Margins by which the picture exceeds the logical screen; 0 except with LETTERBOX_EXPAND.
  int left, top, right, bottom;
} letterbox_t;

// Centres the box above the strip at the bottom of a window of `width` × `height`, and extends the picture to the
// edges.
static inline void letterbox_expand(letterbox_t *box, int strip, int width, int height) {
  int free_height = height - strip - box->height;
  box->x = box->left = (width - box->width) / 2;
  box->right = width - box->width - box->left;
  box->y = box->top = free_height > 0 ? free_height / 2 : 0;
  box->bottom = free_height > 0 ? free_height - box->top : 0;
}

// Places the logical screen in a window of `width` × `height`, centred together with a strip of `strip` logical pixels
// below the picture, which tools use (0: no strip). The strip may reduce the scale, so an integer scale need not remain
// an integer.
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
  if (mode == LETTERBOX_EXPAND)
    letterbox_expand(&box, (int)(strip * scale + 0.5f), width > fitted_width ? width : fitted_width, height);
  return box;
}

// Returns the placement of the whole picture, which contains the logical screen.
static inline letterbox_t letterbox_get_picture(const letterbox_t *box) {
  return (letterbox_t){.x = box->x - box->left,
                       .y = box->y - box->top,
                       .width = box->left + box->width + box->right,
                       .height = box->top + box->height + box->bottom,
                       .scale_x = box->scale_x,
                       .scale_y = box->scale_y};
}

// Converts a point in the window, in the units of the box, to logical pixels.
static inline void letterbox_to_logical(const letterbox_t *box, float x, float y, float *logical_x, float *logical_y) {
  *logical_x = (x - (float)box->x) / box->scale_x;
  *logical_y = (y - (float)box->y) / box->scale_y;
}

#endif
