// The metrics file, such as world.prom for the database world.db: metrics of all rooms in the text format of
// Prometheus.
#ifndef SHOAL_SERVE_METRICS_H
#define SHOAL_SERVE_METRICS_H

#include "serve/room_choice.h"

// Measurements of the supervisor's loop since its start, unless stated otherwise.
typedef struct world_requests_t {
  uint64_t count[MATCH_REFUSAL_COUNT]; // numbers of requests for rooms, by answer
  int64_t pause_us;                    // longest time without reading requests since the previous write
} world_requests_t;

// Replaces the file `path` in one step, so that a reader never sees an incomplete file. Does not wait for the disk,
// because the world's main loop writes the file, and a busy disk may need seconds. Returns true on success, or false
// with a message if the file cannot be written.
bool metrics_write(const char *path, const world_rooms_t *rooms, const world_requests_t *requests, error_info_t *error);

#endif
