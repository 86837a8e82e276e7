// Clients of the cockpit and their subscriptions.
#ifndef SHOAL_COCKPIT_CONNECTIONS_H
#define SHOAL_COCKPIT_CONNECTIONS_H

#include "base/array.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "ecs/world.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

#define MAX_SUBSCRIPTIONS 48u           // maximum number of subscriptions per client
#define SUBSCRIPTION_MIN_INTERVAL_MS 50 // minimum interval in milliseconds: at most 20 updates per second

typedef enum subscription_kind_t {
  SUBSCRIPTION_NONE,
  SUBSCRIPTION_SQL,
  SUBSCRIPTION_ENTITY,
  SUBSCRIPTION_STATE,
  SUBSCRIPTION_SYSTEMS,
  SUBSCRIPTION_ERRORS,
  SUBSCRIPTION_LOG,
  SUBSCRIPTION_FRAMES,
  SUBSCRIPTION_EVENTS,
  SUBSCRIPTION_MEMORY,
  SUBSCRIPTION_GHOSTS,
  SUBSCRIPTION_MATCH,
  SUBSCRIPTION_PANEL
} subscription_kind_t;

extern const char *const subscription_names[]; // names in the protocol, indexed by subscription_kind_t

// A subscription: data that is sent to a client whenever it changes.
typedef struct subscription_t {
  subscription_kind_t kind;
  uint32_t number; // number that identifies the subscription to the client
  int64_t period_ms, next_ms;
  char *text; // SQL text, or the title of a panel
  shoal_entity entity;
  uint32_t max_rows;
  ARRAY(uint64_t) row_hashes; // hash of each row of a table as last sent
  uint64_t header_hash;       // hash of a table's column names or, for data that is not a table, of the data
  uint64_t last_entry;        // SUBSCRIPTION_LOG, _FRAMES, _EVENTS: number of the last entry sent
  bool is_sent;               // true if data was sent at least once
} subscription_t;

typedef struct client_state_t {
  uint32_t number; // number of the client (server.h)
  subscription_t subscriptions[MAX_SUBSCRIPTIONS];
  uint32_t subscription_count, last_subscription_number;
} client_state_t;

client_state_t *connections_find(cockpit_o *cockpit, uint32_t number); // returns NULL if the number is unknown
// Adds a client that has connected. `number` must be new.
void connections_add(cockpit_o *cockpit, uint32_t number);
// Removes a client and ends its subscriptions. Does nothing if the number is unknown.
void connections_remove(cockpit_o *cockpit, uint32_t number);
// Queues a message for a client. The client is dropped if its queue is full.
void connections_send(cockpit_o *cockpit, uint32_t client, const json_writer_t *message);

// Adds the subscription that `request` describes and stores its number. Returns true on success, or false with an error
// if the request is invalid or the client already has MAX_SUBSCRIPTIONS subscriptions.
bool subscription_begin(cockpit_o *cockpit, client_state_t *client, const json_t *request, uint32_t *number,
                        error_info_t *error);
// Ends a subscription. Returns true on success, or false if the client has no subscription with this number.
bool subscription_end(cockpit_o *cockpit, client_state_t *client, uint32_t number);
void subscription_end_all(cockpit_o *cockpit, client_state_t *client);
// Returns true if any client has a subscription of this kind.
bool has_subscriber(const cockpit_o *cockpit, subscription_kind_t kind);

#endif
