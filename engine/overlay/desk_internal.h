// State shared by the files of the overlay. Private to engine/overlay.
#ifndef SHOAL_OVERLAY_DESK_INTERNAL_H
#define SHOAL_OVERLAY_DESK_INTERNAL_H

#include "base/array.h"
#include "overlay/gui.h"
#include "overlay/desk.h"
#include "overlay/line_edit.h"

#define DESK_LINES 10u   // output lines shown below the console
#define DESK_HISTORY 32u // maximum number of console lines in the history
#define DESK_FOLDED 32u  // maximum number of folded panels
#define DESK_MOVES 64u   // maximum number of entities that can be dragged together

typedef struct desk_line_t {
  char text[256];
  gui_look_t look;
  double printed_s;
} desk_line_t;

typedef enum desk_drag_t {
  DRAG_NONE,
  DRAG_TIME,
  DRAG_FIELD,
  DRAG_PRESS, // the button was pressed on the game's image; the mouse has not moved yet
  DRAG_MOVE,
  DRAG_BOX,
  DRAG_SLIDER,
  DRAG_ELSEWHERE // the button was pressed on a panel; ignored by the game's image
} desk_drag_t;

typedef struct desk_moved_t {
  shoal_entity entity;
  double x, y; // position of the entity's transform when the drag began
} desk_moved_t;

struct desk_o {
  bool open, help, palette;
  bool console_focused; // the console has the keyboard focus
  bool held, read_only; // copied from the last desk_view_t
  line_edit_t line, search;
  char history[DESK_HISTORY][LINE_EDIT_BYTES];
  uint32_t history_count, history_at;
  desk_line_t lines[DESK_LINES]; // ring buffer
  uint32_t line_count;
  uint32_t chosen; // selected row of the palette
  float scroll;    // scroll offset of the fields, in units
  float wheel;     // wheel movement since the last frame
  desk_drag_t drag;
  bool drag_began;           // the drag's first request was sent; further requests extend the same undo step
  float from_x, from_y;      // position at which the button was pressed, in units
  float last_x, last_y;      // position of the drag's last request
  float click_x, click_y;    // position of the last click on the game's image
  shoal_entity field_entity; // entity whose field is dragged
  char field_component[COMPONENT_NAME_MAX], field_instance[64], field_name[FIELD_NAME_MAX];
  double field_from, field_step;
  bool field_whole;
  uint64_t sought;
  char slider[400];             // request of the slider that is dragged
  double slider_value;          // last value requested by that slider
  char folded[DESK_FOLDED][64]; // titles of folded panels
  desk_moved_t moved[DESK_MOVES];
  uint32_t moved_count;
  ARRAY(char) requests; // queued requests, each terminated by '\0'
  uint32_t request_at;
  allocator_t memory;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void desk_request(desk_o *d, const char *form, ...); // desk.c: queues a request
// Writes `text`, escaped for a JSON string but without quotation marks, to `out`, and returns `out`.
const char *desk_quote(const char *text, char *out, size_t bytes);
void desk_run(desk_o *d, const desk_command_t *c); // desk.c: runs a command of the table
bool desk_shift(const desk_view_t *v);

void desk_bar(desk_o *d, gui_t *b, const desk_view_t *v);   // desk_panels.c
float desk_keys(desk_o *d, gui_t *b, const desk_view_t *v); // draws the list of keys; returns its right edge
void desk_game_panels(desk_o *d, gui_t *b, const desk_view_t *v,
                      // desk_widgets.c: panels of games and plugins
                      float x);
void desk_console(desk_o *d, gui_t *b, const desk_view_t *v); // desk_panels.c: console line and output
void desk_palette(desk_o *d, gui_t *b, const desk_view_t *v);
void desk_badge(gui_t *b, const desk_view_t *v);
void desk_fields(desk_o *d, gui_t *b, const desk_view_t *v); // desk_fields.c
void desk_drag_field(desk_o *d, gui_t *b);
void desk_pick(desk_o *d, gui_t *b, const desk_view_t *v); // desk_pick.c: mouse input on the game's image
void desk_outlines(gui_t *b, const desk_view_t *v);

#endif
