// Clients of the cockpit and their subscriptions.
#include "cockpit/connections.h"

#include "base/assert.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/request.h"
#include "cockpit/statement.h"
#include "cockpit/sql_query.h"

#include <string.h>

const char *const subscription_names[] = {"",       "sql",    "entity", "state",  "systems", "errors", "log",
                                          "frames", "events", "memory", "ghosts", "match",   "panel"};

void connections_send(cockpit_o *cockpit, uint32_t client, const json_writer_t *message) {
  server_send(cockpit->server, client, message->text.items, message->text.count);
}

client_state_t *connections_find(cockpit_o *cockpit, uint32_t number) {
  for (uint32_t i = 0; i < cockpit->client_count; ++i)
    if (cockpit->clients[i]->number == number)
      return cockpit->clients[i];
  return NULL;
}

static subscription_kind_t parse_subscription_kind(const char *name) {
  for (int kind = SUBSCRIPTION_SQL; kind <= SUBSCRIPTION_PANEL; ++kind)
    if (strcmp(subscription_names[kind], name) == 0)
      return (subscription_kind_t)kind;
  return SUBSCRIPTION_NONE;
}

bool has_subscriber(const cockpit_o *cockpit, subscription_kind_t kind) {
  for (uint32_t i = 0; i < cockpit->client_count; ++i)
    for (uint32_t k = 0; k < cockpit->clients[i]->subscription_count; ++k)
      if (cockpit->clients[i]->subscriptions[k].kind == kind)
        return true;
  return false;
}

static void clear_subscription(cockpit_o *cockpit, subscription_t *subscription) {
  alloc_free_text(&cockpit->memory, subscription->text);
  array_free(&cockpit->memory, &subscription->row_hashes);
  *subscription = (subscription_t){0};
}

static bool read_subscription(const json_t *request, subscription_t *subscription, const char **text,
                              error_info_t *error) {
  const char *kind_name = json_string_value(json_object_get(request, "what"));
  subscription->kind = parse_subscription_kind(kind_name ? kind_name : "");
  *text = json_string_value(json_object_get(request, "text"));
  if (subscription->kind == SUBSCRIPTION_NONE)
    return request_reject_member(request, "what", error,
                                 "one of sql, entity, state, systems, errors, log, frames, events, memory, "
                                 "ghosts, match or panel");
  if (subscription->kind == SUBSCRIPTION_PANEL && !*text)
    return error_set(error, "“text” is missing: send the panel's title");
  if (subscription->kind == SUBSCRIPTION_SQL && !*text)
    return error_set(error, "“text” is missing: send a SELECT statement");
  if (subscription->kind == SUBSCRIPTION_SQL && statement_is_write(*text))
    return error_set(error, "the SQL of a subscription must be read-only: use SELECT");
  const json_t *entity = json_object_get(request, "entity");
  if (subscription->kind == SUBSCRIPTION_ENTITY &&
      (!json_is_integer(entity) || json_integer_value(entity) <= 0 || json_integer_value(entity) > UINT32_MAX))
    return request_reject_member(request, "entity", error, "an entity id");
  subscription->entity = subscription->kind == SUBSCRIPTION_ENTITY ? (shoal_entity)json_integer_value(entity) : 0;
  return true;
}

bool subscription_begin(cockpit_o *cockpit, client_state_t *client, const json_t *request, uint32_t *number,
                        error_info_t *error) {
  subscription_t subscription = {0};
  const char *text = NULL;
  shoal_assert(client->subscription_count <= MAX_SUBSCRIPTIONS, "too many subscriptions: %u (at most %u)",
               client->subscription_count, MAX_SUBSCRIPTIONS);
  double hz = json_number_value(json_object_get(request, "hz"));
  long long limit = json_integer_value(json_object_get(request, "limit"));
  if (!read_subscription(request, &subscription, &text, error))
    return false;
  if (client->subscription_count == MAX_SUBSCRIPTIONS)
    return error_set(error, "too many subscriptions (at most %u per client): unfollow one first", MAX_SUBSCRIPTIONS);
  subscription.period_ms = hz > 0 && hz < 20 ? (int64_t)(1000 / hz) : SUBSCRIPTION_MIN_INTERVAL_MS;
  subscription.period_ms = subscription.period_ms > 60000 ? 60000 : subscription.period_ms;
  subscription.max_rows = limit > 0 && limit < (long long)MAX_ROWS ? (uint32_t)limit : MAX_ROWS;
  subscription.number = *number = ++client->last_subscription_number;
  if (subscription.kind == SUBSCRIPTION_SQL || subscription.kind == SUBSCRIPTION_PANEL)
    subscription.text = alloc_copy_text(&cockpit->memory, text);
  client->subscriptions[client->subscription_count++] = subscription;
  return true;
}

bool subscription_end(cockpit_o *cockpit, client_state_t *client, uint32_t number) {
  for (uint32_t i = 0; i < client->subscription_count; ++i) {
    if (client->subscriptions[i].number != number)
      continue;
    clear_subscription(cockpit, &client->subscriptions[i]);
    client->subscriptions[i] = client->subscriptions[--client->subscription_count];
    return true;
  }
  return false;
}

void subscription_end_all(cockpit_o *cockpit, client_state_t *client) {
  for (uint32_t i = 0; i < client->subscription_count; ++i)
    clear_subscription(cockpit, &client->subscriptions[i]);
  client->subscription_count = 0;
}

void connections_add(cockpit_o *cockpit, uint32_t number) {
  shoal_assert(cockpit->client_count < SERVER_MAX_CLIENTS, "too many clients: %u", cockpit->client_count);
  shoal_assert(!connections_find(cockpit, number), "client %u is already connected", number);
  client_state_t *client = alloc_resize(&cockpit->memory, NULL, 0, sizeof *client);
  memset(client, 0, sizeof *client);
  client->number = number;
  cockpit->clients[cockpit->client_count++] = client;
}

void connections_remove(cockpit_o *cockpit, uint32_t number) {
  for (uint32_t i = 0; i < cockpit->client_count; ++i) {
    client_state_t *client = cockpit->clients[i];
    if (client->number != number)
      continue;
    subscription_end_all(cockpit, client);
    alloc_resize(&cockpit->memory, client, sizeof *client, 0);
    cockpit->clients[i] = cockpit->clients[--cockpit->client_count];
    return;
  }
}
