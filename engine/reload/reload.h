// The reload transaction: a new game is built from disk next to the running one, receives its world and is tried; then
// it replaces the old game between two ticks. If any step fails, the reload is refused as a whole, and the old game
// continues unchanged. See design/0010.
#ifndef SHOAL_RELOAD_RELOAD_H
#define SHOAL_RELOAD_RELOAD_H

#include "base/limits.h"
#include "game/game.h"

#define RELOAD_NAMES_BYTES 512
#define RELOAD_SAID_BYTES 4096

// Results of a reload, for the log, the toast and the event `shoal.reload`.
typedef struct reload_news_t {
  uint32_t files;                 // Lua files and plugins of the game that were changed, added or removed
  char names[RELOAD_NAMES_BYTES]; // "systems/a.lua, components.lua", truncated
  uint32_t systems_changed;       // whose own file changed
  uint32_t systems_added, systems_removed;
  bool needs_restart;    // `start` or `scene` has changed; needs a restart
  uint32_t parked_again; // parked pieces that still fail
  uint32_t parked_back;  // parked pieces that run again
  world_migrate_counts_t carried;
  char said[RELOAD_SAID_BYTES]; // conversions and losses, one per line, truncated
} reload_news_t;

// Returns the game that replaces `old`, described by `desc`. On failure returns NULL with the report filled and `old`
// unchanged. Otherwise call game_take_over and destroy `old`; its removed systems have run their `stop` hooks. Call
// between two ticks only.
game_o *reload_game(game_o *old, const game_desc_t *desc, reload_news_t *news, script_report_t *report);
// "2 systems changed, 1 field added, 40 entities updated"; "" when there is nothing to say. Returns `out`.
char *reload_summary(const reload_news_t *news, char *out, size_t out_bytes);

#endif
