// The reload transaction. While the old game exists, a new game is built from the files, takes over the old game's
// world, and runs a trial tick. The new game then replaces the old game between two ticks. If any step fails, the whole
// reload is rejected, and the old game continues unchanged. See design/0010.
#ifndef SHOAL_RELOAD_RELOAD_H
#define SHOAL_RELOAD_RELOAD_H

#include "base/limits.h"
#include "game/game.h"
#include "reload/reload_verdict.h"

// Returns the game that replaces `old`, built from `desc`. The caller must then call game_take_over_state and destroy
// `old`. By then, removed systems have run their `stop` hooks. On failure, returns NULL, fills `report` and leaves
// `old` unchanged. Call only between two ticks. Blocks while a child process executes every step that may crash or
// hang. Fails with `news->is_stale` if a file has changed since a task (trial_task.h) tried it. Unless
// `desc->accepts_missing_files`, also fails if a file of `old` is missing, because a different program may be replacing
// it. The report then has `may_be_unfinished` set, as for files that cannot be read or that end early.
game_o *reload_game(game_o *old, const game_desc_t *desc, reload_news_t *news, script_report_t *report);
// Like reload_game, for a change that has passed a background trial (background_trial.h) with this verdict. `loaded`:
// the new version (from background_load.h, or from game_load before game_finish), which this function owns.
// `limits_migrate`: if true, `migrate` may take at most twice the trial's CPU time (at least 50 ms), because a frame
// waits for it. If false, `migrate` has its whole budget, so that the result does not depend on the machine's load.
// Fails with `news->is_stale` if the new version was not loaded from the trial's files.
game_o *reload_apply(game_o *old, game_o *loaded, const reload_verdict_t *verdict, bool limits_migrate,
                     reload_news_t *news, script_report_t *report);
// Performs all steps of a reload in a forked child or in a task, which exits afterwards. `state`: snapshot of the old
// world, taken before the fork; NULL if no plugins are open.
void reload_try_in_child(game_o *old, const game_desc_t *desc, snapshot_o *state, reload_verdict_t *out);
// Returns the CPU time limit of a trial tick in milliseconds.
uint32_t reload_get_trial_limit_ms(const game_desc_t *desc);
// Writes a summary such as "2 systems changed, 1 field added, 40 entities updated" to `out` and returns `out`. The
// summary is "" if nothing changed.
char *reload_format_summary(const reload_news_t *news, char *out, size_t out_bytes);

#endif
