// Functions that all parts of the overlay use: requests, commands, output of the console, keys.
#include "overlay/dev_overlay_internal.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dev_overlay_request(dev_overlay_o *overlay, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int bytes = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  shoal_assert(bytes >= 0, "cannot format the request: %s", format);
  array_reserve(&overlay->memory, &overlay->requests, overlay->requests.count + (uint32_t)bytes + 1);
  va_start(arguments, format);
  vsnprintf(overlay->requests.items + overlay->requests.count, (size_t)bytes + 1, format, arguments);
  va_end(arguments);
  overlay->requests.count += (uint32_t)bytes + 1;
}

const char *dev_overlay_quote(const char *text, char *out, size_t bytes) {
  shoal_assert(bytes > 8, "the buffer for a quoted string has only %zu bytes", bytes);
  size_t length = 0;
  for (; *text && length + 8 < bytes; ++text) {
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\')
      length += (size_t)snprintf(out + length, bytes - length, "\\%c", byte);
    else if (byte < 0x20)
      length += (size_t)snprintf(out + length, bytes - length, "\\u%04x", byte);
    else
      out[length++] = (char)byte;
  }
  out[length] = '\0';
  return out;
}

void dev_overlay_print(dev_overlay_o *overlay, bool is_error, const char *text) {
  while (*text) {
    dev_overlay_line_t *line = &overlay->lines[overlay->line_count++ % DEV_OVERLAY_LINES];
    size_t bytes = strcspn(text, "\n");
    snprintf(line->text, sizeof line->text, "%.*s", (int)(bytes < 250 ? bytes : 250), text);
    line->look = is_error ? GUI_LOOK_BAD : GUI_LOOK_MONO;
    line->printed_s = 0; // the first frame that shows the line sets the time
    text += bytes + (text[bytes] == '\n');
  }
}

// --- commands

void dev_overlay_toggle(dev_overlay_o *overlay) {
  overlay->is_open = !overlay->is_open;
  overlay->palette_open = overlay->console_focused = false;
  overlay->drag = DRAG_NONE;
}

static void run_overlay_action(dev_overlay_o *overlay, const char *name) {
  // "focus" shows or hides the panels; any other action shows them.
  overlay->is_focused = strcmp(name, "focus") == 0 && !overlay->is_focused;
  if (strcmp(name, "help") == 0)
    overlay->shows_keys = !overlay->shows_keys;
  else if (strcmp(name, "close") == 0)
    dev_overlay_toggle(overlay);
  else if (strcmp(name, "console") == 0)
    overlay->console_focused = true;
  else if (strcmp(name, "focus") != 0)
    dev_overlay_request(overlay, "!%s", name);
}

void dev_overlay_run_command(dev_overlay_o *overlay, const dev_overlay_command_t *command) {
  overlay->palette_open = false;
  if (command->is_overlay_action)
    run_overlay_action(overlay, command->request);
  else
    dev_overlay_request(overlay, "%s", command->request);
}

void dev_overlay_open_palette(dev_overlay_o *overlay, const char *search) {
  overlay->palette_open = true;
  overlay->console_focused = false;
  overlay->palette_row = 0;
  line_edit_set(&overlay->search, search);
}

// --- keys

bool dev_overlay_is_key_down(const dev_overlay_view_t *view, int key) {
  return view->input->current.keys[key] || view->input->pressed.keys[key];
}

bool dev_overlay_is_shift_down(const dev_overlay_view_t *view) {
  return dev_overlay_is_key_down(view, KEY_LEFT_SHIFT) || dev_overlay_is_key_down(view, KEY_RIGHT_SHIFT);
}
