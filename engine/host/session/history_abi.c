// FFI functions for the snapshots in the history and for predicted trails.
#include "session/history_abi.h"

#include "bindings/bind.h"
#include "session/session.h"

BIND_CHECK_STRUCTS(HISTORY_ABI_STRUCTS)

static const char ABI[] = BIND_TEXT(HISTORY_ABI_TYPES) BIND_TEXT(HISTORY_ABI_FUNCTIONS);

static const bind_function_t ABI_LIST[] = {
#include "history_abi_functions.h"
};

void history_abi_open(lua_State *L, void *session) {
  bind_address(L, "session", session);
  bind_declarations(L, ABI, ABI_LIST, sizeof ABI_LIST / sizeof *ABI_LIST);
}

void history_abi_get_info(session_t *s, timeline_info_t *out) {
  uint64_t first_tick = 0, last_tick = 0;
  time_travel_store_snapshot(s);
  *out = (timeline_info_t){.replaying = s->time.timelines.replaying};
  if (s->time.timelines.current.snapshots &&
      history_get_range(s->time.timelines.current.snapshots, &first_tick, &last_tick)) {
    out->first_tick = (double)first_tick;
    out->last_tick = (double)last_tick;
  }
  if (s->time.timelines.abandoned.snapshots &&
      history_get_range(s->time.timelines.abandoned.snapshots, &first_tick, &last_tick)) {
    out->abandoned_first_tick = (double)first_tick;
    out->abandoned_last_tick = (double)last_tick;
  }
}

bool history_abi_get_snapshot(session_t *s, double tick, bool abandoned, snapshot_o *out, error_info_t *error) {
  time_travel_store_snapshot(s);
  history_o *history = abandoned ? s->time.timelines.abandoned.snapshots : s->time.timelines.current.snapshots;
  uint64_t found_tick = 0;
  if (!history)
    return error_set(error, abandoned ? "there is no abandoned timeline"
                                      : "the history is disabled: set history in game.lua, or pass --history MB");
  const snapshot_o *snapshot =
      tick >= 0 && tick < 0x1p63 ? history_find_snapshot(history, (uint64_t)tick, &found_tick, error) : NULL;
  if (!snapshot || found_tick != (uint64_t)tick)
    return error_set(error, "tick %.0f is not in the history", tick);
  snapshot_copy(out, snapshot);
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
