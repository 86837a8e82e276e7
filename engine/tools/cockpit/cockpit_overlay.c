// Connects the overlay in the game's window: fills the overlay's view from the host, and handles its requests through
// the protocol, like requests from a page.
#include "cockpit/cockpit_overlay.h"

#include "base/assert.h"
#include "base/now.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/commands.h"
#include "cockpit/panels.h"
#include "cockpit/protocol.h"
#include "process/child.h"
#include "simulation/components.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE_US 500000.0 // interval in µs over which frame and tick rates are measured

// --- drawing

static void update_rates(cockpit_o *cockpit, uint64_t tick) {
  double now = now_us(), elapsed_us = now - cockpit->rates.start_us;
  ++cockpit->rates.frame_count;
  if (elapsed_us < RATE_US)
    return;
  bool is_forward = tick >= cockpit->rates.tick;
  cockpit->rates.frames_per_s = cockpit->rates.frame_count / elapsed_us * 1e6;
  cockpit->rates.ticks_per_s = is_forward ? (double)(tick - cockpit->rates.tick) / elapsed_us * 1e6 : 0;
  cockpit->rates.frame_count = 0;
  cockpit->rates.tick = tick;
  cockpit->rates.start_us = now;
}

void cockpit_draw(cockpit_o *cockpit) {
  host_canvas_t storage, *canvas = &storage;
  if (!cockpit || !cockpit->overlay || !host_get_canvas(cockpit->host, canvas))
    return;
  game_o *game = host_game(cockpit->host);
  host_state_t host_state;
  latch_t input;
  shoal_assert(canvas->draw && canvas->render, "draw and render must not be NULL");
  host_get_state(cockpit->host, &host_state);
  update_rates(cockpit, host_state.tick);
  platform_get_captured_input(canvas->platform, &input);
  // Commands are listed only while the overlay is open, so that startup does not read the table of commands.
  if (dev_overlay_is_open(cockpit->overlay))
    commands_list(cockpit);
  dev_overlay_view_t view = {.world = game ? game->world : NULL,
                             .render = canvas->render,
                             .sheets = game ? components_sheets(game->components) : NULL,
                             .type = render_typesetter(canvas->render),
                             .draw = canvas->draw,
                             .input = &input,
                             .width = canvas->width,
                             .height = canvas->height,
                             .now_s = now_us() * 1e-6,
                             .held = host_state.session_paused,
                             .paused = host_state.game_paused,
                             .replays = host_state.replaying,
                             .has_past = host_state.has_history,
                             .read_only = cockpit_is_read_only(cockpit),
                             .tick = host_state.tick,
                             .first_tick = host_state.first_tick,
                             .last_tick = host_state.last_tick,
                             .speed = host_state.speed,
                             .tick_rate = game ? game->config.tick_rate : GAME_DEFAULTS.tick_rate,
                             .frames_per_s = cockpit->rates.frames_per_s,
                             .ticks_per_s = cockpit->rates.ticks_per_s,
                             .selected = cockpit->selected,
                             .selected_count = cockpit->selected_count,
                             .commands = cockpit->dev_overlay_commands.items,
                             .command_count = cockpit->dev_overlay_commands.count,
                             .panels = cockpit->panels->overlay_panels,
                             .panel_count = cockpit->panels->overlay_panel_count};
  dev_overlay_draw(cockpit->overlay, &view);
}

void cockpit_overlay_begin(cockpit_o *cockpit) {
  if (host_options(cockpit->host)->headless)
    return;
  shoal_assert(!cockpit->overlay, "the overlay already exists");
  cockpit->overlay = dev_overlay_create();
  cockpit->rates.start_us = now_us();
}

void cockpit_overlay_end(cockpit_o *cockpit) {
  if (!cockpit->overlay)
    return;
  host_set_tools_open(cockpit->host, false);
  platform_capture_input(host_platform(cockpit->host), 0);
  dev_overlay_destroy(cockpit->overlay);
  cockpit->overlay = NULL;
}

// --- requests

static void show_row(cockpit_o *cockpit, const json_t *row) {
  char line[256] = "", cell[64];
  size_t i, length = 0;
  json_t *value;
  json_array_foreach((json_t *)(uintptr_t)row, i, value) {
    panels_format_cell(value, cell, sizeof cell);
    length += length < sizeof line
                  ? (size_t)snprintf(line + length, sizeof line - length, "%s%-14s", i ? "  " : "", cell)
                  : 0;
  }
  dev_overlay_print(cockpit->overlay, false, line);
}

// Shows an answer in the overlay: a table, or the result of a chunk.
static void show_response(cockpit_o *cockpit, const json_writer_t *out) {
  shoal_assert(out->text.count > 0, "the answer must not be empty");
  json_t *answer = json_loadb(out->text.items, out->text.count, 0, NULL);
  const char *result = json_string_value(json_object_get(answer, "result"));
  const json_t *rows = json_object_get(answer, "rows");
  size_t i;
  json_t *row;
  if (json_is_array(rows)) {
    show_row(cockpit, json_object_get(answer, "columns"));
    json_array_foreach((json_t *)(uintptr_t)rows, i, row) show_row(cockpit, row);
  } else if (result && result[0]) {
    dev_overlay_print(cockpit->overlay, false, result);
  }
  json_decref(answer);
}

static void run_request(cockpit_o *cockpit, const char *text) {
  error_info_t error = {0};
  json_writer_t out;
  json_t *request = json_loads(text, 0, NULL);
  shoal_assert(request, "invalid JSON from the overlay: %s", text);
  json_writer_init(&out, &cockpit->memory);
  const char *name = json_string_value(json_object_get(request, "do"));
  if (!protocol_run_request(cockpit, request, &out, &error))
    dev_overlay_print(cockpit->overlay, true, error.text);
  else if (name && (strcmp(name, "console") == 0 || strcmp(name, "lua") == 0 || strcmp(name, "sql") == 0))
    show_response(cockpit, &out);
  json_writer_fini(&out);
  json_decref(request);
}

// Opens the page with xdg-open, if installed.
static void open_page(cockpit_o *cockpit) {
  if (!cockpit->server)
    return;
  log_info(host_log(cockpit->host), "cockpit: %s", cockpit->link);
  child_launch_detached((const char *const[]){"xdg-open", cockpit->link, NULL});
}

void cockpit_overlay_frame(cockpit_o *cockpit) {
  const char *request;
  if (!cockpit->overlay)
    return;
  if (host_pop_tools_request(cockpit->host))
    dev_overlay_toggle(cockpit->overlay);
  while ((request = dev_overlay_next_request(cockpit->overlay)) != NULL) {
    if (strcmp(request, "!page") == 0)
      open_page(cockpit);
    else if (request[0] != '!')
      run_request(cockpit, request);
  }
  host_set_tools_open(cockpit->host, dev_overlay_is_open(cockpit->overlay));
  if (dev_overlay_is_open(cockpit->overlay))
    panels_update_overlay(cockpit);
  platform_capture_input(host_platform(cockpit->host), dev_overlay_get_captured_input(cockpit->overlay));
}
