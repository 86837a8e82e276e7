// The overlay for people at work: over the picture of a game in its window, F1 shows a bar of time, what is picked with
// its fields, a line for Lua and SQL, the keys, and a palette of all commands. It reads the world and changes nothing:
// what somebody wants is written down as a wish, a request in JSON as the cockpit's protocol has them, for whoever
// carries it out between two ticks. Main thread.
#ifndef SHOAL_OVERLAY_DESK_H
#define SHOAL_OVERLAY_DESK_H

#include "overlay/picking.h"

typedef struct desk_o desk_o;

typedef struct desk_command_t {
  const char *name;
  const char *key;    // "Ctrl+Z", "Space": while the overlay is open; "" for none
  const char *window; // the host's, at any time; "" for none
  const char *wish;   // JSON; or, with `own`, the word of something that the overlay does: help, console, page, close
  bool own;
  const char *help; // a sentence; NULL and "" for none
} desk_command_t;

typedef enum desk_widget_kind_t { DESK_LABEL, DESK_VALUE, DESK_SLIDER, DESK_BUTTON, DESK_PLOT } desk_widget_kind_t;

typedef struct desk_widget_t {
  desk_widget_kind_t kind;
  const char *label, *text;
  double value, min, max;
  bool whole; // a slider of whole numbers
  // Of a slider and a button: the request in JSON without its last bracket; to a slider's its value is added.
  const char *wish;
  const double (*points)[2]; // of a plot
  uint32_t point_count;
} desk_widget_t;

// Of a game or a plugin: widgets, or a table of texts, under a title.
typedef struct desk_panel_t {
  const char *title;
  const char *error; // in place of the rest; NULL for none
  const desk_widget_t *widgets;
  uint32_t widget_count;
  const char *const *cells; // row by row, the first one names the columns
  uint32_t columns, rows;
  bool more; // rows than these
} desk_panel_t;

typedef struct desk_view_t {
  world_o *world; // NULL while the game could not start
  render_o *render;
  sheets_o *sheets;
  typesetter_o *type;
  draw_o *draw;
  const latch_t *heard; // since the last frame
  float width, height;  // of the screen, in logical pixels
  double now_s;
  bool held, paused, replays, has_past, reads; // reads: nothing can be changed
  uint64_t tick, first, last;
  double speed, tick_rate, frames_s, ticks_s;
  const shoal_entity *picked;
  uint32_t picked_count;
  const desk_command_t *commands;
  uint32_t command_count;
  const desk_panel_t *panels;
  uint32_t panel_count;
} desk_view_t;

desk_o *desk_create(void);
void desk_destroy(desk_o *d); // NULL is fine
void desk_toggle(desk_o *d);
bool desk_is_open(const desk_o *d);
// Closed, it shows only that the game is held.
void desk_draw(desk_o *d, const desk_view_t *v);
// What it has of keyboard and mouse from now on: PLATFORM_TAKES_….
uint32_t desk_takes(const desk_o *d);
// The next wish since the last call, valid until the next desk_draw; NULL when there is none. A wish that begins with
// '!' is a word: "!page" opens the page in the browser.
const char *desk_wish(desk_o *d);
// Is the panel of this title to be shown with what is in it? Else its title is enough.
bool desk_shows_panel(const desk_o *d, const char *title);
// A line below the console: what came of a wish.
void desk_tell(desk_o *d, bool bad, const char *text);

#endif
