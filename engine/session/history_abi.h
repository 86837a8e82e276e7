// The running game's past for scripts and tools: kept states by tick, and predicted trails of entities. None of this is
// part of the world. Scripts call it through the FFI; the lists follow bindings/abi.h.
#ifndef SHOAL_SESSION_HISTORY_ABI_H
#define SHOAL_SESSION_HISTORY_ABI_H

#include "snapshot/snapshot.h"

#include <stdbool.h>

typedef struct lua_State lua_State;
typedef struct session_t session_t;

typedef struct timeline_facts_t {
  double first, last;           // range of kept ticks; both 0 if none
  double left_first, left_last; // range of the previous timeline; both 0 if none
  bool again;                   // ticks replay the previous timeline's input
} timeline_facts_t;

// clang-format off
#define PAST_ABI_TYPES                                                                                                 \
  typedef struct session_t session_t;                                                                                  \
  typedef struct timeline_facts_t { double first, last, left_first, left_last; bool again; } timeline_facts_t;

// past_state: returns the state at exactly this tick, of this timeline or of the previous one. Returns false with an
// error.
// past_show_trails: adds predicted trails over `ticks` ticks for these entities and for all that `name` matches (an
// assemblage, component or name; "" for none). `ticks` 0 removes all trails.
#define PAST_ABI_FUNCTIONS                                                                                             \
  void past_facts(session_t *s, timeline_facts_t *out);                                                                \
  bool past_state(session_t *s, double tick, bool left, snapshot_o *out, error_t *error);                              \
  void past_show_trails(session_t *s, const char *name, const shoal_entity *entities, uint32_t count, uint32_t ticks);

// clang-format on
PAST_ABI_FUNCTIONS

void past_open(lua_State *L, void *session); // `open` of a vm_library_t

#endif
