// Life cycle, request queue and frame of the overlay. Each widget is drawn and handles its input in one pass.
#include "overlay/desk_internal.h"

#include "base/assert.h"
#include "platform/platform.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

desk_o *desk_create(void) {
  allocator_t memory = {0};
  desk_o *d = alloc_resize(&memory, NULL, 0, sizeof *d);
  memset(d, 0, sizeof *d);
  d->memory = memory;
  d->help = true;
  return d;
}

void desk_destroy(desk_o *d) {
  if (!d)
    return;
  array_free(&d->memory, &d->wishes);
  allocator_t memory = d->memory;
  alloc_resize(&memory, d, sizeof *d, 0);
}

void desk_toggle(desk_o *d) {
  d->open = !d->open;
  d->palette = d->writes = false;
  d->drag = DRAG_NONE;
}

bool desk_is_open(const desk_o *d) {
  return d->open;
}

// While held, the game gets no input and the overlay captures everything. While it runs, the game keeps the keyboard,
// and the overlay captures the mouse.
uint32_t desk_takes(const desk_o *d) {
  if (!d->open)
    return 0;
  uint32_t takes = PLATFORM_CAPTURE_MOUSE | PLATFORM_CAPTURE_SHORTCUTS;
  takes |= d->held ? PLATFORM_CAPTURE_KEYS : 0;
  return d->palette || d->writes ? takes | PLATFORM_CAPTURE_KEYS | PLATFORM_CAPTURE_TEXT : takes;
}

// ----------------------------------------------------------------------------------------------------------- requests

void desk_request(desk_o *d, const char *form, ...) {
  va_list list;
  va_start(list, form);
  int bytes = vsnprintf(NULL, 0, form, list);
  va_end(list);
  shoal_assert(bytes >= 0, "cannot format the request: %s", form);
  array_reserve(&d->memory, &d->wishes, d->wishes.count + (uint32_t)bytes + 1);
  va_start(list, form);
  vsnprintf(d->wishes.items + d->wishes.count, (size_t)bytes + 1, form, list);
  va_end(list);
  d->wishes.count += (uint32_t)bytes + 1;
}

const char *desk_next_request(desk_o *d) {
  if (d->wish_at >= d->wishes.count)
    return NULL;
  const char *wish = d->wishes.items + d->wish_at;
  d->wish_at += (uint32_t)strlen(wish) + 1;
  return wish;
}

const char *desk_quote(const char *text, char *out, size_t bytes) {
  shoal_assert(bytes > 8, "the buffer for a quoted string has only %zu bytes", bytes);
  size_t n = 0;
  for (; *text && n + 8 < bytes; ++text) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      n += (size_t)snprintf(out + n, bytes - n, "\\%c", c);
    else if (c < 0x20)
      n += (size_t)snprintf(out + n, bytes - n, "\\u%04x", c);
    else
      out[n++] = (char)c;
  }
  out[n] = '\0';
  return out;
}

void desk_print(desk_o *d, bool bad, const char *text) {
  while (*text) {
    desk_line_t *line = &d->lines[d->line_count++ % DESK_LINES];
    size_t bytes = strcspn(text, "\n");
    snprintf(line->text, sizeof line->text, "%.*s", (int)(bytes < 250 ? bytes : 250), text);
    line->look = bad ? BRUSH_BAD : BRUSH_MONO;
    line->said_s = 0; // its age starts when a frame first shows it
    text += bytes + (text[bytes] == '\n');
  }
}

// ----------------------------------------------------------------------------------------------------------- commands

// Returns whether the key is down or was pressed since the last frame, even if it is up again by now.
static bool is_down(const desk_view_t *v, int key) {
  return v->heard->now.keys[key] || v->heard->pressed.keys[key];
}

bool desk_shift(const desk_view_t *v) {
  return is_down(v, KEY_LEFT_SHIFT) || is_down(v, KEY_RIGHT_SHIFT);
}

static void do_own(desk_o *d, const char *word) {
  if (strcmp(word, "help") == 0)
    d->help = !d->help;
  else if (strcmp(word, "close") == 0)
    desk_toggle(d);
  else if (strcmp(word, "console") == 0)
    d->writes = true;
  else
    desk_request(d, "!%s", word);
}

void desk_do(desk_o *d, const desk_command_t *c) {
  d->palette = false;
  if (c->own)
    do_own(d, c->wish);
  else
    desk_request(d, "%s", c->wish);
}

// Returns whether a shortcut such as "Ctrl+Z" (key:z with Ctrl) was pressed.
static bool is_pressed(const desk_view_t *v, const char *key) {
  char name[40];
  input_binding_t binding;
  bool wants = strncmp(key, "Ctrl+", 5) == 0;
  bool control = is_down(v, KEY_LEFT_CONTROL) || is_down(v, KEY_RIGHT_CONTROL);
  snprintf(name, sizeof name, "key:%s", wants ? key + 5 : key);
  return key[0] && wants == control && input_parse(name, &binding) && binding.device == INPUT_KEY &&
         v->heard->pressed.keys[binding.code];
}

static void open_palette(desk_o *d) {
  d->palette = !d->palette;
  d->writes = false;
  d->chosen = 0;
  line_edit_set(&d->search, "");
}

// Handles shortcuts. Keys without Ctrl belong to the game while it runs.
static void handle_keys(desk_o *d, const desk_view_t *v) {
  if (is_pressed(v, "Ctrl+K")) {
    open_palette(d);
    return;
  }
  for (uint32_t i = 0; i < v->command_count && !d->palette && !d->writes; ++i) {
    const desk_command_t *c = &v->commands[i];
    if (is_pressed(v, c->key) && (v->held || strncmp(c->key, "Ctrl+", 5) == 0)) {
      desk_do(d, c);
      return;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------- the frame

static void begin_drag(desk_o *d, const brush_t *b) {
  if (!b->pressed || d->drag != DRAG_NONE)
    return;
  d->drag = DRAG_ELSEWHERE; // unless a widget claims the drag
  d->drag_began = false;
  d->from_x = d->last_x = b->x;
  d->from_y = d->last_y = b->y;
}

static void draw_open(desk_o *d, brush_t *b, const desk_view_t *v) {
  bool palette = d->palette;
  begin_drag(d, b);
  desk_outlines(b, v);
  b->modal = palette;
  desk_bar(d, b, v);
  desk_own_panels(d, b, v, desk_keys(d, b, v));
  desk_console(d, b, v);
  desk_fields(d, b, v); // after the console: clicking a field writes into its line
  b->modal = false;
  if (palette && d->palette)
    desk_palette(d, b, v);
  else
    desk_picture(d, b, v);
  if (!b->down)
    d->drag = DRAG_NONE;
}

void desk_draw(desk_o *d, const desk_view_t *v) {
  brush_t b;
  shoal_assert(v->heard && v->draw && v->type, "the view needs an input, a draw list and a font");
  d->wishes.count = d->wish_at = 0;
  if (!d->open && !v->held)
    return;
  brush_begin(&b, v->draw, v->type, v->width, v->height, v->heard);
  d->held = v->held;
  d->reads = v->reads;
  d->wheel = v->heard->now.wheel;
  if (d->open) {
    handle_keys(d, v);
    draw_open(d, &b, v);
  } else {
    desk_badge(&b, v);
  }
}
