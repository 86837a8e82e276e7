// Runs long queries in a child process while the game continues, one at a time.
#ifndef SHOAL_COCKPIT_CHILD_QUERY_H
#define SHOAL_COCKPIT_CHILD_QUERY_H

#include "base/array.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "process/child.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

typedef struct child_query_t {
  bool is_running;
  child_t child;
  uint32_t client;
  json_t *id;
  ARRAY(char) response;
} child_query_t;

// The sender of a request that is answered asynchronously.
typedef struct request_sender_t {
  uint32_t client;
  const json_t *id; // id of the request; NULL without an id
} request_sender_t;

void child_query_init(cockpit_o *cockpit);
void child_query_fini(cockpit_o *cockpit); // kills the child of a running query

// Forks a child that calls `run`, which must write its response between child_query_begin_response and
// child_query_end_response. Returns true on success, or false with an error if a query is already running, if the
// threads of a plugin do not stop, or if the child cannot be started.
bool child_query_start(cockpit_o *cockpit, const request_sender_t *sender, void (*run)(void *context, int fd),
                       void *context, error_info_t *error);
// Called in the child: initializes `out` and begins the response.
void child_query_begin_response(cockpit_o *cockpit, json_writer_t *out);
// Writes `out`, or the error if one is set, to `fd`, the pipe to the parent.
void child_query_end_response(cockpit_o *cockpit, int fd, json_writer_t *out, const error_info_t *error);
// Reads the child's output without blocking, and sends a complete response to the client. Must be called once per
// frame.
void child_query_poll(cockpit_o *cockpit);
void child_query_cancel(cockpit_o *cockpit); // kills the child; its client gets no response

#endif
