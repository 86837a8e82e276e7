// Commands that running rooms and the owner of the world execute, and backups.
#include "serve/operator.h"

#include "base/nearest_name.h"
#include "base/now.h"
#include "base/user_name.h"
#include "game/operator_events.h"
#include "game/world_files.h"
#include "match/match_files.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAIT_MS 15000       // time to wait for the result of a command
#define WAIT_START_MS 60000 // time to wait if a room must start, or the world must end
#define STEP_MS 50

static void wait_step(void) {
  nanosleep(&(struct timespec){.tv_nsec = STEP_MS * INT64_C(1000000)}, NULL);
}

void operator_get_author(char *out) {
  user_name_find(out, COMMAND_AUTHOR_BYTES);
}

// --- rooms

typedef struct targets_t {
  room_list_t rooms; // all rooms of the world
  bool is_served;
} targets_t;

static bool read_targets(operator_t *o, targets_t *out) {
  return operator_is_served(o, &out->is_served) &&
         world_store_list_rooms(o->store, &out->rooms, &o->error) == STORE_DONE;
}

static const room_status_t *find_room(operator_t *o, const targets_t *t, const char *name) {
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  if (t->rooms.count == 0) {
    error_set(&o->error, "no room of the world has run yet: a room starts with its first player");
    return NULL;
  }
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < t->rooms.count; ++i) {
    if (strcmp(t->rooms.items[i].name, name) == 0)
      return &t->rooms.items[i];
    nearest_name_offer(&nearest, t->rooms.items[i].name);
  }
  error_set(&o->error, "the world has no room %.60s, or it has never run%s", name,
            nearest.best[0] ? nearest_name_hint(&nearest, hint, sizeof hint) : ": use a name that status lists");
  return NULL;
}

static bool reject_unserved(operator_t *o) {
  return error_set(&o->error, "the world is not served, so no room runs: start it with ./shoal serve");
}

// Returns true if the room can execute a command now or, if `may_start`, once it has started. Otherwise, returns false
// with an error.
static bool check_room(operator_t *o, const targets_t *t, const room_status_t *room, bool may_start) {
  room_activity_t activity = operator_get_activity(room, t->is_served);
  if (!t->is_served)
    return reject_unserved(o);
  if (activity == ROOM_IS_DAMAGED)
    return error_set(&o->error, "room %s is damaged and cannot start: see ./shoal world %s status", room->name,
                     o->database);
  return activity == ROOM_RUNS || may_start ||
         error_set(&o->error, "room %s does not run, so it has no players: it starts with its next player", room->name);
}

// --- sending

static bool wait_for_result(operator_t *o, command_t *c, int64_t end_ns) {
  bool is_cancelled = false;
  while (command_read(o->store, c, &o->error) == STORE_DONE) {
    if (c->is_done)
      return true;
    if (now_ns() >= end_ns) {
      if (command_cancel(o->store, c->id, &is_cancelled, &o->error) != STORE_DONE)
        return false;
      if (!is_cancelled)
        return error_set(&o->error, "command %" PRId64 " is still being executed: see ./shoal world %s log", c->id,
                         o->database);
    }
    wait_step();
  }
  return false;
}

// Prints the result of a command. `room`: name of the room, if several rooms have executed the command; otherwise NULL.
static int print_result(operator_t *o, const command_t *c, const char *room) {
  size_t length = strlen(c->result);
  const char *end = length > 0 && c->result[length - 1] == '\n' ? "" : "\n";
  if (!c->is_ok && !room) {
    error_set(&o->error, "%.900s", c->result);
    return 1;
  }
  FILE *out = c->is_ok ? stdout : stderr;
  if (room)
    fprintf(out, "%s:%c", room, strchr(c->result, '\n') ? '\n' : ' ');
  fprintf(out, "%s%s", c->result, end);
  return c->is_ok ? 0 : 1;
}

// Adds a command for a room (NULL: the world) and, unless --no-wait was given, waits for its result. Returns the exit
// status.
static int send_to(operator_t *o, const room_status_t *room, const char *kind, const json_t *data, bool is_one) {
  bool must_start = room && operator_get_activity(room, true) != ROOM_RUNS;
  int64_t end_ns = now_ns() + (int64_t)(must_start ? WAIT_START_MS : WAIT_MS) * NS_PER_MS;
  char *text = json_dumps(data, JSON_COMPACT);
  command_t *c = alloc_object(sizeof *c);
  int status = 1;
  c->room = room ? room->number : 0;
  (void)snprintf(c->kind, sizeof c->kind, "%s", kind);
  operator_get_author(c->author);
  if (!text || strlen(text) >= sizeof c->data)
    error_set(&o->error, "%s: the arguments are not UTF-8, or longer than %zu bytes", kind, sizeof c->data - 1);
  else if (snprintf(c->data, sizeof c->data, "%s", text) > 0 && command_add(o->store, c, &o->error) == STORE_DONE) {
    if (!o->waits)
      status = printf("command %" PRId64 " waits\n", c->id) < 0;
    else if (wait_for_result(o, c, end_ns))
      status = print_result(o, c, is_one || !room ? NULL : room->name);
  }
  free(text);
  free(c);
  return status;
}

// Sends a command to the room of this name or, if it is NULL, to all running rooms.
static int send_to_rooms(operator_t *o, const char *name, const char *kind, const json_t *data) {
  targets_t t = {0};
  int status = 1;
  const room_status_t *room = read_targets(o, &t) && name ? find_room(o, &t, name) : NULL;
  if (room) {
    if (check_room(o, &t, room, strcmp(kind, "emit") == 0))
      status = send_to(o, room, kind, data, true);
  } else if (!name && !o->error.text[0]) {
    uint32_t count = 0;
    status = 0;
    for (uint32_t i = 0; i < t.rooms.count; ++i)
      if (operator_get_activity(&t.rooms.items[i], t.is_served) == ROOM_RUNS) {
        status |= send_to(o, &t.rooms.items[i], kind, data, false);
        ++count;
      }
    if (count == 0)
      status = !(t.is_served ? error_set(&o->error, "no room runs, so no room has players: a room starts with its "
                                                    "next player")
                             : reject_unserved(o));
  }
  room_list_free(&t.rooms);
  return status;
}

int operator_send_to_room(operator_t *o, const char *room, const char *kind, const json_t *data) {
  return send_to_rooms(o, room, kind, data);
}

bool operator_is_running(operator_t *o, const char *room) {
  targets_t t = {0};
  bool is_running = false;
  if (read_targets(o, &t))
    for (uint32_t i = 0; i < t.rooms.count; ++i)
      is_running |= strcmp(t.rooms.items[i].name, room) == 0 &&
                    operator_get_activity(&t.rooms.items[i], t.is_served) == ROOM_RUNS;
  room_list_free(&t.rooms);
  return is_running;
}

bool operator_has_room(operator_t *o, const char *room) {
  targets_t t = {0};
  bool exists = read_targets(o, &t) && find_room(o, &t, room);
  room_list_free(&t.rooms);
  return exists;
}

// Returns the JSON object { NAME = TEXT }, or NULL with an error if the text is not UTF-8. The caller frees it.
static json_t *pack_text(operator_t *o, const char *name, const char *text) {
  json_t *string = json_string(text);
  if (string)
    return json_pack("{s:o}", name, string);
  error_set(&o->error, "%s must be UTF-8", name);
  return NULL;
}

static int send_text(operator_t *o, const char *kind, const char *name) {
  json_t *data = pack_text(o, name, o->arguments[o->count - 1]);
  int status = data ? send_to_rooms(o, o->count > 1 ? o->arguments[0] : NULL, kind, data) : 1;
  json_decref(data);
  return status;
}

// --- commands

int operator_say(operator_t *o) {
  return send_text(o, "say", "text");
}

int operator_ask(operator_t *o) {
  return send_text(o, "ask", "sql");
}

int operator_emit(operator_t *o) {
  const char *values = o->count > 2 ? o->arguments[2] : "{}";
  if (!operator_event_check_syntax(o->arguments[1], values, &o->error))
    return 1;
  json_t *data = pack_text(o, "event", o->arguments[1]);
  if (data)
    json_object_set_new(data, "values", json_loads(values, JSON_REJECT_DUPLICATES, NULL));
  int status = data ? send_to_rooms(o, o->arguments[0], "emit", data) : 1;
  json_decref(data);
  return status;
}

// Waits until the process that serves the world has ended, for at most WAIT_START_MS. Returns the exit status.
static int wait_for_end(operator_t *o) {
  world_status_t world = {.is_owned = true};
  for (int64_t end_ns = now_ns() + (int64_t)WAIT_START_MS * NS_PER_MS; world.is_owned && now_ns() < end_ns;) {
    wait_step();
    if (world_store_get_world(o->store, &world, &o->error) != STORE_DONE)
      return 1;
  }
  if (!world.is_owned)
    return puts("the world has ended") < 0;
  error_set(&o->error, "the world has not ended in %d s: see its messages", WAIT_START_MS / 1000);
  return 1;
}

int operator_stop(operator_t *o) {
  bool is_served;
  json_t *data = json_object();
  int status = 1;
  if (o->count > 0)
    status = send_to_rooms(o, o->arguments[0], "stop", data);
  else if (operator_is_served(o, &is_served) && !is_served)
    status = puts("the world is not served") < 0;
  else if (!o->error.text[0])
    status = send_to(o, NULL, "stop", data, true);
  json_decref(data);
  return o->count == 0 && status == 0 && is_served && o->waits ? wait_for_end(o) : status;
}

// Prints that the file with the world's key must also be backed up. This file may be on a different machine, where the
// world is served.
static void print_key_reminder(const operator_t *o, const char *backup) {
  world_status_t world;
  char files[4096], key[4096];
  error_info_t ignored;
  bool is_found = world_store_get_world(o->store, &world, &ignored) == STORE_DONE &&
                  world_files_locate(world.game, o->database, files, sizeof files, &ignored) &&
                  match_files_find_world_secret(files, key, sizeof key, &ignored);
  printf("%s: written; also back up %s: without it, no player can join with an existing account\n", backup,
         is_found ? key : "the key of the world");
}

int operator_back_up(operator_t *o) {
  const char *path = o->arguments[0];
  command_t *c = alloc_object(sizeof *c);
  json_t *data = pack_text(o, "file", path);
  char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;
  bool ok = text && world_store_back_up(o->store, path, &o->error) == STORE_DONE;
  if (ok) {
    *c = (command_t){.is_done = true, .is_ok = true, .kind = "backup", .result = "written"};
    operator_get_author(c->author);
    (void)snprintf(c->data, sizeof c->data, "%s", strlen(text) < sizeof c->data ? text : "{}");
    ok = command_add(o->store, c, &o->error) == STORE_DONE;
  }
  if (ok)
    print_key_reminder(o, path);
  free(text);
  free(c);
  json_decref(data);
  return ok ? 0 : 1;
}
