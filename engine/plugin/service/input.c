// API functions for input. They return the tick's input sample, which scripts also read.
#include "service/api.h"

#include "base/assert.h"
#include "base/nearest_name.h"
#include "plugin/plugin.h"
#include "shoal/input.h"
#include "ui/ui.h"

#include <stdio.h>
#include <string.h>

bool api_action_value(shoal_context *c, const char *name, int32_t player, float *value, float *previous_value) {
  context_t *context = context_of(c);
  char hint[NEAREST_NAME_MAX_BYTES + 96];
  shoal_assert(value && previous_value, "value and previous_value must not be NULL (action %s)", name);
  *value = *previous_value = 0.0f;
  uint32_t max_players = ui_max_players(context->plugins->world);
  if (player < 0 || (uint32_t)player > max_players)
    return context_fail(context, "shoal_action_value: player must be from 1 to %u, or 0 for any player, got %d",
                        max_players, (int)player);
  if (name && ui_read_action(context->plugins->world, name, player - 1, value, previous_value))
    return true;
  const char *hint_text = name ? ui_action_hint(context->plugins->world, name, hint, sizeof hint) : "";
  return name && !hint_text[0]
             ? context_fail(context, "input.lua has no action %.60s: declare it, %.60s = \"key:space\"", name, name)
             : context_fail(context, "input.lua has no action %.60s%s", name ? name : "NULL", hint_text);
}

// Returns the pressed mouse buttons as bits. The sample counts buttons from 1: left, middle, right, …
static uint32_t pack_buttons(const input_state_t *input) {
  uint32_t bits = 0;
  for (uint32_t i = 1; i < INPUT_MOUSE_BUTTONS; ++i)
    bits |= input->mouse_buttons[i] ? 1u << (i - 1) : 0u;
  return bits;
}

void api_get_mouse(shoal_context *c, shoal_mouse_state *out) {
  const plugins_desc_t *desc = &context_of(c)->plugins->desc;
  *out = (shoal_mouse_state){0};
  if (!desc->input)
    return;
  out->x = desc->input->mouse_x;
  out->y = desc->input->mouse_y;
  out->wheel = desc->input->wheel;
  out->buttons = pack_buttons(desc->input);
  out->previous_buttons = pack_buttons(desc->previous_input);
}

void api_get_mouse_motion(shoal_context *c, float *dx, float *dy) {
  const input_state_t *input = context_of(c)->plugins->desc.input;
  shoal_assert(dx && dy, "`dx` and `dy` must not be NULL");
  *dx = input ? input->mouse_dx : 0.0f;
  *dy = input ? input->mouse_dy : 0.0f;
}

const char *api_text_input(shoal_context *c) {
  context_t *context = context_of(c);
  if (!context->plugins->desc.input)
    return "";
  snprintf(context->plugin->text_input, sizeof context->plugin->text_input, "%.*s",
           (int)sizeof context->plugins->desc.input->text, context->plugins->desc.input->text);
  return context->plugin->text_input;
}
