// Functions that all parts of the overlay use: requests, commands, output of the console, keys.
#include "overlay/dev_overlay_internal.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dev_overlay_request(dev_overlay_o *d, const char *form, ...) {
  va_list list;
  va_start(list, form);
  int bytes = vsnprintf(NULL, 0, form, list);
  va_end(list);
  shoal_assert(bytes >= 0, "cannot format the request: %s", form);
  array_reserve(&d->memory, &d->requests, d->requests.count + (uint32_t)bytes + 1);
  va_start(list, form);
  vsnprintf(d->requests.items + d->requests.count, (size_t)bytes + 1, form, list);
  va_end(list);
  d->requests.count += (uint32_t)bytes + 1;
}

const char *dev_overlay_quote(const char *text, char *out, size_t bytes) {
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

void dev_overlay_print(dev_overlay_o *d, bool bad, const char *text) {
  while (*text) {
    dev_overlay_line_t *line = &d->lines[d->line_count++ % DEV_OVERLAY_LINES];
    size_t bytes = strcspn(text, "\n");
    snprintf(line->text, sizeof line->text, "%.*s", (int)(bytes < 250 ? bytes : 250), text);
    line->look = bad ? BRUSH_BAD : BRUSH_MONO;
    line->printed_s = 0; // the first frame that shows the line sets the time
    text += bytes + (text[bytes] == '\n');
  }
}

// --- commands

void dev_overlay_toggle(dev_overlay_o *d) {
  d->open = !d->open;
  d->palette = d->console_focused = false;
  d->drag = DRAG_NONE;
}

static void run_overlay_action(dev_overlay_o *d, const char *name) {
  if (strcmp(name, "help") == 0)
    d->help = !d->help;
  else if (strcmp(name, "close") == 0)
    dev_overlay_toggle(d);
  else if (strcmp(name, "console") == 0)
    d->console_focused = true;
  else
    dev_overlay_request(d, "!%s", name);
}

void dev_overlay_run_command(dev_overlay_o *d, const dev_overlay_command_t *c) {
  d->palette = false;
  if (c->is_overlay_action)
    run_overlay_action(d, c->request);
  else
    dev_overlay_request(d, "%s", c->request);
}

void dev_overlay_open_palette(dev_overlay_o *d, const char *search) {
  d->palette = true;
  d->console_focused = false;
  d->chosen = 0;
  line_edit_set(&d->search, search);
}

// --- keys

bool dev_overlay_is_key_down(const dev_overlay_view_t *v, int key) {
  return v->input->current.keys[key] || v->input->pressed.keys[key];
}

bool dev_overlay_is_shift_down(const dev_overlay_view_t *v) {
  return dev_overlay_is_key_down(v, KEY_LEFT_SHIFT) || dev_overlay_is_key_down(v, KEY_RIGHT_SHIFT);
}
