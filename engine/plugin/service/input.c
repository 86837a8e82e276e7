// API functions for input. They return the tick's input sample, which scripts also read.
#include "service/api.h"

#include "base/assert.h"
#include "base/nearest_name.h"
#include "plugin/plugin.h"
#include "shoal/input.h"
#include "ui/ui.h"

#include <stdio.h>
#include <string.h>

bool api_action_value(shoal_context *c, const char *name, int32_t player, float *now, float *before) {
  context_t *x = context_of(c);
  char hint[SIMILAR_MAX + 96];
  shoal_assert(now && before, "`now` and `before` must not be NULL (action %s)", name);
  *now = *before = 0.0f;
  if (player < 0 || player > 4)
    return context_fail(x, "shoal_action_value: player must be from 1 to 4, or 0 for any player, got %d", (int)player);
  if (name && ui_read_action(x->plugins->world, name, player - 1, now, before))
    return true;
  const char *meant = name ? ui_action_hint(x->plugins->world, name, hint, sizeof hint) : "";
  return name && !meant[0]
             ? context_fail(x, "input.lua has no action %.60s: declare it, %.60s = \"key:space\"", name, name)
             : context_fail(x, "input.lua has no action %.60s%s", name ? name : "NULL", meant);
}

// Returns the pressed mouse buttons as bits. The sample counts buttons from 1: left, middle, right, …
static uint32_t pack_buttons(const input_state_t *s) {
  uint32_t bits = 0;
  for (uint32_t i = 1; i < INPUT_MOUSE_BUTTONS; ++i)
    bits |= s->mouse_buttons[i] ? 1u << (i - 1) : 0u;
  return bits;
}

void api_get_mouse(shoal_context *c, shoal_mouse_state *out) {
  const plugins_desc_t *d = &context_of(c)->plugins->desc;
  *out = (shoal_mouse_state){0};
  if (!d->input)
    return;
  out->x = d->input->mouse_x;
  out->y = d->input->mouse_y;
  out->wheel = d->input->wheel;
  out->buttons = pack_buttons(d->input);
  out->previous_buttons = pack_buttons(d->input_before);
}

const char *api_text_input(shoal_context *c) {
  context_t *x = context_of(c);
  if (!x->plugins->desc.input)
    return "";
  snprintf(x->plugin->typed, sizeof x->plugin->typed, "%.*s", (int)sizeof x->plugins->desc.input->text,
           x->plugins->desc.input->text);
  return x->plugin->typed;
}
