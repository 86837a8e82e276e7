// Parses the tags of markup. Open spans are kept on a stack.
#include "text/markup.h"

#include "base/assert.h"
#include "base/nearest_name.h"
#include "base/utf8.h"

#include <string.h>

#define MAX_TAG 160u // maximum size of a tag in bytes; a longer tag is literal text
#define MAX_SPANS 60000u
#define LARGEST_SIZE 100000.0f

#define CAP_TEXT 0.66f // size of a cap's label, relative to the surrounding text size
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
  error_info_t *why;
} parser_t;

// A slice of the text.
typedef struct slice_t {
  const char *at;
  uint32_t bytes;
} slice_t;

// Records the first invalid tag. Returns false.
static bool reject_tag(parser_t *r, slice_t tag, const char *text) {
  char hint[96] = "";
  bool closed = tag.at + tag.bytes < r->text + r->bytes && tag.at[tag.bytes] == ']';
  if (!text) {
    static const char *const NAMES[] = {"color", "colour", "font", "icon", "key", "pad", "prompt", "size"};
    char name[SIMILAR_MAX] = "";
    uint32_t length = 0;
    for (const char *c = tag.at; length < tag.bytes && length < sizeof name - 1 && *c != '='; ++c)
      name[length++] = *c;
    nearest_name_t similar;
    nearest_name_init(&similar, name[0] == '/' ? name + 1 : name);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
      nearest_name_offer(&similar, NAMES[i]);
    nearest_name_hint(&similar, hint, sizeof hint);
  }
  if (r->ok)
    error_set(r->why, "[%.*s%s %s%s", (int)tag.bytes, tag.at, closed ? "]" : "", text ? text : "is not a tag", hint);
  r->ok = false;
  return false;
}

static bool slice_equals(slice_t w, const char *word) {
  return w.bytes == strlen(word) && memcmp(w.at, word, w.bytes) == 0;
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

static slice_t trim_spaces(slice_t w) {
  while (w.bytes > 0 && w.at[0] == ' ')
    ++w.at, --w.bytes;
  while (w.bytes > 0 && w.at[w.bytes - 1] == ' ')
    --w.bytes;
  return w;
}

// --- values

static int hex_digit_value(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

// Parses a colour: #rgb, #rgba, #rrggbb or #rrggbbaa.
static bool read_colour(slice_t w, float out[4]) {
  uint32_t digits = w.bytes - 1, each = digits > 4 ? 2 : 1;
  if (w.bytes == 0 || w.at[0] != '#' || (digits != 3 && digits != 4 && digits != 6 && digits != 8))
    return false;
  out[3] = 1.0f;
  for (uint32_t i = 0; i < digits / each; ++i) {
    int high = hex_digit_value(w.at[1 + i * each]), low = hex_digit_value(w.at[i * each + each]);
    if (high < 0 || low < 0)
      return false;
    out[i] = (float)(high * 16 + low) / 255.0f;
  }
  return true;
}

// Parses a number of at most 13 characters without sign or exponent; returns false for any other text. Does not use the
// C library, which depends on the locale.
static bool read_number(slice_t w, double *out) {
  double value = 0.0, scale = 1.0;
  bool point = false, any = false;
  for (uint32_t i = 0; i < w.bytes; ++i) {
    char c = w.at[i];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9' || i > 12)
      return false;
    any = true;
    value = value * 10.0 + (c - '0');
    scale *= point ? 10.0 : 1.0;
  }
  *out = value / scale;
  return any;
}

static bool read_size(const parser_t *r, slice_t w, float *out) {
  double value;
  bool share = w.bytes > 0 && w.at[w.bytes - 1] == '%';
  w.bytes -= share ? 1 : 0;
  if (!read_number(w, &value))
    return false;
  if (share)
    value = value * (double)r->out->spans.items[r->span].size / 100.0;
  *out = (float)value;
  return *out > 0.0f && *out <= LARGEST_SIZE;
}

// Parses the value of an [icon] tag, such as "items.png 3": file and frame.
static void read_icon(const parser_t *r, slice_t w, text_span_t *span) {
  double frame;
  uint32_t blank = w.bytes;
  while (blank > 0 && w.at[blank - 1] != ' ')
    --blank;
  slice_t last = {w.at + blank, w.bytes - blank};
  if (blank > 1 && read_number(last, &frame) && frame >= 1.0 && frame <= 1e6) {
    span->frame = (uint32_t)frame;
    w = trim_spaces((slice_t){w.at, blank});
  }
  span->icon_at = (uint32_t)(w.at - r->text);
  span->icon_bytes = w.bytes;
}

// --- spans

static uint32_t add_span(parser_t *r, text_span_t span) {
  shoal_assert(r->out->spans.count <= MAX_SPANS, "%u spans exceed the maximum %u", r->out->spans.count, MAX_SPANS);
  array_push(r->allocator, &r->out->spans, span);
  return r->out->spans.count - 1;
}

// --- key caps

typedef struct cap_look_t {
  const char *label;
  text_shape_t shape;
  float fill[4], text[4];
} cap_look_t;

#define WHITE                                                                                                          \
  { 1, 1, 1, 1 }

// Looks of the default key, the default button, and the buttons with their own colours.
static const cap_look_t CAPS[] = {
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
  for (size_t i = 2; cap == CAP_PAD && i < sizeof CAPS / sizeof *CAPS; ++i)
    if (slice_equals(label, CAPS[i].label))
      return &CAPS[i];
  return &CAPS[cap == CAP_PAD ? 1 : 0];
}

static void append_chars(parser_t *r, slice_t text, uint32_t at, uint32_t span) {
  for (uint32_t length = 0; text.bytes > 0; text.at += length, text.bytes -= length) {
    text_char_t c = {.at = at, .span = span};
    c.code = utf8_decode(text.at, text.bytes, &length);
    if (c.code != MARKUP_ICON)
      array_push(r->allocator, &r->out->chars, c);
  }
}

// Adds a cap: a placeholder for each end and, if the cap has no shape, the label between the two. Adds nothing if the
// text would have more than MAX_SPANS spans.
static void append_cap(parser_t *r, text_cap_t cap, slice_t label, uint32_t at) {
  const cap_look_t *look = find_cap_look(cap, label);
  text_span_t end = r->out->spans.items[r->span], text;
  if (r->out->spans.count + 2 > MAX_SPANS)
    return;
  text = end;
  memcpy(end.colour, look->fill, sizeof end.colour);
  memcpy(text.colour, look->text, sizeof text.colour);
  end.coloured = text.coloured = true;
  end.cap = text.cap = cap;
  end.shape = look->shape;
  end.wide = look->shape ? CAP_SHAPE : CAP_END;
  text.size *= CAP_TEXT;
  uint32_t ends = add_span(r, end), between = add_span(r, text);
  array_push(r->allocator, &r->out->chars, ((text_char_t){MARKUP_ICON, at, ends}));
  if (!look->shape)
    append_chars(r, label, at, between);
  array_push(r->allocator, &r->out->chars, ((text_char_t){MARKUP_ICON, at, ends}));
}

static void append_prompt_text(parser_t *r, const char *text, uint32_t at) {
  while (*text) {
    const char *end = *text == MARKUP_CAP_BEGIN ? strchr(text, MARKUP_CAP_END) : NULL;
    uint32_t bytes = (uint32_t)strcspn(text, "\1");
    if (end && end > text + 1) {
      append_cap(r, text[1] == 'p' ? CAP_PAD : CAP_KEY, (slice_t){text + 2, (uint32_t)(end - text - 2)}, at);
      text = end + 1;
    } else {
      append_chars(r, (slice_t){text, bytes}, at, r->span);
      text += bytes + (text[bytes] == MARKUP_CAP_BEGIN && bytes == 0);
    }
  }
}

static bool append_prompt(parser_t *r, slice_t tag, slice_t name) {
  const text_prompts_t *all = r->out->prompts;
  char action[SIMILAR_MAX] = "", hint[SIMILAR_MAX + 32] = "";
  nearest_name_t similar;
  for (uint32_t i = 0; all && i < all->count; ++i)
    if (slice_equals(name, all->items[i].name)) {
      append_prompt_text(r, all->items[i].text, (uint32_t)(tag.at - 1 - r->text));
      return true;
    }
  memcpy(action, name.at, name.bytes < sizeof action - 1 ? name.bytes : sizeof action - 1);
  nearest_name_init(&similar, action);
  for (uint32_t i = 0; all && i < all->count; ++i)
    nearest_name_offer(&similar, all->items[i].name);
  if (r->ok)
    error_set(r->why, "[%.*s]: unknown action%s", (int)tag.bytes, tag.at,
              nearest_name_hint(&similar, hint, sizeof hint));
  r->ok = false;
  return false;
}

// --- tags

static bool open_tag(parser_t *r, slice_t tag, slice_t name, slice_t value) {
  tag_kind_t kind = find_tag_kind(name);
  text_span_t span = r->out->spans.items[r->span];
  if (kind == TAG_NONE)
    return reject_tag(r, tag, NULL);
  if (r->out->spans.count >= MAX_SPANS)
    return reject_tag(r, tag, "exceeds the limit of 60000 tags in one text");
  if (kind == TAG_COLOUR && !(span.coloured = read_colour(value, span.colour)))
    return reject_tag(r, tag, "must have a colour such as #ff8800");
  if (kind == TAG_SIZE && !read_size(r, value, &span.size))
    return reject_tag(r, tag, "must have a size such as 32 or 150%");
  if ((kind == TAG_FONT || kind == TAG_ICON) && value.bytes == 0)
    return reject_tag(r, tag, "must have a file name");
  if (kind >= TAG_KEY && value.bytes == 0)
    return reject_tag(r, tag, kind == TAG_PROMPT ? "must have an action name" : "must have a label such as Space");
  if (kind == TAG_PROMPT)
    return append_prompt(r, tag, value);
  if (kind == TAG_KEY || kind == TAG_PAD) {
    append_cap(r, kind == TAG_PAD ? CAP_PAD : CAP_KEY, value, (uint32_t)(tag.at - 1 - r->text));
    return true;
  }
  if (kind == TAG_ICON) {
    read_icon(r, value, &span);
    span.wide = 1.0f;
    text_char_t icon = {MARKUP_ICON, (uint32_t)(tag.at - 1 - r->text), add_span(r, span)};
    array_push(r->allocator, &r->out->chars, icon);
    return true;
  }
  if (r->depth == MARKUP_MAX_DEPTH)
    return reject_tag(r, tag, "is nested too deeply (at most 32 levels)");
  if (kind == TAG_FONT) {
    span.font_at = (uint32_t)(value.at - r->text);
    span.font_bytes = value.bytes;
  }
  r->open[r->depth++] = (open_tag_t){kind, r->span};
  r->span = add_span(r, span);
  return true;
}

static bool close_tag(parser_t *r, slice_t tag, slice_t name) {
  tag_kind_t kind = find_tag_kind(name);
  shoal_assert(r->depth <= MARKUP_MAX_DEPTH, "nesting depth %u exceeds %u", r->depth, MARKUP_MAX_DEPTH);
  if (name.bytes > 0 && kind == TAG_NONE)
    return reject_tag(r, tag, NULL);
  if (r->depth == 0)
    return reject_tag(r, tag, "has no matching opening tag");
  if (name.bytes > 0 && r->open[r->depth - 1].kind != kind)
    return reject_tag(r, tag, "does not match the innermost open tag");
  r->span = r->open[--r->depth].span;
  return true;
}

// Reads the tag at the current '['. Returns false if the tag is invalid and therefore shown literally.
static bool read_tag(parser_t *r) {
  shoal_assert(r->at < r->bytes && r->text[r->at] == '[', "expected '[' at byte %u of %u", r->at, r->bytes);
  uint32_t max_bytes = r->bytes - r->at - 1;
  const char *inside = r->text + r->at + 1;
  const char *end = memchr(inside, ']', max_bytes < MAX_TAG ? max_bytes : MAX_TAG);
  slice_t tag = {inside, end ? (uint32_t)(end - inside) : 0};
  if (!end || memchr(inside, '\n', tag.bytes) || memchr(inside, '[', tag.bytes))
    return reject_tag(r, (slice_t){inside, max_bytes < 12 ? max_bytes : 12},
                      "has no closing bracket in the same line, within 160 bytes");
  const char *equals = memchr(inside, '=', tag.bytes);
  slice_t name = trim_spaces((slice_t){inside, equals ? (uint32_t)(equals - inside) : tag.bytes});
  slice_t value = {0};
  if (equals)
    value = trim_spaces((slice_t){equals + 1, (uint32_t)(end - equals - 1)});
  bool closes = tag.bytes > 0 && inside[0] == '/';
  bool ok =
      closes ? close_tag(r, tag, trim_spaces((slice_t){inside + 1, tag.bytes - 1})) : open_tag(r, tag, name, value);
  if (ok)
    r->at += tag.bytes + 2;
  return ok;
}

bool markup_parse(allocator_t *a, const char *text, uint32_t bytes, float size, bool tags, markup_t *out,
                  error_info_t *why) {
  parser_t r = {.allocator = a, .text = text, .bytes = bytes, .out = out, .ok = true, .why = why};
  out->chars.count = out->spans.count = 0;
  add_span(&r, (text_span_t){.size = size});
  while (r.at < bytes) {
    bool bracket = tags && text[r.at] == '[';
    bool two = bracket && r.at + 1 < bytes && text[r.at + 1] == '[';
    if (bracket && !two && read_tag(&r))
      continue;
    uint32_t length;
    text_char_t c = {.at = r.at, .span = r.span};
    c.code = utf8_decode(text + r.at, bytes - r.at, &length);
    r.at += two ? 2 : length;
    if (c.code != MARKUP_ICON) // a literal U+FFFC is dropped, because a placeholder needs an image
      array_push(a, &out->chars, c);
  }
  return r.ok;
}

void markup_free(allocator_t *a, markup_t *m) {
  array_free(a, &m->chars);
  array_free(a, &m->spans);
}
