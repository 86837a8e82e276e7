// Panels and commands declared by games and plugins. The VM lists them and runs their draw functions
// (scripts/shoal/kit/cockpit.lua). Tables are SQL queries. A visible panel is updated at most ten times a second, or
// less often if its updates are slow. Pressing a button runs a Lua chunk, like every change made by the cockpit.
#include "cockpit/panels.h"

#include "base/assert.h"
#include "base/now.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/edit.h"
#include "cockpit/edit_text.h"
#include "cockpit/request.h"
#include "cockpit/sql_query.h"
#include "ecs/world_hash.h"
#include "snapshot/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UPDATE_MS 100
#define MIN_PAUSE_FACTOR 50 // minimum interval between updates, as a multiple of the last update's duration
#define BUFFER_BYTES 131072u
#define CELL_COLUMNS 6u
#define FIRST_CHECKED_UPDATES 4u
#define CHECK_INTERVAL 64u

// --- list of panels

static void free_requests(panel_t *panel) {
  for (uint32_t i = 0; i < PANEL_WIDGETS; ++i) {
    free(panel->requests[i]);
    panel->requests[i] = NULL;
  }
}

static void clear_panels(cockpit_o *cockpit) {
  panels_t *panels = cockpit->panels;
  for (uint32_t i = 0; i < panels->count; ++i) {
    panel_t *panel = panels->items[i];
    json_decref(panel->widgets);
    json_decref(panel->result);
    free_requests(panel);
    for (uint32_t k = 0; k < PANEL_PLOTS; ++k)
      free(panel->plots[k]);
    free(panel);
  }
  free(panels->items);
  free(panels->overlay_panels);
  json_decref(panels->list);
  panels->items = NULL;
  panels->overlay_panels = NULL;
  panels->list = NULL;
  panels->count = panels->overlay_panel_count = 0;
}

void panels_init(cockpit_o *cockpit) {
  cockpit->panels = alloc_object(sizeof *cockpit->panels);
}

void panels_fini(cockpit_o *cockpit) {
  clear_panels(cockpit);
  free(cockpit->panels->buffer);
  free(cockpit->panels);
}

// Formats a report as "file:line: message".
static void format_report(const script_report_t *report, char *out, size_t bytes) {
  if (report->file[0] && report->line > 0)
    snprintf(out, bytes, "%s:%d: %s", report->file, report->line, report->message);
  else
    snprintf(out, bytes, "%s", report->message);
}

static json_t *run_panel(cockpit_o *cockpit, game_o *game, uint32_t panel, script_report_t *report) {
  cockpit->panels->buffer = cockpit->panels->buffer ? cockpit->panels->buffer : malloc(BUFFER_BYTES);
  shoal_assert(cockpit->panels->buffer, "out of memory for panels");
  *report = (script_report_t){.stopped = false};
  shoal_entity selected = cockpit->selected_count > 0 ? cockpit->selected[0] : 0;
  if (!vm_run_panel(game->vm, panel, selected, cockpit->panels->buffer, BUFFER_BYTES, report))
    return NULL;
  json_t *content = json_loads(cockpit->panels->buffer, 0, NULL);
  if (!content)
    snprintf(report->message, sizeof report->message,
             "the panel's content exceeds %u KB: show fewer widgets or shorter text", BUFFER_BYTES / 1024);
  return content;
}

static void add_panel(cockpit_o *cockpit, const json_t *item) {
  panels_t *panels = cockpit->panels;
  panel_t *panel = calloc(1, sizeof *panel);
  shoal_assert(panel, "out of memory for a panel");
  panel->title = get_text_member(item, "title");
  panel->location = get_text_member(item, "at");
  panel->sql = json_string_value(json_object_get(item, "sql"));
  panel->plot = json_is_true(json_object_get(item, "plot"));
  panels->items[panels->count++] = panel;
}

const json_t *panels_list(cockpit_o *cockpit) {
  panels_t *panels = cockpit->panels;
  game_o *game = host_game(cockpit->host);
  uint64_t number = game ? vm_number(game->vm) : 0;
  script_report_t report;
  size_t i;
  json_t *item;
  if (panels->list && panels->vm_number == number)
    return panels->list;
  clear_panels(cockpit);
  panels->vm_number = number;
  panels->list = game ? run_panel(cockpit, game, 0, &report) : NULL;
  panels->list = panels->list ? panels->list : json_object();
  const json_t *descriptions = json_object_get(panels->list, "panels");
  size_t count = json_array_size(descriptions);
  panels->items = calloc(count + 1, sizeof *panels->items);
  // The additional element is for the panel of profiler scopes.
  panels->overlay_panels = calloc(count + 1, sizeof *panels->overlay_panels);
  shoal_assert(panels->items && panels->overlay_panels, "out of memory for %zu panels", count);
  json_array_foreach((json_t *)(uintptr_t)descriptions, i, item) add_panel(cockpit, item);
  return panels->list;
}

static panel_t *find_panel(cockpit_o *cockpit, const char *title) {
  panels_list(cockpit);
  for (uint32_t i = 0; i < cockpit->panels->count; ++i)
    if (strcmp(cockpit->panels->items[i]->title, title) == 0)
      return cockpit->panels->items[i];
  return NULL;
}

// --- plots

static panel_plot_t *find_or_add_plot(panel_t *panel, const char *label) {
  uint32_t i = 0;
  while (i < PANEL_PLOTS && panel->plots[i] && strcmp(panel->plots[i]->label, label) != 0)
    ++i;
  if (i == PANEL_PLOTS)
    return NULL;
  if (!panel->plots[i]) {
    panel->plots[i] = calloc(1, sizeof *panel->plots[i]);
    shoal_assert(panel->plots[i], "out of memory for a plot");
    snprintf(panel->plots[i]->label, sizeof panel->plots[i]->label, "%s", label);
  }
  return panel->plots[i];
}

// Adds a point after removing all points at or after `tick`, which belong to an abandoned timeline. Drops the oldest
// point if the plot is full.
static void add_point(panel_plot_t *plot, uint64_t tick, double value) {
  while (plot->count > 0 && plot->points[plot->count - 1][0] >= (double)tick)
    --plot->count;
  if (plot->count == PANEL_POINTS)
    memmove(plot->points, plot->points + 1, --plot->count * sizeof *plot->points);
  plot->points[plot->count][0] = (double)tick;
  plot->points[plot->count++][1] = value;
}

static void replace_points(panel_plot_t *plot, const json_t *list) {
  size_t count = json_array_size(list);
  plot->count = 0;
  for (size_t i = 0; i < count && plot->count < PANEL_POINTS; ++i) {
    plot->points[plot->count][0] = (double)i + 1;
    plot->points[plot->count++][1] = json_number_value(json_array_get(list, i));
  }
}

static void record_points(panel_t *panel, uint64_t tick) {
  size_t i;
  json_t *widget;
  json_array_foreach(panel->widgets, i, widget) {
    panel_plot_t *plot = strcmp(get_text_member(widget, "kind"), "plot") == 0
                             ? find_or_add_plot(panel, get_text_member(widget, "label"))
                             : NULL;
    const json_t *list = json_object_get(widget, "points");
    if (plot && list)
      replace_points(plot, list);
    else if (plot)
      add_point(plot, tick, json_number_value(json_object_get(widget, "value")));
  }
}

// --- updating

// While a panel is drawn, scripts and host functions cannot change the world. Plugins, however, can write to columns
// directly. Such changes are detected by comparing the world's hashes before and after drawing, and are undone.
static json_t *draw_and_undo_changes(cockpit_o *cockpit, game_o *game, uint32_t number, script_report_t *report,
                                     bool *changed) {
  error_info_t error = {0};
  snapshot_o *snapshot = snapshot_create(&cockpit->memory);
  bool is_saved = snapshot_take(snapshot, game->world, &error);
  uint64_t hash = world_hash(game->world);
  json_t *widgets = run_panel(cockpit, game, number, report);
  *changed = world_hash(game->world) != hash;
  if (*changed && (!is_saved || !snapshot_restore(snapshot, game->world, &error)))
    log_error(host_log(cockpit->host), "cockpit: cannot undo a panel's changes to the world: %s", error.text);
  snapshot_release(snapshot);
  return widgets;
}

static void update_drawn_panel(cockpit_o *cockpit, game_o *game, panel_t *panel, uint32_t number) {
  script_report_t report;
  bool changed = false,
       checks_world = panel->update_count < FIRST_CHECKED_UPDATES || panel->update_count % CHECK_INTERVAL == 0;
  ++panel->update_count;
  json_t *widgets = checks_world ? draw_and_undo_changes(cockpit, game, number, &report, &changed)
                                 : run_panel(cockpit, game, number, &report);
  panel->error[0] = '\0';
  if (widgets && !changed) {
    json_decref(panel->widgets);
    panel->widgets = widgets;
    record_points(panel, world_tick(game->world));
    return;
  }
  json_decref(widgets);
  if (changed)
    snprintf(
        panel->error, sizeof panel->error,
        "%s: a panel must not change the world while it is drawn (the change was undone; the panel is not drawn again "
        "until the code changes): change the world in a button's function",
        panel->location);
  else
    format_report(&report, panel->error, sizeof panel->error);
  panel->stopped = changed || report.stopped;
}

// Runs the query of a table for the overlay. The page subscribes to the table's SQL instead.
static void update_table(cockpit_o *cockpit, panel_t *panel) {
  sql_query_desc_t query = {.text = panel->sql, .max_rows = PANEL_ROWS};
  error_info_t error = {0};
  json_writer_t out;
  bool out_of_time = false;
  json_writer_init(&out, &cockpit->memory);
  json_write_begin(&out, '{');
  bool ok = sql_query_run(cockpit, &query, sql_query_max_steps(cockpit), &out, &out_of_time, &error);
  json_write_end(&out, '}');
  json_decref(panel->result);
  panel->result = ok ? json_loadb(out.text.items, out.text.count, 0, NULL) : NULL;
  panel->error[0] = '\0';
  if (!ok)
    snprintf(panel->error, sizeof panel->error, "%s: %.900s", panel->location,
             out_of_time ? "the query is too slow for the overlay: open the cockpit page" : error.text);
  json_writer_fini(&out);
}

static void update_panel(cockpit_o *cockpit, panel_t *panel) {
  game_o *game = host_game(cockpit->host);
  int64_t began_ns = now_ns(), now_ms = began_ns / NS_PER_MS;
  if (!game || panel->stopped || now_ms < panel->next_ms)
    return;
  uint32_t number = 0;
  while (cockpit->panels->items[number] != panel)
    ++number;
  if (panel->sql)
    update_table(cockpit, panel);
  else
    update_drawn_panel(cockpit, game, panel, number + 1);
  int64_t pause_ms = (now_ns() - began_ns) * MIN_PAUSE_FACTOR / NS_PER_MS;
  panel->next_ms = now_ms + (pause_ms > UPDATE_MS ? pause_ms : UPDATE_MS);
}

// --- panels in the page

static void write_points(const panel_plot_t *plot, json_writer_t *out) {
  json_write_key(out, "points");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < plot->count; ++i) {
    json_write_begin(out, '[');
    json_write_number(out, plot->points[i][0]);
    json_write_number(out, plot->points[i][1]);
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
}

static void write_widget(panel_t *panel, const json_t *widget, json_writer_t *out) {
  static const char *const numbers[] = {"value", "min", "max", "entity"};
  static const char *const members[] = {"kind", "label", "text", "component", "instance", "field"};
  json_write_begin(out, '{');
  for (size_t i = 0; i < sizeof members / sizeof *members; ++i)
    if (json_object_get(widget, members[i]))
      json_write_pair(out, members[i], get_text_member(widget, members[i]));
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    if (json_object_get(widget, numbers[i])) {
      json_write_key(out, numbers[i]);
      json_write_number(out, json_number_value(json_object_get(widget, numbers[i])));
    }
  if (json_object_get(widget, "whole"))
    json_write_bool_pair(out, "whole", true);
  panel_plot_t *plot = strcmp(get_text_member(widget, "kind"), "plot") == 0
                           ? find_or_add_plot(panel, get_text_member(widget, "label"))
                           : NULL;
  if (plot)
    write_points(plot, out);
  json_write_end(out, '}');
}

void panels_write(cockpit_o *cockpit, const char *title, json_writer_t *out) {
  panel_t *panel = find_panel(cockpit, title);
  size_t i;
  json_t *widget;
  if (!panel) {
    json_write_pair(out, "error", "the panel no longer exists");
    return;
  }
  update_panel(cockpit, panel);
  if (panel->error[0])
    json_write_pair(out, "error", panel->error);
  json_write_bool_pair(out, "stopped", panel->stopped);
  json_write_key(out, "widgets");
  json_write_begin(out, '[');
  json_array_foreach(panel->widgets, i, widget) write_widget(panel, widget, out);
  json_write_end(out, ']');
}

// --- pressing

// Runs shoal.cockpit("Rocks", "Split", value, picked), which calls the function of the widget "Split" in the panel
// "Rocks". For a command, the first argument is its name, and the second is nil.
bool panels_press(cockpit_o *cockpit, const char *request_name, const json_t *request, json_writer_t *out,
                  error_info_t *error) {
  bool is_command = strcmp(request_name, "command") == 0;
  const char *title = json_string_value(json_object_get(request, is_command ? "name" : "panel"));
  const char *widget = json_string_value(json_object_get(request, "widget"));
  const json_t *value = json_object_get(request, "value");
  char arguments[24];
  json_writer_t chunk;
  if (!title || (!is_command && !widget))
    return error_set(error, is_command ? "“name” must be a command's name"
                                       : "“panel” and “widget” must be the panel's title and the widget's label");
  if (value && (!json_is_number(value) || !isfinite(json_number_value(value))))
    return request_reject_member(request, "value", error, "a finite number");
  json_writer_init(&chunk, &cockpit->memory);
  json_write_text(&chunk, "shoal.cockpit(");
  edit_write_text(&chunk, title);
  json_write_text(&chunk, ", ");
  if (is_command)
    json_write_text(&chunk, "nil");
  else
    edit_write_text(&chunk, widget);
  json_write_text(&chunk, ", ");
  if (value)
    edit_write_number(&chunk, json_number_value(value));
  else
    json_write_text(&chunk, "nil");
  snprintf(arguments, sizeof arguments, ", %u)\n", cockpit->selected_count ? cockpit->selected[0] : 0);
  json_write_text(&chunk, arguments);
  bool ok = edit_run(cockpit, json_writer_text(&chunk), out, error);
  json_writer_fini(&chunk);
  for (uint32_t i = 0; i < cockpit->panels->count; ++i)
    cockpit->panels->items[i]->next_ms = 0; // updates all panels in the next frame, to show the effect
  return ok;
}

// --- panels in the overlay

static char *format_request(const panel_t *panel, const json_t *widget) {
  bool is_bound = json_object_get(widget, "component") != NULL;
  json_t *request = is_bound ? json_pack("{s:s,s:I,s:s,s:s,s:s}", "do", "set", "entity",
                                         (json_int_t)json_number_value(json_object_get(widget, "entity")), "component",
                                         get_text_member(widget, "component"), "instance",
                                         get_text_member(widget, "instance"), "field", get_text_member(widget, "field"))
                             : json_pack("{s:s,s:s,s:s}", "do", "press", "panel", panel->title, "widget",
                                         get_text_member(widget, "label"));
  char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
  json_decref(request);
  if (text)
    text[strlen(text) - 1] = '\0'; // removes the closing brace: the overlay adds the value
  return text;
}

static dev_overlay_widget_kind_t parse_widget_kind(const char *name) {
  static const char *const names[] = {"label", "value", "slider", "button", "plot"};
  for (int kind = DEV_OVERLAY_LABEL; kind <= DEV_OVERLAY_PLOT; ++kind)
    if (strcmp(names[kind], name) == 0)
      return (dev_overlay_widget_kind_t)kind;
  return DEV_OVERLAY_LABEL;
}

static void show_widgets(panel_t *panel, dev_overlay_panel_t *out) {
  size_t i;
  json_t *item;
  free_requests(panel);
  json_array_foreach(panel->widgets, i, item) {
    if (out->widget_count == PANEL_WIDGETS)
      break;
    dev_overlay_widget_t *widget = &panel->overlay_widgets[out->widget_count];
    *widget = (dev_overlay_widget_t){.kind = parse_widget_kind(get_text_member(item, "kind")),
                                     .label = get_text_member(item, "label"),
                                     .is_integer = json_is_true(json_object_get(item, "whole")),
                                     .text = get_text_member(item, "text"),
                                     .value = json_number_value(json_object_get(item, "value")),
                                     .min = json_number_value(json_object_get(item, "min")),
                                     .max = json_number_value(json_object_get(item, "max"))};
    if (widget->kind == DEV_OVERLAY_SLIDER || widget->kind == DEV_OVERLAY_BUTTON)
      widget->request = panel->requests[out->widget_count] = format_request(panel, item);
    const panel_plot_t *plot = widget->kind == DEV_OVERLAY_PLOT ? find_or_add_plot(panel, widget->label) : NULL;
    widget->points = plot ? plot->points : NULL;
    widget->point_count = plot ? plot->count : 0;
    ++out->widget_count;
  }
  out->widgets = panel->overlay_widgets;
}

void panels_format_cell(const json_t *value, char *out, size_t bytes) {
  if (json_is_string(value))
    snprintf(out, bytes, "%.60s", json_string_value(value));
  else if (json_is_number(value))
    snprintf(out, bytes, "%.7g", json_number_value(value));
  else
    snprintf(out, bytes, "%s", json_is_true(value) ? "true" : json_is_false(value) ? "false" : "–");
}

static void show_row(panel_t *panel, const json_t *row, dev_overlay_panel_t *out) {
  uint32_t first_cell = out->rows * out->columns;
  if (first_cell + out->columns > PANEL_CELLS)
    return;
  for (uint32_t i = 0; i < out->columns; ++i) {
    panels_format_cell(json_array_get(row, i), panel->strings[first_cell + i], sizeof panel->strings[0]);
    panel->cells[first_cell + i] = panel->strings[first_cell + i];
  }
  ++out->rows;
}

static void show_table(panel_t *panel, dev_overlay_panel_t *out) {
  const json_t *column_names = json_object_get(panel->result, "columns"),
               *rows = json_object_get(panel->result, "rows");
  size_t i, count = json_array_size(column_names);
  json_t *row;
  if (count == 0)
    return;
  out->columns = count < CELL_COLUMNS ? (uint32_t)count : CELL_COLUMNS;
  show_row(panel, column_names, out);
  json_array_foreach((json_t *)(uintptr_t)rows, i, row) show_row(panel, row, out);
  out->cells = panel->cells;
  out->is_truncated = json_is_true(json_object_get(panel->result, "more")) || out->rows < json_array_size(rows) + 1;
}

void panels_update_overlay(cockpit_o *cockpit) {
  panels_t *panels = cockpit->panels;
  panels_list(cockpit);
  for (uint32_t i = 0; i < panels->count; ++i) {
    panel_t *panel = panels->items[i];
    dev_overlay_panel_t *overlay_panel = &panels->overlay_panels[i];
    *overlay_panel = (dev_overlay_panel_t){.title = panel->title};
    if (!dev_overlay_shows_panel(cockpit->overlay, panel->title))
      continue;
    update_panel(cockpit, panel);
    overlay_panel->error = panel->error[0] ? panel->error : NULL;
    if (panel->sql)
      show_table(panel, overlay_panel);
    else if (!overlay_panel->error)
      show_widgets(panel, overlay_panel);
  }
  const game_o *game = host_game(cockpit->host);
  panels->overlay_panel_count =
      panels->count + profile_panel_build(&panels->profile_panel, game ? game->plugins : NULL,
                                          dev_overlay_shows_panel(cockpit->overlay, PROFILE_PANEL_TITLE),
                                          (double)now_ns() / (1000.0 * NS_PER_MS),
                                          &panels->overlay_panels[panels->count]);
}
