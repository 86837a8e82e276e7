// Runs long queries in a child process while the game continues, one at a time.
#include "cockpit/child_query.h"

#include "base/assert.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/connections.h"
#include "process/jobs.h"
#include "watchdog/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void child_query_init(cockpit_o *c) {
  c->child_query = alloc_object(sizeof *c->child_query);
}

void child_query_fini(cockpit_o *c) {
  child_query_cancel(c);
  free(c->child_query);
}

// The child sends one JSON object with "ok" and the fields of the answer, without the closing brace, which
// send_response adds.
void child_query_end_response(cockpit_o *c, int to, json_writer_t *out, const error_info_t *error) {
  if (error->text[0]) {
    json_writer_clear(out);
    json_write_begin(out, '{');
    json_write_bool_pair(out, "ok", false);
    json_write_pair(out, "error", error->text);
  }
  (void)c;
  child_write(to, out->text.items, out->text.count);
}

void child_query_begin_response(cockpit_o *c, json_writer_t *out) {
  watchdog_reset_after_fork();
  jobs_reset_after_fork(host_game(c->host)->desc.jobs);
  json_writer_init(out, &c->memory);
  json_write_begin(out, '{');
  json_write_bool_pair(out, "ok", true);
}

bool child_query_start(cockpit_o *c, const request_sender_t *sender, void (*act)(void *context, int to), void *context,
                       error_info_t *error) {
  child_query_t *x = c->child_query;
  shoal_assert(act && context, "act and context must not be NULL");
  if (x->runs)
    return error_set(error, "another long query is running: try again");
  if (!plugins_stop_threads(error)) // the plugins' threads restart in the next frame
    return false;
  if (!child_begin(&x->child, COCKPIT_CHILD_MS, act, context))
    return error_set(error, "cannot start a process for the query: pause the game, or simplify the query");
  fcntl(x->child.pipe, F_SETFL, fcntl(x->child.pipe, F_GETFL) | O_NONBLOCK);
  x->runs = true;
  x->client = sender->client;
  x->id = sender->id ? json_incref((json_t *)(uintptr_t)sender->id) : json_null();
  x->answer.count = 0;
  return true;
}

void child_query_cancel(cockpit_o *c) {
  child_query_t *x = c->child_query;
  if (!x->runs)
    return;
  child_kill(&x->child);
  x->runs = false;
  json_decref(x->id);
  array_free(&c->memory, &x->answer);
}

static void send_response(cockpit_o *c, bool late) {
  child_query_t *x = c->child_query;
  json_writer_t *out = &c->out;
  shoal_assert(x->runs && x->id, "no query is running");
  uint32_t client = x->client;
  char *id = json_dumps(x->id, JSON_ENCODE_ANY);
  bool is_complete = !late && x->answer.count > 1;
  json_writer_clear(out);
  json_write_begin(out, '{');
  json_write_key(out, "id");
  json_write_raw(out, id ? id : "null", id ? strlen(id) : 4);
  if (is_complete) {
    json_write_raw(out, x->answer.items + 1, x->answer.count - 1);
  } else {
    json_write_bool_pair(out, "ok", false);
    json_write_pair(out, "error",
                    late ? "the query took more than a second: add LIMIT or an entity = … condition"
                         : "the query process exited, possibly because it ran out of memory: select fewer rows");
  }
  json_write_end(out, '}');
  free(id);
  child_query_cancel(c);
  connections_send(c, client, out);
}

// child_is_readable also returns true if the child has exceeded its time limit. Reads at most four chunks of the output
// per frame.
void child_query_poll(cockpit_o *c) {
  child_query_t *x = c->child_query;
  char bytes[65536];
  if (!x->runs || !child_is_readable(&x->child))
    return;
  for (int pieces = 0; pieces < 4; ++pieces) {
    ssize_t count = read(x->child.pipe, bytes, sizeof bytes);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (x->child.late)
        send_response(c, true);
      return;
    }
    if (count <= 0) {
      send_response(c, x->child.late);
      return;
    }
    array_reserve(&c->memory, &x->answer, x->answer.count + (uint32_t)count);
    memcpy(x->answer.items + x->answer.count, bytes, (size_t)count);
    x->answer.count += (uint32_t)count;
  }
}
