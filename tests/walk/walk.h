// A walk through all menus of a game: presses every widget of every screen that it can reach, with the keys, the
// pointer and a pad, and reports problems. See main.c for its use.
#ifndef SHOAL_TESTS_WALK_H
#define SHOAL_TESTS_WALK_H

#include "base/array.h"
#include "base/hash_table.h"
#include "host/host.h"
#include "host/host_internal.h"
#include "snapshot/snapshot.h"
#include "ui/state.h"

#define WALK_PATH_MAX 2048u
#define WALK_EXIT UINT32_MAX // target of an edge that ends the game or opens a different game

// A walk is judged for all devices together, and for a player with nothing but a pad.
typedef enum walk_device_t { WALK_ANY, WALK_PAD, WALK_DEVICES } walk_device_t;

// The state of a game between two ticks.
typedef struct walk_state_t {
  snapshot_o *world;
  input_state_t input, before;
  bool paused;
  // In a game that declares players, these belong to the machine and are not in the world.
  vm_settings_t settings;
  uint32_t rebinding_stage, local_players;
  ui_machine_o *machine; // focus and scroll offsets; NULL in other games
} walk_state_t;

// A screen: the visible widgets, which of them have the focus scope, the choices in the game's singletons (such as its
// phase), and whether the game is paused.
typedef struct screen_t {
  uint64_t signature;
  uint64_t menu;            // hash of the modal panel's widgets; 0 without a modal panel
  char path[WALK_PATH_MAX]; // presses that lead to the screen
  walk_state_t state;
  bool plays; // no widget takes the focus, and the game runs
  // Indexed by walk_device_t. Home: needs no way back. Reached: the device alone leads to the screen.
  bool is_home[WALK_DEVICES], is_reached[WALK_DEVICES];
  bool explored; // the widgets and actions have been pressed
} screen_t;

typedef struct edge_t {
  uint32_t from, to; // indices of screens; `to` may be WALK_EXIT
  bool by_pad;       // a press of a pad leads from one screen to the other, or the game continues
} edge_t;

typedef struct walk_t {
  host_o *host;
  allocator_t memory;
  input_state_t devices;    // input of the next tick
  char path[WALK_PATH_MAX]; // presses that lead to the current state, for messages
  bool draws;               // run the render phase after every tick instead of after every press
  bool repeats;             // press widgets that were pressed on another screen with every device again
  uint32_t phases;          // number of screens on which the same modal menu is explored
  hash_table_t known_menus; // modal menus that different walks have explored, by hash
  const char *pictures;     // folder for a picture of every screen; NULL: none
  const char *title;        // title of the game, if displayed texts must come from strings/; NULL: not checked
  bool exits;               // the game has requested to quit, restart or open a different game since the last restore
  ARRAY(screen_t *) screens;
  ARRAY(edge_t) edges;
  ARRAY(uint64_t) widgets;  // hashes of the distinct widgets
  hash_table_t pressed;     // widgets that were pressed with every device, by hash
  hash_table_t labels;      // labels of keys and buttons, by hash; empty until a text is checked
  hash_table_t texts;       // checked texts, by hash
  ARRAY(uint64_t) problems; // hashes of the messages that have been printed
  uint32_t presses, languages;
} walk_t;

// --- player.c: input and state
void walk_report(walk_t *w, const char *message); // prints a problem with the current path, once for each message
void walk_save(walk_t *w, walk_state_t *out);     // saves the game's state to `out`; release it with walk_release
void walk_release(walk_t *w, walk_state_t *s);
void walk_picture(walk_t *w, uint32_t screen, const char *language); // runs a tick and writes its picture
void walk_restore(walk_t *w, const walk_state_t *s);
void walk_skip(walk_t *w, uint32_t ticks); // like walk_wait, but does not draw
void walk_wait(walk_t *w, uint32_t ticks); // runs ticks without changing the devices, and draws the last tick
void walk_press(walk_t *w, const input_binding_t *b);  // presses and releases a control, and draws both ticks
bool walk_press_named(walk_t *w, const char *control); // like walk_press, for a name such as "key:return"
void walk_point(walk_t *w, float x, float y);          // moves the pointer
void walk_type(walk_t *w, const char *text);
bool walk_is_rebinding(walk_t *w); // returns true while the game waits for a control to bind

// --- screen.c: the visible widgets. A parameter `ui` is the result of walk_ui since the last tick.
ui_o *walk_ui(walk_t *w); // lays the widgets out, and returns them with valid columns; takes time with many widgets
uint64_t screen_signature(walk_t *w);
uint64_t screen_menu(walk_t *w); // returns the hash of the modal panel's widgets; 0 without a modal panel
// Writes the widget's kind and text, such as: button "Options".
void screen_describe_widget(walk_t *w, const ui_node_t *n, char *out, size_t bytes);
uint64_t screen_widget_hash(const ui_o *ui, const ui_node_t *n);
// Return true if keys or the pointer can press the node.
bool screen_takes_keys(const ui_o *ui, uint32_t node);
bool screen_takes_pointer(const ui_o *ui, uint32_t node);
bool screen_has_controls(walk_t *w);
shoal_entity screen_focus(walk_t *w);                    // returns the widget with the focus; 0: none
const ui_node_t *screen_find(walk_t *w, shoal_entity e); // returns the entity's node; NULL if it is not visible
const ui_node_t *screen_find_hovered(walk_t *w);         // returns the node under the pointer; NULL if there is none
uint64_t screen_geometry(walk_t *w);                     // returns a hash of the positions of all controls
void screen_check_focus(walk_t *w);                      // reports a second widget with the focus
void screen_check_prompts(walk_t *w);                    // reports texts that name keys while a pad is in use
void screen_check_layout(walk_t *w);                     // reports texts and widgets that overflow, and pale texts

// --- strings.c. Report literal texts, if `title` is set.
void strings_check_world(walk_t *w); // checks the texts in components
void strings_check_drawn(walk_t *w); // checks the texts drawn since the last tick

// --- explore.c
// Runs 30 ticks, or more until the controls stop moving. Returns the index of the screen, which is added if it is new;
// WALK_EXIT if the game has requested to end.
uint32_t walk_add_screen(walk_t *w);
void walk_explore(walk_t *w);                               // explores all screens that have not been explored
void walk_play(walk_t *w, uint32_t screen, uint32_t ticks); // plays with random actions, and adds screens
// Reports screens from which no press leads back, screens that a pad alone cannot open or leave, and actions with a key
// but without a control of a pad.
void walk_check_ways(walk_t *w);
// Checks the layout of all screens in every language except `without`; "": in all languages.
void walk_check_languages(walk_t *w, const char *without);

#endif
