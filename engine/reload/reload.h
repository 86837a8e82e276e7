// The reload transaction: while the old game exists, a new game is built from the files, takes over the old game's
// world, and runs a trial tick; between two ticks, the new game then replaces the old one. If any step fails, the whole
// reload is rejected, and the old game continues unchanged. See design/0010.
#ifndef SHOAL_RELOAD_RELOAD_H
#define SHOAL_RELOAD_RELOAD_H

#include "base/limits.h"
#include "game/game.h"

#define RELOAD_NAMES_BYTES 512
#define RELOAD_SAID_BYTES 4096

// Results of a reload, for the log, the on-screen message and the event `shoal.reload`.
typedef struct reload_news_t {
  uint32_t files;                 // number of Lua, scene and data files and plugins that were changed, added or removed
  char names[RELOAD_NAMES_BYTES]; // names of these files, such as "systems/a.lua, components.lua"; truncated
  uint32_t systems_changed;       // number of systems whose own file changed
  uint32_t systems_added, systems_removed;
  bool needs_restart;       // `start` or `scene` has changed, which takes effect only after a restart
  uint32_t parked_again;    // number of parked functions that failed again in the trial tick
  uint32_t parked_back;     // number of parked functions that did not fail in the trial tick
  uint32_t objects_spawned; // number of map objects that could not be spawned before
  world_migrate_counts_t carried;
  char delayed[512];            // changes that take effect later or were not tested, each preceded by "; "; truncated
  char said[RELOAD_SAID_BYTES]; // conversions and lost values, one per line; truncated
} reload_news_t;

// Returns the game that replaces `old`, built from `desc`; the caller must then call game_take_over_state and destroy
// `old`. By then, removed systems have run their `stop` hooks. On failure returns NULL, fills `report` and leaves `old`
// unchanged. Call only between two ticks.
game_o *reload_game(game_o *old, const game_desc_t *desc, reload_news_t *news, script_report_t *report);
// Writes a summary such as "2 systems changed, 1 field added, 40 entities updated" to `out` and returns `out`. The
// summary is "" if nothing changed.
char *reload_format_summary(const reload_news_t *news, char *out, size_t out_bytes);

#endif
