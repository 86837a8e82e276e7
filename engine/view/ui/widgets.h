// Components of widgets, and views of their columns. docs/ui.md documents the fields. If the game declares a component
// with one of these names, the built-in component is called shoal.NAME instead.
#ifndef SHOAL_UI_WIDGETS_H
#define SHOAL_UI_WIDGETS_H

#include "components/builtin.h"
#include "transform/transform.h"

#define UI_READ_ONLY .flags = SHOAL_READ_ONLY
#define UI_HIDDEN .flags = SHOAL_HIDDEN | SHOAL_READ_ONLY
#define UI_ANCHORS "centre top_left top top_right left right bottom_left bottom bottom_right fill"

// at_*: position and size from the last layout. serial: grows with each new widget, so newer roots are drawn on top; 0
// for a new row. had_focus: value of `focused` after the last step, to detect that a script moved the focus. held_s:
// how long a key is held, in seconds; negative while the pointer holds the widget's scroll bar. focus_request: in games
// that declare players, tick of a script's latest focus request (machine.h).
// clang-format off
#define WIDGET_FIELDS(F)                                                                                               \
  F(f32, width, 0, .unit = "px", .doc = "0: width of the contents")                                                    \
  F(f32, height, 0, .unit = "px", .doc = "0: height of the contents")                                                  \
  F(f32, grow, 0, .doc = "share of the remaining space") F(f32, margin, 0, .unit = "px")                               \
  F(enum, anchor, UI_ANCHORS) F(i32, layer, 0, .doc = "higher layers are drawn on top") F(bool, visible, 1)            \
  F(bool, disabled, 0) F(bool, focused, 0) F(bool, hovered, 0, UI_READ_ONLY) F(bool, held, 0, UI_READ_ONLY)            \
  F(f32, at_x, 0, UI_READ_ONLY, .unit = "px", .doc = "position on screen")                                             \
  F(f32, at_y, 0, UI_READ_ONLY, .unit = "px")                                                                          \
  F(f32, at_width, 0, UI_READ_ONLY, .unit = "px") F(f32, at_height, 0, UI_READ_ONLY, .unit = "px")                     \
  F(u32, serial, 0, UI_HIDDEN) F(bool, had_focus, 0, UI_HIDDEN) F(f32, held_s, 0, UI_HIDDEN)                           \
  F(entity, of, .doc = "entity whose field `bind` names: health.hp")                                                   \
  F(i32, player, 0, .doc = "player who sees and uses the widget and its children; 0: all players")                     \
  F(u32, focus_request, 0, UI_HIDDEN)
// last: the child that last had the focus. This child receives the focus again when the panel does.
#define PANEL_FIELDS(F)                                                                                                \
  F(enum, layout, "column row grid stack") F(u32, columns, 2, .doc = "number of columns of a grid")                    \
  F(f32, gap, -1, .unit = "px", .doc = "space between children; -1: set by the theme")                                 \
  F(f32, padding, -1, .unit = "px", .doc = "-1: set by the theme") F(enum, align, "stretch start centre end")          \
  F(enum, justify, "start centre end apart") F(bool, modal, 0, .doc = "receives all input while visible")              \
  F(bool, keys, 1, .doc = "false: only the pointer reaches the children")                                              \
  F(f32, scroll, 0, .unit = "px", .doc = "scroll offset if the children do not fit") F(string, style, "")              \
  F(entity, last, .flags = SHOAL_HIDDEN | SHOAL_READ_ONLY)
#define LABEL_FIELDS(F)                                                                                                \
  F(string, text, "") F(enum, align, "theme start centre end") F(bool, wrap, 0)                                        \
  F(vec4, colour, 0, 0, 0, 0, .doc = "transparent: the colour of the style")                                           \
  F(asset, image, "", .doc = "stretched to the widget's width and height")                                             \
  F(i32, frame, 1, .doc = "number of the frame in the sheet, starting at 1")                                           \
  F(string, style, "") F(bool, markup, 0, .doc = "interprets tags in brackets; [prompt=jump] shows a key")
#define BUTTON_FIELDS(F)                                                                                               \
  F(string, text, "") F(asset, image, "") F(string, emits, "", .doc = "game event to emit")                            \
  F(bool, cancel, 0, .doc = "ui_back presses this button") F(string, style, "")
#define SLIDER_FIELDS(F)                                                                                               \
  F(string, text, "") F(f32, value, 0) F(f32, min, 0) F(f32, max, 1) F(f32, step, 0, .doc = "0: any value")            \
  F(string, emits, "", .doc = "game event to emit") F(string, bind, "", .doc = "field of a singleton: settings.music") \
  F(string, style, "")
#define CHECKBOX_FIELDS(F)                                                                                             \
  F(string, text, "") F(bool, value, 0) F(string, emits, "", .doc = "game event to emit")                              \
  F(string, bind, "", .doc = "field of a singleton: settings.music") F(string, style, "")
#define LIST_FIELDS(F)                                                                                                 \
  F(string, items, "", .doc = "one item per line")                                                                     \
  F(u32, selected, 1, .doc = "number of the selected item, starting at 1; 0: none")                                    \
  F(u32, rows, 8, .doc = "number of visible rows; 1: left and right change the selection")                             \
  F(u32, first, 1, .doc = "number of the first visible row") F(string, text, "")                                       \
  F(string, emits, "", .doc = "game event to emit") F(string, bind, "", .doc = "field of a singleton: settings.music") \
  F(string, style, "")
#define ENTRY_FIELDS(F)                                                                                                \
  F(string, text, "") F(string, placeholder, "", .doc = "text shown while the entry is empty")                         \
  F(u32, max, 64, .doc = "maximum number of characters") F(bool, secret, 0, .doc = "shows dots")                       \
  F(i32, cursor, -1, .doc = "number of characters before the cursor; -1: at the end")                                  \
  F(i32, selection, 0, .doc = "number of selected characters after the cursor; negative: before the cursor")           \
  F(string, composing, "", UI_READ_ONLY, .doc = "text that an input method is about to insert")                        \
  F(string, emits, "", .doc = "game event to emit") F(string, bind, "", .doc = "field of a singleton: settings.music") \
  F(string, style, "")
#define BAR_FIELDS(F)                                                                                                  \
  F(f32, value, 1) F(f32, max, 1) F(string, text, "")                                                                  \
  F(vec4, colour, 0, 0, 0, 0, .doc = "transparent: the colour of the style")                                           \
  F(string, bind, "", .doc = "field of a singleton: settings.music") F(string, style, "")
// says, by, options: displayed text, speaker and choices, either from this row or from the sequence line `source`.
#define DIALOGUE_FIELDS(F)                                                                                             \
  F(string, text, "") F(string, speaker, "") F(asset, portrait, "")                                                    \
  F(string, choices, "", .doc = "one choice per line") F(u32, choice, 1, .doc = "number of the marked choice")         \
  F(f32, speed, 45, .unit = "1/s", .doc = "characters per second; 0: all at once")                                     \
  F(f32, shown, 0, .doc = "number of visible characters")                                                              \
  F(bool, modal, 1, .doc = "receives all input while visible") F(string, style, "") F(string, says, "", UI_HIDDEN)     \
  F(string, by, "", UI_HIDDEN) F(string, options, "", UI_HIDDEN) F(entity, source, UI_HIDDEN)
// Anchors a widget to an entity. offset_x, offset_y: distance in world pixels. at_x, at_y and shown are results of the
// last layout.
#define UI_FOLLOW_FIELDS(F)                                                                                            \
  F(entity, target, .doc = "entity to follow (default: the widget's parent)")                                          \
  F(f32, offset_x, 0, .unit = "px", .doc = "offset in the world")                                                      \
  F(f32, offset_y, 0, .unit = "px") F(f32, at_x, 0, UI_HIDDEN) F(f32, at_y, 0, UI_HIDDEN) F(bool, shown, 0, UI_HIDDEN)
// clang-format on

BUILTIN_COMPONENT(widget, WIDGET_FIELDS)
BUILTIN_COMPONENT(panel, PANEL_FIELDS)
BUILTIN_COMPONENT(label, LABEL_FIELDS)
BUILTIN_COMPONENT(button, BUTTON_FIELDS)
BUILTIN_COMPONENT(slider, SLIDER_FIELDS)
BUILTIN_COMPONENT(checkbox, CHECKBOX_FIELDS)
BUILTIN_COMPONENT(list, LIST_FIELDS)
BUILTIN_COMPONENT(entry, ENTRY_FIELDS)
BUILTIN_COMPONENT(bar, BAR_FIELDS)
BUILTIN_COMPONENT(dialogue, DIALOGUE_FIELDS)
BUILTIN_COMPONENT(ui_follow, UI_FOLLOW_FIELDS)

typedef enum ui_kind_t {
  UI_NONE,
  UI_PANEL,
  UI_LABEL,
  UI_BUTTON,
  UI_SLIDER,
  UI_CHECKBOX,
  UI_LIST,
  UI_ENTRY,
  UI_BAR,
  UI_DIALOGUE,
  UI_KIND_COUNT
} ui_kind_t;

enum {
  ANCHOR_CENTRE,
  ANCHOR_TOP_LEFT,
  ANCHOR_TOP,
  ANCHOR_TOP_RIGHT,
  ANCHOR_LEFT,
  ANCHOR_RIGHT,
  ANCHOR_BOTTOM_LEFT,
  ANCHOR_BOTTOM,
  ANCHOR_BOTTOM_RIGHT,
  ANCHOR_FILL
};
enum { LAYOUT_COLUMN, LAYOUT_ROW, LAYOUT_GRID, LAYOUT_STACK };
enum { ALIGN_STRETCH, ALIGN_START, ALIGN_CENTRE, ALIGN_END };
enum { JUSTIFY_START, JUSTIFY_CENTRE, JUSTIFY_END, JUSTIFY_SPACE_BETWEEN };

// Column pointers, borrowed until rows are added or removed.
typedef struct ui_columns_t {
  widget_columns widget;
  panel_columns panel;
  label_columns label;
  button_columns button;
  slider_columns slider;
  checkbox_columns checkbox;
  list_columns list;
  entry_columns entry;
  bar_columns bar;
  dialogue_columns dialogue;
  ui_follow_columns follow;
  transform_columns transform;
} ui_columns_t;

typedef struct ui_managers_t {
  manager_o *widget, *transform, *follow;
  manager_o *kinds[UI_KIND_COUNT]; // managers of the kinds' components; the entry of UI_NONE is NULL
} ui_managers_t;

// Declares the components of widgets and stores their managers. Returns true on success, or false with an error.
bool widgets_declare(world_o *w, ui_managers_t *out, error_info_t *error);
// Stores the column pointers of all widget components.
void widgets_get_columns(const ui_managers_t *m, ui_columns_t *out);
// Returns the name of a kind's component.
const char *ui_kind_name(ui_kind_t kind);

#endif
