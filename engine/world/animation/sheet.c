// Parses sheets from JSON: Aseprite exports and grids.
#include "animation/sheet_json.h"

#include "base/assert.h"
#include "base/json_value.h"
#include "base/nearest_name.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_SIDE 65536.0 // maximum side length of an image, in texels
#define MAX_SECONDS 3600.0
#define DEFAULT_FPS 10.0
#define MAX_LOCATION_BYTES 96 // size of the buffer for a position such as "frames[12].frame"

typedef enum direction_t { FORWARD, REVERSE, PINGPONG, PINGPONG_REVERSE } direction_t;
static const char *const DIRECTIONS[] = {"forward", "reverse", "pingpong", "pingpong_reverse"};

typedef struct reader_t {
  sheet_t *sheet;
  error_info_t *error;
  ARRAY(double) seconds; // duration of each frame, from Aseprite
} reader_t;

// --- values; `location` is the position named in messages

typedef struct range_t {
  double min, max;
  bool integer_only;
} range_t;

// Sets an error that states what `name` must be and the value found. Returns false.
static bool reject_value(reader_t *r, const char *name, const json_t *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool reject_value(reader_t *r, const char *name, const json_t *value, const char *format, ...) {
  char expected[160], actual[JSON_VALUE_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(expected, sizeof expected, format, arguments);
  va_end(arguments);
  return error_set(r->error, "%s must be %s, got %s", name, expected, json_value_describe(value, actual));
}

// Rejects the first key of `object` that the NULL-terminated list `known_keys` does not contain. Returns true if all
// keys are known.
static bool check_keys(reader_t *reader, const json_t *object, const char *location, const char *const *known_keys) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    char hint[NEAREST_NAME_MAX_BYTES + 32];
    nearest_name_t nearest;
    bool is_known = false;
    nearest_name_init(&nearest, key);
    for (size_t i = 0; known_keys[i]; ++i) {
      is_known |= strcmp(known_keys[i], key) == 0;
      nearest_name_offer(&nearest, known_keys[i]);
    }
    if (!is_known)
      return error_set(reader->error, "%s%sunknown key \"%.40s\"%s", location, location[0] ? ": " : "", key,
                       nearest_name_hint(&nearest, hint, sizeof hint));
  }
  return true;
}

static bool read_number(reader_t *reader, const json_t *object, const char *location, const char *key, range_t range,
                        double default_value, double *out) {
  const json_t *value = json_object_get(object, key);
  char name[SHEET_NAME + MAX_LOCATION_BYTES + 32];
  *out = default_value;
  if (!value)
    return true;
  double number = json_number_value(value);
  if (!json_is_number(value) || !(number >= range.min && number <= range.max) ||
      (range.integer_only && number != floor(number))) {
    snprintf(name, sizeof name, "%s%s%s", location, location[0] ? "." : "", key);
    return reject_value(reader, name, value, "%s from %g to %g", range.integer_only ? "an integer" : "a number",
                        range.min, range.max);
  }
  *out = number;
  return true;
}

static bool read_integer(reader_t *r, const json_t *object, const char *location, const char *key, uint32_t min,
                         uint32_t max, uint32_t default_value, uint32_t *out) {
  double number;
  if (!read_number(r, object, location, key, (range_t){min, max, true}, default_value, &number))
    return false;
  *out = (uint32_t)number;
  return true;
}

static bool read_floats(reader_t *reader, const json_t *list, const char *location, uint32_t count, range_t range,
                        float *out) {
  if (!json_is_array(list) || json_array_size(list) != count)
    return reject_value(reader, location, list, "a list of %u numbers", count);
  for (uint32_t i = 0; i < count; ++i) {
    const json_t *value = json_array_get(list, i);
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= range.min && number <= range.max)) {
      char name[MAX_LOCATION_BYTES];
      snprintf(name, sizeof name, "%s[%u]", location, i);
      return reject_value(reader, name, value, "a number from %g to %g", range.min, range.max);
    }
    out[i] = (float)number;
  }
  return true;
}

static bool read_direction(reader_t *reader, const json_t *object, const char *location, direction_t *out) {
  const json_t *value = json_object_get(object, "direction");
  *out = FORWARD;
  if (!value)
    return true;
  nearest_name_t nearest;
  nearest_name_init(&nearest, json_is_string(value) ? json_string_value(value) : "");
  for (uint32_t i = 0; i < sizeof DIRECTIONS / sizeof *DIRECTIONS; ++i) {
    nearest_name_offer(&nearest, DIRECTIONS[i]);
    if (json_is_string(value) && strcmp(json_string_value(value), DIRECTIONS[i]) == 0) {
      *out = (direction_t)i;
      return true;
    }
  }
  char hint[NEAREST_NAME_MAX_BYTES + 32], actual[JSON_VALUE_BYTES];
  return error_set(reader->error, "%s.direction must be forward, reverse, pingpong or pingpong_reverse, got %s%s",
                   location, json_value_describe(value, actual), nearest_name_hint(&nearest, hint, sizeof hint));
}

// --- clips

static bool add_step(reader_t *reader, sheet_clip_t *clip, uint32_t frame, double seconds) {
  sheet_t *sheet = reader->sheet;
  if (sheet->steps.count >= SHEET_MAX_STEPS)
    return error_set(reader->error, "too many frames in the clips of the sheet (at most %u in total)", SHEET_MAX_STEPS);
  double start_s = clip->count > 0 ? sheet->steps.items[sheet->steps.count - 1].until_s : 0;
  sheet_step_t step = {.frame = frame, .until_s = start_s + seconds};
  array_push(sheet->allocator, &sheet->steps, step);
  clip->count++;
  return true;
}

static double frame_seconds(const reader_t *r, uint32_t frame, double default_value) {
  return frame >= 1 && frame <= r->seconds.count ? r->seconds.items[frame - 1] : default_value;
}

// Adds frames `first_frame` to `last_frame`. A ping-pong clip contains its end frames once, and the frames between them
// twice. Returns true on success, or false with an error if the sheet has too many steps.
static bool add_range(reader_t *reader, sheet_clip_t *clip, uint32_t first_frame, uint32_t last_frame,
                      direction_t direction, double seconds) {
  uint32_t count = last_frame - first_frame + 1,
           step_count = direction == PINGPONG || direction == PINGPONG_REVERSE ? 2 * count - 2 : count;
  shoal_assert(first_frame >= 1 && first_frame <= last_frame, "invalid clip from frame %u to %u", first_frame,
               last_frame);
  step_count = step_count > 0 ? step_count : 1;
  for (uint32_t i = 0; i < step_count; ++i) {
    uint32_t offset = i < count ? i : 2 * count - 2 - i;
    uint32_t frame = direction == REVERSE || direction == PINGPONG_REVERSE ? last_frame - offset : first_frame + offset;
    if (!add_step(reader, clip, frame, frame_seconds(reader, frame, seconds)))
      return false;
  }
  return true;
}

static bool begin_clip(reader_t *reader, const char *location, const char *name, sheet_clip_t *clip) {
  const sheet_t *sheet = reader->sheet;
  size_t length = strlen(name);
  if (length >= SHEET_NAME)
    return error_set(reader->error, "%s: the clip's name is too long: %zu bytes (at most %u)", location, length,
                     SHEET_NAME - 1u);
  if (sheet->clips.count >= SHEET_MAX_CLIPS)
    return error_set(reader->error, "%s: too many clips in the sheet (at most %u)", location, SHEET_MAX_CLIPS);
  if (sheet->clips.count > 0 && sheet_find_clip(sheet, name, NULL, 0))
    return error_set(reader->error, "%s: two clips are named %s: rename one of them", location, name);
  *clip = (sheet_clip_t){.first = sheet->steps.count};
  memcpy(clip->name, name, length);
  return true;
}

static bool end_clip(reader_t *r, const char *location, const sheet_clip_t *clip) {
  sheet_t *sheet = r->sheet;
  if (clip->count == 0)
    return error_set(r->error, "%s has no frames: list at least one frame number", location);
  array_push(sheet->allocator, &sheet->clips, *clip);
  return true;
}

// --- sheets with a grid

static bool read_frame_list(reader_t *reader, const json_t *list, const char *location, uint32_t max,
                            sheet_clip_t *clip, double seconds) {
  char name[SHEET_NAME + MAX_LOCATION_BYTES + 32];
  size_t i;
  const json_t *value;
  if (!json_is_array(list)) {
    snprintf(name, sizeof name, "%s.frames", location);
    return reject_value(reader, name, list, "a list of frame numbers");
  }
  json_array_foreach(list, i, value) {
    json_int_t frame = json_integer_value(value);
    if (!json_is_integer(value) || frame < 1 || frame > max) {
      snprintf(name, sizeof name, "%s.frames[%zu]", location, i);
      return reject_value(reader, name, value, "a frame number from 1 to %u", max);
    }
    if (!add_step(reader, clip, (uint32_t)frame, seconds))
      return false;
  }
  return true;
}

static bool read_grid_clip(reader_t *reader, const char *name, const json_t *value, double default_fps) {
  char location[SHEET_NAME + MAX_LOCATION_BYTES];
  snprintf(location, sizeof location, "clips.%.*s", SHEET_NAME, name);
  uint32_t max_frame = reader->sheet->cell_count > 0 ? reader->sheet->cell_count : SHEET_MAX_FRAMES, first_frame,
           last_frame;
  double fps;
  direction_t direction;
  sheet_clip_t clip;
  static const char *const CLIP_KEYS[] = {"from", "to", "frames", "fps", "direction", "times", NULL};
  if (!json_is_object(value))
    return reject_value(reader, location, value, "an object like { \"from\": 1, \"to\": 4 }");
  if (name[0] == '\0')
    return error_set(reader->error, "clips: a clip's name must not be empty");
  if (!begin_clip(reader, location, name, &clip) || !check_keys(reader, value, location, CLIP_KEYS) ||
      !read_number(reader, value, location, "fps", (range_t){1 / MAX_SECONDS, 1000, false}, default_fps, &fps) ||
      !read_integer(reader, value, location, "times", 0, UINT32_MAX, 0, &clip.times) ||
      !read_direction(reader, value, location, &direction))
    return false;
  const json_t *frame_list = json_object_get(value, "frames");
  if (frame_list)
    return read_frame_list(reader, frame_list, location, max_frame, &clip, 1 / fps) &&
           end_clip(reader, location, &clip);
  if (!read_integer(reader, value, location, "from", 1, max_frame, 1, &first_frame) ||
      !read_integer(reader, value, location, "to", 1, max_frame, first_frame, &last_frame))
    return false;
  if (last_frame < first_frame)
    return error_set(reader->error,
                     "%s: from (%u) is greater than to (%u): use \"direction\": \"reverse\" to play backwards",
                     location, first_frame, last_frame);
  return add_range(reader, &clip, first_frame, last_frame, direction, 1 / fps) && end_clip(reader, location, &clip);
}

static bool read_grid(reader_t *reader, const json_t *root) {
  static const char *const KEYS[] = {"grid", "fps", "clips", "pivot", "border", "filter", NULL};
  static const char *const GRID_KEYS[] = {"width", "height", "margin", "spacing", "count", NULL};
  sheet_t *sheet = reader->sheet;
  const json_t *grid = json_object_get(root, "grid"), *clips = json_object_get(root, "clips");
  double fps;
  if (grid && !json_is_object(grid))
    return reject_value(reader, "grid", grid, "an object like { \"width\": 16, \"height\": 16 }");
  if (!check_keys(reader, root, "", KEYS) || (grid && !check_keys(reader, grid, "grid", GRID_KEYS)))
    return false;
  if (grid &&
      (!read_integer(reader, grid, "grid", "width", 1, (uint32_t)MAX_SIDE, 0, &sheet->cell_width) ||
       !read_integer(reader, grid, "grid", "height", 1, (uint32_t)MAX_SIDE, sheet->cell_width, &sheet->cell_height) ||
       !read_integer(reader, grid, "grid", "margin", 0, (uint32_t)MAX_SIDE, 0, &sheet->margin) ||
       !read_integer(reader, grid, "grid", "spacing", 0, (uint32_t)MAX_SIDE, 0, &sheet->spacing) ||
       !read_integer(reader, grid, "grid", "count", 1, SHEET_MAX_FRAMES, 0, &sheet->cell_count)))
    return false;
  if (grid && sheet->cell_width == 0)
    return error_set(reader->error, "grid.width is missing: set it to the width of a frame in texels");
  if (!grid)
    sheet->cell_count = 1;
  if (!read_number(reader, root, "", "fps", (range_t){1 / MAX_SECONDS, 1000, false}, DEFAULT_FPS, &fps))
    return false;
  sheet_clip_t default_clip;
  if (!begin_clip(reader, "grid", "", &default_clip) ||
      !add_range(reader, &default_clip, 1, sheet->cell_count > 0 ? sheet->cell_count : 1, FORWARD, 1 / fps) ||
      !end_clip(reader, "grid", &default_clip))
    return false;
  if (clips && !json_is_object(clips))
    return reject_value(reader, "clips", clips, "an object like { \"walk\": { \"from\": 1, \"to\": 4 } }");
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)clips, name, value) {
    if (!read_grid_clip(reader, name, value, fps))
      return false;
  }
  return true;
}

static bool read_properties(reader_t *reader, const json_t *root) {
  sheet_t *sheet = reader->sheet;
  const json_t *pivot = json_object_get(root, "pivot"), *border = json_object_get(root, "border");
  const json_t *filter = json_object_get(root, "filter");
  const char *filter_name = json_is_string(filter) ? json_string_value(filter) : "";
  sheet->filter = strcmp(filter_name, "pixels") == 0   ? SHEET_FILTER_PIXELS
                  : strcmp(filter_name, "smooth") == 0 ? SHEET_FILTER_SMOOTH
                                                       : SHEET_FILTER_NONE;
  if (filter && sheet->filter == SHEET_FILTER_NONE)
    return reject_value(reader, "filter", filter, "\"pixels\" or \"smooth\"");
  return (!pivot || read_floats(reader, pivot, "pivot", 2, (range_t){-64, 64, false}, sheet->pivot)) &&
         (!border || read_floats(reader, border, "border", 4, (range_t){0, MAX_SIDE, false}, sheet->border));
}

// --- sheets exported by Aseprite

static bool read_rectangle(reader_t *reader, const json_t *value, const char *location, const char *key, float out[4]) {
  static const char *const SIDES[4] = {"x", "y", "w", "h"};
  const json_t *rectangle = json_object_get(value, key);
  char path[MAX_LOCATION_BYTES + 32];
  snprintf(path, sizeof path, "%s.%s", location, key);
  if (!json_is_object(rectangle))
    return reject_value(reader, path, rectangle,
                        "an object like { \"x\": 0, \"y\": 0, \"w\": 16, \"h\": 16 }, in texels");
  for (int i = 0; i < 4; ++i) {
    double number;
    if (!read_number(reader, rectangle, path, SIDES[i], (range_t){i < 2 ? -MAX_SIDE : 0, MAX_SIDE, false}, 0, &number))
      return false;
    out[i] = (float)number;
  }
  return true;
}

static bool read_frame(reader_t *reader, const char *location, const json_t *value) {
  sheet_t *sheet = reader->sheet;
  float rect[4], source_rect[4];
  double milliseconds;
  if (!json_is_object(value))
    return reject_value(reader, location, value, "an object with the key \"frame\"");
  if (json_is_true(json_object_get(value, "rotated")))
    return error_set(reader->error, "%s: rotated frames are not supported: export the sheet without rotation",
                     location);
  if (sheet->frames.count >= SHEET_MAX_FRAMES)
    return error_set(reader->error, "too many frames in the sheet (at most %u)", SHEET_MAX_FRAMES);
  if (!read_rectangle(reader, value, location, "frame", rect) ||
      !read_number(reader, value, location, "duration", (range_t){1, MAX_SECONDS * 1000, false}, 1000 / DEFAULT_FPS,
                   &milliseconds))
    return false;
  sheet_frame_t frame = {
      .x = rect[0], .y = rect[1], .width = rect[2], .height = rect[3], .full_width = rect[2], .full_height = rect[3]};
  if (json_is_true(json_object_get(value, "trimmed"))) {
    double source_size[2];
    const json_t *size = json_object_get(value, "sourceSize");
    char path[MAX_LOCATION_BYTES + 32];
    snprintf(path, sizeof path, "%s.sourceSize", location);
    if (!read_rectangle(reader, value, location, "spriteSourceSize", source_rect) ||
        !read_number(reader, size, path, "w", (range_t){0, MAX_SIDE, false}, rect[2], &source_size[0]) ||
        !read_number(reader, size, path, "h", (range_t){0, MAX_SIDE, false}, rect[3], &source_size[1]))
      return false;
    frame.left = source_rect[0], frame.top = source_rect[1];
    frame.full_width = (float)source_size[0], frame.full_height = (float)source_size[1];
  }
  array_push(sheet->allocator, &sheet->frames, frame);
  array_push(sheet->allocator, &reader->seconds, milliseconds / 1000);
  return true;
}

static bool read_frames(reader_t *reader, const json_t *frames) {
  char location[MAX_LOCATION_BYTES];
  size_t i;
  const char *name;
  json_t *value;
  if (json_is_array(frames)) {
    json_array_foreach(frames, i, value) {
      snprintf(location, sizeof location, "frames[%zu]", i);
      if (!read_frame(reader, location, value))
        return false;
    }
  } else if (json_is_object(frames)) {
    json_object_foreach((json_t *)frames, name, value) {
      snprintf(location, sizeof location, "frames[\"%.64s\"]", name);
      if (!read_frame(reader, location, value))
        return false;
    }
  } else {
    return reject_value(reader, "frames", frames, "a list of frames, or an object that maps names to frames");
  }
  return reader->sheet->frames.count > 0 ? true : error_set(reader->error, "frames must contain at least one frame");
}

// Reads the repeat count of a tag, which Aseprite writes as a string and omits for endless loops. Returns true on
// success, or false with an error.
static bool read_repeat(reader_t *reader, const json_t *tag, const char *location, uint32_t *out) {
  const json_t *value = json_object_get(tag, "repeat");
  unsigned long times = 0;
  char *end = NULL, name[MAX_LOCATION_BYTES + 32];
  if (json_is_string(value))
    times = strtoul(json_string_value(value), &end, 10);
  else if (json_is_integer(value) && json_integer_value(value) >= 0)
    times = (unsigned long)json_integer_value(value);
  bool is_valid = !value || json_is_integer(value) || (end && *end == '\0' && end != json_string_value(value));
  if (!is_valid || times > UINT32_MAX || (json_is_integer(value) && json_integer_value(value) < 0)) {
    snprintf(name, sizeof name, "%s.repeat", location);
    return reject_value(reader, name, value, "an integer from 0 to 4294967295 (a number or a string)");
  }
  *out = (uint32_t)times;
  return true;
}

static bool read_tag(reader_t *reader, const char *location, const json_t *tag) {
  const json_t *name = json_object_get(tag, "name");
  uint32_t first_frame, last_frame, max_frame = reader->sheet->frames.count - 1;
  direction_t direction;
  sheet_clip_t clip;
  if (!json_is_string(name) || json_string_length(name) == 0) {
    char member[MAX_LOCATION_BYTES + 32];
    snprintf(member, sizeof member, "%s.name", location);
    return reject_value(reader, member, name, "a non-empty string");
  }
  if (!begin_clip(reader, location, json_string_value(name), &clip) ||
      !read_integer(reader, tag, location, "from", 0, max_frame, 0, &first_frame) ||
      !read_integer(reader, tag, location, "to", 0, max_frame, first_frame, &last_frame) ||
      !read_direction(reader, tag, location, &direction) || !read_repeat(reader, tag, location, &clip.times))
    return false;
  if (last_frame < first_frame)
    return error_set(
        reader->error,
        "%s: from (%u) is greater than to (%u): swap them, and set \"direction\": \"reverse\" to play backwards",
        location, first_frame, last_frame);
  return add_range(reader, &clip, first_frame + 1, last_frame + 1, direction, 0) && end_clip(reader, location, &clip);
}

// Reads pivot and border from the first key of the first slice, whose coordinates are texels of the untrimmed frame.
// Returns true on success or without a slice, otherwise false with an error.
static bool read_slice(reader_t *reader, const json_t *slices) {
  sheet_t *sheet = reader->sheet;
  const json_t *key = json_array_get(json_object_get(json_array_get(slices, 0), "keys"), 0);
  const char *location = "meta.slices[0].keys[0]";
  float bounds[4], centre[4];
  if (!json_is_object(key))
    return true;
  if (!read_rectangle(reader, key, location, "bounds", bounds))
    return false;
  const json_t *pivot = json_object_get(key, "pivot");
  const sheet_frame_t *frame = &sheet->frames.items[0];
  if (json_is_object(pivot)) {
    double x, y;
    if (!read_number(reader, pivot, "meta.slices[0].keys[0].pivot", "x", (range_t){-MAX_SIDE, MAX_SIDE, false}, 0,
                     &x) ||
        !read_number(reader, pivot, "meta.slices[0].keys[0].pivot", "y", (range_t){-MAX_SIDE, MAX_SIDE, false}, 0, &y))
      return false;
    sheet->pivot[0] = frame->full_width > 0 ? (bounds[0] + (float)x) / frame->full_width : 0.5f;
    sheet->pivot[1] = frame->full_height > 0 ? (bounds[1] + (float)y) / frame->full_height : 0.5f;
  }
  if (!json_object_get(key, "center"))
    return true;
  if (!read_rectangle(reader, key, location, "center", centre))
    return false;
  sheet->border[0] = fmaxf(bounds[0] + centre[0], 0.0f);
  sheet->border[1] = fmaxf(bounds[1] + centre[1], 0.0f);
  sheet->border[2] = fmaxf(frame->full_width - sheet->border[0] - centre[2], 0.0f);
  sheet->border[3] = fmaxf(frame->full_height - sheet->border[1] - centre[3], 0.0f);
  return true;
}

static bool read_aseprite(reader_t *reader, const json_t *root) {
  const json_t *meta = json_object_get(root, "meta"), *tags = json_object_get(meta, "frameTags");
  sheet_clip_t default_clip;
  char location[MAX_LOCATION_BYTES];
  size_t i;
  json_t *tag;
  if (!read_frames(reader, json_object_get(root, "frames")) || !begin_clip(reader, "frames", "", &default_clip) ||
      !add_range(reader, &default_clip, 1, reader->sheet->frames.count, FORWARD, 0) ||
      !end_clip(reader, "frames", &default_clip))
    return false;
  if (tags && !json_is_array(tags))
    return reject_value(reader, "meta.frameTags", tags, "a list of tags");
  json_array_foreach(tags, i, tag) {
    snprintf(location, sizeof location, "meta.frameTags[%zu]", i);
    if (!read_tag(reader, location, tag))
      return false;
  }
  return read_slice(reader, json_object_get(meta, "slices"));
}

// --- sheets of all formats

static bool is_sheet(const json_t *root) {
  static const char *const MEMBERS[] = {"frames", "grid", "clips", "pivot", "border", "filter"};
  for (size_t i = 0; i < sizeof MEMBERS / sizeof *MEMBERS; ++i)
    if (json_object_get(root, MEMBERS[i]))
      return true;
  return false;
}

sheet_t *sheet_read(allocator_t *allocator, const char *text, size_t bytes, bool *is_data_file, error_info_t *error) {
  json_error_t json_error;
  json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &json_error);
  shoal_assert(allocator && text && is_data_file, "allocator, text and is_data_file must not be NULL");
  *is_data_file = false;
  if (!root) {
    error_set(error, "line %d, column %d: %s", json_error.line, json_error.column, json_error.text);
    return NULL;
  }
  *is_data_file = !is_sheet(root);
  if (*is_data_file) {
    json_decref(root);
    error_set(error, "missing \"frames\" or \"grid\"");
    return NULL;
  }
  sheet_t *sheet = sheet_from_json(allocator, root, error);
  json_decref(root);
  return sheet;
}

sheet_t *sheet_from_json(allocator_t *allocator, const json_t *root, error_info_t *error) {
  sheet_t *sheet = alloc_resize(allocator, NULL, 0, sizeof *sheet);
  *sheet = (sheet_t){.allocator = allocator, .pivot = {0.5f, 0.5f}};
  reader_t reader = {.sheet = sheet, .error = error};
  bool succeeded = (json_object_get(root, "frames") ? read_aseprite(&reader, root) : read_grid(&reader, root)) &&
                   read_properties(&reader, root);
  array_free(allocator, &reader.seconds);
  if (!succeeded) {
    sheet_destroy(sheet);
    return NULL;
  }
  shoal_assert(sheet->clips.count > 0 && sheet->steps.count > 0, "a sheet must have clips and frames");
  return sheet;
}

void sheet_destroy(sheet_t *sheet) {
  if (!sheet)
    return;
  allocator_t *allocator = sheet->allocator;
  array_free(allocator, &sheet->frames);
  array_free(allocator, &sheet->steps);
  array_free(allocator, &sheet->clips);
  alloc_resize(allocator, sheet, sizeof *sheet, 0);
}

const sheet_clip_t *sheet_find_clip(const sheet_t *sheet, const char *name, char *hint, uint32_t hint_bytes) {
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < sheet->clips.count; ++i) {
    if (strcmp(sheet->clips.items[i].name, name) == 0)
      return &sheet->clips.items[i];
    if (hint && i > 0)
      nearest_name_offer(&nearest, sheet->clips.items[i].name);
  }
  if (hint)
    nearest_name_hint(&nearest, hint, hint_bytes);
  return NULL;
}

const char *sheet_list_clips(const sheet_t *sheet, char *out, size_t out_bytes) {
  size_t used = (size_t)snprintf(out, out_bytes, "%s", sheet->clips.count > 1 ? "clips: " : "no clips");
  for (uint32_t i = 1; i < sheet->clips.count; ++i) { // clip 0 has no name
    const char *name = sheet->clips.items[i].name, *separator = i > 1 ? ", " : "";
    if (used + strlen(separator) + strlen(name) + sizeof ", …" > out_bytes) {
      snprintf(out + used, out_bytes - used, "%s…", separator);
      break;
    }
    used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", separator, name);
  }
  return out;
}

uint32_t sheet_frame_at(const sheet_t *sheet, const sheet_clip_t *clip, double elapsed_s) {
  shoal_assert(clip->count > 0 && clip->first + clip->count <= sheet->steps.count,
               "clip steps %u to %u are out of range (count %u)", clip->first, clip->first + clip->count,
               sheet->steps.count);
  const sheet_step_t *steps = &sheet->steps.items[clip->first];
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

static sheet_frame_t grid_cell(const sheet_t *sheet, int32_t number, int32_t image_width, int32_t image_height) {
  float width = (float)image_width, height = (float)image_height;
  if (sheet->cell_width == 0)
    return (sheet_frame_t){0, 0, width, height, 0, 0, width, height};
  int64_t step_x = sheet->cell_width + sheet->spacing, step_y = sheet->cell_height + sheet->spacing,
          margin = sheet->margin;
  int64_t columns = (image_width - 2 * margin + sheet->spacing) / step_x;
  int64_t rows = (image_height - 2 * margin + sheet->spacing) / step_y;
  columns = columns > 0 ? columns : 1, rows = rows > 0 ? rows : 1;
  int64_t count = sheet->cell_count > 0 ? sheet->cell_count : columns * rows, index = (number - (int64_t)1) % count;
  index += index < 0 ? count : 0;
  float w = (float)sheet->cell_width, h = (float)sheet->cell_height;
  return (sheet_frame_t){.x = (float)(margin + index % columns * step_x),
                         .y = (float)(margin + index / columns * step_y),
                         .width = w,
                         .height = h,
                         .full_width = w,
                         .full_height = h};
}

sheet_frame_t sheet_frame(const sheet_t *sheet, int32_t number, int32_t image_width, int32_t image_height) {
  if (sheet->frames.count == 0)
    return grid_cell(sheet, number, image_width, image_height);
  int64_t count = sheet->frames.count, index = (number - (int64_t)1) % count;
  return sheet->frames.items[index < 0 ? index + count : index];
}
