// Log of the game's events, for clients that follow it.
#ifndef SHOAL_COCKPIT_EVENT_LOG_H
#define SHOAL_COCKPIT_EVENT_LOG_H

#include "base/json_writer.h"
#include "ecs/world.h"

typedef struct cockpit_o cockpit_o;

#define EVENT_LINES 512u
#define EVENT_KINDS 256u
#define EVENT_MAX_AT_ONCE 24u // events logged per kind and frame; further events are only counted
typedef struct event_line_t {
  uint64_t number, tick;
  char event[COMPONENT_NAME_MAX];
  char fields[480]; // JSON; "{}" if too long
} event_line_t;

typedef struct event_log_t {
  bool on;
  uint64_t next[EVENT_KINDS]; // indexed by kind: number of the first row that is not logged yet
  event_line_t lines[EVENT_LINES];
  uint64_t count;
} event_log_t;

void event_log_init(cockpit_o *c);
void event_log_fini(cockpit_o *c);
void event_log_frame(cockpit_o *c); // logs the new events; must be called once per frame
uint64_t event_log_write(cockpit_o *c, uint64_t after, json_writer_t *out);

#endif
