// The reload transaction: a new game is built from disk beside the running one, gets its world, and is tried; then the
// host puts it in the place of the old one, between two ticks. Or it is refused whole, and the old one goes on: nothing
// of it has been touched. See design/0010.
#ifndef SHOAL_RELOAD_RELOAD_H
#define SHOAL_RELOAD_RELOAD_H

#include "base/limits.h"
#include "game/game.h"

#define RELOAD_NAMES_BYTES 512
#define RELOAD_SAID_BYTES 4096

// What a reload did: for the line in the log, the toast and the event `shoal.reload`.
typedef struct reload_news_t {
  uint32_t files;                 // Lua files and plugins of the game that were changed, added or removed
  char names[RELOAD_NAMES_BYTES]; // of them: "systems/a.lua, components.lua", cut
  uint32_t systems_changed;       // whose own file was changed
  uint32_t systems_added, systems_removed;
  bool begins_anew;      // what the game or a scene in Lua begins with has changed
  uint32_t parked_again; // pieces that stood still and fail as before
  uint32_t parked_back;  // that stood still and go on
  world_migrate_counts_t carried;
  char said[RELOAD_SAID_BYTES]; // what did not come over as it was, a line each, cut
} reload_news_t;

// The game that takes the place of `old`, described by `desc`. NULL with the report filled: `old` is as it was then.
// Otherwise call game_succeed and destroy `old`; those of its systems that are gone have stopped. Call between two
// ticks only.
game_o *reload_game(game_o *old, const game_desc_t *desc, reload_news_t *news, script_report_t *report);
// "2 systems changed, 1 field added, 40 entities updated"; "" when there is nothing to say. Returns `out`.
char *reload_words(const reload_news_t *news, char *out, size_t out_bytes);

#endif
