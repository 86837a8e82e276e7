// What the files of this room share: the widgets as nodes, in the order in which they are drawn.
#ifndef SHOAL_UI_UI_INTERNAL_H
#define SHOAL_UI_UI_INTERNAL_H

#include "base/array.h"
#include "ui/ui.h"
#include "ui/widgets.h"

#define UI_NOWHERE UINT32_MAX
#define UI_DEPTH 64u // of widgets in widgets; what is deeper is not shown
#define UI_LAYER 1000
#define UI_VALUE_ROOM 3.4f // beside a slider, of its size
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

typedef struct actions_o actions_o;

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
  phrases_o *phrases; // NULL: the game has no strings
  actions_o *actions;
  input_binding_t bindings[UI_ACTIONS][UI_BINDINGS];
  uint32_t binding_count[UI_ACTIONS];
  float width, height; // of the screen
  uint32_t taken;
  bool composes;         // an entry has the focus
  uint32_t type_version; // of the fonts that the sizes are of
  float clock_s;         // of what blinks
};

// --- ui.c
// For who draws: another world than the one that was laid out last, of a step back in time, lies where its columns say.
void ui_look_again(ui_o *ui);

ui_o *ui_of_world(world_o *w); // NULL where there are no widgets

// --- actions.c
actions_o *actions_create(allocator_t *a);
void actions_destroy(actions_o *x);

// --- words.c
void ui_drop_words(ui_o *ui);

// --- tree.c
void ui_build_nodes(ui_o *ui);
// Calls about a node's columns.
static inline bool ui_is_disabled(const ui_o *ui, const ui_node_t *n) {
  return ui->at.widget.disabled[n->widget] != 0;
}
bool ui_is_modal(const ui_o *ui, const ui_node_t *n);
bool ui_takes_focus(const ui_o *ui, const ui_node_t *n);
uint32_t ui_node_of(const ui_o *ui, shoal_entity e); // UI_NOWHERE when it is not shown

// --- measure.c
void ui_forget_texts(ui_o *ui);
const char *ui_text(const ui_o *ui, uint32_t id);          // that is shown: references are looked up
const char *ui_text_as_it_is(const ui_o *ui, uint32_t id); // what a player writes
void ui_text_size(ui_o *ui, const char *text, const ui_look_t *look, float wrap, float *width, float *height);
// Shortens it with "…" until it is no wider and no higher.
void ui_fit(ui_o *ui, const ui_look_t *look, char *text, size_t text_bytes, float wrap, float most_width,
            float most_height);
const ui_look_t *ui_look(const ui_o *ui, const ui_node_t *n);
void ui_measure(ui_o *ui, uint32_t node, float most_width);
uint32_t ui_line_count(const char *text);
// Line `number` from 1 of a text: where it begins, and its bytes. NULL when there is none.
const char *ui_line(const char *text, uint32_t number, size_t *bytes);
float ui_row_height(ui_o *ui, const ui_look_t *look);
uint32_t ui_rows(ui_o *ui, const ui_node_t *n); // of a list, that are seen: as many as fit; 1 of one that is stepped

// --- layout.c
float ui_gap(const ui_o *ui, const ui_node_t *n);
float ui_padding(const ui_o *ui, const ui_node_t *n);
float ui_bar_width(const ui_o *ui, const ui_node_t *n); // what a panel that scrolls has less room by
void ui_place(ui_o *ui);

// --- hang.c
typedef enum ui_hanging_t { UI_HANGS_NOT, UI_HANGS, UI_HANGS_UNSEEN } ui_hanging_t;
void ui_find_hanging(ui_o *ui); // before a layout
// Does it hang on an entity, and where is that on the screen?
ui_hanging_t ui_hangs(const ui_o *ui, shoal_entity e, float *x, float *y);
void ui_drop_hanging(ui_o *ui); // those of the dead

// --- scroll.c
// What scrolls, once all have their places.
void ui_find_scrollers(ui_o *ui);
// The part of the screen in which the node is seen; false where that is all of it.
bool ui_clip(const ui_o *ui, const ui_node_t *n, float out[4]); // left, top, right, bottom
bool ui_is_seen_at(const ui_o *ui, const ui_node_t *n, float x, float y);
uint32_t ui_scroller_at(const ui_o *ui, uint32_t first, uint32_t end, float x, float y);
bool ui_scroll(ui_o *ui, uint32_t scroller, float by); // false where it is at its end
void ui_scroll_to(ui_o *ui, uint32_t node);            // so far that it is seen

// The bar of a panel or a list in which there is more than fits: its way, what lies on it, and what it stands for, in
// pixels of a panel or rows of a list.
typedef struct ui_bar_t {
  float x, top, way, from, length;
  float at, most, page;
} ui_bar_t;

bool ui_bar(ui_o *ui, const ui_node_t *n, ui_bar_t *out); // false: it has none
// The node whose bar the pointer is over; `at`: the node that is there otherwise, which may lie above it.
uint32_t ui_bar_at(ui_o *ui, uint32_t first, uint32_t end, uint32_t at, float x, float y);
// The pointer goes down on it: beside its handle it goes on by a page.
void ui_bar_press(ui_o *ui, uint32_t node, float y);
void ui_bar_drag(ui_o *ui, uint32_t node, float before, float y);
// The pointer holds the bar, not the widget itself: held_s is below 0 then.
bool ui_bar_is_held(const ui_o *ui, const ui_node_t *n);
void ui_bar_hold(ui_o *ui, const ui_node_t *n, bool on);

// --- controls.c
typedef struct ui_input_t {
  bool down[UI_ACTIONS], pressed[UI_ACTIONS];
  int repeats[UI_ACTIONS]; // pressed, or held for long enough
  bool mouse_down, mouse_pressed, mouse_released, mouse_moved;
  float mouse_x, mouse_y, wheel;
  double dt_s;
} ui_input_t;

void ui_emit(ui_o *ui, const char *event, const ui_node_t *n, double value, uint32_t text);
void ui_say_once(ui_o *ui, const ui_node_t *n, const char *field, const char *words, const char *hint);
void ui_read_binds(ui_o *ui);
void ui_changed(ui_o *ui, const ui_node_t *n, double value, uint32_t text);
void ui_pressed(ui_o *ui, const ui_node_t *n, double value);
void ui_submitted(ui_o *ui, const ui_node_t *n, uint32_t text);
void ui_sound(ui_o *ui, const char *name);
void ui_accept(ui_o *ui, uint32_t node);
void ui_press(ui_o *ui, uint32_t node, const ui_input_t *in); // the mouse, as it goes down
void ui_drag(ui_o *ui, uint32_t node, const ui_input_t *in);
void ui_release(ui_o *ui, uint32_t node, const ui_input_t *in);
void ui_wheel(ui_o *ui, uint32_t node, float notches);
bool ui_go_aside(ui_o *ui, uint32_t node, int step); // left and right: is it for this widget?
bool ui_go_along(ui_o *ui, uint32_t node, int step); // up and down

// --- entry.c
void ui_write(ui_o *ui, uint32_t node, const ui_input_t *in);                    // an entry with the focus
void ui_point_at_text(ui_o *ui, const ui_node_t *n, float x, bool selects);      // the cursor goes there
void ui_show_entry(const ui_o *ui, const ui_node_t *n, char *out, size_t bytes); // its text, or dots
// The first byte that is shown, so that what is before the cursor fits into the room.
size_t ui_entry_start(ui_o *ui, const ui_look_t *look, const char *text, size_t cursor, float room);

// --- dialogue.c
void ui_find_said(ui_o *ui);
void ui_talk(ui_o *ui, double dt_s);
void ui_read_on(ui_o *ui, const ui_node_t *n); // shows all of it, then ends it
bool ui_choose(ui_o *ui, const ui_node_t *n, int step);
void ui_click_dialogue(ui_o *ui, const ui_node_t *n, float y);

// Tells the platform whether somebody writes, and where.
void ui_ask_for_text(const ui_o *ui, platform_o *p);

// --- drawing.c
void ui_track(ui_o *ui, const ui_node_t *n, float *left, float *width); // of a slider

#endif
