// Developer overlay, toggled with F1: time bar, fields of the selected entities, a console for Lua and SQL, the list of
// keys, and a palette of all commands, drawn over the game. The overlay does not change the world: it queues each user
// action as a JSON request of the cockpit's protocol, which the caller reads (dev_overlay_next_request) and applies
// between two ticks. Main thread only.
#ifndef SHOAL_OVERLAY_DEV_OVERLAY_H
#define SHOAL_OVERLAY_DEV_OVERLAY_H

#include "overlay/picking.h"

typedef struct dev_overlay_o dev_overlay_o;

typedef struct dev_overlay_command_t {
  const char *name;
  const char *key;     // shortcut while the overlay is open, such as "Ctrl+Z" or "Space"; may be ""
  const char *window;  // host key that works at any time; may be ""
  const char *request; // JSON request; for an overlay action: help, console, focus, page or close
  bool is_overlay_action;
  const char *help; // one sentence; may be NULL or ""
} dev_overlay_command_t;

typedef enum dev_overlay_widget_kind_t {
  DEV_OVERLAY_LABEL,
  DEV_OVERLAY_VALUE,
  DEV_OVERLAY_SLIDER,
  DEV_OVERLAY_BUTTON,
  DEV_OVERLAY_PLOT
} dev_overlay_widget_kind_t;

typedef struct dev_overlay_widget_t {
  dev_overlay_widget_kind_t kind;
  const char *label, *text;
  double value, min, max;
  bool is_integer; // true if the slider's values are integers
  // JSON request of a slider or button, without its closing brace; a slider appends its value.
  const char *request;
  const double (*points)[2]; // points of a plot
  uint32_t point_count;
} dev_overlay_widget_t;

// A panel from a game or plugin: widgets, or a table of strings, under a title.
typedef struct dev_overlay_panel_t {
  const char *title;
  const char *error; // message to show instead of the content; NULL if there is no error
  const dev_overlay_widget_t *widgets;
  uint32_t widget_count;
  const char *const *cells; // cells of the table, row-major; the first row contains the column names
  uint32_t columns, rows;
  bool is_truncated; // true if `cells` does not contain all rows
} dev_overlay_panel_t;

// Height of the time bar, which is docked below the game's image (platform_set_strip, render_set_strip); in units of
// gui.h.
#define DEV_OVERLAY_BAR_HEIGHT 44.0f

typedef struct dev_overlay_view_t {
  world_o *world; // world that the overlay shows; NULL if the game could not start
  render_o *render;
  sheets_o *sheets;
  typesetter_o *type;
  draw_o *draw;
  const latch_t *input; // input since the last frame
  float width, height;  // screen size in logical pixels
  double now_s;
  bool held;      // true if a tool or a host key has paused the game
  bool paused;    // true if the game or a breakpoint has paused the game
  bool replays;   // true while a recording is replayed
  bool has_past;  // true if a history is recorded
  bool read_only; // true if the cockpit cannot change the game
  uint64_t tick, first_tick, last_tick;
  double speed, tick_rate, frames_per_s, ticks_per_s;
  const shoal_entity *selected;
  uint32_t selected_count;
  const dev_overlay_command_t *commands;
  uint32_t command_count;
  const dev_overlay_panel_t *panels;
  uint32_t panel_count;
} dev_overlay_view_t;

dev_overlay_o *dev_overlay_create(void);
void dev_overlay_destroy(dev_overlay_o *overlay); // accepts NULL
void dev_overlay_toggle(dev_overlay_o *overlay);
bool dev_overlay_is_open(const dev_overlay_o *overlay);
// Draws the overlay. A closed overlay draws only the badge (badge.h), and only while a tool or a host key has paused
// the game.
void dev_overlay_draw(dev_overlay_o *overlay, const dev_overlay_view_t *view);
// Returns the input that the overlay captures: a mask of PLATFORM_CAPTURE_….
uint32_t dev_overlay_get_captured_input(const dev_overlay_o *overlay);
// Returns the next queued request, valid until the next dev_overlay_draw; NULL if the queue is empty. A request that
// begins with '!' is an action: "!page" opens the page in the browser.
const char *dev_overlay_next_request(dev_overlay_o *overlay);
// Returns true if the panel with this title is unfolded; the view may omit the content of folded panels.
bool dev_overlay_shows_panel(const dev_overlay_o *overlay, const char *title);
// Adds the lines of `text`, the result of a request, to the console's output.
void dev_overlay_print(dev_overlay_o *overlay, bool is_error, const char *text);

#endif
