// The past of the running game, for scripts and tools: kept states by tick, and trails of where entities will be. None
// of this is part of the world. Scripts call it through the FFI; the lists are like those of bindings/abi.h.
#ifndef SHOAL_SESSION_HISTORY_ABI_H
#define SHOAL_SESSION_HISTORY_ABI_H

#include "snapshot/snapshot.h"

#include <stdbool.h>

typedef struct lua_State lua_State;
typedef struct session_t session_t;

typedef struct timeline_facts_t {
  double first, last;           // ticks whose states are kept; both 0 if none is
  double left_first, left_last; // of the timeline that was left; both 0 if there is none
  bool again;                   // ticks replay the input of that timeline
} timeline_facts_t;

// clang-format off
#define PAST_ABI_TYPES                                                                                                 \
  typedef struct session_t session_t;                                                                                  \
  typedef struct timeline_facts_t { double first, last, left_first, left_last; bool again; } timeline_facts_t;

// past_state: the state of exactly this tick, of this timeline or of the one that was left. False with a message.
// past_show_trails: shows the trails of these entities, and of all that `name` stands for (an assemblage, a component
// or a name; "" for none), over so many ticks ahead, besides those that are shown. `ticks` 0: removes all trails.
#define PAST_ABI_FUNCTIONS                                                                                             \
  void past_facts(session_t *s, timeline_facts_t *out);                                                                \
  bool past_state(session_t *s, double tick, bool left, snapshot_o *out, error_t *error);                              \
  void past_show_trails(session_t *s, const char *name, const shoal_entity *entities, uint32_t count, uint32_t ticks);

// clang-format on
PAST_ABI_FUNCTIONS

void past_open(lua_State *L, void *session); // of vm_library_t

#endif
