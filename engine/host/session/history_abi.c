// FFI functions for the history's kept snapshots and for predicted trails.
#include "session/history_abi.h"

#include "bindings/bind.h"
#include "session/session.h"

BIND_CHECK_STRUCTS(HISTORY_ABI_STRUCTS)

static const char ABI[] = BIND_TEXT(HISTORY_ABI_TYPES) BIND_TEXT(HISTORY_ABI_FUNCTIONS);

void history_abi_open(lua_State *L, void *session) {
  bind_address(L, "session", session);
  bind_declarations(L, ABI);
}

void history_abi_get_info(session_t *s, timeline_info_t *out) {
  uint64_t first = 0, last = 0;
  time_travel_store_snapshot(s);
  *out = (timeline_info_t){.again = s->time.past.replaying};
  if (s->time.past.current.snapshots && history_get_range(s->time.past.current.snapshots, &first, &last)) {
    out->first = (double)first;
    out->last = (double)last;
  }
  if (s->time.past.abandoned.snapshots && history_get_range(s->time.past.abandoned.snapshots, &first, &last)) {
    out->left_first = (double)first;
    out->left_last = (double)last;
  }
}

bool history_abi_get_snapshot(session_t *s, double tick, bool left, snapshot_o *out, error_info_t *error) {
  time_travel_store_snapshot(s);
  history_o *from = left ? s->time.past.abandoned.snapshots : s->time.past.current.snapshots;
  uint64_t found = 0;
  if (!from)
    return error_set(error, left ? "there is no previous timeline"
                                 : "the history is disabled: set history in game.lua, or pass --history MB");
  const snapshot_o *state =
      tick >= 0 && tick < 0x1p63 ? history_find_snapshot(from, (uint64_t)tick, &found, error) : NULL;
  if (!state || found != (uint64_t)tick)
    return error_set(error, "tick %.0f is not in the history", tick);
  snapshot_copy(out, state);
  return true;
}

void history_abi_show_trails(session_t *s, const char *name, const shoal_entity *entities, uint32_t count,
                             uint32_t ticks) {
  if (!s->time.ghosts && ticks > 0)
    s->time.ghosts = ghosts_create(&s->memory, &s->assets);
  if (s->time.ghosts && ticks > 0)
    ghosts_choose_entities(s->time.ghosts, name, entities, count, ticks);
  else if (s->time.ghosts)
    ghosts_clear(s->time.ghosts);
}
