// Handles requests from clients and from the overlay. Requests and answers are JSON objects.
#ifndef SHOAL_COCKPIT_PROTOCOL_H
#define SHOAL_COCKPIT_PROTOCOL_H

#include "base/error.h"
#include "base/json_writer.h"
#include "cockpit/connections.h"

#include <jansson.h>

#define PROTOCOL_VERSION 1

void protocol_run_message(cockpit_o *c, client_state_t *client, const char *text, size_t bytes);
// Runs a request from the overlay. The overlay is not a client: it has no subscriptions and cannot receive asynchronous
// answers. `out` must be empty and receives the answer object.
bool protocol_run_request(cockpit_o *c, const json_t *request, json_writer_t *out, error_info_t *error);

#endif
