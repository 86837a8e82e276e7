// Life cycle and frame of the cockpit. Each frame answers messages until they have used up the frame's CPU time;
// further messages wait.
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
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

// Requests are answered until the debt exceeds this value; subscriptions wait until there is no debt.
#define ANSWER_DEBT_US 3000.0
// Messages answered per frame without checking the credit, which cockpit_frame has already checked.
#define MIN_MESSAGES 1u

// --- life cycle

static void store_log_line(void *context, log_level_t level, const char *line) {
  cockpit_o *c = context;
  log_line_t *entry = &c->log_lines[c->log_line_count % LOG_LINES];
  host_state_t host_state;
  host_get_state(c->host, &host_state);
  entry->number = ++c->log_line_count;
  entry->tick = host_state.tick;
  entry->level = level;
  snprintf(entry->text, sizeof entry->text, "%s", line);
}

// By default, the cockpit opens only during development: not in headless or packaged games, in an embedding program's
// window, without a file watch, or in runs with a fixed end (--ticks, --screenshot, --replay).
static bool is_enabled(const options_t *o) {
  if (o->cockpit != OPTIONS_COCKPIT_DEFAULT)
    return o->cockpit == OPTIONS_COCKPIT_ON;
  return !o->headless && !o->package && !o->window && o->watch != FILE_WATCH_OFF && !o->has_ticks && !o->screenshot &&
         !o->replay;
}

static bool open_server(cockpit_o *c, error_info_t *error) {
  char folder[PATH_MAX_BYTES + 16];
  const options_t *o = host_options(c->host);
  server_desc_t desc = {.port = o->cockpit_port ? o->cockpit_port : COCKPIT_PORT,
                        .ports = o->cockpit_port ? 1 : COCKPIT_PORTS,
                        .token = c->token,
                        .folder = path_join(folder, sizeof folder, host_get_paths(c->host)->assets, "cockpit")};
  c->server = server_create(&desc, error);
  if (!c->server)
    return false;
  snprintf(c->link, sizeof c->link, "http://127.0.0.1:%u/%s/", server_get_port(c->server), c->token);
  return access_token_write_link(server_get_port(c->server), c->link, c->token_file, sizeof c->token_file, error);
}

cockpit_o *cockpit_create(host_o *h, error_info_t *error) {
  const options_t *o = host_options(h);
  error->text[0] = '\0';
  if (!is_enabled(o))
    return NULL;
  allocator_t memory = {0};
  cockpit_o *c = alloc_resize(&memory, NULL, 0, sizeof *c);
  memset(c, 0, sizeof *c);
  c->memory = memory;
  c->host = h;
  c->read_only = o->cockpit_read_only;
  c->log_lines = alloc_resize(&c->memory, NULL, 0, LOG_LINES * sizeof *c->log_lines);
  json_writer_init(&c->out, &c->memory);
  child_query_init(c);
  profile_init(c);
  event_log_init(c);
  undo_stack_init(c);
  panels_init(c);
  log_set_listener(host_log(h), store_log_line, c);
  if (access_token_generate(c->token, error) && open_server(c, error)) {
    log_hide_in_file(host_log(h), c->token); // a process that knows the token can control the game
    log_info(host_log(h), "cockpit: %s%s", c->link, o->headless ? "" : " (F1 for the overlay)");
    cockpit_overlay_begin(c);
    return c;
  }
  if (o->cockpit == OPTIONS_COCKPIT_DEFAULT) { // not requested explicitly: the overlay works without a server
    log_info(host_log(h), "cockpit: %s", error->text);
    error->text[0] = '\0';
    server_destroy(c->server);
    c->server = NULL;
    cockpit_overlay_begin(c);
    return c;
  }
  cockpit_destroy(c);
  return NULL;
}

void cockpit_destroy(cockpit_o *c) {
  if (!c)
    return;
  log_set_listener(host_log(c->host), NULL, NULL);
  log_hide_in_file(host_log(c->host), NULL);
  cockpit_overlay_end(c);
  commands_free(c);
  panels_fini(c);
  child_query_fini(c);
  while (c->client_count > 0)
    connections_remove(c, c->clients[0]->number);
  server_destroy(c->server);
  if (c->token_file[0])
    unlink(c->token_file);
  undo_stack_fini(c);
  event_log_fini(c);
  profile_fini(c);
  array_free(&c->memory, &c->id_changes);
  json_writer_fini(&c->out);
  alloc_resize(&c->memory, c->log_lines, LOG_LINES * sizeof *c->log_lines, 0);
  allocator_t memory = c->memory;
  alloc_resize(&memory, c, sizeof *c, 0);
  shoal_assert(memory.bytes == 0, "the cockpit leaked %zu bytes", memory.bytes);
}

// --- frame

static void handle_messages(cockpit_o *c) {
  server_message_t message;
  for (uint32_t i = 0; (i < MIN_MESSAGES || c->credit_us >= -ANSWER_DEBT_US) && server_pop_message(c->server, &message);
       ++i) {
    double start_us = budget_now_us();
    client_state_t *client = connections_find(c, message.client);
    if (message.kind == SERVER_CONNECTED)
      connections_add(c, message.client);
    else if (message.kind == SERVER_DISCONNECTED)
      connections_remove(c, message.client);
    else if (client)
      protocol_run_message(c, client, message.text, message.bytes);
    server_free_message(c->server, &message);
    budget_spend(c, start_us);
  }
}

void cockpit_frame(cockpit_o *c) {
  if (!c)
    return;
  cockpit_overlay_frame(c);
  if (!c->server)
    return;
  if (!server_has_message(c->server) && c->client_count == 0)
    return;
  budget_earn(c);
  event_log_frame(c);
  if (c->credit_us >= -ANSWER_DEBT_US) {
    handle_messages(c);
    child_query_poll(c);
    subscriptions_send_due(c);
  }
  profile_frame(c); // last, so that due subscriptions get the credit first
}
