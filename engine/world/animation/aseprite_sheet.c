// Sheets of .aseprite files: converts durations, tags and slices to the JSON that Aseprite exports, so that both are
// read in the same way.
#include "animation/sheet_json.h"

#include "decode/aseprite.h"

// Returns { "x": x, "y": y, "w": width, "h": height }.
static json_t *create_rectangle(int64_t x, int64_t y, uint32_t width, uint32_t height) {
  return json_pack("{s:I, s:I, s:I, s:I}", "x", (json_int_t)x, "y", (json_int_t)y, "w", (json_int_t)width, "h",
                   (json_int_t)height);
}

static json_t *read_name(aseprite_fields_t *fields) {
  size_t length;
  const char *name = aseprite_read_string(fields, &length);
  json_t *string = json_stringn(name, length);
  return string ? string : json_null(); // the name is null if it is not valid UTF-8
}

static void append_frame(json_t *frames, const aseprite_t *file, uint32_t index, uint32_t duration_ms) {
  json_t *rectangle = create_rectangle((int64_t)(index % file->columns) * file->width,
                                       (int64_t)(index / file->columns) * file->height, file->width, file->height);
  json_array_append_new(
      frames, json_pack("{s:o, s:I}", "frame", rectangle, "duration", (json_int_t)(duration_ms > 0 ? duration_ms : 1)));
}

static void append_tags(json_t *tags, aseprite_fields_t fields) {
  static const char *const DIRECTIONS[] = {"forward", "reverse", "pingpong", "pingpong_reverse"};
  uint32_t count = aseprite_read_unsigned(&fields, 2);
  aseprite_skip(&fields, 8);
  for (uint32_t i = 0; i < count && !fields.is_past_end; ++i) {
    uint32_t from = aseprite_read_unsigned(&fields, 2), to = aseprite_read_unsigned(&fields, 2),
             direction = aseprite_read_unsigned(&fields, 1), repeat = aseprite_read_unsigned(&fields, 2);
    aseprite_skip(&fields, 10); // skips reserved fields and the colour
    json_array_append_new(tags, json_pack("{s:I, s:I, s:s, s:I, s:o}", "from", (json_int_t)from, "to", (json_int_t)to,
                                          "direction", DIRECTIONS[direction < 4 ? direction : 0], "repeat",
                                          (json_int_t)repeat, "name", read_name(&fields)));
  }
}

// Appends a slice with its first key only.
static void append_slice(json_t *slices, aseprite_fields_t fields) {
  aseprite_skip(&fields, 4); // skips the number of keys
  uint32_t flags = aseprite_read_unsigned(&fields, 4);
  aseprite_skip(&fields, 4);
  json_t *name = read_name(&fields), *key = json_object();
  aseprite_skip(&fields, 4); // skips the first frame
  int32_t x = aseprite_read_signed(&fields, 4), y = aseprite_read_signed(&fields, 4);
  uint32_t width = aseprite_read_unsigned(&fields, 4), height = aseprite_read_unsigned(&fields, 4);
  json_object_set_new(key, "bounds", create_rectangle(x, y, width, height));
  if (flags & 1) {
    x = aseprite_read_signed(&fields, 4), y = aseprite_read_signed(&fields, 4);
    width = aseprite_read_unsigned(&fields, 4), height = aseprite_read_unsigned(&fields, 4);
    json_object_set_new(key, "center", create_rectangle(x, y, width, height));
  }
  if (flags & 2) {
    x = aseprite_read_signed(&fields, 4), y = aseprite_read_signed(&fields, 4);
    json_object_set_new(key, "pivot", json_pack("{s:I, s:I}", "x", (json_int_t)x, "y", (json_int_t)y));
  }
  json_array_append_new(slices, json_pack("{s:o, s:[o]}", "name", name, "keys", key));
}

// Reports the first visible layer that cannot be drawn as in Aseprite. (A group's own visibility is not considered.)
static void report_layer(const aseprite_layer_t *layer, error_info_t *notice) {
  static const char *const MODES[] = {"normal",     "multiply",    "screen",     "overlay",    "darken",
                                      "lighten",    "color dodge", "color burn", "hard light", "soft light",
                                      "difference", "exclusion",   "hue",        "saturation", "color",
                                      "luminosity", "addition",    "subtract",   "divide"};
  size_t mode_count = sizeof MODES / sizeof *MODES;
  if (notice->text[0] || !(layer->flags & ASEPRITE_LAYER_VISIBLE) || (layer->flags & ASEPRITE_LAYER_REFERENCE))
    return;
  if (layer->kind == ASEPRITE_LAYER_TILEMAP)
    error_set(notice, "layer \"%.*s\" is a tilemap and is not drawn: convert it to a normal layer in Aseprite",
              (int)layer->name_length, layer->name);
  else if (layer->blend_mode != 0)
    error_set(notice, "layer \"%.*s\" is drawn with the blend mode normal instead of %s: merge it down in Aseprite",
              (int)layer->name_length, layer->name,
              layer->blend_mode < mode_count ? MODES[layer->blend_mode] : "an unknown one");
}

static json_t *convert_to_json(const aseprite_t *file, error_info_t *notice) {
  json_t *frames = json_array(), *tags = json_array(), *slices = json_array();
  size_t offset = aseprite_first_frame();
  for (uint32_t i = 0; i < file->frame_count; ++i) {
    aseprite_frame_t frame = aseprite_frame_at(file, offset);
    append_frame(frames, file, i, frame.duration_ms);
    offset = frame.end;
    for (aseprite_chunk_t chunk; aseprite_next_chunk(file, &frame, &chunk);) {
      aseprite_layer_t layer;
      switch (chunk.kind) {
      case ASEPRITE_LAYER:
        layer = aseprite_read_layer(file, &chunk.fields);
        report_layer(&layer, notice);
        break;
      case ASEPRITE_TAGS: append_tags(tags, chunk.fields); break;
      case ASEPRITE_SLICE: append_slice(slices, chunk.fields); break;
      default: break;
      }
    }
  }
  return json_pack("{s:o, s:{s:o, s:o}}", "frames", frames, "meta", "frameTags", tags, "slices", slices);
}

sheet_t *sheet_read_aseprite(allocator_t *allocator, const void *bytes, size_t size_bytes, error_info_t *notice,
                             error_info_t *error) {
  aseprite_t file;
  error_set(notice, "%s", "");
  if (!aseprite_open(bytes, size_bytes, &file, error))
    return NULL;
  json_t *root = convert_to_json(&file, notice);
  sheet_t *sheet = sheet_from_json(allocator, root, error);
  json_decref(root);
  return sheet;
}
