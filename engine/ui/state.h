// The state of the widgets of a world: the widgets as nodes, in the order in which they are drawn, and what is kept
// between steps.
#ifndef SHOAL_UI_STATE_H
#define SHOAL_UI_STATE_H

#include "base/array.h"
#include "ui/actions.h"
#include "ui/ui.h"
#include "ui/widgets.h"

#define UI_NOWHERE UINT32_MAX
#define UI_DEPTH 64u // of widgets in widgets; what is deeper is not shown
#define UI_BINDINGS 8u
#define UI_SIZES 4096u // of texts that are remembered

// Parents stand before their children, which follow one another; roots are sorted, the topmost last.
typedef struct ui_node_t {
  shoal_entity entity;
  ui_kind_t kind;
  uint32_t row, widget;  // of its kind's component and of widget
  uint32_t parent, root; // nodes
  uint32_t end;          // behind the last one below it
  uint32_t depth;
  int32_t style;            // number in the theme
  float offset_x, offset_y; // of its transform
  float least_width, least_height;
  float x, y, width, height;
  uint32_t scroller; // the panel around it that holds more than fits, UI_NOWHERE where there is none
  float over;        // of a panel that scrolls: how much more there is
} ui_node_t;

#define UI_SCROLLS 1.0f // what is over by less than that does not scroll

typedef struct ui_root_t {
  int32_t layer;
  uint32_t serial, widget;
} ui_root_t;

typedef struct ui_size_t {
  uint64_t key;
  float width, height;
} ui_size_t;

// How far a highlight has come, of an entity's index.
typedef struct ui_fade_t {
  shoal_entity entity;
  float focus, hover, press;
} ui_fade_t;

struct ui_o {
  ui_desc_t desc;
  world_o *world;
  allocator_t allocator;
  ui_managers_t managers;
  ui_columns_t at;           // open during a step, a layout and while drawing
  ARRAY(ui_node_t) nodes;    // as of the last layout
  ARRAY(ui_root_t) roots;    // sorted
  ARRAY(uint32_t) row_kinds; // by widget row: kind, and row of the kind behind it
  ARRAY(char) text;          // scratch
  ARRAY(uint64_t) said;      // what was complained about
  ARRAY(char) copied;        // for the clipboard, until the platform has it
  ARRAY(ui_fade_t) fades;
  uint64_t laid; // hash over the columns as the last layout left them
  bool is_laid;
  ui_size_t *sizes; // UI_SIZES
  ui_theme_t theme;
  game_strings_o *phrases; // NULL: the game has no strings
  actions_o *actions;
  input_binding_t bindings[UI_ACTIONS][UI_BINDINGS];
  uint32_t binding_count[UI_ACTIONS];
  float width, height; // of the screen
  uint32_t taken;
  bool composes;         // an entry has the focus
  uint32_t type_version; // of the fonts that the sizes are of
  float clock_s;         // of what blinks
};

// The player's input of a tick, as actions of widgets.
typedef struct ui_input_t {
  bool down[UI_ACTIONS], pressed[UI_ACTIONS];
  int repeats[UI_ACTIONS]; // pressed, or held for long enough
  bool mouse_down, mouse_pressed, mouse_released, mouse_moved;
  float mouse_x, mouse_y, wheel;
  double dt_s;
} ui_input_t;

static inline bool ui_is_disabled(const ui_o *ui, const ui_node_t *n) {
  return ui->at.widget.disabled[n->widget] != 0;
}

ui_o *ui_of_world(world_o *w); // NULL if the world has no widgets
void ui_sound(ui_o *ui, const char *name);
// Logs a message about a widget's field, once for each entity and message.
void ui_say_once(ui_o *ui, const ui_node_t *n, const char *field, const char *words, const char *hint);

#endif
