// Kept as what a reader "switch:NAME" has read of an event that is never emitted, beside the fact that the system has
// started (bindings/view.c). So there is nothing of it in worlds that switch nothing, and no format knows of it.
#include "ecs/switches.h"

#include <stdio.h>

typedef struct place_t {
  uint32_t reader, event; // 0: there is none
} place_t;

static place_t place_of(world_o *w, const char *system, bool make) {
  char name[256];
  snprintf(name, sizeof name, "switch:%s", system);
  const event_o *ev = world_find_event(w, "shoal.started");
  strings_o *s = world_strings(w);
  if (!ev)
    return (place_t){0};
  return (place_t){.reader = make ? strings_intern(s, name) : strings_find(s, name), .event = ev->id};
}

// Also while the world is drawn, when readers are about what was drawn.
uint32_t switches_get(world_o *w, const char *system) {
  place_t p = place_of(w, system, false);
  if (p.reader == 0)
    return SWITCH_NONE;
  bool draws = world_is_drawing(w);
  world_draw_end(w);
  uint64_t read = world_reader(w, p.reader, p.event);
  if (draws)
    world_draw_begin(w);
  return (uint32_t)read;
}

void switches_set(world_o *w, const char *system, bool on) {
  place_t p = place_of(w, system, true);
  if (p.reader != 0)
    world_reader_set(w, p.reader, p.event, on ? SWITCH_ON : SWITCH_OFF);
}
