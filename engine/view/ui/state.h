// State of a world's widgets: the nodes in drawing order, and data cached between steps.
#ifndef SHOAL_UI_STATE_H
#define SHOAL_UI_STATE_H

#include "base/array.h"
#include "text/game_strings.h"
#include "ui/theme.h"
#include "ui/ui_types.h"
#include "ui/widgets.h"

typedef struct actions_o actions_o;
typedef struct ui_machine_o ui_machine_o;
typedef struct layout_inputs_o layout_inputs_o; // defined in layout_inputs.h
typedef struct snapshot_o snapshot_o;           // defined in snapshot/snapshot.h

#define UI_LAYER 1000 // default of ui_o.layer
#define UI_NO_NODE UINT32_MAX
#define UI_DEPTH 64u // maximum nesting depth; deeper widgets are not shown
#define UI_MAX_BINDINGS 8u
#define UI_BIND_PATHS 128u // number of cached field paths

// A widget in drawing order. Parents precede their children, subtrees are contiguous, and the topmost root is last.
typedef struct ui_node_t {
  shoal_entity entity;
  ui_kind_t kind;
  uint32_t row, widget;  // rows in the kind's component and in the component `widget`
  uint32_t parent, root; // indices of the parent node and of the root node
  uint32_t end;          // end of the subtree (exclusive)
  uint32_t depth;
  uint32_t player;          // number of the player who sees and uses the widget; 0: all players
  int32_t style;            // index of the resolved style in the theme
  float offset_x, offset_y; // offset from the widget's transform
  float min_width, min_height;
  // The last ui_measure: its maximum width, and the minimum size before the parent shrank it.
  float measured_for, measured_width, measured_height;
  float placed_width, placed_height; // minimum size when the parent last placed its children
  float line_width, line_height;     // size of a label's text without wrapping
  bool is_shrunk; // true if each layout measures the node several times, because its row is too narrow
  float x, y, width, height;
  uint32_t scroller; // index of the innermost enclosing panel that scrolls; UI_NO_NODE: no such panel
  float overflow;    // height by which a panel's contents exceed the panel, in pixels
} ui_node_t;

#define UI_MIN_OVERFLOW 1.0f // a panel scrolls if its contents exceed the panel by more than this, in pixels

typedef struct ui_root_t {
  int32_t layer;
  bool follows; // true if the root has ui_follow, so that it is drawn below the roots of its layer without ui_follow
  uint32_t serial, widget;
} ui_root_t;

// Progress of an entity's highlights, 0 to 1. Indexed by entity index.
typedef struct ui_fade_t {
  shoal_entity entity;
  float focus, hover, press;
} ui_fade_t;

// A parsed path of a bound field (bind_path.c).
typedef struct ui_cached_path_t {
  manager_o *manager; // component of the path; NULL: the slot is empty
  uint32_t path;
  bool of_entity;
  int32_t column;
  uint32_t field;       // offset of the field's name in the text
  uint32_t parse_count; // number of times that a path was parsed for this slot
  char text[96];
} ui_cached_path_t;

struct ui_o {
  ui_desc_t desc;
  world_o *world;
  allocator_t allocator;
  ui_managers_t managers;
  ui_columns_t columns;    // column pointers of the widgets; valid during a step or a layout, and while drawing
  ARRAY(ui_node_t) nodes;  // nodes of the last layout
  ARRAY(uint32_t) targets; // indices of the nodes that take input or hide nodes from the pointer, ascending
  ARRAY(ui_root_t) roots;  // root widgets, sorted by layer, then roots with ui_follow before all others, then by serial
  // Kind of each row of `widget`: kind | row << ROW_SHIFT, where `row` is the row in that kind's component.
  ARRAY(uint32_t) row_kinds;
  ARRAY(uint32_t) row_nodes;      // index of the node of each row of `widget`; UI_NO_NODE: the row has no node
  ARRAY(char) text;               // scratch memory for strings
  ARRAY(uint64_t) warning_hashes; // hashes of the messages that have been logged
  ARRAY(char) clipboard_text;     // text to copy to the clipboard, until the platform fetches it
  ARRAY(ui_fade_t) fades;
  layout_inputs_o *inputs; // inputs of the last layout
  bool has_layout;         // true if `nodes` are the layout of `inputs`
  bool has_scrollers;      // true if the nodes' `scroller` is current; false once a panel starts or stops scrolling
  // bitmaps of the nodes that the next layout measures, or whose children it places
  ARRAY(uint64_t) unmeasured, unplaced;
  bool has_unplaced_roots;                                            // true if the next layout places the roots
  uint64_t layout_count, measured_count, placed_count, rebuild_count; // work of all layouts, for ui_print_explanation
  uint64_t checked_moves;       // sum of the managers' `moves` when all widgets had a row of `widget`
  ui_cached_path_t *bind_paths; // cached paths of bound fields, UI_BIND_PATHS elements
  ui_theme_t theme;
  game_strings_o *game_strings; // strings and languages of the game; NULL if the game has no strings
  actions_o *actions;
  input_binding_t bindings[UI_ACTION_COUNT][UI_MAX_BINDINGS];
  uint32_t binding_count[UI_ACTION_COUNT];
  float width, height;              // size of the screen in logical pixels
  int32_t layer;                    // drawing layer of widgets with layer 0
  uint32_t captured;                // UI_CAPTURES_ bits for this tick
  uint32_t captured_of[INPUT_PADS]; // UI_CAPTURES_ bits of each local player, in a game that declares players
  bool is_entry_focused;            // true if a text entry has the focus
  uint32_t type_version;            // typesetter_change_count at the last layout
  float clock_s;                    // clock for blinking cursors, in seconds
  ui_machine_o *machine;       // state of this machine's interface (machine.h); NULL if the game declares no players
  const snapshot_o *confirmed; // state that the host has confirmed (ui_set_confirmed)
  // With `machine`: true while a tick applies actions, and `columns` are the world's columns.
  bool is_simulating;
  uint32_t acting_player;       // number of the player whose action is applied; 0: unknown
  player_mask_t warned_players; // players of whom a malformed or refused action was logged
};

// The player's input in a tick, mapped to widget actions.
typedef struct ui_input_t {
  bool held[UI_ACTION_COUNT], pressed[UI_ACTION_COUNT];
  int repeats[UI_ACTION_COUNT]; // number of presses, including key repeat
  bool mouse_down, mouse_pressed, mouse_released, mouse_moved;
  float mouse_x, mouse_y, wheel;
  double dt_s;
  int32_t player; // local player to whom the devices belong; -1: all devices
} ui_input_t;

// Returns true if the widget is bound to a field of an entity, and the entity is dead or lacks the component, or the
// field does not exist or cannot be written (bound_fields.c).
bool ui_has_broken_bind(const ui_o *ui, const ui_node_t *n);

// Returns true if the widget takes no input.
static inline bool ui_is_disabled(const ui_o *ui, const ui_node_t *n) {
  return ui->columns.widget.disabled[n->widget] != 0 ||
         (ui->columns.widget.of[n->widget] != 0 && ui_has_broken_bind(ui, n));
}

// Returns the index in `targets` of the first target that is not before `node`.
uint32_t ui_find_target(const ui_o *ui, uint32_t node);
// Mark a node so that the next layout measures the node again, places its children again, or places the node in its
// parent again.
static inline void ui_mark_unmeasured(ui_o *ui, uint32_t node) {
  ui->unmeasured.items[node / 64] |= UINT64_C(1) << node % 64;
}

static inline void ui_mark_unplaced(ui_o *ui, uint32_t node) {
  ui->unplaced.items[node / 64] |= UINT64_C(1) << node % 64;
}

static inline void ui_mark_moved(ui_o *ui, uint32_t node) {
  if (ui->nodes.items[node].parent == UI_NO_NODE)
    ui->has_unplaced_roots = true;
  else
    ui_mark_unplaced(ui, ui->nodes.items[node].parent);
}

static inline bool ui_is_unmeasured(const ui_o *ui, uint32_t node) {
  return ui->unmeasured.items[node / 64] >> node % 64 & 1;
}

static inline bool ui_is_unplaced(const ui_o *ui, uint32_t node) {
  return ui->unplaced.items[node / 64] >> node % 64 & 1;
}

// Stores the column pointers in ui->columns: of the world or, for derived fields, of this machine (machine.h).
void ui_get_columns(ui_o *ui);
ui_o *ui_of_world(world_o *w); // returns the world's widgets; NULL if it has no widgets
// Plays a sound of the theme; does nothing if `name` is "".
void ui_play_sound(ui_o *ui, const char *name);
// Logs a warning about a widget's field, once per entity and message.
void ui_warn_once(ui_o *ui, const ui_node_t *n, const char *field, const char *message, const char *hint);

#endif
