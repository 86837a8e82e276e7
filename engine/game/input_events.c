// Compares input samples and emits the events of devices, of the window and of pauses.
#include "game/input_events.h"

#include "base/assert.h"
#include "components/builtin.h"
#include "ecs/event.h"
#include "schema/strings.h"

#include <string.h>

#define WINDOW_EVENT "shoal.window"

// Emits an event with up to two values, in the order of its fields (scripts/shoal/load/loader.lua).
static void emit(world_o *w, const event_o *event, double first, double second) {
  uint32_t ticket = world_emit(w, event->id);
  if (event->schema.field_count > 0)
    world_emit_set(w, ticket, 0, first);
  if (event->schema.field_count > 1)
    world_emit_set(w, ticket, 1, second);
}

// --- window

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

bool input_events_handles_window(world_o *w) {
  return world_find_event(w, WINDOW_EVENT) != NULL;
}

static void emit_window_changes(world_o *w, const input_window_t *a, const input_window_t *b) {
  const event_o *event = world_find_event(w, WINDOW_EVENT), *fullscreen = builtin_find_event(w, "fullscreen_changed");
  bool both = a->width > 0 && b->width > 0;
  if (fullscreen && both && !a->fullscreen != !b->fullscreen)
    emit(w, fullscreen, b->fullscreen != 0, 0);
  if (!event)
    return;
  if (both && !a->minimised != !b->minimised)
    emit_window_event(w, event, b->minimised ? "minimised" : "restored", b);
  if (both && (a->width != b->width || a->height != b->height))
    emit_window_event(w, event, "resized", b);
  if (both && !a->unfocused != !b->unfocused)
    emit_window_event(w, event, b->unfocused ? "focus_lost" : "focus_gained", b);
  if (b->closed && !a->closed)
    emit_window_event(w, event, "quit", b);
}

// --- devices

// Returns the string id of a control's name without its device, such as "space" for "key:space"; 0 if it has no name.
static uint32_t intern_name(world_o *w, const input_binding_t *control) {
  char text[INPUT_NAME_BYTES];
  const char *name = strchr(input_name(control, text), ':') + 1;
  return name[0] ? strings_intern(world_strings(w), name) : 0;
}

static void emit_key_changes(world_o *w, const uint8_t *before, const uint8_t *now) {
  const event_o *pressed = builtin_find_event(w, "key_pressed"), *released = builtin_find_event(w, "key_released");
  if (!pressed && !released)
    return;
  for (int32_t key = 0; key < INPUT_KEYS; ++key) {
    const event_o *event = now[key] ? pressed : released;
    uint32_t name = event && !before[key] != !now[key]
                        ? intern_name(w, &(input_binding_t){.device = INPUT_KEY, .code = key, .pad = -1})
                        : 0;
    if (name)
      emit(w, event, name, 0);
  }
}

static void emit_pad_changes(world_o *w, const input_state_t *before, const input_state_t *now) {
  const event_o *connected = builtin_find_event(w, "pad_connected");
  const event_o *disconnected = builtin_find_event(w, "pad_disconnected");
  const event_o *pressed = builtin_find_event(w, "pad_pressed"), *released = builtin_find_event(w, "pad_released");
  for (int32_t pad = 0; pad < INPUT_PADS; ++pad) {
    const event_o *plugged = now->pad_connected[pad] ? connected : disconnected;
    if (plugged && !before->pad_connected[pad] != !now->pad_connected[pad])
      emit(w, plugged, pad + 1, 0);
    for (int32_t button = 0; button < INPUT_PAD_BUTTONS; ++button) {
      bool was_down = before->pad_buttons[pad][button] != 0, is_down = now->pad_buttons[pad][button] != 0;
      const event_o *event = is_down ? pressed : released;
      uint32_t name = event && was_down != is_down
                          ? intern_name(w, &(input_binding_t){.device = INPUT_PAD_BUTTON, .code = button, .pad = -1})
                          : 0;
      if (name)
        emit(w, event, pad + 1, name);
    }
  }
}

// --- pauses

static uint64_t count_emitted(const event_o *event) {
  return event->first + event->columns.count;
}

// Emits `paused` in the first frame of a pause, and `resumed` in the first tick after it. The numbers of both events
// tell whether the game was paused, so this needs no state of its own in snapshots.
static void emit_pause_changes(world_o *w, bool in_tick) {
  const event_o *paused = builtin_find_event(w, "paused"), *resumed = builtin_find_event(w, "resumed");
  if (!paused || !resumed)
    return;
  bool was_paused = count_emitted(paused) > count_emitted(resumed);
  if (was_paused == in_tick)
    emit(w, in_tick ? resumed : paused, 0, 0);
}

void input_events_emit(world_o *w, const input_state_t *before, const input_state_t *now, bool in_tick) {
  shoal_assert(before && now, "before and now must not be NULL");
  emit_window_changes(w, &before->window, &now->window);
  emit_key_changes(w, before->keys, now->keys);
  emit_pad_changes(w, before, now);
  emit_pause_changes(w, in_tick);
}
