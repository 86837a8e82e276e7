// Event log: the events of each tick, recorded while a client follows it.
#include "cockpit/event_log.h"

#include "base/assert.h"
#include "cockpit/budget.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/connections.h"
#include "content/row_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void event_log_init(cockpit_o *cockpit) {
  cockpit->event_log = alloc_object(sizeof *cockpit->event_log);
}

void event_log_fini(cockpit_o *cockpit) {
  free(cockpit->event_log);
}

static event_line_t *append_line(cockpit_o *cockpit, uint64_t tick, const char *event) {
  event_log_t *event_log = cockpit->event_log;
  event_line_t *line = &event_log->lines[event_log->count % EVENT_LOG_LINES];
  line->number = ++event_log->count;
  line->tick = tick;
  snprintf(line->event, sizeof line->event, "%s", event);
  return line;
}

static void log_row(cockpit_o *cockpit, world_o *w, const event_o *ev, uint32_t row) {
  json_writer_t text;
  shoal_assert(row < ev->columns.count, "row %u of %s is out of range (count %u)", row, ev->schema.name,
               ev->columns.count);
  json_writer_init(&text, &cockpit->memory);
  row_json_write(w, &ev->columns, row, &text);
  event_line_t *line = append_line(cockpit, world_tick(w), ev->schema.name);
  bool fits = text.text.count < sizeof line->fields;
  snprintf(line->fields, sizeof line->fields, "%.*s", fits ? (int)text.text.count : 2, fits ? text.text.items : "{}");
  json_writer_fini(&text);
}

// Logs the new rows of an event. Rows are numbered, so each row is logged once. After a rewind, the numbers continue
// from an earlier number.
static void log_new_rows(cockpit_o *cockpit, world_o *w, event_o *ev, uint64_t *next) {
  uint64_t end = ev->first + ev->columns.count, first_new = *next > ev->first && *next <= end ? *next : ev->first;
  shoal_assert(first_new <= end, "event %s: first row is past the end", ev->schema.name);
  for (uint64_t number = first_new; number < end; ++number) {
    if (number - first_new == EVENT_MAX_PER_FRAME) {
      event_line_t *line = append_line(cockpit, world_tick(w), ev->schema.name);
      snprintf(line->fields, sizeof line->fields, "{\"more\":%llu}", (unsigned long long)(end - number));
      break;
    }
    log_row(cockpit, w, ev, (uint32_t)(number - ev->first));
  }
  *next = end;
}

void event_log_frame(cockpit_o *cockpit) {
  event_log_t *event_log = cockpit->event_log;
  game_o *game = host_game(cockpit->host);
  bool enabled = game && has_subscriber(cockpit, SUBSCRIPTION_EVENTS), starts = enabled && !event_log->enabled;
  event_log->enabled = enabled;
  if (!enabled)
    return;
  double start_us = budget_now_us();
  uint64_t old_count = event_log->count;
  for (uint32_t id = 1; id <= world_event_count(game->world) && id <= EVENT_MAX_KINDS; ++id) {
    event_o *ev = world_event(game->world, id);
    if (starts)
      event_log->next[id - 1] = ev->first;
    log_new_rows(cockpit, game->world, ev, &event_log->next[id - 1]);
  }
  if (event_log->count > old_count) // frames without new events are not charged
    budget_spend(cockpit, start_us);
}

// Writes the events after the first `sent_count` as [[number, tick, event, { fields }], …]. Returns the number of the
// last event.
uint64_t event_log_write(cockpit_o *cockpit, uint64_t sent_count, json_writer_t *out) {
  const event_log_t *event_log = cockpit->event_log;
  json_write_begin(out, '[');
  for (uint64_t index = ring_find_first_unsent(sent_count, event_log->count, EVENT_LOG_LINES); index < event_log->count;
       ++index) {
    const event_line_t *line = &event_log->lines[index % EVENT_LOG_LINES];
    json_write_begin(out, '[');
    json_write_integer(out, (long long)line->number);
    json_write_integer(out, (long long)line->tick);
    json_write_string(out, line->event);
    json_write_raw(out, line->fields, strlen(line->fields));
    json_write_end(out, ']');
  }
  json_write_end(out, ']');
  return event_log->count;
}
