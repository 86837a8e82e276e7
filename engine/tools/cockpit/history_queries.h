// Queries over time: past and predicted values, comparison of two ticks, list of timelines.
#ifndef SHOAL_COCKPIT_HISTORY_QUERIES_H
#define SHOAL_COCKPIT_HISTORY_QUERIES_H

#include "base/error.h"
#include "base/json_writer.h"
#include "cockpit/child_query.h"

#include <jansson.h>

// Starts the query of values over time (`over_time` in protocol.h) in a child process, which sends the answer to
// `sender`. Returns true on success, or false with an error if the request is invalid or child_query_start fails.
bool history_start_time_series(cockpit_o *cockpit, const json_t *request, const request_sender_t *sender,
                               error_info_t *error);
// Starts the comparison of two states (`compare`), like history_start_time_series.
bool history_start_comparison(cockpit_o *cockpit, const json_t *request, const request_sender_t *sender,
                              error_info_t *error);
// Writes the current tick, the ranges of the current and the abandoned timeline, and whether the abandoned timeline is
// being replayed. Returns true on success, or false with an error if no game is running.
bool history_write_timelines(cockpit_o *cockpit, json_writer_t *out, error_info_t *error);
#define HISTORY_MAX_FUTURE_TICKS 3600
// Reads a number of ticks from a request. A missing number is read as 0. Returns true on success, or false with an
// error if the value is not an integer in [0, `max`].
bool history_read_count(const json_t *request, const char *key, long long max, uint64_t *out, error_info_t *error);

#endif
