// Life cycle, request queue and frame of the overlay. Each widget is drawn and handles its input in one pass.
#include "overlay/dev_overlay_internal.h"

#include "base/assert.h"
#include "overlay/badge.h"
#include "platform/platform.h"

#include <stdio.h>
#include <string.h>

dev_overlay_o *dev_overlay_create(void) {
  allocator_t memory = {0};
  dev_overlay_o *overlay = alloc_resize(&memory, NULL, 0, sizeof *overlay);
  memset(overlay, 0, sizeof *overlay);
  overlay->memory = memory;
  return overlay;
}

void dev_overlay_destroy(dev_overlay_o *overlay) {
  if (!overlay)
    return;
  array_free(&overlay->memory, &overlay->requests);
  allocator_t memory = overlay->memory;
  alloc_resize(&memory, overlay, sizeof *overlay, 0);
}

bool dev_overlay_is_open(const dev_overlay_o *overlay) {
  return overlay->is_open;
}

// An open overlay always captures the mouse and shortcuts. While a tool pauses the game, the overlay also captures the
// keyboard. While the user enters text, the overlay captures the keyboard and text input.
uint32_t dev_overlay_get_captured_input(const dev_overlay_o *overlay) {
  if (!overlay->is_open)
    return 0;
  uint32_t captured = PLATFORM_CAPTURE_MOUSE | PLATFORM_CAPTURE_SHORTCUTS;
  captured |= overlay->held ? PLATFORM_CAPTURE_KEYS : 0;
  return overlay->palette_open || overlay->console_focused ? captured | PLATFORM_CAPTURE_KEYS | PLATFORM_CAPTURE_TEXT
                                                           : captured;
}

// --- requests

const char *dev_overlay_next_request(dev_overlay_o *overlay) {
  if (overlay->request_offset >= overlay->requests.count)
    return NULL;
  const char *request = overlay->requests.items + overlay->request_offset;
  overlay->request_offset += (uint32_t)strlen(request) + 1;
  return request;
}

// --- shortcuts

// Returns true if a shortcut such as "Ctrl+Z" (key:z with Ctrl) was pressed.
static bool is_shortcut_pressed(const dev_overlay_view_t *view, const char *key) {
  char name[40];
  input_binding_t binding;
  bool needs_control = strncmp(key, "Ctrl+", 5) == 0;
  bool is_control_down =
      dev_overlay_is_key_down(view, KEY_LEFT_CONTROL) || dev_overlay_is_key_down(view, KEY_RIGHT_CONTROL);
  snprintf(name, sizeof name, "key:%s", needs_control ? key + 5 : key);
  return key[0] && needs_control == is_control_down && input_parse(name, &binding) && binding.device == INPUT_KEY &&
         view->input->pressed.keys[binding.code];
}

// Handles shortcuts. While the game runs, keys without Ctrl go to the game.
static void handle_keys(dev_overlay_o *overlay, const dev_overlay_view_t *view) {
  if (is_shortcut_pressed(view, "Ctrl+K")) {
    if (overlay->palette_open)
      overlay->palette_open = false;
    else
      dev_overlay_open_palette(overlay, "");
    return;
  }
  for (uint32_t i = 0; i < view->command_count && !overlay->palette_open && !overlay->console_focused; ++i) {
    const dev_overlay_command_t *command = &view->commands[i];
    if (is_shortcut_pressed(view, command->key) && (view->held || strncmp(command->key, "Ctrl+", 5) == 0)) {
      dev_overlay_run_command(overlay, command);
      return;
    }
  }
}

// --- frame

static void begin_drag(dev_overlay_o *overlay, const gui_t *gui) {
  if (!gui->pressed || overlay->drag != DRAG_NONE)
    return;
  overlay->drag = DRAG_ELSEWHERE; // the default; a widget that uses the drag overwrites it
  overlay->drag_sent = false;
  overlay->press_x = overlay->last_x = gui->x;
  overlay->press_y = overlay->last_y = gui->y;
}

static void draw_open_overlay(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view) {
  bool was_palette_open = overlay->palette_open;
  begin_drag(overlay, gui);
  dev_overlay_draw_outlines(gui, view);
  gui->modal = was_palette_open;
  dev_overlay_draw_bar(overlay, gui, view);
  if (!overlay->is_focused) {
    dev_overlay_draw_game_panels(overlay, gui, view, dev_overlay_draw_keys(overlay, gui, view));
    dev_overlay_draw_console(overlay, gui, view);
    // The fields follow the console, because a click on a field edits the console line.
    dev_overlay_draw_fields(overlay, gui, view);
  }
  gui->modal = false;
  if (was_palette_open && overlay->palette_open)
    dev_overlay_draw_palette(overlay, gui, view);
  else
    dev_overlay_update_selection(overlay, gui, view);
  if (!gui->held)
    overlay->drag = DRAG_NONE;
}

static void draw_badge(gui_t *gui, const dev_overlay_view_t *view) {
  char text[64];
  picking_view_t game = {view->world, view->render, view->sheets, view->width, view->height};
  snprintf(text, sizeof text, "paused at tick %llu", (unsigned long long)view->tick);
  badge_draw(gui, &game, text);
}

void dev_overlay_draw(dev_overlay_o *overlay, const dev_overlay_view_t *view) {
  gui_t gui;
  shoal_assert(view->input && view->draw && view->type, "input, draw and type must not be NULL");
  overlay->requests.count = overlay->request_offset = 0;
  if (!overlay->is_open && !view->held)
    return;
  gui_begin(&gui, view->draw, view->type, view->width, view->height, view->input);
  overlay->held = view->held;
  overlay->read_only = view->read_only;
  overlay->wheel = view->input->current.wheel;
  if (overlay->is_open) {
    handle_keys(overlay, view);
    draw_open_overlay(overlay, &gui, view);
  } else {
    draw_badge(&gui, view);
  }
}
