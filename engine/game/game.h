// A game that runs: its world, the code that drives it, and the schedule that the code filled. Several may exist at
// once: a restart and a reload build the new one beside the old one, and only then drop the old. The reload
// transaction is in reload.h.
#ifndef SHOAL_GAME_GAME_H
#define SHOAL_GAME_GAME_H

#include "base/array.h"
#include "game/preload.h"
#include "game/scene_files.h"
#include "game/tick_rollback.h"
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

typedef struct game_desc_t {
  const char *folder;        // with game.lua, absolute
  const char *engine_folder; // scripts/shoal
  const char *engine_code;   // the same as the build has compiled it (luajit/code_file.h); NULL or "" for none
  const char *message;       // for the menu, "" for nothing
  sources_o *sources;        // shared; NULL: the folders as they are now
  sources_o *known;          // borrowed; what was read another time, for texts that are compiled already; may be NULL
  uint64_t seed;
  bool headless; // nobody plays: which languages the system prefers is not asked
  bool trust, check_tables, metadata, no_jit, strict;
  const char *native;       // a mode (native/loop.h); NULL: on
  script_budgets_t budgets; // see vm_desc_t
  uint32_t memory_mb, block_mb;
  bool undo; // what a failing piece did to the tick is undone, and the tick runs without it (tick_rollback.h)
  bool tick_rollback_stops;   // the same for what the watchdog stops, however large the world is: for recordings
  bool track_touched;         // the world knows which values somebody has overridden (migrate/world_migrate.h)
  draw_o *draw;               // borrowed
  audio_o *audio;             // borrowed
  render_o *render;           // borrowed; NULL before there is a window (game_set_render)
  const assets_t *assets;     // borrowed
  maps_o *maps;               // borrowed; NULL: tilemaps have no maps
  jobs_o *jobs;               // borrowed; NULL: one worker
  const char *shipped;        // folder of the plugins that come with Shoal; NULL for none. Borrowed
  const char *const *plugins; // --plugin. Borrowed
  uint32_t plugin_count;
  bool plugins_as_before;    // their very libraries, whatever lies on the disk now
  bool plugins_copied;       // a copy of the game: what reaches outside rests
  plugins_o *plugins_before; // of the game that this one takes over from; NULL for none. Not kept
  log_o *log;                // borrowed
  vm_library_t library;      // of the module that owns the game; without `open` for none
  external_o *outside;       // borrowed; NULL: what is read from outside is not kept
  preload_o *preload;        // borrowed; NULL: assets.preload does nothing
} game_desc_t;

// Open for reading by the rest of the host. The address stays: the VM borrows input, requests and the texts.
typedef struct game_o {
  char folder[512], engine_folder[512], message[512];
  game_desc_t desc; // its texts are the three above
  world_o *world;
  components_o *components;
  ui_o *ui;
  emitters_o *emitters;
  plugins_o *plugins;
  schedule_o *schedule; // NULL until it has started
  char running[96];     // the system that runs; "" for none
  vm_o *vm;
  vm_game_t facts;
  input_state_t input, input_before;
  script_requests_t requests;
  sql_o *sql;             // over the world
  scene_files_o *scenes;  // as text
  save_unknowns_o *attic; // what loaded saves hold and this game does not know
  bool started;           // `start` came to its end
  bool paused;
  tick_rollback_o *undo; // NULL when nothing is undone
  snapshot_o *copy;      // of the world as the next tick begins with it, where there is one; borrowed until then
  parked_list_t parked;  // that its VM and its plugins share
  allocator_t memory;    // of the schedule
} game_o;

// A fresh world and the game's code beside it, loaded, checked and declared, and its schedule: built-in systems, then
// the game's. `reloaded`: another game's world will come over. NULL with the report filled.
game_o *game_create(const game_desc_t *desc, bool reloaded, script_report_t *report);
void game_set_render(game_o *g, render_o *render);
// Calls the game's `start`. False with the report filled: destroy it then.
bool game_start(game_o *g, script_report_t *report);
typedef struct game_carry_t {
  schema_migrate_say_t say; // hears of each thing that does not come over as it was; NULL for no callback
  void *say_context;
  snapshot_o *state; // of the old world, taken already; NULL: it is taken here
} game_carry_t;

// In place of game_start: the world of `old` comes over, and what the host has told it (input, whether it is paused).
// `old` is only read. False with the report filled: destroy g then.
bool game_carry(game_o *g, game_o *old, const game_carry_t *how, world_migrate_counts_t *counts,
                script_report_t *report);
// After game_carry, when g takes the place of `old`: everything else that lives beside the world goes over. Nothing
// of `old` is to run any more; destroy it.
void game_succeed(game_o *g, game_o *old);
// The systems that `next` does not have `stop`; what fails in there is logged.
void game_retire(game_o *g, vm_o *next);
// Lets its systems `stop`, then drops everything. NULL is fine.
void game_destroy(game_o *g);

// Failures of scripts and plugins since the last call, oldest first; returns how many were copied.
uint32_t game_take_reports(game_o *g, script_report_t *out, uint32_t max);

// Takes the input of the next tick; what was now is before.
void game_sample(game_o *g, platform_o *p);
void game_feed(game_o *g, const input_state_t *input); // the same from elsewhere
// One fixed tick: the four phases, then the end of the tick.
void game_tick(game_o *g);
// A frame of a paused game: the systems of the input phase only, with dt 0. The tick stands.
void game_idle(game_o *g);
// A tick, or such a frame, that was lived before, with what was heard in it. Nobody hears it this time, and what
// scripts ask for in it was done then.
void game_live_again(game_o *g, const input_log_item_t *x, const input_log_o *heard);
// The render phase. Reads the world.
void game_render(game_o *g, float dt_s);

#endif
