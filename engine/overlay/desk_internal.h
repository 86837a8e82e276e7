// What the files of the overlay share. Private to engine/overlay.
#ifndef SHOAL_OVERLAY_DESK_INTERNAL_H
#define SHOAL_OVERLAY_DESK_INTERNAL_H

#include "base/array.h"
#include "overlay/brush.h"
#include "overlay/desk.h"
#include "overlay/line_edit.h"

#define DESK_LINES 10u   // that the console shows
#define DESK_HISTORY 32u // of what was written
#define DESK_FOLDED 32u  // panels
#define DESK_MOVES 64u   // entities that are dragged together

typedef struct desk_line_t {
  char text[256];
  brush_look_t look;
  double said_s;
} desk_line_t;

typedef enum desk_drag_t {
  DRAG_NONE,
  DRAG_TIME,
  DRAG_FIELD,
  DRAG_PRESS, // in the picture, and not yet moved
  DRAG_MOVE,
  DRAG_BOX,
  DRAG_SLIDER,
  DRAG_ELSEWHERE // what went down on a panel is nobody's business in the picture
} desk_drag_t;

typedef struct desk_moved_t {
  shoal_entity entity;
  double x, y; // of its transform, when it began
} desk_moved_t;

struct desk_o {
  bool open, help, palette, writes; // writes: the console has the keyboard
  bool held, reads;                 // as of the last frame
  line_edit_t line, search;
  char history[DESK_HISTORY][LINE_EDIT_BYTES];
  uint32_t history_count, history_at;
  desk_line_t lines[DESK_LINES]; // a ring
  uint32_t line_count;
  uint32_t chosen; // in the palette
  float scroll;    // of the fields, in units
  float wheel;     // since the last frame
  desk_drag_t drag;
  bool drag_began;           // the first wish of it was told: it is one change with those after it
  float from_x, from_y;      // where it went down, in units
  float last_x, last_y;      // of the drag's last wish
  float click_x, click_y;    // of the last click in the picture
  shoal_entity field_entity; // what is dragged
  char field_component[COMPONENT_NAME_MAX], field_instance[64], field_name[FIELD_NAME_MAX];
  double field_from, field_step;
  bool field_whole;
  uint64_t sought;
  char slider[400];             // that is dragged: its wish
  double slid;                  // to what, last
  char folded[DESK_FOLDED][64]; // titles of panels that are not shown
  desk_moved_t moved[DESK_MOVES];
  uint32_t moved_count;
  ARRAY(char) wishes; // one after the other, each with its '\0'
  uint32_t wish_at;
  allocator_t memory;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void desk_wants(desk_o *d, const char *form, ...);           // desk.c
const char *desk_quote(const char *text, char *out, size_t bytes); // as a text of JSON, without its quotation marks
void desk_do(desk_o *d, const desk_command_t *c);                  // desk.c: a command of the table
bool desk_shift(const desk_view_t *v);

void desk_bar(desk_o *d, brush_t *b, const desk_view_t *v);                 // desk_panels.c
float desk_keys(desk_o *d, brush_t *b, const desk_view_t *v);               // the help; returns its right end
void desk_own_panels(desk_o *d, brush_t *b, const desk_view_t *v, float x); // desk_widgets.c: of games and plugins
void desk_console(desk_o *d, brush_t *b, const desk_view_t *v);             // and what it has answered
void desk_palette(desk_o *d, brush_t *b, const desk_view_t *v);
void desk_badge(brush_t *b, const desk_view_t *v);
void desk_fields(desk_o *d, brush_t *b, const desk_view_t *v); // desk_fields.c
void desk_drag_field(desk_o *d, brush_t *b);
void desk_picture(desk_o *d, brush_t *b, const desk_view_t *v); // desk_pick.c: what the mouse does in the picture
void desk_outlines(brush_t *b, const desk_view_t *v);

#endif
