// The clients of the cockpit and what each of them follows.
#ifndef SHOAL_COCKPIT_CONNECTIONS_H
#define SHOAL_COCKPIT_CONNECTIONS_H

#include "base/array.h"
#include "base/error.h"
#include "base/json_text.h"
#include "cockpit/cockpit.h"
#include "ecs/world.h"

#include <jansson.h>

#define MAX_FOLLOWED 48u     // by one client
#define FOLLOW_FASTEST_MS 50 // 20 times a second

typedef enum follow_kind_t {
  FOLLOW_NONE,
  FOLLOW_SQL,
  FOLLOW_ENTITY,
  FOLLOW_STATE,
  FOLLOW_SYSTEMS,
  FOLLOW_ERRORS,
  FOLLOW_LOG,
  FOLLOW_FRAMES,
  FOLLOW_EVENTS,
  FOLLOW_MEMORY,
  FOLLOW_GHOSTS,
  FOLLOW_PANEL
} follow_kind_t;

extern const char *const follow_words[]; // the name of each follow_kind_t in the protocol

// What a client wants to hear of whenever it changes.
typedef struct follow_t {
  follow_kind_t kind;
  uint32_t number; // by which the client knows it
  int64_t period_ms, next_ms;
  char *text; // SQL; the title of a panel
  shoal_entity entity;
  uint32_t most_rows;
  ARRAY(uint64_t) rows; // hashes of those that the client has; of others than tables the one of all of it
  uint64_t head;        // hash of the columns
  uint64_t line;        // LOG, FRAMES, EVENTS: the last that was sent
  bool begun;
} follow_t;

typedef struct client_state_t {
  uint32_t number; // server.h
  follow_t followed[MAX_FOLLOWED];
  uint32_t follow_count, follows_so_far;
} client_state_t;

client_state_t *connections_find(cockpit_o *c, uint32_t number); // NULL if unknown
void connections_add(cockpit_o *c, uint32_t number);
void connections_remove(cockpit_o *c, uint32_t number);
void connections_send(cockpit_o *c, uint32_t client, const json_text_t *t);

bool follow_begin(cockpit_o *c, client_state_t *client, const json_t *request, uint32_t *number, error_t *error);
bool follow_end(cockpit_o *c, client_state_t *client, uint32_t number);
void follow_end_all(cockpit_o *c, client_state_t *client);
bool follow_any(const cockpit_o *c, follow_kind_t kind); // does any client follow this?

#endif
