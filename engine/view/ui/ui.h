// Widgets: entities that are laid out in rows and columns, can be focused by keys, gamepad and mouse, and emit events.
// All of their state is in columns (widgets.h); all other data is a cache that can be rebuilt at any time. In games
// that declare players, layout, hover, focus and scroll belong to each machine instead (machine.h).
//
// A step reads the tick's input sample before the game's systems run. A layout follows if anything it depends on has
// changed; it writes the columns at_x to at_height, in logical pixels. Drawing only reads the world.
//
// Main thread only.
#ifndef SHOAL_UI_UI_H
#define SHOAL_UI_UI_H

#include "platform/platform.h"
#include "render/draw.h"
#include "schedule/schedule.h"
#include "ui/ui_types.h"

#include <stdio.h>

typedef struct snapshot_o snapshot_o; // defined in snapshot/snapshot.h

// Declares the components of widgets and creates the state of the world's widgets. Call once per world, after the
// built-in components are declared and before any rows exist. Returns the state, or NULL with an error if a declaration
// fails.
ui_o *ui_create(const ui_desc_t *desc, error_info_t *error);
void ui_destroy(ui_o *ui); // accepts NULL
void ui_set_typesetter(ui_o *ui, typesetter_o *type);
void ui_set_strings(ui_o *ui);                       // resolves references in the typesetter with this game's strings
void ui_set_screen(ui_o *ui, int width, int height); // sets the size of the screen in logical pixels
bool ui_has_options(const ui_o *ui);                 // returns true while the options screen is open
bool ui_is_entry_focused(const ui_o *ui);            // returns true if an entry of this machine has the focus
void ui_set_layer(ui_o *ui, int32_t layer);          // sets the drawing layer of widgets with layer 0 (default: 1000)
// Adds three systems: shoal.widgets, early in phase input; shoal.layout.input, last in phase input; and shoal.layout,
// last in phase post_update. Returns true on success, or false with an error if one of these names is taken.
bool ui_schedule(ui_o *ui, schedule_o *s, error_info_t *error);
// Draws the widgets. Reports the active text entry, if any, and its position to `platform` (may be NULL), and passes
// the copied text to the clipboard. `dt_s`: time since the last frame, even while paused; animates the highlights.
void ui_draw(ui_o *ui, draw_o *draw, platform_o *platform, float dt_s);

// Prints the numbers of widgets that the layout measures and places per tick, for --explain. If either number exceeds
// 100, also prints how to reduce it. `system`: "shoal.layout", or "all" to print only in that case.
void ui_print_explanation(const ui_o *ui, const char *system, FILE *out);

// For tests: run a step or a layout outside the schedule. Commands must not be deferred.
void ui_update(ui_o *ui, double dt_s);
void ui_lay_out(ui_o *ui);

// --- players

// Sets the maximum number of players that the game declares. ui_read_action then reads the sample's player inputs
// instead of its devices. 0, the default: the game declares no players.
void ui_set_players(ui_o *ui, uint32_t max_players);
// Two strings of JSON: the bindings that the players of this machine have chosen, and the values of the settings file
// that the game does not declare. The strings belong to the machine in a game that declares players, and otherwise to
// the world.
enum { UI_MACHINE_BINDINGS, UI_MACHINE_SETTINGS, UI_MACHINE_TEXT_COUNT };
// Returns a string, or "" if it is not set. The result is valid until the string is set again.
const char *ui_machine_text(world_o *w, uint32_t kind);
void ui_set_machine_text(world_o *w, uint32_t kind, const char *text);
// Return and set the stage of rebinding a key (scripts/shoal/kit/input.lua) in a game that declares players; 0: no key
// is rebound.
uint32_t ui_rebinding_stage(world_o *w);
void ui_set_rebinding_stage(world_o *w, uint32_t stage);
// Copies the machine's strings, the focus and the scroll offsets of the game that `ui` replaces.
void ui_take_over_machine(ui_o *ui, const ui_o *old);
// Computes the input of a player of this machine from two consecutive device samples, without changing the world. The
// input consists of the values and edges of all actions under the current bindings, except input that widgets capture.
// `device`: 0 for pad 1 and the bindings without a number, 1 for pad 2 and bindings such as "key2:w", and so on, or
// UI_ANY_DEVICE. Leaves the pointer at 0.
#define UI_ANY_DEVICE (-1)
void ui_compute_player_input(ui_o *ui, const input_state_t *previous, const input_state_t *sample, int32_t device,
                             player_input_t *out);

// Sets `toggled` of a device sample, for players who have chosen to press instead of hold. A press of an action that is
// declared as held then keeps the action down until the next press, until a widget captures the input, or until the
// window loses the focus. `previous`: the previous sample.
void ui_toggle_actions(ui_o *ui, const input_state_t *previous, input_state_t *sample);

// --- widgets in a game that declares players
//
// A player's machine determines what the player does with widgets (ui_run_machine_step), and queues widget actions
// (widget_action.h). The next tick's sample contains them, and shoal.widgets applies them.

// Lays out the widgets, and handles the input of the local players with these numbers. Does not change the world.
// `dt_s`: time since the last call, in seconds. Call it between two ticks, before ui_compute_player_input.
void ui_run_machine_step(ui_o *ui, const input_state_t *previous, const input_state_t *sample, const uint8_t *numbers,
                         uint32_t count, double dt_s);
// Moves the queued actions of local player `local` (from 0) to `out`, as many as fit. Returns their size in bytes.
size_t ui_take_actions(ui_o *ui, uint32_t local, uint8_t *out, size_t capacity);
// If `is_delayed` is true, actions take effect several ticks after they were queued, as in a match.
void ui_set_delayed(ui_o *ui, bool is_delayed);
// Gives the local players the focus that results from the actions up to the current tick. Call it after the history has
// restored the world, and while a recording provides the input.
void ui_follow_world(ui_o *ui);
// In a match, the current state may be a prediction, and the host may give a predicted id to a different entity or
// string. The players of this machine can therefore use only widgets that `confirmed`, an earlier state of the world,
// contains. Borrowed; NULL: the current state is confirmed.
void ui_set_confirmed(ui_o *ui, const snapshot_o *confirmed);
// Between these two calls, while systems of phase render run, the derived columns of widgets contain this machine's
// values.
void ui_begin_render(ui_o *ui);
void ui_end_render(ui_o *ui);

// --- called by the engine's Lua

void ui_remove_focus(world_o *w); // removes the focus; in a game that declares players, on all machines
// Returns true if the entity's widget has the focus or, in a game that declares players, was the last widget to get the
// focus by an applied action.
bool ui_had_focus(world_o *w, shoal_entity entity);

// Replaces the default bindings of a widget action. Only the first UI_MAX_BINDINGS (ui/state.h) are used.
void ui_set_bindings(world_o *w, uint32_t action, const input_binding_t *bindings, uint32_t count);
// Sets the declared bindings of an action in input.lua. `part`: 0 for a plain action or an analogue axis, 1 for the
// negative keys of an axis, 2 for the positive keys.
void ui_declare_action_bindings(world_o *w, const char *name, uint32_t part, const input_binding_t *bindings,
                                uint32_t count);
// Makes a declared action press the button that emits `event`, while the button's panel receives the keys.
void ui_declare_action_button(world_o *w, const char *name, const char *event);
// Declares whether players may press the action instead of holding it (ui_toggle_actions). At most eight actions.
void ui_declare_held_action(world_o *w, const char *name, bool is_held);
// Returns the bindings in use, either chosen by the player or declared, and stores their number. Returns NULL and
// stores 0 if the action is unknown. Valid until the next call to a function in ui/.
const input_binding_t *ui_action_bindings(world_o *w, const char *name, uint32_t part, uint32_t *count);
// Returns the number of declared actions. They are numbered from 0, in the order of their names.
uint32_t ui_count_actions(world_o *w);
// Returns true if the control is bound to an action of the game, for any pad or player.
bool ui_has_action_binding(world_o *w, input_device_t device, int32_t code);
// Sets the text that replaces [prompt=ACTION] in markup (text/markup.h).
void ui_set_prompt(world_o *w, const char *action, const char *displayed_text);
// Sets a key of the theme. Keys that are never set keep their defaults (theme.h).
void ui_set_theme_key(world_o *w, const char *style, uint32_t state, uint32_t key, const float *numbers,
                      const char *text);

// Replace the game's strings (text/game_strings.h): call ui_strings_begin, then ui_add_string for each string. The
// fallback language must come first.
void ui_strings_begin(world_o *w); // removes all strings
void ui_add_string(world_o *w, const char *language, const char *key, uint32_t form, const char *text);
// Returns the text of a reference in the current language, valid until the next call; `reference` itself if the game
// has no strings.
const char *ui_resolve_string(world_o *w, const char *reference);
// Returns the current language, such as "de"; "" if the game has no strings.
const char *ui_get_language(const ui_o *ui);

// For the on-screen keyboard: deletes `erased` characters before the entry's cursor, then inserts `text`, as if a
// player had typed it. Commands must be deferred. Returns true on success, or false if the entity has no entry.
// `player`: number of the player who types; 0: unknown.
bool ui_type_text(world_o *w, shoal_entity entity, uint32_t player, const char *text, uint32_t erased);
// Emits entry_submitted for an entry; does nothing if the entity has no entry. `player`: as in ui_type_text.
void ui_submit_entry(world_o *w, shoal_entity entity, uint32_t player);

// --- functions for scripts and plugins

// Returns the largest player number: the number in game.lua, or INPUT_PADS in a game without players.
uint32_t ui_max_players(world_o *w);
// Reads an action's value, -1 to 1, in this tick's sample and in the previous sample; both are 0 while the player
// chooses a binding. `player`: from 0 to ui_max_players - 1, or -1 for any player. Returns true on success, or false if
// the action is unknown. The first call in each tick must be on the main thread; afterwards any thread may call this,
// while nothing writes the singleton shoal.input.
bool ui_read_action(world_o *w, const char *name, int32_t player, float *value, float *previous_value);
// In a game that declares players, stores the edges of an action in this tick; in any other game, stores false.
// `player` and the result are the same as in ui_read_action.
bool ui_read_action_edges(world_o *w, const char *name, int32_t player, bool *pressed, bool *released);
// Writes a hint for the unknown action `name` to `out`: ": did you mean NAME?", "" if no action has a similar name, or
// that the game declares no actions. Returns `out`.
const char *ui_action_hint(world_o *w, const char *name, char *out, uint32_t bytes);

#endif
