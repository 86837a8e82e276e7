// Describes the columns of views, and maintains the table of kept events.
#include "serve/kept_events.h"

#include "ecs/event.h"
#include "game/game.h"

#include <stdio.h>

#define PAUSE_US 60000000     // time between two removals
#define NEXT_BATCH_US 1000000 // time between two removals while expired rows remain

_Static_assert(SCHEMA_MAX_FIELDS <= CHRONICLE_MAX_COLUMNS && FIELD_NAME_MAX <= CHRONICLE_NAME_BYTES &&
                   CHRONICLE_EVENT_BYTES <= CHRONICLE_NAME_BYTES,
               "an event must fit into a view");

static chronicle_type_t get_type(const field_t *field) {
  if (field->flags & FIELD_IS_COUNT) // a list is one column
    return CHRONICLE_TEXT;
  switch (field->type) {
  case FIELD_F32:
  case FIELD_F64: return CHRONICLE_REAL;
  case FIELD_BOOL: return CHRONICLE_BOOLEAN;
  case FIELD_STRING:
  case FIELD_ASSET:
  case FIELD_ENUM:
  case FIELD_MAT4: return CHRONICLE_TEXT;
  default: return CHRONICLE_INTEGER;
  }
}

// Fills in the columns of an event's view: the keys that row_json_write writes.
static void describe_view(const event_o *event, chronicle_view_t *out) {
  for (uint32_t i = 0; i < event->schema.field_count; ++i) {
    const field_t *field = &event->schema.fields[i];
    char label[FIELD_NAME_MAX];
    if (field->flags & (FIELD_HIDDEN | FIELD_IS_ELEMENT))
      continue;
    chronicle_column_t *column = &out->columns[out->count++];
    (void)snprintf(column->name, sizeof column->name, "%s", field_label(field, label));
    column->type = get_type(field);
  }
}

uint32_t kept_events_list_views(const game_o *g, chronicle_view_t *out) {
  for (uint32_t i = 0; i < g->config.kept_event_count; ++i) {
    const char *name = g->config.kept_events[i].name;
    const event_o *event = world_find_event(g->world, name);
    out[i] = (chronicle_view_t){0};
    out[i].keep_s = g->config.kept_events[i].keep_s;
    (void)snprintf(out[i].event, sizeof out[i].event, "%s", name);
    if (event)
      describe_view(event, &out[i]);
  }
  return g->config.kept_event_count;
}

void kept_events_update(kept_events_t *k, int64_t now_us, world_store_o *store, int64_t owner,
                        const chronicle_view_t *views, uint32_t count, log_o *log) {
  error_info_t error = {0};
  uint32_t removed = 0;
  if (now_us < k->due_us)
    return;
  store_result_t result = chronicle_prepare_days(store, owner, views, count, &error);
  if (result == STORE_DONE)
    result = chronicle_remove_expired(store, owner, &removed, &error);
  k->due_us = now_us + (removed == CHRONICLE_BATCH_ROWS ? NEXT_BATCH_US : PAUSE_US);
  bool has_failed = result != STORE_DONE && result != STORE_LOST; // the next beat reports a lost world
  if (has_failed && !k->has_failed)
    log_warn(log, "the table of kept events cannot be maintained: %s: trying again", error.text);
  k->has_failed = has_failed;
}
