// Compares input samples and emits device, window and pause events.
#include "game/input_events.h"

#include "base/assert.h"
#include "components/builtin.h"
#include "ecs/event.h"
#include "schema/strings.h"

#include <string.h>

#define WINDOW_EVENT "shoal.window"

// The values of an event, in the order of its fields (scripts/shoal/load/loader.lua).
typedef struct values_t {
  double items[3];
} values_t;

static void emit_event(world_o *w, const event_o *event, values_t values) {
  uint32_t ticket = world_emit_event(w, event->id);
  for (uint32_t i = 0; i < event->schema.field_count; ++i)
    world_set_event_field(w, ticket, i, values.items[i]);
}

// --- window

static void emit_window_event(world_o *w, const event_o *event, const char *kind, const input_window_t *window) {
  emit_event(w, event, (values_t){{strings_intern(world_strings(w), kind), window->width, window->height}});
}

bool input_events_has_window_handler(world_o *w) {
  return world_find_event(w, WINDOW_EVENT) != NULL;
}

static void emit_window_changes(world_o *w, const input_window_t *old, const input_window_t *current) {
  const event_o *event = world_find_event(w, WINDOW_EVENT), *fullscreen = builtin_find_event(w, "fullscreen_changed");
  bool have_size = old->width > 0 && current->width > 0;
  if (fullscreen && have_size && !old->fullscreen != !current->fullscreen)
    emit_event(w, fullscreen, (values_t){{current->fullscreen != 0}});
  if (!event)
    return;
  if (have_size && !old->minimised != !current->minimised)
    emit_window_event(w, event, current->minimised ? "minimised" : "restored", current);
  if (have_size && (old->width != current->width || old->height != current->height))
    emit_window_event(w, event, "resized", current);
  if (have_size && !old->unfocused != !current->unfocused)
    emit_window_event(w, event, current->unfocused ? "focus_lost" : "focus_gained", current);
  if (current->closed && !old->closed)
    emit_window_event(w, event, "quit", current);
}

// --- keys and pads

// The press and release events of one kind of control, or NULL if no system handles the event.
typedef struct button_events_t {
  const event_o *pressed, *released;
} button_events_t;

// Returns the pressed or released event if the button has changed, or NULL if it is unchanged or no system handles the
// event.
static const event_o *find_button_event(const button_events_t *events, uint8_t was_pressed, uint8_t is_pressed) {
  return !was_pressed == !is_pressed ? NULL : is_pressed ? events->pressed : events->released;
}

// Returns the string id of a control's name without its device, such as "space" for "key:space", or 0 for a nameless
// control.
static uint32_t intern_name(world_o *w, input_device_t device, int32_t code) {
  char text[INPUT_NAME_BYTES];
  const input_binding_t control = {.device = device, .code = code, .pad = -1};
  const char *name = strchr(input_name(&control, text), ':') + 1;
  return name[0] ? strings_intern(world_strings(w), name) : 0;
}

static void emit_key_changes(world_o *w, const uint8_t *previous, const uint8_t *current) {
  const button_events_t events = {builtin_find_event(w, "key_pressed"), builtin_find_event(w, "key_released")};
  for (int32_t key = 0; (events.pressed || events.released) && key < INPUT_KEYS; ++key) {
    const event_o *event = find_button_event(&events, previous[key], current[key]);
    uint32_t name = event ? intern_name(w, INPUT_KEY, key) : 0;
    if (name)
      emit_event(w, event, (values_t){{name}});
  }
}

static void emit_pad_changes(world_o *w, const input_state_t *previous, const input_state_t *current) {
  const button_events_t connections = {builtin_find_event(w, "pad_connected"),
                                       builtin_find_event(w, "pad_disconnected")};
  const button_events_t buttons = {builtin_find_event(w, "pad_pressed"), builtin_find_event(w, "pad_released")};
  for (int32_t pad = 0; pad < INPUT_PADS; ++pad) {
    const event_o *connection =
        find_button_event(&connections, previous->pad_connected[pad], current->pad_connected[pad]);
    if (connection)
      emit_event(w, connection, (values_t){{pad + 1}});
    for (int32_t button = 0; button < INPUT_PAD_BUTTONS; ++button) {
      const event_o *event =
          find_button_event(&buttons, previous->pad_buttons[pad][button], current->pad_buttons[pad][button]);
      uint32_t name = event ? intern_name(w, INPUT_PAD_BUTTON, button) : 0;
      if (name)
        emit_event(w, event, (values_t){{pad + 1, name}});
    }
  }
}

// --- mouse

static void emit_mouse_changes(world_o *w, const input_state_t *previous, const input_state_t *current) {
  const button_events_t buttons = {builtin_find_event(w, "mouse_pressed"), builtin_find_event(w, "mouse_released")};
  const event_o *wheel = builtin_find_event(w, "mouse_wheel");
  double x = (double)current->mouse_x, y = (double)current->mouse_y;
  for (int32_t button = 0; button < INPUT_MOUSE_BUTTONS; ++button) {
    const event_o *event = find_button_event(&buttons, previous->mouse_buttons[button], current->mouse_buttons[button]);
    uint32_t name = event ? intern_name(w, INPUT_MOUSE_BUTTON, button) : 0;
    if (name)
      emit_event(w, event, (values_t){{name, x, y}});
  }
  if (wheel && current->wheel != 0)
    emit_event(w, wheel, (values_t){{(double)current->wheel, x, y}});
}

// --- pauses

static uint64_t count_emitted(const event_o *event) {
  return event->first + event->columns.count;
}

// Emits `paused` in the first frame of a pause, and `resumed` in the first tick after it. The number of emitted events
// of both kinds indicates whether the game was paused, so snapshots need no further state.
static void emit_pause_changes(world_o *w, bool in_tick) {
  const event_o *paused = builtin_find_event(w, "paused"), *resumed = builtin_find_event(w, "resumed");
  if (!paused || !resumed)
    return;
  bool was_paused = count_emitted(paused) > count_emitted(resumed);
  if (was_paused == in_tick)
    emit_event(w, in_tick ? resumed : paused, (values_t){{0}});
}

void input_events_emit(world_o *w, const input_state_t *previous, const input_state_t *current, bool in_tick) {
  shoal_assert(previous && current, "previous and current must not be NULL");
  emit_window_changes(w, &previous->window, &current->window);
  emit_key_changes(w, previous->keys, current->keys);
  emit_pad_changes(w, previous, current);
  emit_mouse_changes(w, previous, current);
  emit_pause_changes(w, in_tick);
}
