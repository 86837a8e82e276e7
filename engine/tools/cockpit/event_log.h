// Log of the game's events, for clients that follow it.
#ifndef SHOAL_COCKPIT_EVENT_LOG_H
#define SHOAL_COCKPIT_EVENT_LOG_H

#include "base/json_writer.h"
#include "ecs/world.h"

typedef struct cockpit_o cockpit_o;

#define EVENT_LOG_LINES 512u    // number of lines kept for clients
#define EVENT_MAX_KINDS 256u    // maximum number of event kinds; additional kinds are not logged
#define EVENT_MAX_PER_FRAME 24u // maximum number of events logged per kind and frame; more events are only counted

typedef struct event_line_t {
  uint64_t number, tick;
  char event[COMPONENT_NAME_MAX];
  char fields[480]; // fields as JSON; "{}" if too long
} event_line_t;

typedef struct event_log_t {
  bool enabled;
  uint64_t next[EVENT_MAX_KINDS]; // number of the first row of each kind that is not logged yet
  event_line_t lines[EVENT_LOG_LINES];
  uint64_t count;
} event_log_t;

void event_log_init(cockpit_o *cockpit);
void event_log_fini(cockpit_o *cockpit);
void event_log_frame(cockpit_o *cockpit); // logs the new events; must be called once per frame
// Writes the events after the first `sent_count`. Returns the number of the last event.
uint64_t event_log_write(cockpit_o *cockpit, uint64_t sent_count, json_writer_t *out);

#endif
