// Functions for scripts and tools to inspect the history of the running game (snapshots by tick) and predicted trails
// of entities. They do not affect the world. Scripts call them through the FFI. The macros have the format of
// bindings/abi.h.
#ifndef SHOAL_SESSION_HISTORY_ABI_H
#define SHOAL_SESSION_HISTORY_ABI_H

#include "snapshot/snapshot.h"

#include <stdbool.h>

typedef struct lua_State lua_State;
typedef struct session_t session_t;

typedef struct timeline_info_t {
  double first_tick, last_tick;                     // range of ticks in the history; both 0 if it is empty
  double abandoned_first_tick, abandoned_last_tick; // range of ticks in the abandoned timeline; both 0 if it is empty
  bool replaying;                                   // true while the input of the abandoned timeline is replayed
} timeline_info_t;

// clang-format off
#define HISTORY_ABI_STRUCTS(S, F, A, E, P)                                                                             \
  S(timeline_info_t) F(double, first_tick) F(double, last_tick) F(double, abandoned_first_tick)                        \
    F(double, abandoned_last_tick) F(bool, replaying)                                                                  \
    E(timeline_info_t)

#define HISTORY_ABI_TYPES                                                                                              \
  typedef struct session_t session_t;                                                                                  \
  HISTORY_ABI_STRUCTS(BIND_STRUCT, BIND_FIELD, BIND_ARRAY, BIND_STRUCT_END, BIND_STRUCT_END)

// history_abi_get_info stores the first and last kept tick of both timelines, and whether the abandoned timeline is
// being replayed. history_abi_get_snapshot copies the snapshot at exactly this tick to `out`. If `abandoned` is true,
// it uses the abandoned timeline. It returns true on success, or false with an error if the snapshot is not kept.
// history_abi_show_trails adds predicted trails over `ticks` ticks for these entities, and for all entities that `name`
// matches. `name` is an assemblage, a component or an entity's name; "" matches no entity. With `ticks` 0, it removes
// all trails.
#define HISTORY_ABI_FUNCTIONS                                                                                          \
  void history_abi_get_info(session_t *s, timeline_info_t *out);                                                       \
  bool history_abi_get_snapshot(session_t *s, double tick, bool abandoned, snapshot_o *out, error_info_t *error);      \
  void history_abi_show_trails(session_t *s, const char *name, const shoal_entity *entities, uint32_t count,           \
                               uint32_t ticks);

// clang-format on
HISTORY_ABI_FUNCTIONS

void history_abi_open(lua_State *L, void *session); // adds the functions to a VM; used as vm_library_t.open

#endif
