// Life cycle, request queue and frame of the overlay. Each widget is drawn and handles its input in one pass.
#include "overlay/dev_overlay_internal.h"

#include "base/assert.h"
#include "platform/platform.h"

#include <stdio.h>
#include <string.h>

dev_overlay_o *dev_overlay_create(void) {
  allocator_t memory = {0};
  dev_overlay_o *d = alloc_resize(&memory, NULL, 0, sizeof *d);
  memset(d, 0, sizeof *d);
  d->memory = memory;
  d->help = true;
  return d;
}

void dev_overlay_destroy(dev_overlay_o *d) {
  if (!d)
    return;
  array_free(&d->memory, &d->requests);
  allocator_t memory = d->memory;
  alloc_resize(&memory, d, sizeof *d, 0);
}

bool dev_overlay_is_open(const dev_overlay_o *d) {
  return d->open;
}

// While the game runs, the open overlay captures the mouse and shortcuts. While a tool pauses the game, the overlay
// also captures the keyboard; while the user enters text, it captures the keyboard and text input.
uint32_t dev_overlay_captured_input(const dev_overlay_o *d) {
  if (!d->open)
    return 0;
  uint32_t captured = PLATFORM_CAPTURE_MOUSE | PLATFORM_CAPTURE_SHORTCUTS;
  captured |= d->held ? PLATFORM_CAPTURE_KEYS : 0;
  return d->palette || d->console_focused ? captured | PLATFORM_CAPTURE_KEYS | PLATFORM_CAPTURE_TEXT : captured;
}

// --- requests

const char *dev_overlay_next_request(dev_overlay_o *d) {
  if (d->request_at >= d->requests.count)
    return NULL;
  const char *request = d->requests.items + d->request_at;
  d->request_at += (uint32_t)strlen(request) + 1;
  return request;
}

// --- shortcuts

// Returns true if a shortcut such as "Ctrl+Z" (key:z with Ctrl) was pressed.
static bool is_shortcut_pressed(const dev_overlay_view_t *v, const char *key) {
  char name[40];
  input_binding_t binding;
  bool needs_control = strncmp(key, "Ctrl+", 5) == 0;
  bool control = dev_overlay_is_key_down(v, KEY_LEFT_CONTROL) || dev_overlay_is_key_down(v, KEY_RIGHT_CONTROL);
  snprintf(name, sizeof name, "key:%s", needs_control ? key + 5 : key);
  return key[0] && needs_control == control && input_parse(name, &binding) && binding.device == INPUT_KEY &&
         v->input->pressed.keys[binding.code];
}

// Handles shortcuts. While the game runs, keys without Ctrl go to the game.
static void handle_keys(dev_overlay_o *d, const dev_overlay_view_t *v) {
  if (is_shortcut_pressed(v, "Ctrl+K")) {
    if (d->palette)
      d->palette = false;
    else
      dev_overlay_open_palette(d, "");
    return;
  }
  for (uint32_t i = 0; i < v->command_count && !d->palette && !d->console_focused; ++i) {
    const dev_overlay_command_t *c = &v->commands[i];
    if (is_shortcut_pressed(v, c->key) && (v->held || strncmp(c->key, "Ctrl+", 5) == 0)) {
      dev_overlay_run_command(d, c);
      return;
    }
  }
}

// --- frame

static void begin_drag(dev_overlay_o *d, const gui_t *b) {
  if (!b->pressed || d->drag != DRAG_NONE)
    return;
  d->drag = DRAG_ELSEWHERE; // the default; a widget that uses the drag overwrites it
  d->drag_began = false;
  d->from_x = d->last_x = b->x;
  d->from_y = d->last_y = b->y;
}

static void draw_open_overlay(dev_overlay_o *d, gui_t *b, const dev_overlay_view_t *v) {
  bool palette = d->palette;
  begin_drag(d, b);
  dev_overlay_draw_outlines(b, v);
  b->modal = palette;
  dev_overlay_draw_bar(d, b, v);
  dev_overlay_draw_game_panels(d, b, v, dev_overlay_draw_keys(d, b, v));
  dev_overlay_draw_console(d, b, v);
  dev_overlay_draw_fields(d, b, v); // must follow the console, because a click on a field edits the console line
  b->modal = false;
  if (palette && d->palette)
    dev_overlay_draw_palette(d, b, v);
  else
    dev_overlay_update_selection(d, b, v);
  if (!b->down)
    d->drag = DRAG_NONE;
}

void dev_overlay_draw(dev_overlay_o *d, const dev_overlay_view_t *v) {
  gui_t b;
  shoal_assert(v->input && v->draw && v->type, "input, draw and type must not be NULL");
  d->requests.count = d->request_at = 0;
  if (!d->open && !v->held)
    return;
  gui_begin(&b, v->draw, v->type, v->width, v->height, v->input);
  d->held = v->held;
  d->read_only = v->read_only;
  d->wheel = v->input->current.wheel;
  if (d->open) {
    handle_keys(d, v);
    draw_open_overlay(d, &b, v);
  } else {
    dev_overlay_draw_badge(&b, v);
  }
}
