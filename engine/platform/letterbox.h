// Where the game's picture lies in a window of another shape: as large as fits, centred, black bars around it.
#ifndef SHOAL_PLATFORM_LETTERBOX_H
#define SHOAL_PLATFORM_LETTERBOX_H

#include "base/assert.h"

typedef struct letterbox_t {
  int x, y, width, height; // in the units of the window that was asked about; y from the top
  float scale;             // of these units per logical pixel
} letterbox_t;

static inline letterbox_t letterbox_fit(int logical_width, int logical_height, int width, int height) {
  shoal_assert(logical_width > 0 && logical_height > 0, "a picture of %d × %d", logical_width, logical_height);
  letterbox_t box = {0, 0, width > 0 ? width : 1, height > 0 ? height : 1, 1.0f};
  float sx = (float)box.width / (float)logical_width, sy = (float)box.height / (float)logical_height;
  box.scale = sx < sy ? sx : sy;
  int fitted_width = (int)((float)logical_width * box.scale + 0.5f);
  int fitted_height = (int)((float)logical_height * box.scale + 0.5f);
  fitted_width = fitted_width < 1 ? 1 : fitted_width;
  fitted_height = fitted_height < 1 ? 1 : fitted_height;
  box.x = (box.width - fitted_width) / 2;
  box.y = (box.height - fitted_height) / 2;
  box.width = fitted_width;
  box.height = fitted_height;
  return box;
}

#endif
