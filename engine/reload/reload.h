// The reload transaction: while the old game exists, a new game is built from the files, takes over the old game's
// world, and runs a trial tick; between two ticks, the new game then replaces the old one. If any step fails, the whole
// reload is rejected, and the old game continues unchanged. See design/0010.
#ifndef SHOAL_RELOAD_RELOAD_H
#define SHOAL_RELOAD_RELOAD_H

#include "base/limits.h"
#include "game/game.h"
#include "reload/reload_verdict.h"

// Returns the game that replaces `old`, built from `desc`; the caller must then call game_take_over_state and destroy
// `old`. By then, removed systems have run their `stop` hooks. On failure returns NULL, fills `report` and leaves `old`
// unchanged. Call only between two ticks.
//
// `verdict`: of a background trial (background_trial.h) that this change has passed; code that may crash or hang is
// then not tried again. The reload fails with `news->stale` if the files have changed since. NULL: everything is tried
// first, and the caller waits.
game_o *reload_game(game_o *old, const game_desc_t *desc, const reload_verdict_t *verdict, reload_news_t *news,
                    script_report_t *report);
// Performs all steps of a reload for background_trial.c, in a forked child that exits afterwards. `state`: snapshot of
// the old world, taken before the fork; NULL if no plugins are open.
void reload_try_in_child(game_o *old, const game_desc_t *desc, snapshot_o *state, reload_verdict_t *out);
// Writes a summary such as "2 systems changed, 1 field added, 40 entities updated" to `out` and returns `out`. The
// summary is "" if nothing changed.
char *reload_format_summary(const reload_news_t *news, char *out, size_t out_bytes);

#endif
