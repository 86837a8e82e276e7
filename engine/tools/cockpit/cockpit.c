// Life cycle and frame of the cockpit. Each frame answers messages until they have used up the frame's CPU time.
// Further messages wait.
#include "cockpit/cockpit.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/now.h"
#include "cockpit/budget.h"
#include "cockpit/child_query.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/commands.h"
#include "cockpit/connections.h"
#include "cockpit/event_log.h"
#include "cockpit/cockpit_overlay.h"
#include "cockpit/subscriptions.h"
#include "cockpit/access_token.h"
#include "cockpit/panels.h"
#include "cockpit/profile.h"
#include "cockpit/protocol.h"
#include "cockpit/undo_stack.h"
#include "process/child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Requests are answered until the debt exceeds this value. Subscriptions wait until there is no debt.
#define ANSWER_DEBT_US 3000.0
// Number of messages that each frame handles before it checks the credit again. cockpit_frame has already checked the
// credit once.
#define MIN_MESSAGES 1u

// --- life cycle

static void store_log_line(void *context, log_level_t level, const char *line) {
  cockpit_o *cockpit = context;
  log_line_t *entry = &cockpit->log_lines[cockpit->log_line_count % LOG_LINES];
  host_state_t host_state;
  host_get_state(cockpit->host, &host_state);
  entry->number = ++cockpit->log_line_count;
  entry->tick = host_state.tick;
  entry->level = level;
  snprintf(entry->text, sizeof entry->text, "%s", line);
}

// By default, the cockpit opens only during development: not in headless or packaged games, in an embedding program's
// window, without a file watch, in matches, or in runs with a fixed end (--ticks, --screenshot, --replay).
static bool is_enabled(const options_t *options) {
  if (options->cockpit != OPTIONS_COCKPIT_DEFAULT)
    return options->cockpit == OPTIONS_COCKPIT_ON;
  return !options->headless && !options->package && !options->window && options->watch != FILE_WATCH_OFF &&
         !options->has_ticks && !options->screenshot && !options->replay && !options_start_match(options);
}

static bool open_server(cockpit_o *cockpit, error_info_t *error) {
  char folder[PATH_MAX_BYTES + 16];
  const options_t *options = host_options(cockpit->host);
  server_desc_t desc = {.port = options->cockpit_port ? options->cockpit_port : COCKPIT_PORT,
                        .ports = options->cockpit_port ? 1 : COCKPIT_PORTS,
                        .token = cockpit->token,
                        .folder = path_join(folder, sizeof folder, host_get_paths(cockpit->host)->assets, "cockpit")};
  cockpit->server = server_create(&desc, error);
  if (!cockpit->server)
    return false;
  snprintf(cockpit->link, sizeof cockpit->link, "http://127.0.0.1:%u/%s/", server_get_port(cockpit->server),
           cockpit->token);
  return access_token_write_link(server_get_port(cockpit->server), cockpit->link, cockpit->token_file,
                                 sizeof cockpit->token_file, error);
}

cockpit_o *cockpit_create(host_o *h, error_info_t *error) {
  const options_t *options = host_options(h);
  error->text[0] = '\0';
  if (!is_enabled(options))
    return NULL;
  allocator_t memory = {0};
  cockpit_o *cockpit = alloc_resize(&memory, NULL, 0, sizeof *cockpit);
  memset(cockpit, 0, sizeof *cockpit);
  cockpit->memory = memory;
  cockpit->host = h;
  cockpit->log_lines = alloc_resize(&cockpit->memory, NULL, 0, LOG_LINES * sizeof *cockpit->log_lines);
  json_writer_init(&cockpit->out, &cockpit->memory);
  child_query_init(cockpit);
  profile_init(cockpit);
  event_log_init(cockpit);
  undo_stack_init(cockpit);
  panels_init(cockpit);
  log_set_listener(host_log(h), store_log_line, cockpit);
  if (access_token_generate(cockpit->token, error) && open_server(cockpit, error)) {
    log_hide_in_file(host_log(h), cockpit->token); // a process that knows the token can control the game
    log_info(host_log(h), "cockpit: %s%s", cockpit->link, options->headless ? "" : " (F1 for the overlay)");
    cockpit_overlay_begin(cockpit);
    return cockpit;
  }
  // Continues without a server, because the cockpit was not requested explicitly and the overlay needs no server.
  if (options->cockpit == OPTIONS_COCKPIT_DEFAULT) {
    log_info(host_log(h), "cockpit: %s", error->text);
    error->text[0] = '\0';
    server_destroy(cockpit->server);
    cockpit->server = NULL;
    cockpit_overlay_begin(cockpit);
    return cockpit;
  }
  cockpit_destroy(cockpit);
  return NULL;
}

void cockpit_destroy(cockpit_o *cockpit) {
  if (!cockpit)
    return;
  log_set_listener(host_log(cockpit->host), NULL, NULL);
  log_hide_in_file(host_log(cockpit->host), NULL);
  cockpit_overlay_end(cockpit);
  commands_free(cockpit);
  panels_fini(cockpit);
  child_query_fini(cockpit);
  while (cockpit->client_count > 0)
    connections_remove(cockpit, cockpit->clients[0]->number);
  server_destroy(cockpit->server);
  if (cockpit->token_file[0])
    remove(cockpit->token_file);
  undo_stack_fini(cockpit);
  event_log_fini(cockpit);
  profile_fini(cockpit);
  array_free(&cockpit->memory, &cockpit->id_changes);
  array_free(&cockpit->memory, &cockpit->edit_names);
  json_writer_fini(&cockpit->out);
  alloc_resize(&cockpit->memory, cockpit->log_lines, LOG_LINES * sizeof *cockpit->log_lines, 0);
  allocator_t memory = cockpit->memory;
  alloc_resize(&memory, cockpit, sizeof *cockpit, 0);
  shoal_assert(memory.bytes == 0, "the cockpit leaked %zu bytes", memory.bytes);
}

// --- frame

static void handle_messages(cockpit_o *cockpit) {
  server_message_t message;
  for (uint32_t i = 0;
       (i < MIN_MESSAGES || cockpit->credit_us >= -ANSWER_DEBT_US) && server_pop_message(cockpit->server, &message);
       ++i) {
    double start_us = budget_now_us();
    client_state_t *client = connections_find(cockpit, message.client);
    if (message.kind == SERVER_CONNECTED)
      connections_add(cockpit, message.client);
    else if (message.kind == SERVER_DISCONNECTED)
      connections_remove(cockpit, message.client);
    else if (client)
      protocol_run_message(cockpit, client, message.text, message.bytes);
    server_free_message(cockpit->server, &message);
    budget_spend(cockpit, start_us);
  }
}

void cockpit_frame(cockpit_o *cockpit) {
  if (!cockpit)
    return;
  edit_names_follow_renames(cockpit);
  cockpit_overlay_frame(cockpit);
  if (!cockpit->server)
    return;
  if (!server_has_message(cockpit->server) && cockpit->client_count == 0)
    return;
  budget_earn(cockpit);
  event_log_frame(cockpit);
  if (cockpit->credit_us >= -ANSWER_DEBT_US) {
    handle_messages(cockpit);
    child_query_poll(cockpit);
    subscriptions_send_due(cockpit);
  }
  profile_frame(cockpit); // called last, so that due subscriptions get the credit first
}
