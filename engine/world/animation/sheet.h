// Sheets describe the content of an image: frames, clips, pivot and nine-slice border. A sheet is a file next to the
// image, with the same name: hero.json for hero.png. Two JSON formats are supported:
//
// - Aseprite exports (frames as an array or a hash, trimmed or not). They contain frames with durations, tags (read as
//   clips), and the pivot and nine-slice border of the first slice.
// - A grid, written by hand:
//
//     { "grid": { "width": 16, "height": 16, "count": 40, "margin": 0, "spacing": 0 }, "fps": 10,
//       "clips": { "walk": { "from": 1, "to": 4, "fps": 12, "direction": "pingpong", "times": 1 },
//                  "hit": { "frames": [9, 10, 9], "times": 1 } },
//       "pivot": [0.5, 1], "border": [4, 4, 4, 4], "filter": "pixels" }
//
// Only the grid's width is required. Without a grid, the whole image is frame 1. Frames are numbered from 1, row by
// row. "pivot", "border" and "filter" can also be added to an Aseprite export.
//
// An .aseprite file is its own sheet.
#ifndef SHOAL_ANIMATION_SHEET_H
#define SHOAL_ANIMATION_SHEET_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHEET_MAX_BYTES ((size_t)4 << 20)
#define SHEET_MAX_ASEPRITE_BYTES ((size_t)64 << 20)
#define SHEET_MAX_FRAMES 16384u
#define SHEET_MAX_CLIPS 1024u
#define SHEET_MAX_STEPS 65536u // maximum total number of steps in all clips
#define SHEET_NAME 64          // size of a clip name including '\0'

// Rectangle of a frame in the image, and its position in the frame before trimming. In texels, y down.
typedef struct sheet_frame_t {
  float x, y, width, height;     // rectangle in the image
  float left, top;               // position of the rectangle in the untrimmed frame
  float full_width, full_height; // size of the untrimmed frame
} sheet_frame_t;

typedef struct sheet_step_t {
  uint32_t frame; // number of the frame, from 1
  double until_s; // time at which the step ends, from the start of the clip
} sheet_step_t;

typedef struct sheet_clip_t {
  // Name of the clip; "": the default clip, which plays all frames in order (only frame 1 of a grid without "count")
  char name[SHEET_NAME];
  uint32_t first, count; // range of steps in playing order; at least one step
  uint32_t times;        // number of passes; 0: loops endlessly
} sheet_clip_t;

// Magnification filter.
typedef enum sheet_filter_t { SHEET_FILTER_NONE, SHEET_FILTER_SMOOTH, SHEET_FILTER_PIXELS } sheet_filter_t;

typedef struct sheet_t {
  allocator_t *allocator;
  ARRAY(sheet_frame_t) frames; // frames from Aseprite; empty for a grid
  // Grid, in texels. `cell_width` 0: the whole image is one cell; `cell_count` 0: all cells that fit. `margin`: border
  // around all cells; `spacing`: gap between cells.
  uint32_t cell_width, cell_height, margin, spacing, cell_count;
  ARRAY(sheet_step_t) steps;
  ARRAY(sheet_clip_t) clips; // the first clip is named ""
  float pivot[2];            // pivot as a fraction of the untrimmed frame; default: its centre
  sheet_filter_t filter;
  float border[4]; // nine-slice border in texels: left, top, right, bottom; all 0: no border
} sheet_t;

// Parses a sheet. Returns the sheet, or NULL with an error that states the position in the text, but not the file.
// Valid JSON without any sheet key is treated as one of the game's data files: returns NULL and sets *is_data_file to
// true.
sheet_t *sheet_read(allocator_t *a, const char *text, size_t bytes, bool *is_data_file, error_info_t *error);
// Reads the sheet of an .aseprite file: its frames (as drawn by image_decode), tags and slices. Stores a message in
// `notice` if a visible layer is drawn differently from Aseprite, otherwise "". Returns the sheet, or NULL with an
// error.
sheet_t *sheet_read_aseprite(allocator_t *a, const void *bytes, size_t size_bytes, error_info_t *notice,
                             error_info_t *error);
void sheet_destroy(sheet_t *s);

// Returns the clip with this name. For an unknown name, returns NULL and sets `hint` (may be NULL) to ": did you mean
// X?" or "".
const sheet_clip_t *sheet_find_clip(const sheet_t *s, const char *name, char *hint, uint32_t hint_bytes);
// Writes the names of the clips: "clips: idle, run", or "no clips". Ends with "…" if the names do not fit. Returns
// `out`.
const char *sheet_list_clips(const sheet_t *s, char *out, size_t out_bytes);
// Returns the frame number (from 1) that the clip shows at a time: the first frame before its start, the last frame
// after its end.
uint32_t sheet_frame_at(const sheet_t *s, const sheet_clip_t *clip, double elapsed_s);
static inline double sheet_clip_seconds(const sheet_t *s, const sheet_clip_t *clip) {
  return s->steps.items[clip->first + clip->count - 1].until_s;
}

// Returns frame `number` of an image of this size, in texels. Numbers wrap around, as in a strip.
sheet_frame_t sheet_frame(const sheet_t *s, int32_t number, int32_t image_width, int32_t image_height);

#endif
