// How scripts reach what the host knows of the past: states by tick, of this timeline and of the one that was left
// last, and ghosts, the trails of things to come. Part of script/abi.h: scripts call it through the FFI. None of this
// is part of the world.
#ifndef SHOAL_SCRIPT_TIMELINE_PORT_H
#define SHOAL_SCRIPT_TIMELINE_PORT_H

#include "state/snapshot.h"

typedef struct timeline_facts_t {
  double first, last;           // ticks whose states are kept; both 0 when none is
  double left_first, left_last; // of the timeline that was left; both 0 when there is none
  bool again;                   // ticks hear what was heard in that one
} timeline_facts_t;

typedef struct timeline_port_t {
  void *context;
  void (*facts)(void *context, timeline_facts_t *out);
  // The state of exactly this tick. False with a message.
  bool (*state)(void *context, double tick, bool left, snapshot_o *out, error_t *error);
  // The trails of these entities, and of all that `name` (an assemblage, a component or a name; "" for none) stands
  // for, over so many ticks to come; added to those that are shown. `ticks` 0: no more trails.
  void (*ghosts)(void *context, const char *name, const shoal_entity *entities, uint32_t count, uint32_t ticks);
} timeline_port_t;

#endif
