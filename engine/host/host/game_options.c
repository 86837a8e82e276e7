// Fills in the game_desc_t of the next game.
#include "host/game_options.h"

#include "base/limits.h"
#include "host/host_internal.h"
#include "session/history_abi.h"

#include <time.h>

static uint64_t choose_seed(const host_o *h) {
  if (h->has_restart_seed)
    return h->restart_seed;
  if (h->session.recording.replay)
    return recording_head(h->session.recording.replay)->seed;
  if (h->session.crash.report[0])
    return h->session.crash.seed;
  if (h->session.options.has_seed)
    return h->session.options.seed;
  return h->session.options.headless ? 1 : (uint64_t)time(NULL);
}

static bool is_game_trusted(const host_o *h) {
  return h->session.options.trust || paths_is_below(h->session.folder, h->session.paths.games) ||
         paths_is_below(h->session.folder, h->session.paths.engine);
}

bool game_options_should_watch_files(const host_o *h) {
  return !h->session.options.package &&
         (h->session.options.watch == FILE_WATCH_ON ||
          (h->session.options.watch == FILE_WATCH_DEFAULT && !h->session.options.headless));
}

static bool is_development_run(const host_o *h) {
  return !h->session.options.package && (game_options_should_watch_files(h) || !h->session.options.headless);
}

match_limits_t game_options_get_limits(const host_o *h) {
  const options_t *o = &h->session.options;
  if (h->match_limits)
    return *h->match_limits;
  return (match_limits_t){.memory_mb = (uint32_t)o->memory_mb,
                          .budget_ms = (uint32_t)o->budget_ms,
                          .has_budget = o->has_budget,
                          .is_strict = o->strict};
}

static script_budgets_t choose_budgets(const host_o *h) {
  match_limits_t limits = game_options_get_limits(h);
  uint32_t system_ms = limits.budget_ms;
  if (recording_control_has_recorded_stops(&h->session))
    return (script_budgets_t){.fixed = true};
  if (limits.has_budget)
    return (script_budgets_t){.ms = {system_ms, system_ms * BUDGET_START_FACTOR, system_ms * BUDGET_LOAD_FACTOR},
                              .fixed = true};
  bool is_match = options_start_match(&h->session.options); // all machines of a match have the same budgets
  system_ms = is_development_run(h) && !is_match ? BUDGET_SYSTEM_DEVELOPMENT_MS : BUDGET_SYSTEM_MS;
  return (script_budgets_t){.ms = {system_ms, BUDGET_START_MS, BUDGET_LOAD_MS}};
}

static uint32_t choose_block_limit(const host_o *h) {
  if (recording_control_has_recorded_stops(&h->session))
    return recording_head(h->session.recording.replay)->memory_mb;
  uint32_t mb = game_options_get_limits(h).memory_mb;
  return mb == 0 && h->session.options.join ? SCRIPT_MEMORY_MB : mb;
}

// Returns the memory limit in MiB. A replay that repeats recorded stops uses four times the recorded limit, and a
// machine that has joined a match uses four times the host's limit. The recording or the host's records contain the
// stops that the original limit caused, so the replay must not run out of memory earlier. The limit of a single block
// (choose_block_limit) is not increased, so that oversized allocations fail again.
static uint32_t choose_memory_limit(const host_o *h) {
  uint32_t mb = choose_block_limit(h);
  bool is_increased = h->session.options.join || recording_control_has_recorded_stops(&h->session);
  return !is_increased ? mb : mb > UINT32_MAX / 4 ? UINT32_MAX : mb * 4;
}

// Describes the plugin that crashed in the previous run. The first game of this run shows a card about the crash. Later
// games report that the plugin is not loaded.
static plugins_crashed_t choose_crashed_plugin(const host_o *h) {
  return (plugins_crashed_t){
      .hash = h->session.crash.library_hash, .reason = h->session.crash_reason, .is_reported = h->session.game == NULL};
}

// Returns true if the game is a room of a served world, or replays a recording of such a room.
static bool is_served(const host_o *h) {
  const session_t *s = &h->session;
  return s->options.world != NULL || options_run_room(&s->options) ||
         (s->recording.replay && recording_head(s->recording.replay)->is_served == 1);
}

game_desc_t game_options_build_desc(host_o *h) {
  bool undo = h->session.recording.replay ? recording_head(h->session.recording.replay)->undo != 0
                                          : game_options_should_watch_files(h) || !h->session.options.headless ||
                                                options_start_match(&h->session.options);
  return (game_desc_t){
      .folder = h->session.folder,
      .engine_folder = h->session.paths.engine,
      .engine_code = h->session.paths.code,
      .message = h->menu_message,
      .lobby = h->lobby,
      .seed = choose_seed(h),
      .local_players = options_start_match(&h->session.options) ? 0 : h->session.options.players,
      .headless = h->session.options.headless,
      .is_served = is_served(h),
      .trust = is_game_trusted(h),
      .check_tables = is_development_run(h) || h->session.options.strict || h->session.options.check_rollback > 0,
      .no_jit = h->session.options.no_jit,
      .native = h->session.options.native,
      .strict = game_options_get_limits(h).is_strict,
      .metadata = h->session.options.metadata,
      .budgets = choose_budgets(h),
      .memory_mb = choose_memory_limit(h),
      .block_mb = choose_block_limit(h),
      .undo_failures = undo,
      .undo_stops = !undo && h->session.options.record != NULL && !recording_control_has_recorded_stops(&h->session),
      // In a match with shared reloads, all machines must get the same result from a migration.
      .track_touched =
          options_start_match(&h->session.options) ? h->session.options.share_code : game_options_should_watch_files(h),
      .draw = h->session.draw,
      .audio = h->audio,
      .render = h->session.render,
      .assets = &h->session.assets,
      .maps = h->maps,
      .jobs = h->jobs,
      .shipped_plugins = h->session.paths.plugins,
      .plugins = h->session.options.plugins,
      .plugin_count = h->session.options.plugin_count,
      .crashed_plugin = choose_crashed_plugin(h),
      .old_plugins = h->session.game ? h->session.game->plugins : NULL,
      .log = h->session.log,
      .library = {history_abi_open, &h->session},
      .external = h->session.external,
      .preload = h->preload,
      .lan_list = h->lan_list,
      .temporary_saves = h->session.temporary_saves,
      .compiled_sources = h->session.game ? h->session.game->desc.sources : NULL,
  };
}
