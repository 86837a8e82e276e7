// Compares input samples and emits shoal.window.
#include "game/window_events.h"

#include "base/assert.h"
#include "ecs/event.h"
#include "schema/strings.h"

#include <string.h>

#define EVENT "shoal.window"

static void emit_window_event(world_o *w, const event_o *event, const char *kind, const input_window_t *now) {
  uint32_t ticket = world_emit(w, event->id);
  for (uint32_t i = 0; i < event->schema.field_count; ++i) {
    const char *field = event->schema.fields[i].name;
    if (strcmp(field, "kind") == 0)
      world_emit_set(w, ticket, i, strings_intern(world_strings(w), kind));
    else
      world_emit_set(w, ticket, i, strcmp(field, "width") == 0 ? now->width : now->height);
  }
}

bool window_events_has_listener(world_o *w) {
  return world_find_event(w, EVENT) != NULL;
}

void window_events_emit(world_o *w, const input_state_t *before, const input_state_t *now) {
  shoal_assert(before && now, "before and now must not be NULL");
  const input_window_t *a = &before->window, *b = &now->window;
  const event_o *event = world_find_event(w, EVENT);
  if (!event)
    return;
  bool both = a->width > 0 && b->width > 0;
  if (both && !a->minimised != !b->minimised)
    emit_window_event(w, event, b->minimised ? "minimised" : "restored", b);
  if (both && (a->width != b->width || a->height != b->height))
    emit_window_event(w, event, "resized", b);
  if (both && !a->unfocused != !b->unfocused)
    emit_window_event(w, event, b->unfocused ? "focus_lost" : "focus_gained", b);
  if (b->closed && !a->closed)
    emit_window_event(w, event, "quit", b);
}
