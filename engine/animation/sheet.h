// A sheet says what is in an image: its frames, its clips, where its origin is and which border keeps its size. It
// lies beside the image and is called like it: hero.png has hero.json. Two forms of JSON are read:
//
// - what Aseprite exports (as a list or by name, trimmed or not): frames with their durations, tags as clips, and of
//   the first slice the pivot and the border (its nine-slice centre);
// - a grid, written by hand:
//   { "grid": { "width": 16, "height": 16, "count": 40, "margin": 0, "spacing": 0 }, "fps": 10,
//     "clips": { "walk": { "from": 1, "to": 4, "fps": 12, "direction": "pingpong", "times": 1 },
//                "hit":  { "frames": [9, 10, 9], "times": 1 } },
//     "pivot": [0.5, 1], "border": [4, 4, 4, 4], "filter": "pixels" }
//   Everything is optional: without a grid the whole image is frame 1. Frames count from 1, along the rows. The last
//   line may be added to Aseprite's export as well.
#ifndef SHOAL_ANIMATION_SHEET_H
#define SHOAL_ANIMATION_SHEET_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHEET_MAX_BYTES ((size_t)4 << 20)
#define SHEET_MAX_FRAMES 16384u
#define SHEET_MAX_CLIPS 1024u
#define SHEET_MAX_STEPS 65536u // of all clips
#define SHEET_NAME 64          // bytes of a clip's name with its '\0'

// Where a frame lies in the image and in the space that it had before it was trimmed. Texels, y down.
typedef struct sheet_frame_t {
  float x, y, width, height;     // in the image
  float left, top;               // of that rectangle, in the untrimmed frame
  float full_width, full_height; // of the untrimmed frame
} sheet_frame_t;

typedef struct sheet_step_t {
  uint32_t frame; // from 1
  double until_s; // from the clip's beginning to the end of this step
} sheet_step_t;

typedef struct sheet_clip_t {
  char name[SHEET_NAME]; // "" is all frames, one after the other
  uint32_t first, count; // steps, in the order in which they are seen; at least one
  uint32_t times;        // 0: for ever
} sheet_clip_t;

// What becomes of its pixels when it is drawn larger: they keep their edges, or not.
typedef enum sheet_filter_t { SHEET_FILTER_NONE, SHEET_FILTER_SMOOTH, SHEET_FILTER_PIXELS } sheet_filter_t;

typedef struct sheet_t {
  allocator_t *allocator;
  ARRAY(sheet_frame_t) frames; // Aseprite's; none for a grid
  // A grid: its cells in texels, 0 for the whole image; how many there are, 0 for as many as the image has room for.
  uint32_t cell_width, cell_height, margin, spacing, cell_count;
  ARRAY(sheet_step_t) steps;
  ARRAY(sheet_clip_t) clips; // the first one is ""
  float pivot[2];            // 0 … 1 of the untrimmed frame; its middle if nothing is said
  sheet_filter_t filter;
  float border[4]; // left, top, right, bottom: texels that keep their size when the rest is stretched; 0 for none
} sheet_t;

// NULL with a message that says where in the text, but for the file's name. The text is no sheet at all, and *is_none
// is true, when it is JSON and has none of the words of one: a file of the game's own data, called like an image.
sheet_t *sheet_read(allocator_t *a, const char *text, size_t bytes, bool *is_none, error_t *error);
void sheet_destroy(sheet_t *s);

// NULL for an unknown name; `hint` (may be NULL) is then set to ": did you mean X?", or "".
const sheet_clip_t *sheet_find_clip(const sheet_t *s, const char *name, char *hint, uint32_t hint_bytes);
// The frame at a time into the clip: 0 is its beginning, what lies outside of it is its first or last frame.
uint32_t sheet_frame_at(const sheet_t *s, const sheet_clip_t *clip, double elapsed_s);
static inline double sheet_clip_seconds(const sheet_t *s, const sheet_clip_t *clip) {
  return s->steps.items[clip->first + clip->count - 1].until_s;
}

// Frame `number` of an image of this size, in texels; numbers go round, as a strip's do.
sheet_frame_t sheet_frame(const sheet_t *s, int32_t number, int32_t image_width, int32_t image_height);

#endif
