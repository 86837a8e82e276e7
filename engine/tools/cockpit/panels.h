// Cockpit panels declared by games and plugins.
#ifndef SHOAL_COCKPIT_PANELS_H
#define SHOAL_COCKPIT_PANELS_H

#include "base/error.h"
#include "base/json_writer.h"
#include "cockpit/profile_panel.h"
#include "overlay/dev_overlay.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

#define PANEL_POINTS 240u // maximum number of points per plot
#define PANEL_PLOTS 8u
#define PANEL_WIDGETS 64u
#define PANEL_ROWS 12u // maximum number of rows of a table that the overlay shows
#define PANEL_CELLS 96u

typedef struct panel_plot_t {
  char label[400];
  uint32_t count;
  double points[PANEL_POINTS][2]; // x (the tick, or the position in a list) and value of each point
} panel_plot_t;

typedef struct panel_t {
  const char *title, *location, *sql; // strings borrowed from `list`; `sql` is NULL for drawn panels
  // `plot`: true if the result of `sql` is plotted as well. `stopped`: true if the panel is no longer drawn, because
  // the watchdog stopped a drawing, or because a drawing changed the world.
  bool plot, stopped;
  int64_t next_ms;       // time of the next update
  uint32_t update_count; // number of updates so far
  json_t *widgets;
  char error[1400];
  panel_plot_t *plots[PANEL_PLOTS];
  char *requests[PANEL_WIDGETS]; // protocol requests of the overlay's widgets
  dev_overlay_widget_t overlay_widgets[PANEL_WIDGETS];
  json_t *result; // result of `sql`, shown in the overlay
  const char *cells[PANEL_CELLS];
  char strings[PANEL_CELLS][64];
} panel_t;

typedef struct panels_t {
  uint64_t vm_number; // id of the VM that declared `list`
  json_t *list;
  panel_t **items;
  uint32_t count;
  dev_overlay_panel_t *overlay_panels; // panels of the overlay, updated by panels_update_overlay
  uint32_t overlay_panel_count;
  profile_panel_t profile_panel;
  char *buffer;
} panels_t;

void panels_init(cockpit_o *cockpit);
void panels_fini(cockpit_o *cockpit);

// Returns the game's { panels, commands }, or an empty object if there is no game or its code cannot list them.
const json_t *panels_list(cockpit_o *cockpit);
// Writes a panel's content as fields of the open object.
void panels_write(cockpit_o *cockpit, const char *title, json_writer_t *out);
// Calls the function of a button, slider or command that the request names, as a recorded Lua chunk. Returns true on
// success, or false with an error if the request is invalid or the chunk fails.
bool panels_press(cockpit_o *cockpit, const char *request_name, const json_t *request, json_writer_t *out,
                  error_info_t *error);
void panels_update_overlay(cockpit_o *cockpit); // updates panels.overlay_panels
// Formats a cell of a table: a string, a number, a boolean, or "–" for other values.
void panels_format_cell(const json_t *value, char *out, size_t bytes);

#endif
