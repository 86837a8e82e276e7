// Checks subscriptions when they are due and sends only changes. One hash per row represents the client's copy of a
// table.
#include "cockpit/subscriptions.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/now.h"
#include "cockpit/budget.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/connections.h"
#include "cockpit/describe.h"
#include "cockpit/event_log.h"
#include "cockpit/match_view.h"
#include "cockpit/panels.h"
#include "cockpit/profile.h"
#include "cockpit/sql_query.h"
#include "cockpit/trails.h"

#include <string.h>

static int64_t now_ms(void) {
  return now_ns() / NS_PER_MS;
}

// --- tables

static void begin_message(cockpit_o *cockpit, const subscription_t *subscription) {
  host_state_t host_state;
  host_get_state(cockpit->host, &host_state);
  json_writer_clear(&cockpit->out);
  json_write_begin(&cockpit->out, '{');
  json_write_integer_pair(&cockpit->out, "follow", subscription->number);
  json_write_integer_pair(&cockpit->out, "tick", (long long)host_state.tick);
}

static void end_message(cockpit_o *cockpit, const client_state_t *client) {
  json_write_end(&cockpit->out, '}');
  connections_send(cockpit, client->number, &cockpit->out);
}

static bool send_error(cockpit_o *cockpit, const client_state_t *client, const subscription_t *subscription,
                       const error_info_t *error) {
  begin_message(cockpit, subscription);
  json_write_pair(&cockpit->out, "error", error->text);
  end_message(cockpit, client);
  return false;
}

// Adds a row to the open list "rows", as [index, row], unless the client already has the same row. Returns true if the
// row was added.
static bool write_row_if_changed(cockpit_o *cockpit, subscription_t *subscription, uint32_t i, const char *row,
                                 size_t bytes) {
  uint64_t hash = hash_bytes(row, bytes, i);
  if (i < subscription->row_hashes.count && subscription->row_hashes.items[i] == hash)
    return false;
  if (i < subscription->row_hashes.count)
    subscription->row_hashes.items[i] = hash;
  else
    array_push(&cockpit->memory, &subscription->row_hashes, hash);
  shoal_assert(i < subscription->row_hashes.count, "row %u is out of range (count %u)", i,
               subscription->row_hashes.count);
  json_write_begin(&cockpit->out, '[');
  json_write_integer(&cockpit->out, i);
  json_write_raw(&cockpit->out, row, bytes);
  json_write_end(&cockpit->out, ']');
  return true;
}

static void write_columns(cockpit_o *cockpit, const char *const *names, uint32_t count) {
  json_write_key(&cockpit->out, "columns");
  json_write_begin(&cockpit->out, '[');
  for (uint32_t i = 0; i < count; ++i)
    json_write_string(&cockpit->out, names[i]);
  json_write_end(&cockpit->out, ']');
}

static uint64_t hash_names(const char *const *names, uint32_t count) {
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; ++i)
    hash = hash_bytes(names[i], strlen(names[i]), hash);
  return hash;
}

typedef struct table_t {
  const char *const *names;
  uint32_t column_count, row_count;
  bool more;
  const sql_result_t *result; // source of the rows; NULL: `rows` is used
  const char *rows;           // rows as JSON, [[…],[…]]; used if `result` is NULL
  size_t bytes;
} table_t;

// Returns the offset of the byte after the JSON list that starts at offset `at`.
static size_t find_list_end(const char *text, size_t at) {
  int depth = 0;
  bool quoted = false;
  shoal_assert(text[at] == '[', "row begins with '%c', expected [", text[at]);
  for (;; ++at) {
    char byte = text[at];
    if (quoted)
      at += byte == '\\';
    quoted ^= byte == '"';
    depth += quoted ? 0 : byte == '[' ? 1 : byte == ']' ? -1 : 0;
    if (depth == 0 && !quoted)
      return at + 1;
  }
}

static bool write_rows(cockpit_o *cockpit, subscription_t *subscription, const table_t *table, uint32_t *count) {
  json_writer_t row;
  bool changed = false;
  *count = 0;
  json_writer_init(&row, &cockpit->memory);
  for (uint32_t i = 0; table->result && i < table->row_count; ++i) {
    json_writer_clear(&row);
    sql_query_write_row(table->result, i, &row);
    changed |= write_row_if_changed(cockpit, subscription, i, row.text.items, row.text.count);
    *count = i + 1;
  }
  for (size_t at = 1; !table->result && at + 1 < table->bytes;) {
    size_t end = find_list_end(table->rows, at);
    changed |= write_row_if_changed(cockpit, subscription, (*count)++, table->rows + at, end - at);
    at = end + 1; // skips the comma; json_writer_t writes no white space
  }
  json_writer_fini(&row);
  return changed;
}

static void send_table(cockpit_o *cockpit, client_state_t *client, subscription_t *subscription, const table_t *table) {
  uint64_t names_hash = hash_names(table->names, table->column_count);
  bool changed = !subscription->is_sent || names_hash != subscription->header_hash;
  if (changed)
    subscription->row_hashes.count = 0;
  uint32_t old_count = subscription->row_hashes.count, count = 0;
  begin_message(cockpit, subscription);
  if (changed)
    write_columns(cockpit, table->names, table->column_count);
  json_write_key(&cockpit->out, "rows");
  json_write_begin(&cockpit->out, '[');
  changed |= write_rows(cockpit, subscription, table, &count);
  json_write_end(&cockpit->out, ']');
  subscription->row_hashes.count = count;
  json_write_integer_pair(&cockpit->out, "count", count);
  json_write_bool_pair(&cockpit->out, "more", table->more);
  subscription->header_hash = names_hash;
  subscription->is_sent = true;
  if (changed || count != old_count)
    end_message(cockpit, client);
}

static bool send_sql(cockpit_o *cockpit, client_state_t *client, subscription_t *subscription) {
  game_o *game = host_game(cockpit->host);
  error_info_t error = {0};
  sql_result_t result;
  shoal_assert(subscription->text, "the subscription has no SQL text");
  sql_run_desc_t desc = {.text = subscription->text,
                         .text_bytes = strlen(subscription->text),
                         .allow_measured = true,
                         .max_steps = COCKPIT_HELD_QUERY_STEPS,
                         .budget_ms = 20,
                         .max_rows = subscription->max_rows};
  if (!game)
    return true;
  if (!sql_run_statement(game->sql, &desc, &result, &error))
    return send_error(cockpit, client, subscription, &error);
  table_t table = {result.names, result.column_count, result.row_count, result.has_more, &result, NULL, 0};
  send_table(cockpit, client, subscription, &table);
  sql_result_fini(&result);
  return true;
}

static uint32_t count_names(const char *const *names) {
  uint32_t count = 0;
  while (names[count])
    count++;
  return count;
}

// --- other subscriptions

static void send_rows(cockpit_o *cockpit, client_state_t *client, subscription_t *subscription,
                      const char *const *names, const json_writer_t *rows) {
  shoal_assert(rows->text.count >= 2, "rows must be a JSON list");
  table_t table = {
      .names = names, .column_count = count_names(names), .rows = rows->text.items, .bytes = rows->text.count};
  send_table(cockpit, client, subscription, &table);
}

static bool send_changed_rows(cockpit_o *cockpit, client_state_t *client, subscription_t *subscription) {
  error_info_t error = {0};
  json_writer_t rows;
  bool ok = true;
  json_writer_init(&rows, &cockpit->memory);
  if (subscription->kind == SUBSCRIPTION_SYSTEMS)
    describe_systems(cockpit, &rows);
  else
    ok = describe_entity(cockpit, subscription->entity, &rows);
  if (ok)
    send_rows(cockpit, client, subscription,
              subscription->kind == SUBSCRIPTION_SYSTEMS ? describe_system_columns : describe_entity_columns, &rows);
  json_writer_fini(&rows);
  if (ok)
    return true;
  error_set(&error, "entity %u is not alive", subscription->entity);
  return send_error(cockpit, client, subscription, &error);
}

static void send_object(cockpit_o *cockpit, client_state_t *client, subscription_t *subscription) {
  static void (*const writers[])(cockpit_o *, json_writer_t *) = {[SUBSCRIPTION_STATE] = describe_state,
                                                                  [SUBSCRIPTION_ERRORS] = describe_errors,
                                                                  [SUBSCRIPTION_MEMORY] = profile_write_memory,
                                                                  [SUBSCRIPTION_GHOSTS] = trails_write,
                                                                  [SUBSCRIPTION_MATCH] = match_view_write};
  json_writer_t object;
  shoal_assert(subscription->kind == SUBSCRIPTION_PANEL || writers[subscription->kind], "unknown subscription kind %d",
               (int)subscription->kind);
  json_writer_init(&object, &cockpit->memory);
  json_write_begin(&object, '{');
  if (subscription->kind == SUBSCRIPTION_PANEL)
    panels_write(cockpit, subscription->text, &object);
  else
    writers[subscription->kind](cockpit, &object);
  json_write_end(&object, '}');
  uint64_t hash = hash_bytes(object.text.items, object.text.count, 0);
  if (!subscription->is_sent || hash != subscription->header_hash) {
    begin_message(cockpit, subscription);
    json_write_key(&cockpit->out, subscription_names[subscription->kind]);
    json_write_raw(&cockpit->out, object.text.items, object.text.count);
    end_message(cockpit, client);
  }
  subscription->is_sent = true;
  subscription->header_hash = hash;
  json_writer_fini(&object);
}

static void send_log(cockpit_o *cockpit, client_state_t *client, subscription_t *subscription) {
  static const char *const levels[] = {"none", "error", "warn", "info", "debug"};
  if (subscription->last_entry == cockpit->log_line_count)
    return;
  begin_message(cockpit, subscription);
  json_write_key(&cockpit->out, "lines");
  json_write_begin(&cockpit->out, '[');
  for (uint64_t i = ring_find_first_unsent(subscription->last_entry, cockpit->log_line_count, LOG_LINES);
       i < cockpit->log_line_count; ++i) {
    const log_line_t *line = &cockpit->log_lines[i % LOG_LINES];
    json_write_begin(&cockpit->out, '[');
    json_write_integer(&cockpit->out, (long long)line->number);
    json_write_integer(&cockpit->out, (long long)line->tick);
    json_write_string(&cockpit->out, levels[line->level]);
    json_write_string(&cockpit->out, line->text);
    json_write_end(&cockpit->out, ']');
  }
  json_write_end(&cockpit->out, ']');
  subscription->last_entry = cockpit->log_line_count;
  end_message(cockpit, client);
}

static void send_lines(cockpit_o *cockpit, client_state_t *client, subscription_t *subscription) {
  bool is_frames = subscription->kind == SUBSCRIPTION_FRAMES;
  if (subscription->last_entry == (is_frames ? cockpit->profile->count : cockpit->event_log->count))
    return;
  begin_message(cockpit, subscription);
  json_write_key(&cockpit->out, is_frames ? "frames" : "lines");
  subscription->last_entry = is_frames ? profile_write(cockpit, subscription->last_entry, &cockpit->out)
                                       : event_log_write(cockpit, subscription->last_entry, &cockpit->out);
  end_message(cockpit, client);
}

// Sends the subscription's changes. Returns true if the subscription continues, or false if it must end because of an
// error that was sent to the client.
static bool send_changes(cockpit_o *cockpit, client_state_t *client, subscription_t *subscription) {
  switch (subscription->kind) {
  case SUBSCRIPTION_SQL: return send_sql(cockpit, client, subscription);
  case SUBSCRIPTION_ENTITY:
  case SUBSCRIPTION_SYSTEMS: return send_changed_rows(cockpit, client, subscription);
  case SUBSCRIPTION_LOG: send_log(cockpit, client, subscription); return true;
  case SUBSCRIPTION_FRAMES:
  case SUBSCRIPTION_EVENTS: send_lines(cockpit, client, subscription); return true;
  default: send_object(cockpit, client, subscription); return true;
  }
}

// Returns the subscription that has been due the longest, or NULL if no subscription is due.
static subscription_t *find_longest_overdue(cockpit_o *cockpit, int64_t now, client_state_t **client) {
  subscription_t *earliest = NULL;
  for (uint32_t i = 0; i < cockpit->client_count; ++i)
    for (uint32_t k = 0; k < cockpit->clients[i]->subscription_count; ++k) {
      subscription_t *subscription = &cockpit->clients[i]->subscriptions[k];
      if (subscription->next_ms > now || (earliest && subscription->next_ms >= earliest->next_ms))
        continue;
      earliest = subscription;
      *client = cockpit->clients[i];
    }
  return earliest;
}

void subscriptions_send_due(cockpit_o *cockpit) {
  client_state_t *client = NULL;
  int64_t now = now_ms();
  for (subscription_t *subscription;
       cockpit->credit_us >= 0 && (subscription = find_longest_overdue(cockpit, now, &client)) != NULL;) {
    double start_us = budget_now_us();
    subscription->next_ms = now + subscription->period_ms;
    if (!send_changes(cockpit, client, subscription))
      subscription_end(cockpit, client, subscription->number);
    budget_spend(cockpit, start_us);
  }
}
