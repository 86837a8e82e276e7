// Runs long queries in a child process while the game continues, one at a time.
#include "cockpit/child_query.h"

#include "base/assert.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/connections.h"
#include "process/jobs.h"
#include "watchdog/watchdog.h"

#include <stdlib.h>
#include <string.h>

void child_query_init(cockpit_o *cockpit) {
  cockpit->child_query = alloc_object(sizeof *cockpit->child_query);
}

void child_query_fini(cockpit_o *cockpit) {
  child_query_cancel(cockpit);
  free(cockpit->child_query);
}

// The child sends one JSON object with "ok" and the fields of the answer, but without the closing brace. In the parent,
// send_response adds "id" and the brace.
void child_query_end_response(cockpit_o *cockpit, int fd, json_writer_t *out, const error_info_t *error) {
  if (error->text[0]) {
    json_writer_clear(out);
    json_write_begin(out, '{');
    json_write_bool_pair(out, "ok", false);
    json_write_pair(out, "error", error->text);
  }
  (void)cockpit;
  child_write(fd, out->text.items, out->text.count);
}

void child_query_begin_response(cockpit_o *cockpit, json_writer_t *out) {
  watchdog_reset_after_fork();
  jobs_reset_after_fork(host_game(cockpit->host)->desc.jobs);
  json_writer_init(out, &cockpit->memory);
  json_write_begin(out, '{');
  json_write_bool_pair(out, "ok", true);
}

bool child_query_start(cockpit_o *cockpit, const request_sender_t *sender, void (*run)(void *context, int fd),
                       void *context, error_info_t *error) {
  child_query_t *query = cockpit->child_query;
  shoal_assert(run && context, "run and context must not be NULL");
  if (query->is_running)
    return error_set(error, "another long query is running: try again");
  if (!plugins_stop_threads(error)) // the plugins' threads restart in the next frame
    return false;
  if (!child_begin(&query->child, COCKPIT_CHILD_MS, run, context))
    return error_set(error, "cannot start a process for the query: pause the game, or simplify the query");
  query->is_running = true;
  query->client = sender->client;
  query->id = sender->id ? json_incref((json_t *)(uintptr_t)sender->id) : json_null();
  query->response.count = 0;
  return true;
}

void child_query_cancel(cockpit_o *cockpit) {
  child_query_t *query = cockpit->child_query;
  if (!query->is_running)
    return;
  child_kill(&query->child);
  query->is_running = false;
  json_decref(query->id);
  array_free(&cockpit->memory, &query->response);
}

static void send_response(cockpit_o *cockpit, bool timed_out) {
  child_query_t *query = cockpit->child_query;
  json_writer_t *out = &cockpit->out;
  shoal_assert(query->is_running && query->id, "no query is running");
  uint32_t client = query->client;
  char *id = json_dumps(query->id, JSON_ENCODE_ANY);
  bool is_complete = !timed_out && query->response.count > 1;
  json_writer_clear(out);
  json_write_begin(out, '{');
  json_write_key(out, "id");
  json_write_raw(out, id ? id : "null", id ? strlen(id) : 4);
  if (is_complete) {
    json_write_raw(out, query->response.items + 1, query->response.count - 1);
  } else {
    json_write_bool_pair(out, "ok", false);
    json_write_pair(out, "error",
                    timed_out ? "the query took more than a second: add LIMIT or an entity = … condition"
                              : "the query process exited, possibly because it ran out of memory: select fewer rows");
  }
  json_write_end(out, '}');
  free(id);
  child_query_cancel(cockpit);
  connections_send(cockpit, client, out);
}

// Reads at most four chunks of the output per frame. child_is_readable returns true even without output if the child
// has exceeded its time limit.
void child_query_poll(cockpit_o *cockpit) {
  child_query_t *query = cockpit->child_query;
  char buffer[65536];
  if (!query->is_running || !child_is_readable(&query->child))
    return;
  for (int chunk = 0; chunk < 4; ++chunk) {
    bool has_ended = false;
    size_t count = child_read_some(&query->child, buffer, sizeof buffer, &has_ended);
    if (count == 0) {
      if (has_ended || query->child.late)
        send_response(cockpit, query->child.late);
      return;
    }
    array_reserve(&cockpit->memory, &query->response, query->response.count + (uint32_t)count);
    memcpy(query->response.items + query->response.count, buffer, count);
    query->response.count += (uint32_t)count;
  }
}
