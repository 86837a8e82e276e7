// Parses the tags of markup. Open spans are kept on a stack.
#include "text/markup.h"

#include "base/assert.h"
#include "base/nearest_name.h"
#include "base/utf8.h"

#include <string.h>

#define MAX_TAG 160u // maximum size of a tag in bytes; longer tags are literal text
#define MAX_SPANS 60000u
#define MAX_SIZE 100000.0f

#define CAP_TEXT 0.80f // size of a cap's label, relative to the surrounding text size
#define CAP_END 0.36f  // space on each side of the label, with a small margin; relative to the text size
#define CAP_SHAPE 0.6f

typedef enum tag_kind_t { TAG_NONE, TAG_COLOUR, TAG_SIZE, TAG_FONT, TAG_ICON, TAG_KEY, TAG_PAD, TAG_PROMPT } tag_kind_t;

typedef struct open_tag_t {
  tag_kind_t kind;
  uint32_t span; // span to restore when the tag is closed
} open_tag_t;

typedef struct parser_t {
  allocator_t *allocator;
  const char *text;
  uint32_t bytes, at;
  markup_t *out;
  open_tag_t open[MARKUP_MAX_DEPTH];
  uint32_t depth, span;
  bool ok;
  error_info_t *error;
} parser_t;

typedef struct slice_t {
  const char *at;
  uint32_t bytes;
} slice_t;

// Stores an error about an invalid tag, unless an earlier tag was invalid. `text`: problem; NULL: the name is not a
// tag. Returns false.
static bool reject_tag(parser_t *parser, slice_t tag, const char *text) {
  char hint[96] = "";
  bool closed = tag.at + tag.bytes < parser->text + parser->bytes && tag.at[tag.bytes] == ']';
  if (!text) {
    static const char *const NAMES[] = {"color", "colour", "font", "icon", "key", "pad", "prompt", "size"};
    char name[NEAREST_NAME_MAX_BYTES] = "";
    uint32_t length = 0;
    for (const char *p = tag.at; length < tag.bytes && length < sizeof name - 1 && *p != '='; ++p)
      name[length++] = *p;
    nearest_name_t nearest;
    nearest_name_init(&nearest, name[0] == '/' ? name + 1 : name);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
      nearest_name_offer(&nearest, NAMES[i]);
    nearest_name_hint(&nearest, hint, sizeof hint);
  }
  if (parser->ok)
    error_set(parser->error, "[%.*s%s %s%s", (int)tag.bytes, tag.at, closed ? "]" : "", text ? text : "is not a tag",
              hint);
  parser->ok = false;
  return false;
}

static bool slice_equals(slice_t slice, const char *text) {
  return slice.bytes == strlen(text) && memcmp(slice.at, text, slice.bytes) == 0;
}

static tag_kind_t find_tag_kind(slice_t name) {
  return slice_equals(name, "color") || slice_equals(name, "colour") ? TAG_COLOUR
         : slice_equals(name, "size")                                ? TAG_SIZE
         : slice_equals(name, "font")                                ? TAG_FONT
         : slice_equals(name, "icon")                                ? TAG_ICON
         : slice_equals(name, "key")                                 ? TAG_KEY
         : slice_equals(name, "pad")                                 ? TAG_PAD
         : slice_equals(name, "prompt")                              ? TAG_PROMPT
                                                                     : TAG_NONE;
}

static slice_t trim_spaces(slice_t slice) {
  while (slice.bytes > 0 && slice.at[0] == ' ')
    ++slice.at, --slice.bytes;
  while (slice.bytes > 0 && slice.at[slice.bytes - 1] == ' ')
    --slice.bytes;
  return slice;
}

// --- values

static int hex_digit_value(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

// Parses #rgb, #rgba, #rrggbb or #rrggbbaa. Returns true on success, or false for any other text.
static bool read_colour(slice_t slice, float out[4]) {
  uint32_t digits = slice.bytes - 1, digits_per_channel = digits > 4 ? 2 : 1;
  if (slice.bytes == 0 || slice.at[0] != '#' || (digits != 3 && digits != 4 && digits != 6 && digits != 8))
    return false;
  out[3] = 1.0f;
  for (uint32_t i = 0; i < digits / digits_per_channel; ++i) {
    int high = hex_digit_value(slice.at[1 + i * digits_per_channel]),
        low = hex_digit_value(slice.at[i * digits_per_channel + digits_per_channel]);
    if (high < 0 || low < 0)
      return false;
    out[i] = (float)(high * 16 + low) / 255.0f;
  }
  return true;
}

// Parses a number of at most 13 characters without sign or exponent. Returns true on success, or false for any other
// text. Does not use the C library, which depends on the locale.
static bool read_number(slice_t slice, double *out) {
  double value = 0.0, scale = 1.0;
  bool has_point = false, has_digits = false;
  for (uint32_t i = 0; i < slice.bytes; ++i) {
    char character = slice.at[i];
    if (character == '.' && !has_point) {
      has_point = true;
      continue;
    }
    if (character < '0' || character > '9' || i > 12)
      return false;
    has_digits = true;
    value = value * 10.0 + (character - '0');
    scale *= has_point ? 10.0 : 1.0;
  }
  *out = value / scale;
  return has_digits;
}

static bool read_size(const parser_t *parser, slice_t slice, float *out) {
  double value;
  bool is_percent = slice.bytes > 0 && slice.at[slice.bytes - 1] == '%';
  slice.bytes -= is_percent ? 1 : 0;
  if (!read_number(slice, &value))
    return false;
  if (is_percent)
    value = value * (double)parser->out->spans.items[parser->span].size / 100.0;
  *out = (float)value;
  return *out > 0.0f && *out <= MAX_SIZE;
}

// Parses the value of an [icon] tag, such as "items.png 3": a file, optionally followed by the number of a frame.
static void read_icon(const parser_t *parser, slice_t slice, text_span_t *span) {
  double frame;
  uint32_t frame_start = slice.bytes;
  while (frame_start > 0 && slice.at[frame_start - 1] != ' ')
    --frame_start;
  slice_t frame_slice = {slice.at + frame_start, slice.bytes - frame_start};
  if (frame_start > 1 && read_number(frame_slice, &frame) && frame >= 1.0 && frame <= 1e6) {
    span->frame = (uint32_t)frame;
    slice = trim_spaces((slice_t){slice.at, frame_start});
  }
  span->icon_offset = (uint32_t)(slice.at - parser->text);
  span->icon_bytes = slice.bytes;
}

// --- spans

static uint32_t add_span(parser_t *parser, text_span_t span) {
  shoal_assert(parser->out->spans.count <= MAX_SPANS, "%u spans exceed the maximum %u", parser->out->spans.count,
               MAX_SPANS);
  array_push(parser->allocator, &parser->out->spans, span);
  return parser->out->spans.count - 1;
}

// --- key caps

typedef struct cap_look_t {
  const char *label;
  text_shape_t shape;
  float fill[4], text[4];
} cap_look_t;

#define WHITE                                                                                                          \
  { 1, 1, 1, 1 }

// Appearance of the default key, the default button, and the buttons with their own colours.
static const cap_look_t CAP_LOOKS[] = {
    {"", SHAPE_NONE, {0.20f, 0.24f, 0.33f, 1}, WHITE},
    {"", SHAPE_NONE, {0.27f, 0.31f, 0.40f, 1}, WHITE},
    {"A", SHAPE_NONE, {0.20f, 0.58f, 0.27f, 1}, WHITE},
    {"B", SHAPE_NONE, {0.80f, 0.22f, 0.20f, 1}, WHITE},
    {"X", SHAPE_NONE, {0.18f, 0.42f, 0.82f, 1}, WHITE},
    {"Y", SHAPE_NONE, {0.85f, 0.60f, 0.08f, 1}, WHITE},
    {"Cross", SHAPE_CROSS, {0.20f, 0.23f, 0.32f, 1}, {0.55f, 0.70f, 1.00f, 1}},
    {"Circle", SHAPE_RING, {0.20f, 0.23f, 0.32f, 1}, {1.00f, 0.48f, 0.48f, 1}},
    {"Square", SHAPE_SQUARE, {0.20f, 0.23f, 0.32f, 1}, {0.96f, 0.60f, 0.85f, 1}},
    {"Triangle", SHAPE_TRIANGLE, {0.20f, 0.23f, 0.32f, 1}, {0.40f, 0.87f, 0.70f, 1}},
};

static const cap_look_t *find_cap_look(text_cap_t cap, slice_t label) {
  shoal_assert(cap != CAP_NONE, "cap must not be CAP_NONE");
  for (size_t i = 2; cap == CAP_PAD && i < sizeof CAP_LOOKS / sizeof *CAP_LOOKS; ++i)
    if (slice_equals(label, CAP_LOOKS[i].label))
      return &CAP_LOOKS[i];
  return &CAP_LOOKS[cap == CAP_PAD ? 1 : 0];
}

static void append_chars(parser_t *parser, slice_t text, uint32_t at, uint32_t span) {
  for (uint32_t length = 0; text.bytes > 0; text.at += length, text.bytes -= length) {
    text_char_t character = {.offset = at, .span = span};
    character.code = utf8_decode(text.at, text.bytes, &length);
    if (character.code != MARKUP_ICON)
      array_push(parser->allocator, &parser->out->chars, character);
  }
}

// Adds a cap: a placeholder for each end and, if the cap has no shape, the label between the two. Adds nothing if the
// text would have more than MAX_SPANS spans.
static void append_cap(parser_t *parser, text_cap_t cap, slice_t label, uint32_t at) {
  const cap_look_t *look = find_cap_look(cap, label);
  text_span_t end = parser->out->spans.items[parser->span], label_style;
  if (parser->out->spans.count + 2 > MAX_SPANS)
    return;
  label_style = end;
  memcpy(end.colour, look->fill, sizeof end.colour);
  memcpy(label_style.colour, look->text, sizeof label_style.colour);
  end.coloured = label_style.coloured = true;
  end.cap = label_style.cap = cap;
  end.shape = look->shape;
  end.icon_width = look->shape ? CAP_SHAPE : CAP_END;
  label_style.size *= CAP_TEXT;
  uint32_t end_span = add_span(parser, end), label_span = add_span(parser, label_style);
  array_push(parser->allocator, &parser->out->chars, ((text_char_t){MARKUP_ICON, at, end_span}));
  if (!look->shape)
    append_chars(parser, label, at, label_span);
  array_push(parser->allocator, &parser->out->chars, ((text_char_t){MARKUP_ICON, at, end_span}));
}

static void append_prompt_text(parser_t *parser, const char *text, uint32_t at) {
  while (*text) {
    const char *end = *text == MARKUP_CAP_BEGIN ? strchr(text, MARKUP_CAP_END) : NULL;
    uint32_t bytes = (uint32_t)strcspn(text, "\1");
    if (end && end > text + 1) {
      append_cap(parser, text[1] == 'p' ? CAP_PAD : CAP_KEY, (slice_t){text + 2, (uint32_t)(end - text - 2)}, at);
      text = end + 1;
    } else {
      append_chars(parser, (slice_t){text, bytes}, at, parser->span);
      text += bytes + (text[bytes] == MARKUP_CAP_BEGIN && bytes == 0);
    }
  }
}

static bool append_prompt(parser_t *parser, slice_t tag, slice_t name) {
  const text_prompts_t *prompts = parser->out->prompts;
  char action[NEAREST_NAME_MAX_BYTES] = "", hint[NEAREST_NAME_MAX_BYTES + 32] = "";
  nearest_name_t nearest;
  for (uint32_t i = 0; prompts && i < prompts->count; ++i)
    if (slice_equals(name, prompts->items[i].name)) {
      append_prompt_text(parser, prompts->items[i].text, (uint32_t)(tag.at - 1 - parser->text));
      return true;
    }
  memcpy(action, name.at, name.bytes < sizeof action - 1 ? name.bytes : sizeof action - 1);
  nearest_name_init(&nearest, action);
  for (uint32_t i = 0; prompts && i < prompts->count; ++i)
    nearest_name_offer(&nearest, prompts->items[i].name);
  if (parser->ok)
    error_set(parser->error, "[%.*s]: unknown action%s", (int)tag.bytes, tag.at,
              nearest_name_hint(&nearest, hint, sizeof hint));
  parser->ok = false;
  return false;
}

// --- tags

static bool open_tag(parser_t *parser, slice_t tag, slice_t name, slice_t value) {
  tag_kind_t kind = find_tag_kind(name);
  text_span_t span = parser->out->spans.items[parser->span];
  if (kind == TAG_NONE)
    return reject_tag(parser, tag, NULL);
  if (parser->out->spans.count >= MAX_SPANS)
    return reject_tag(parser, tag, "exceeds the limit of 60000 tags in one text");
  if (kind == TAG_COLOUR && !(span.coloured = read_colour(value, span.colour)))
    return reject_tag(parser, tag, "must have a colour such as #ff8800");
  if (kind == TAG_SIZE && !read_size(parser, value, &span.size))
    return reject_tag(parser, tag, "must have a size such as 32 or 150%");
  if ((kind == TAG_FONT || kind == TAG_ICON) && value.bytes == 0)
    return reject_tag(parser, tag, "must have a file name");
  if (kind >= TAG_KEY && value.bytes == 0)
    return reject_tag(parser, tag, kind == TAG_PROMPT ? "must have an action name" : "must have a label such as Space");
  if (kind == TAG_PROMPT)
    return append_prompt(parser, tag, value);
  if (kind == TAG_KEY || kind == TAG_PAD) {
    append_cap(parser, kind == TAG_PAD ? CAP_PAD : CAP_KEY, value, (uint32_t)(tag.at - 1 - parser->text));
    return true;
  }
  if (kind == TAG_ICON) {
    read_icon(parser, value, &span);
    span.icon_width = 1.0f;
    text_char_t icon = {MARKUP_ICON, (uint32_t)(tag.at - 1 - parser->text), add_span(parser, span)};
    array_push(parser->allocator, &parser->out->chars, icon);
    return true;
  }
  if (parser->depth == MARKUP_MAX_DEPTH)
    return reject_tag(parser, tag, "is nested too deeply (at most 32 levels)");
  if (kind == TAG_FONT) {
    span.font_offset = (uint32_t)(value.at - parser->text);
    span.font_bytes = value.bytes;
  }
  parser->open[parser->depth++] = (open_tag_t){kind, parser->span};
  parser->span = add_span(parser, span);
  return true;
}

static bool close_tag(parser_t *parser, slice_t tag, slice_t name) {
  tag_kind_t kind = find_tag_kind(name);
  shoal_assert(parser->depth <= MARKUP_MAX_DEPTH, "nesting depth %u exceeds %u", parser->depth, MARKUP_MAX_DEPTH);
  if (name.bytes > 0 && kind == TAG_NONE)
    return reject_tag(parser, tag, NULL);
  if (parser->depth == 0)
    return reject_tag(parser, tag, "has no matching opening tag");
  if (name.bytes > 0 && parser->open[parser->depth - 1].kind != kind)
    return reject_tag(parser, tag, "does not match the innermost open tag");
  parser->span = parser->open[--parser->depth].span;
  return true;
}

// Reads the tag at the current '['. Returns true on success, or false if the tag is invalid and therefore shown
// literally.
static bool read_tag(parser_t *parser) {
  shoal_assert(parser->at < parser->bytes && parser->text[parser->at] == '[', "expected '[' at byte %u of %u",
               parser->at, parser->bytes);
  uint32_t max_bytes = parser->bytes - parser->at - 1;
  const char *content = parser->text + parser->at + 1;
  const char *end = memchr(content, ']', max_bytes < MAX_TAG ? max_bytes : MAX_TAG);
  slice_t tag = {content, end ? (uint32_t)(end - content) : 0};
  if (!end || memchr(content, '\n', tag.bytes) || memchr(content, '[', tag.bytes))
    return reject_tag(parser, (slice_t){content, max_bytes < 12 ? max_bytes : 12},
                      "has no closing bracket in the same line, within 160 bytes");
  const char *equals = memchr(content, '=', tag.bytes);
  slice_t name = trim_spaces((slice_t){content, equals ? (uint32_t)(equals - content) : tag.bytes});
  slice_t value = {0};
  if (equals)
    value = trim_spaces((slice_t){equals + 1, (uint32_t)(end - equals - 1)});
  bool is_closing = tag.bytes > 0 && content[0] == '/';
  bool ok = is_closing ? close_tag(parser, tag, trim_spaces((slice_t){content + 1, tag.bytes - 1}))
                       : open_tag(parser, tag, name, value);
  if (ok)
    parser->at += tag.bytes + 2;
  return ok;
}

bool markup_parse(allocator_t *allocator, const char *text, uint32_t bytes, float size, bool tags, markup_t *out,
                  error_info_t *error) {
  parser_t parser = {.allocator = allocator, .text = text, .bytes = bytes, .out = out, .ok = true, .error = error};
  out->chars.count = out->spans.count = 0;
  add_span(&parser, (text_span_t){.size = size});
  while (parser.at < bytes) {
    bool is_bracket = tags && text[parser.at] == '[';
    bool is_escaped = is_bracket && parser.at + 1 < bytes && text[parser.at + 1] == '[';
    if (is_bracket && !is_escaped && read_tag(&parser))
      continue;
    uint32_t length;
    text_char_t character = {.offset = parser.at, .span = parser.span};
    character.code = utf8_decode(text + parser.at, bytes - parser.at, &length);
    parser.at += is_escaped ? 2 : length;
    if (character.code != MARKUP_ICON) // a literal U+FFFC is dropped, because a placeholder needs an image
      array_push(allocator, &out->chars, character);
  }
  return parser.ok;
}

void markup_free(allocator_t *a, markup_t *m) {
  array_free(a, &m->chars);
  array_free(a, &m->spans);
}
