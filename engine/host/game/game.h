// A game: its world, the code that drives it, and the schedule that the code defined. Several games may exist at the
// same time: a restart or reload builds the new game while the old one still exists, and only then destroys the old
// game. See reload.h for the reload transaction.
#ifndef SHOAL_GAME_GAME_H
#define SHOAL_GAME_GAME_H

#include "base/array.h"
#include "game/preload.h"
#include "game/scene_files.h"
#include "game/temporary_saves.h"
#include "game/tick_undo.h"
#include "link/lan_list.h"
#include "owned/owned.h"
#include "particles/emitter.h"
#include "platform/audio.h"
#include "platform/platform.h"
#include "plugin/plugins.h"
#include "render/draw.h"
#include "script/script.h"
#include "simulation/components.h"
#include "sql/sql.h"
#include "migrate/world_migrate.h"
#include "store/save.h"
#include "tiles/maps.h"
#include "time/external_input.h"
#include "ui/ui.h"

#define GAME_SYSTEM_NAME_BYTES 96u

typedef struct game_desc_t {
  const char *folder;              // folder with game.lua; absolute
  const char *engine_folder;       // path of scripts/shoal
  const char *engine_code;         // precompiled engine scripts (luajit/code_file.h); NULL or "" if unavailable
  const char *message;             // message shown in the menu; NULL or "": no message
  const script_lobby_t *lobby;     // content of a match's lobby, if the game is the lobby; NULL in all other games
  script_match_menu_t *match_menu; // content of the match menu, if the game is that menu; otherwise NULL; borrowed
  sources_o *sources;              // sources of the game; retained; NULL: game_prepare reads the folders
  sources_o *compiled_sources;     // earlier sources whose compiled code is reused; borrowed; may be NULL
  const char *const *kept_files;   // files to take from `compiled_sources`, not from disk; borrowed during creation
  uint32_t kept_file_count;
  bool accepts_missing_files; // true if a reload may lack files of the running game (reload.h)
  uint64_t seed;
  uint32_t local_players; // number of players on this machine, in games that declare players; 0: the minimum
  bool headless;          // true if no player is present: the preferred languages of the system are ignored
  bool trust, check_tables, metadata, no_jit, strict;
  bool is_shared;     // true if machines of a match may have sent the code, as in vm_desc_t
  bool is_served;     // true for rooms of a served world, which may have more players than game.lua allows in a match
  const char *native; // mode of native code (native/loop.h); NULL: native systems are enabled
  script_budgets_t budgets; // time limits of scripts, as in vm_desc_t
  uint32_t memory_mb, block_mb;
  // True if the changes that failing code makes in a tick are undone, and the tick runs again without that code
  // (tick_undo.h).
  bool undo_failures;
  // Undoes the changes made by code that the watchdog stopped, even without `undo_failures`, and in worlds of any size.
  // Set while recording.
  bool undo_stops;
  bool track_touched;          // true if the world tracks which values are overridden (migrate/world_migrate.h)
  draw_o *draw;                // list of drawing commands; borrowed
  audio_o *audio;              // mixer; borrowed
  render_o *render;            // renderer; borrowed; NULL until a window exists (game_set_render)
  const assets_t *assets;      // assets of the game; borrowed
  maps_o *maps;                // cache of maps; borrowed; NULL: tilemaps stay empty
  jobs_o *jobs;                // worker threads; borrowed; NULL: one worker
  const char *shipped_plugins; // folder of Shoal's own plugins; may be NULL. Borrowed
  const char *const *plugins;  // arguments of --plugin. Borrowed
  uint32_t plugin_count;
  plugins_crashed_t crashed_plugin;
  bool reuse_libraries;   // true if the loaded libraries are reused, even if their files have changed
  bool in_fork;           // true in trials, ghosts and crash reports: threads and devices of plugins are not started
  plugins_o *old_plugins; // plugins of the game being replaced; may be NULL. Used only during creation
  log_o *log;             // log of the game; borrowed
  vm_library_t library;   // C functions of the module that owns the game; `open` may be NULL
  external_o *external;   // records external input; borrowed; NULL: external input is not recorded
  preload_o *preload;     // requests of assets.preload; borrowed; NULL: assets.preload does nothing
  lan_list_o *lan_list;   // matches in the local network, for the menu; borrowed; NULL: menu.matches finds no match
  // Private copies of saves and settings; borrowed; NULL: the game reads and writes the user's files.
  temporary_saves_o *temporary_saves;
  // In the task of a trial (reload/trial_task.h): GAME_SYSTEM_NAME_BYTES that receive the name of the running system.
  // Trial ticks then run in this process, which ends after the trial. NULL in all other games.
  char *trial_system;
} game_desc_t;

// A game. The rest of the host may read its members. Its address must not change, because the VM borrows input,
// requests and strings.
typedef struct game_o {
  char folder[512], engine_folder[512], message[512];
  script_lobby_t lobby;
  game_desc_t desc; // strings and `lobby` of `desc` point to the buffers above
  world_o *world;
  components_o *components;
  ui_o *ui;
  emitters_o *emitters;
  plugins_o *plugins;
  schedule_o *schedule;                        // schedule of the systems; NULL while the game is being created
  char running_system[GAME_SYSTEM_NAME_BYTES]; // name of the running system; "" if no system is running
  vm_o *vm;
  vm_game_t config;
  input_state_t input, input_before;
  uint8_t local_players[PLAYER_MAX]; // numbers of this machine's players (game/players.h)
  uint32_t local_player_count;       // number of these players; 0 in a game without players
  // True in a match. Scripts then cannot set the number of players, or call functions that are refused in a match.
  bool in_match;
  player_status_t player_status[PLAYER_MAX];
  player_actions_t next_actions[PLAYER_MAX]; // actions of the sample that players_set_inputs creates next
  player_info_t player_infos[PLAYER_MAX];    // names and colours for each sample that this machine takes
  script_requests_t requests;
  owned_o *owned;             // numbers of the entities that players own; NULL if the game has no served rooms
  sql_o *sql;                 // SQL over the world
  scene_files_o *scene_files; // scene files of the game's scripts
  unknown_components_o *unknown_components; // data in loaded saves that this game does not declare
  bool reloaded; // true if created by a reload: the previous game's world will be migrated into this game
  bool started;  // true once `start` has returned, or the world was restored from a file
  bool paused;
  tick_undo_o *tick_undo; // undo of failing code; NULL if its changes are not undone
  // Snapshot of the world for undoing the next tick; NULL if no snapshot was taken. Borrowed until that tick.
  snapshot_o *start_snapshot;
  parked_list_t parked; // failures that parked code (base/parked.h), shared by VM and plugins
  uint64_t code_tick;   // first tick of this code; failures recorded in states of earlier ticks belong to earlier code
  allocator_t memory;   // memory of this struct, the schedule and `tick_undo`
} game_o;

// Creates a game with a fresh world: loads, checks and declares its code, and builds its schedule. `reloaded`: the
// world of a different game will be migrated into this game. Returns the game, or NULL with the report filled in.
game_o *game_create(const game_desc_t *desc, bool reloaded, script_report_t *report);
// game_create consists of three steps: game_prepare, game_load and game_finish. game_load takes most of the time, and
// may run on a separate thread while other games run. It accesses only `g`, with two exceptions: it opens plugins on
// the main thread (process/main_calls.h), and it records which assets exist. The separate thread must defer its log
// lines (log_defer). If game_load fails, destroy the game.
game_o *game_prepare(const game_desc_t *desc, script_report_t *report);
// Calls game_prepare and game_load. Returns the game, or NULL with the report filled in.
game_o *game_load_now(const game_desc_t *desc, bool reloaded, script_report_t *report);
bool game_load(game_o *g, bool reloaded, script_report_t *report);
void game_finish(game_o *g);
void game_set_render(game_o *g, render_o *render);
// Calls the game's `start`. Returns true on success. On failure, returns false with the report filled in, and the
// caller must destroy the game.
bool game_start(game_o *g, script_report_t *report);
// Called instead of game_start if the world was restored from a file: systems run `reload` instead of `start`.
void game_mark_resumed(game_o *g);
typedef struct game_migrate_desc_t {
  schema_migrate_log_t log_line; // receives a message for each value that cannot be kept unchanged; may be NULL
  void *log_context;
  // Called for each component that no file declares any more; NULL: log_line is called instead.
  schema_migrate_log_t log_kept;
  snapshot_o *snapshot; // snapshot of the old world; NULL: taken by game_migrate_from
  uint32_t limit_ms;    // time limit of each `migrate` function, in addition to the loading budget; 0: no limit
} game_migrate_desc_t;

// Called instead of game_start: migrates the world of `old` into `g` and copies host state (input, pause). Does not
// change `old`. Returns true on success. On failure, returns false with the report filled in, and the caller must
// destroy `g`.
bool game_migrate_from(game_o *g, game_o *old, const game_migrate_desc_t *desc, world_migrate_counts_t *counts,
                       script_report_t *report);
// Call after game_migrate_from: moves the remaining state, which is not part of the world, from `old` to `g`. Destroy
// `old` afterwards without running it again.
void game_take_over_state(game_o *g, game_o *old);
// Calls `stop` of the systems that `next` lacks. Logs failures.
void game_stop_removed_systems(game_o *g, vm_o *next);
// Calls `stop` of all systems if the game has started, then frees everything. Accepts NULL.
void game_destroy(game_o *g);

// Moves up to `max` failures to `out`: the failures of scripts or, if no script failed, of plugins. Returns the number
// of failures moved. Call again until the result is 0.
uint32_t game_pop_reports(game_o *g, script_report_t *out, uint32_t max);

// Sets the input of the next tick. The current input becomes the previous input.
void game_set_input(game_o *g, const input_state_t *input);

typedef enum game_step_t {
  GAME_TICK,  // one fixed tick: the four phases, then the end of the tick
  GAME_FRAME, // the input phase of a paused game's frame, with dt 0; the tick number does not change
} game_step_t;

typedef enum game_outputs_t {
  GAME_OUTPUTS_LIVE,
  GAME_OUTPUTS_DROP, // sounds, log lines, requests of scripts and stored files are discarded
} game_outputs_t;

// Inputs of a tick or a frame, and the use of its outputs. Zero-initialized: a live tick with the current input.
typedef struct game_io_t {
  const player_inputs_t *players; // inputs of a match's players
  const input_state_t *devices;   // device sample, used if `players` is NULL; NULL: the game's current input
  external_source_t source;       // source of the answers to requests that `results` does not answer
  const input_log_o *results;     // results of an earlier run of the tick; may be NULL
  game_outputs_t outputs;
} game_io_t;

// Runs a tick, or a frame of a paused game. The render phase runs in game_render.
void game_run(game_o *g, game_step_t step, const game_io_t *io);
// Runs a past tick, or frame of a paused game, again with its logged input. Drops its outputs, because they took effect
// when the tick first ran. Keeps the game's current input.
void game_run_again(game_o *g, const input_log_o *log, const logged_input_t *item);
// Runs the next tick again with its logged input, after the paused frames that led to it. Returns true, or false if the
// log lacks the tick.
bool game_run_tick_again(game_o *g, const input_log_o *log);
// Runs the render phase, which only reads the world.
void game_render(game_o *g, float dt_s);

#endif
