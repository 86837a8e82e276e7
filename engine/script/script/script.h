// Lua VMs. A VM holds code, but no game state. vm_create builds one next to a running VM: it loads and checks all of a
// game's files and has no side effects. vm_adopt then declares the game's components, events and assemblages in a
// world, and fills a schedule. Destroying a VM never changes the world. Main thread only; C calls Lua only through
// lua_pcall.
#ifndef SHOAL_SCRIPT_SCRIPT_H
#define SHOAL_SCRIPT_SCRIPT_H

#include "base/array.h"
#include "base/error.h"
#include "schedule/schedule.h"
#include "script/game_config.h"
#include "script/report.h"
#include "script/vm_desc.h"

// Creates a VM: loads and checks all files. Returns the VM, or NULL with the report filled at the first error.
vm_o *vm_create(const vm_desc_t *desc, script_report_t *report);
// Destroys a VM; accepts NULL. Calls none of the game's hooks.
void vm_destroy(vm_o *vm);
// Reads the settings of the game. Returns true on success, or false with the report filled if the engine's Lua fails,
// or if a field is missing or mistyped.
bool vm_read_game_config(vm_o *vm, vm_game_t *out, script_report_t *report);
struct native_set_o *vm_native_set(const vm_o *vm); // returns the compiled loops (native/loop.h); NULL before vm_adopt
// Returns the budget in milliseconds: the command line's budget or, if it sets none, game.lua's budget, extended on
// slow machines; 0: no limit.
uint32_t vm_budget_ms(const vm_o *vm, script_budget_t budget);
// Multiplies all budgets. Initially 1.
void vm_set_budget_factor(vm_o *vm, uint32_t factor);
// Limits the budget SCRIPT_BUDGET_LOAD, unless it is unlimited. 0: no additional limit.
void vm_limit_load(vm_o *vm, uint32_t limit_ms);
// Returns true if a script was stopped because the program exits. The last tick is then incomplete.
bool vm_was_interrupted(const vm_o *vm);
uint64_t vm_number(const vm_o *vm);    // returns an id that is unique in this process; a rebuilt VM keeps its id
sources_o *vm_sources(const vm_o *vm); // returns the sealed sources that the VM was built from; borrowed
// Sets the renderer of a VM that was created before the window, because game.lua sets the window's size.
void vm_set_render(vm_o *vm, render_o *render);

// Checks the declarations against the world, then declares components, events and assemblages, and adds the systems to
// `schedule`. Returns true on success. On failure, returns false with the report filled; the world must then be
// destroyed. `reloaded`: the world will receive the state of a world that has already run, so `reload` hooks of systems
// are called instead of `start`.
bool vm_adopt(vm_o *vm, schedule_o *schedule, bool reloaded, script_report_t *report);

// Calls the `stop` hooks of the systems that `next` lacks, or of all systems if `next` is NULL. Call before the VM is
// destroyed.
void vm_stop_retired_systems(vm_o *vm, vm_o *next);
bool vm_has_retired_systems(vm_o *vm, vm_o *next); // returns true if vm_stop_retired_systems would stop any system
// Copies the file name of a Lua system to `out` and returns true; returns false for systems that are not in Lua.
bool vm_system_file(vm_o *vm, const char *system, char *out, size_t out_bytes);
// Copies the file and line of a Lua system, "systems/wrap.lua:7", to `out`. Returns true on success, or false if no Lua
// system has this name.
bool vm_system_location(vm_o *vm, const char *system, char *out, size_t out_bytes);
// Writes a line "file<TAB>name (reason)" for each Lua system that has not run in the first tick of this VM. The reason
// is that the system is disabled, its conditions do not hold, or it does not run every tick. Call directly after the
// first tick. Truncates the text to whole lines.
void vm_list_systems_not_run(vm_o *vm, char *out, size_t out_bytes);

// Runs a declaration's `migrate` on rows of an older declaration (migrate/schema_migrate.h). `vm` is an adopted vm_o.
// Returns true on success, or false with a message if `migrate` fails.
struct migration_t;
bool vm_run_migration(void *vm, world_o *w, const struct migration_t *m, error_info_t *error);

// The player's settings and key bindings keep their values when a save or an earlier tick replaces the world. Call
// these functions outside of ticks.
typedef ARRAY(char) vm_settings_t; // terminated by '\0'; empty if the game has no settings

// Refuses the functions that scripts cannot call in a match, or allows them again. For games that declare players.
void vm_set_match(vm_o *vm, bool in_match);

// Copies the settings and key bindings to `out`, which must be empty. Leaves it empty if the scripts are stopped or
// fail.
void vm_copy_settings(vm_o *vm, allocator_t *a, vm_settings_t *out);
// Applies copied settings and key bindings to the world. Returns true if this changed the world.
bool vm_apply_settings(vm_o *vm, const vm_settings_t *settings);
// For games that declare players: applies only the settings that belong to the machine, and the key bindings.
// `settings`: copied by vm_copy_settings from a different VM of the same game, or read from the settings file. The hash
// of the world stays the same.
void vm_apply_machine_settings(vm_o *vm, const char *settings);
// Like vm_apply_machine_settings, for `settings` of a different game: applies only the window and accessibility
// settings and, with `has_volumes`, the volumes. Ignores settings that one of the games lacks.
void vm_apply_settings_of_other_game(vm_o *vm, const char *settings, bool has_volumes);

// Writes one of Shoal's own strings (kit/ui_strings.lua), with values for its placeholders, to `out`. The result is a
// reference to the string (ui_resolve_string) or, if the game has no strings or `is_english` is set, the English text.
// `arguments`: names and values in turn; a value may be a reference. Call it outside of ticks. Returns true on success,
// or false if the scripts are stopped or fail.
bool vm_format_string(vm_o *vm, const char *key, bool is_english, const char *const *arguments, uint32_t count,
                      char *out, size_t out_bytes);

// Runs game.lua's `start` in a new world, then enters the game's first scene, if the game declares one. Returns true on
// success. On failure, returns false with the report filled.
bool vm_start(vm_o *vm, script_report_t *report);

// Runs a Lua chunk in the game's environment (--exec, the console, tests). Writes the result, if any, to `out` as text.
// Returns true on success, or false with the report filled if the chunk fails or the scripts are stopped.
bool vm_exec(vm_o *vm, const char *code, const char *chunk_name, char *out, size_t out_bytes, script_report_t *report);

// Writes the contents of cockpit panel `number` as JSON to `out`, with `entity` selected (0: no entity). For panel 0,
// writes the list of panels and commands (scripts/shoal/kit/cockpit.lua). Does not change the world. Returns true on
// success. On failure, returns false with the report filled; a panel that the watchdog stopped once will probably be
// stopped again.
bool vm_run_panel(vm_o *vm, uint32_t number, uint32_t entity, char *out, size_t out_bytes, script_report_t *report);

// Moves up to `max` of the collected errors, oldest first, to `out`: one for each piece that failed and was parked.
// Returns their number.
uint32_t vm_pop_reports(vm_o *vm, script_report_t *out, uint32_t max);

// --- Pieces of a system: its body, its event handlers, `enter` and `leave`, `start` and `reload`, and functions of
// behaviours. A piece that fails or that the watchdog stops is parked: it is added to vm_desc_t.parked and to the list
// of the world (content/parked_pieces.h), which states when it is retried. A stopped VM is rebuilt from its sources as
// the same vm_o, with the same pieces parked.

// Parks a piece as if it had failed or, with `stopped`, as if the watchdog had stopped it. `message`: the position and
// message of the failure ("systems/a.lua:3: …"), which is reported; NULL: no report. Does nothing if the piece already
// failed in this tick. Returns true on success, or false if the piece does not exist, or if the VM was stopped and
// could not be rebuilt.
bool vm_park_piece(vm_o *vm, const char *name, bool stopped, const char *message);
// Disables and enables pieces according to the world's list. Call at the start of a tick and before drawing, because
// the world may have been restored. `skips_events`: handlers that are retried in this tick receive no events that were
// emitted while they were parked; changes the world.
void vm_update_parked_pieces(vm_o *vm, bool skips_events);

// With check_tables: finds a table that a file created while loading and that has changed since then, and describes it
// in `out`. Each table is reported once. Returns true if a table was found, or false if no unreported table has
// changed. Call between two systems.
bool vm_find_changed_table(vm_o *vm, script_report_t *out);
// Restores the values of the reported tables, so that vm_find_changed_table can report them again.
void vm_restore_tables(vm_o *vm);

// --- Attempts: if a piece fails, the world is restored to the start of the tick, and the tick runs again.

// Begins an attempt: after the first piece that fails, systems do nothing until vm_attempt_retry or vm_attempt_end.
// `only_stops`: only pieces that the watchdog stops are treated as failed.
void vm_attempt_begin(vm_o *vm, bool only_stops);
// Returns true if a piece has failed since the most recent vm_attempt_begin or vm_attempt_retry.
bool vm_has_attempt_failed(const vm_o *vm);
// Starts the next run of the tick. Log lines and sounds are muted up to the piece that failed, because the previous run
// has already output them.
void vm_attempt_retry(vm_o *vm);
void vm_attempt_end(vm_o *vm);
// Returns the number of systems that have completed their first run, and therefore their `start` or `reload`.
uint32_t vm_first_run_count(const vm_o *vm);

// Returns the current entity of the running piece if the piece runs once per entity; otherwise 0. Can be called at any
// time.
uint32_t vm_current_entity(const vm_o *vm);
// Writes the metadata that the game's files declare for an assemblage to `out`, one line per component. Returns true on
// success. On failure, returns false and writes "".
bool vm_write_metadata(vm_o *vm, const char *assemblage, char *out, size_t bytes);
// Lists the components that scenes may name although the world lacks them (metadata), each followed by '\n'; truncated
// if `out` is too small.
void vm_list_ignored_components(vm_o *vm, char *out, size_t bytes);

// Writes LuaLS type definitions to a file, for everything that the game's plugins add to scripts. Returns true on
// success. On failure, returns false with a message.
bool vm_write_types(vm_o *vm, const char *path, error_info_t *error);

// Runs a step of garbage collection if the VM uses more than an eighth of its memory limit. Without these steps, the
// collector would let memory use double before it marks again. Call once per frame, after the ticks.
void vm_collect_garbage(vm_o *vm);
size_t vm_memory_bytes(const vm_o *vm);
// Sets the size in bytes of the world's history, which the host keeps. The history counts toward the scripts' memory
// limit, up to half of it.
void vm_set_history_bytes(vm_o *vm, size_t bytes);

#endif
