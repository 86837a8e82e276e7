// Parses sheets from JSON: Aseprite exports and grids.
#include "animation/sheet.h"

#include "base/assert.h"
#include "base/json_value.h"
#include "base/nearest_name.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_SIDE 65536.0 // maximum side length of an image, in texels
#define MAX_SECONDS 3600.0
#define USUAL_FPS 10.0
#define WHERE 96 // size of the buffer for a position such as "frames[12].frame"

typedef enum direction_t { FORWARD, REVERSE, PINGPONG, PINGPONG_REVERSE } direction_t;
static const char *const DIRECTIONS[] = {"forward", "reverse", "pingpong", "pingpong_reverse"};

typedef struct reader_t {
  sheet_t *sheet;
  error_info_t *error;
  ARRAY(double) seconds; // duration of each frame, from Aseprite
} reader_t;

// --- values; `where` is the position named in messages

typedef struct range_t {
  double min, max;
  bool whole;
} range_t;

// Sets an error that states what `name` must be and the value found. Returns false.
static bool reject_value(reader_t *r, const char *name, const json_t *v, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool reject_value(reader_t *r, const char *name, const json_t *v, const char *format, ...) {
  char expected[160], shown[JSON_VALUE_SHOWN];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(expected, sizeof expected, format, arguments);
  va_end(arguments);
  return error_set(r->error, "%s must be %s, got %s", name, expected, json_value_describe(v, shown));
}

static bool read_number(reader_t *r, const json_t *object, const char *where, const char *key, range_t range,
                        double default_value, double *out) {
  const json_t *v = json_object_get(object, key);
  char name[SHEET_NAME + WHERE + 32];
  *out = default_value;
  if (!v)
    return true;
  double number = json_number_value(v);
  if (!json_is_number(v) || !(number >= range.min && number <= range.max) || (range.whole && number != floor(number))) {
    snprintf(name, sizeof name, "%s%s%s", where, where[0] ? "." : "", key);
    return reject_value(r, name, v, "%s from %g to %g", range.whole ? "an integer" : "a number", range.min, range.max);
  }
  *out = number;
  return true;
}

static bool read_integer(reader_t *r, const json_t *object, const char *where, const char *key, uint32_t min,
                         uint32_t max, uint32_t default_value, uint32_t *out) {
  double number;
  if (!read_number(r, object, where, key, (range_t){min, max, true}, default_value, &number))
    return false;
  *out = (uint32_t)number;
  return true;
}

static bool read_floats(reader_t *r, const json_t *list, const char *where, uint32_t count, range_t range, float *out) {
  if (!json_is_array(list) || json_array_size(list) != count)
    return reject_value(r, where, list, "a list of %u numbers", count);
  for (uint32_t i = 0; i < count; ++i) {
    const json_t *v = json_array_get(list, i);
    double number = json_number_value(v);
    if (!json_is_number(v) || !(number >= range.min && number <= range.max)) {
      char name[WHERE];
      snprintf(name, sizeof name, "%s[%u]", where, i);
      return reject_value(r, name, v, "a number from %g to %g", range.min, range.max);
    }
    out[i] = (float)number;
  }
  return true;
}

static bool read_direction(reader_t *r, const json_t *object, const char *where, direction_t *out) {
  const json_t *v = json_object_get(object, "direction");
  *out = FORWARD;
  if (!v)
    return true;
  nearest_name_t s;
  nearest_name_init(&s, json_is_string(v) ? json_string_value(v) : "");
  for (uint32_t i = 0; i < sizeof DIRECTIONS / sizeof *DIRECTIONS; ++i) {
    nearest_name_offer(&s, DIRECTIONS[i]);
    if (json_is_string(v) && strcmp(json_string_value(v), DIRECTIONS[i]) == 0) {
      *out = (direction_t)i;
      return true;
    }
  }
  char hint[SIMILAR_MAX + 32], shown[JSON_VALUE_SHOWN];
  return error_set(r->error, "%s.direction must be forward, reverse, pingpong or pingpong_reverse, got %s%s", where,
                   json_value_describe(v, shown), nearest_name_hint(&s, hint, sizeof hint));
}

// --- clips

static bool add_step(reader_t *r, sheet_clip_t *clip, uint32_t frame, double seconds) {
  sheet_t *s = r->sheet;
  if (s->steps.count >= SHEET_MAX_STEPS)
    return error_set(r->error, "too many frames in the clips of the sheet (at most %u in total)", SHEET_MAX_STEPS);
  double before = clip->count > 0 ? s->steps.items[s->steps.count - 1].until_s : 0;
  sheet_step_t step = {.frame = frame, .until_s = before + seconds};
  array_push(s->allocator, &s->steps, step);
  clip->count++;
  return true;
}

static double frame_seconds(const reader_t *r, uint32_t frame, double default_value) {
  return frame >= 1 && frame <= r->seconds.count ? r->seconds.items[frame - 1] : default_value;
}

// Adds frames `from` to `to`. A ping-pong clip contains its first and last frame once, and the frames between them
// twice.
static bool add_range(reader_t *r, sheet_clip_t *clip, uint32_t from, uint32_t to, direction_t direction,
                      double seconds) {
  uint32_t count = to - from + 1,
           turns = direction == PINGPONG || direction == PINGPONG_REVERSE ? 2 * count - 2 : count;
  shoal_assert(from >= 1 && from <= to, "invalid clip from frame %u to %u", from, to);
  turns = turns > 0 ? turns : 1;
  for (uint32_t i = 0; i < turns; ++i) {
    uint32_t along = i < count ? i : 2 * count - 2 - i;
    uint32_t frame = direction == REVERSE || direction == PINGPONG_REVERSE ? to - along : from + along;
    if (!add_step(r, clip, frame, frame_seconds(r, frame, seconds)))
      return false;
  }
  return true;
}

static bool begin_clip(reader_t *r, const char *where, const char *name, sheet_clip_t *clip) {
  const sheet_t *s = r->sheet;
  size_t length = strlen(name);
  if (length >= SHEET_NAME)
    return error_set(r->error, "%s: the clip's name is too long: %zu bytes (at most %u)", where, length,
                     SHEET_NAME - 1u);
  if (s->clips.count >= SHEET_MAX_CLIPS)
    return error_set(r->error, "%s: too many clips in the sheet (at most %u)", where, SHEET_MAX_CLIPS);
  if (s->clips.count > 0 && sheet_find_clip(s, name, NULL, 0))
    return error_set(r->error, "%s: two clips are named %s: rename one of them", where, name);
  *clip = (sheet_clip_t){.first = s->steps.count};
  memcpy(clip->name, name, length);
  return true;
}

static bool end_clip(reader_t *r, const char *where, const sheet_clip_t *clip) {
  sheet_t *s = r->sheet;
  if (clip->count == 0)
    return error_set(r->error, "%s has no frames: list at least one frame number", where);
  array_push(s->allocator, &s->clips, *clip);
  return true;
}

// --- sheets with a grid

static bool read_frame_list(reader_t *r, const json_t *list, const char *where, uint32_t max, sheet_clip_t *clip,
                            double seconds) {
  char name[SHEET_NAME + WHERE + 32];
  size_t i;
  const json_t *v;
  if (!json_is_array(list)) {
    snprintf(name, sizeof name, "%s.frames", where);
    return reject_value(r, name, list, "a list of frame numbers");
  }
  json_array_foreach(list, i, v) {
    json_int_t frame = json_integer_value(v);
    if (!json_is_integer(v) || frame < 1 || frame > max) {
      snprintf(name, sizeof name, "%s.frames[%zu]", where, i);
      return reject_value(r, name, v, "a frame number from 1 to %u", max);
    }
    if (!add_step(r, clip, (uint32_t)frame, seconds))
      return false;
  }
  return true;
}

static bool read_grid_clip(reader_t *r, const char *name, const json_t *v, double usual_fps) {
  char where[SHEET_NAME + WHERE];
  snprintf(where, sizeof where, "clips.%.*s", SHEET_NAME, name);
  uint32_t last = r->sheet->cell_count > 0 ? r->sheet->cell_count : SHEET_MAX_FRAMES, from, to;
  double fps;
  direction_t direction;
  sheet_clip_t clip;
  if (!json_is_object(v))
    return reject_value(r, where, v, "an object like { \"from\": 1, \"to\": 4 }");
  if (name[0] == '\0')
    return error_set(r->error, "clips: a clip's name must not be empty");
  if (!begin_clip(r, where, name, &clip) ||
      !read_number(r, v, where, "fps", (range_t){1 / MAX_SECONDS, 1000, false}, usual_fps, &fps) ||
      !read_integer(r, v, where, "times", 0, UINT32_MAX, 0, &clip.times) || !read_direction(r, v, where, &direction))
    return false;
  const json_t *listed = json_object_get(v, "frames");
  if (listed)
    return read_frame_list(r, listed, where, last, &clip, 1 / fps) && end_clip(r, where, &clip);
  if (!read_integer(r, v, where, "from", 1, last, 1, &from) || !read_integer(r, v, where, "to", 1, last, from, &to))
    return false;
  if (to < from)
    return error_set(r->error,
                     "%s: from (%u) is greater than to (%u): use \"direction\": \"reverse\" to play backwards", where,
                     from, to);
  return add_range(r, &clip, from, to, direction, 1 / fps) && end_clip(r, where, &clip);
}

static bool read_grid(reader_t *r, const json_t *root) {
  sheet_t *s = r->sheet;
  const json_t *grid = json_object_get(root, "grid"), *clips = json_object_get(root, "clips");
  double fps;
  if (grid && !json_is_object(grid))
    return reject_value(r, "grid", grid, "an object like { \"width\": 16, \"height\": 16 }");
  if (grid && (!read_integer(r, grid, "grid", "width", 1, (uint32_t)MAX_SIDE, 0, &s->cell_width) ||
               !read_integer(r, grid, "grid", "height", 1, (uint32_t)MAX_SIDE, s->cell_width, &s->cell_height) ||
               !read_integer(r, grid, "grid", "margin", 0, (uint32_t)MAX_SIDE, 0, &s->margin) ||
               !read_integer(r, grid, "grid", "spacing", 0, (uint32_t)MAX_SIDE, 0, &s->spacing) ||
               !read_integer(r, grid, "grid", "count", 1, SHEET_MAX_FRAMES, 0, &s->cell_count)))
    return false;
  if (grid && s->cell_width == 0)
    return error_set(r->error, "grid.width is missing: set it to the width of a frame in texels");
  if (!grid)
    s->cell_count = 1;
  if (!read_number(r, root, "", "fps", (range_t){1 / MAX_SECONDS, 1000, false}, USUAL_FPS, &fps))
    return false;
  sheet_clip_t all;
  if (!begin_clip(r, "grid", "", &all) ||
      !add_range(r, &all, 1, s->cell_count > 0 ? s->cell_count : 1, FORWARD, 1 / fps) || !end_clip(r, "grid", &all))
    return false;
  if (clips && !json_is_object(clips))
    return reject_value(r, "clips", clips, "an object like { \"walk\": { \"from\": 1, \"to\": 4 } }");
  const char *name;
  json_t *v;
  json_object_foreach((json_t *)clips, name, v) {
    if (!read_grid_clip(r, name, v, fps))
      return false;
  }
  return true;
}

static bool read_properties(reader_t *r, const json_t *root) {
  sheet_t *s = r->sheet;
  const json_t *pivot = json_object_get(root, "pivot"), *border = json_object_get(root, "border");
  const json_t *filter = json_object_get(root, "filter");
  const char *word = json_is_string(filter) ? json_string_value(filter) : "";
  s->filter = strcmp(word, "pixels") == 0   ? SHEET_FILTER_PIXELS
              : strcmp(word, "smooth") == 0 ? SHEET_FILTER_SMOOTH
                                            : SHEET_FILTER_NONE;
  if (filter && s->filter == SHEET_FILTER_NONE)
    return reject_value(r, "filter", filter, "\"pixels\" or \"smooth\"");
  return (!pivot || read_floats(r, pivot, "pivot", 2, (range_t){-64, 64, false}, s->pivot)) &&
         (!border || read_floats(r, border, "border", 4, (range_t){0, MAX_SIDE, false}, s->border));
}

// --- sheets exported by Aseprite

static bool read_rectangle(reader_t *r, const json_t *v, const char *where, const char *key, float out[4]) {
  static const char *const SIDES[4] = {"x", "y", "w", "h"};
  const json_t *rectangle = json_object_get(v, key);
  char path[WHERE + 32];
  snprintf(path, sizeof path, "%s.%s", where, key);
  if (!json_is_object(rectangle))
    return reject_value(r, path, rectangle, "an object like { \"x\": 0, \"y\": 0, \"w\": 16, \"h\": 16 }, in texels");
  for (int i = 0; i < 4; ++i) {
    double number;
    if (!read_number(r, rectangle, path, SIDES[i], (range_t){i < 2 ? -MAX_SIDE : 0, MAX_SIDE, false}, 0, &number))
      return false;
    out[i] = (float)number;
  }
  return true;
}

static bool read_frame(reader_t *r, const char *where, const json_t *v) {
  sheet_t *s = r->sheet;
  float at[4], was[4];
  double milliseconds;
  if (!json_is_object(v))
    return reject_value(r, where, v, "an object with the key \"frame\"");
  if (json_is_true(json_object_get(v, "rotated")))
    return error_set(r->error, "%s: rotated frames are not supported: export the sheet without rotation", where);
  if (s->frames.count >= SHEET_MAX_FRAMES)
    return error_set(r->error, "too many frames in the sheet (at most %u)", SHEET_MAX_FRAMES);
  if (!read_rectangle(r, v, where, "frame", at) ||
      !read_number(r, v, where, "duration", (range_t){1, MAX_SECONDS * 1000, false}, 1000 / USUAL_FPS, &milliseconds))
    return false;
  sheet_frame_t frame = {
      .x = at[0], .y = at[1], .width = at[2], .height = at[3], .full_width = at[2], .full_height = at[3]};
  if (json_is_true(json_object_get(v, "trimmed"))) {
    double full[2];
    const json_t *size = json_object_get(v, "sourceSize");
    char path[WHERE + 32];
    snprintf(path, sizeof path, "%s.sourceSize", where);
    if (!read_rectangle(r, v, where, "spriteSourceSize", was) ||
        !read_number(r, size, path, "w", (range_t){0, MAX_SIDE, false}, at[2], &full[0]) ||
        !read_number(r, size, path, "h", (range_t){0, MAX_SIDE, false}, at[3], &full[1]))
      return false;
    frame.left = was[0], frame.top = was[1];
    frame.full_width = (float)full[0], frame.full_height = (float)full[1];
  }
  array_push(s->allocator, &s->frames, frame);
  array_push(s->allocator, &r->seconds, milliseconds / 1000);
  return true;
}

static bool read_frames(reader_t *r, const json_t *frames) {
  char where[WHERE];
  size_t i;
  const char *name;
  json_t *v;
  if (json_is_array(frames)) {
    json_array_foreach(frames, i, v) {
      snprintf(where, sizeof where, "frames[%zu]", i);
      if (!read_frame(r, where, v))
        return false;
    }
  } else if (json_is_object(frames)) {
    json_object_foreach((json_t *)frames, name, v) {
      snprintf(where, sizeof where, "frames[\"%.64s\"]", name);
      if (!read_frame(r, where, v))
        return false;
    }
  } else {
    return reject_value(r, "frames", frames, "a list of frames, or an object that maps names to frames");
  }
  return r->sheet->frames.count > 0 ? true : error_set(r->error, "frames must contain at least one frame");
}

// Reads the repeat count of a tag, which Aseprite writes as a string and omits for endless loops.
static bool read_repeat(reader_t *r, const json_t *tag, const char *where, uint32_t *out) {
  const json_t *v = json_object_get(tag, "repeat");
  unsigned long times = 0;
  char *end = NULL, name[WHERE + 32];
  if (json_is_string(v))
    times = strtoul(json_string_value(v), &end, 10);
  else if (json_is_integer(v) && json_integer_value(v) >= 0)
    times = (unsigned long)json_integer_value(v);
  bool is_valid = !v || json_is_integer(v) || (end && *end == '\0' && end != json_string_value(v));
  if (!is_valid || times > UINT32_MAX || (json_is_integer(v) && json_integer_value(v) < 0)) {
    snprintf(name, sizeof name, "%s.repeat", where);
    return reject_value(r, name, v, "an integer from 0 to 4294967295 (a number or a string)");
  }
  *out = (uint32_t)times;
  return true;
}

static bool read_tag(reader_t *r, const char *where, const json_t *tag) {
  const json_t *name = json_object_get(tag, "name");
  uint32_t from, to, last = r->sheet->frames.count - 1;
  direction_t direction;
  sheet_clip_t clip;
  if (!json_is_string(name) || json_string_length(name) == 0) {
    char member[WHERE + 32];
    snprintf(member, sizeof member, "%s.name", where);
    return reject_value(r, member, name, "a non-empty string");
  }
  if (!begin_clip(r, where, json_string_value(name), &clip) ||
      !read_integer(r, tag, where, "from", 0, last, 0, &from) ||
      !read_integer(r, tag, where, "to", 0, last, from, &to) || !read_direction(r, tag, where, &direction) ||
      !read_repeat(r, tag, where, &clip.times))
    return false;
  if (to < from)
    return error_set(
        r->error,
        "%s: from (%u) is greater than to (%u): swap them, and set \"direction\": \"reverse\" to play backwards", where,
        from, to);
  return add_range(r, &clip, from + 1, to + 1, direction, 0) && end_clip(r, where, &clip);
}

// Reads pivot and border from the first key of the first slice, whose coordinates are texels of the untrimmed frame.
static bool read_slice(reader_t *r, const json_t *slices) {
  sheet_t *s = r->sheet;
  const json_t *key = json_array_get(json_object_get(json_array_get(slices, 0), "keys"), 0);
  const char *where = "meta.slices[0].keys[0]";
  float bounds[4], centre[4];
  if (!json_is_object(key))
    return true;
  if (!read_rectangle(r, key, where, "bounds", bounds))
    return false;
  const json_t *pivot = json_object_get(key, "pivot");
  const sheet_frame_t *f = &s->frames.items[0];
  if (json_is_object(pivot)) {
    double x, y;
    if (!read_number(r, pivot, "meta.slices[0].keys[0].pivot", "x", (range_t){-MAX_SIDE, MAX_SIDE, false}, 0, &x) ||
        !read_number(r, pivot, "meta.slices[0].keys[0].pivot", "y", (range_t){-MAX_SIDE, MAX_SIDE, false}, 0, &y))
      return false;
    s->pivot[0] = f->full_width > 0 ? (bounds[0] + (float)x) / f->full_width : 0.5f;
    s->pivot[1] = f->full_height > 0 ? (bounds[1] + (float)y) / f->full_height : 0.5f;
  }
  if (!json_object_get(key, "center"))
    return true;
  if (!read_rectangle(r, key, where, "center", centre))
    return false;
  s->border[0] = fmaxf(bounds[0] + centre[0], 0.0f);
  s->border[1] = fmaxf(bounds[1] + centre[1], 0.0f);
  s->border[2] = fmaxf(f->full_width - s->border[0] - centre[2], 0.0f);
  s->border[3] = fmaxf(f->full_height - s->border[1] - centre[3], 0.0f);
  return true;
}

static bool read_aseprite(reader_t *r, const json_t *root) {
  const json_t *meta = json_object_get(root, "meta"), *tags = json_object_get(meta, "frameTags");
  sheet_clip_t all;
  char where[WHERE];
  size_t i;
  json_t *tag;
  if (!read_frames(r, json_object_get(root, "frames")) || !begin_clip(r, "frames", "", &all) ||
      !add_range(r, &all, 1, r->sheet->frames.count, FORWARD, 0) || !end_clip(r, "frames", &all))
    return false;
  if (tags && !json_is_array(tags))
    return reject_value(r, "meta.frameTags", tags, "a list of tags");
  json_array_foreach(tags, i, tag) {
    snprintf(where, sizeof where, "meta.frameTags[%zu]", i);
    if (!read_tag(r, where, tag))
      return false;
  }
  return read_slice(r, json_object_get(meta, "slices"));
}

// --- sheets of all formats

static bool is_sheet(const json_t *root) {
  static const char *const MEMBERS[] = {"frames", "grid", "clips", "pivot", "border", "filter"};
  for (size_t i = 0; i < sizeof MEMBERS / sizeof *MEMBERS; ++i)
    if (json_object_get(root, MEMBERS[i]))
      return true;
  return false;
}

sheet_t *sheet_read(allocator_t *a, const char *text, size_t bytes, bool *is_data_file, error_info_t *error) {
  json_error_t at;
  json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &at);
  shoal_assert(a && text && is_data_file, "a, text and is_data_file must not be NULL");
  *is_data_file = false;
  if (!root) {
    error_set(error, "line %d, column %d: %s", at.line, at.column, at.text);
    return NULL;
  }
  *is_data_file = !is_sheet(root);
  if (*is_data_file) {
    json_decref(root);
    error_set(error, "missing \"frames\" or \"grid\"");
    return NULL;
  }
  sheet_t *s = alloc_resize(a, NULL, 0, sizeof *s);
  *s = (sheet_t){.allocator = a, .pivot = {0.5f, 0.5f}};
  reader_t r = {.sheet = s, .error = error};
  bool read =
      (json_object_get(root, "frames") ? read_aseprite(&r, root) : read_grid(&r, root)) && read_properties(&r, root);
  array_free(a, &r.seconds);
  json_decref(root);
  if (!read) {
    sheet_destroy(s);
    return NULL;
  }
  shoal_assert(s->clips.count > 0 && s->steps.count > 0, "a sheet must have clips and frames");
  return s;
}

void sheet_destroy(sheet_t *s) {
  if (!s)
    return;
  allocator_t *a = s->allocator;
  array_free(a, &s->frames);
  array_free(a, &s->steps);
  array_free(a, &s->clips);
  alloc_resize(a, s, sizeof *s, 0);
}

const sheet_clip_t *sheet_find_clip(const sheet_t *s, const char *name, char *hint, uint32_t hint_bytes) {
  nearest_name_t near;
  nearest_name_init(&near, name);
  for (uint32_t i = 0; i < s->clips.count; ++i) {
    if (strcmp(s->clips.items[i].name, name) == 0)
      return &s->clips.items[i];
    if (hint && i > 0)
      nearest_name_offer(&near, s->clips.items[i].name);
  }
  if (hint)
    nearest_name_hint(&near, hint, hint_bytes);
  return NULL;
}

const char *sheet_list_clips(const sheet_t *s, char *out, size_t out_bytes) {
  size_t used = (size_t)snprintf(out, out_bytes, "%s", s->clips.count > 1 ? "clips: " : "no clips");
  for (uint32_t i = 1; i < s->clips.count; ++i) { // clip 0 has no name
    const char *name = s->clips.items[i].name, *separator = i > 1 ? ", " : "";
    if (used + strlen(separator) + strlen(name) + sizeof ", …" > out_bytes) {
      snprintf(out + used, out_bytes - used, "%s…", separator);
      break;
    }
    used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", separator, name);
  }
  return out;
}

uint32_t sheet_frame_at(const sheet_t *s, const sheet_clip_t *clip, double elapsed_s) {
  shoal_assert(clip->count > 0 && clip->first + clip->count <= s->steps.count,
               "clip steps %u to %u are out of range (count %u)", clip->first, clip->first + clip->count,
               s->steps.count);
  const sheet_step_t *steps = &s->steps.items[clip->first];
  uint32_t low = 0, high = clip->count - 1; // binary search for the first step that ends after elapsed_s
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (steps[middle].until_s > elapsed_s)
      high = middle;
    else
      low = middle + 1;
  }
  return steps[low].frame;
}

static sheet_frame_t grid_cell(const sheet_t *s, int32_t number, int32_t image_width, int32_t image_height) {
  float width = (float)image_width, height = (float)image_height;
  if (s->cell_width == 0)
    return (sheet_frame_t){0, 0, width, height, 0, 0, width, height};
  int64_t step_x = s->cell_width + s->spacing, step_y = s->cell_height + s->spacing, margin = s->margin;
  int64_t columns = (image_width - 2 * margin + s->spacing) / step_x;
  int64_t rows = (image_height - 2 * margin + s->spacing) / step_y;
  columns = columns > 0 ? columns : 1, rows = rows > 0 ? rows : 1;
  int64_t count = s->cell_count > 0 ? s->cell_count : columns * rows, at = (number - (int64_t)1) % count;
  at += at < 0 ? count : 0;
  float w = (float)s->cell_width, h = (float)s->cell_height;
  return (sheet_frame_t){.x = (float)(margin + at % columns * step_x),
                         .y = (float)(margin + at / columns * step_y),
                         .width = w,
                         .height = h,
                         .full_width = w,
                         .full_height = h};
}

sheet_frame_t sheet_frame(const sheet_t *s, int32_t number, int32_t image_width, int32_t image_height) {
  if (s->frames.count == 0)
    return grid_cell(s, number, image_width, image_height);
  int64_t count = s->frames.count, at = (number - (int64_t)1) % count;
  return s->frames.items[at < 0 ? at + count : at];
}
