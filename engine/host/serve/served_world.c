// The loop of a served world.
#include "serve/served_world.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/now.h"
#include "link/link_udp.h"
#include "match/match_files.h"
#include "match/world_finder.h"
#include "room/world_lock.h"
#include "serve/metrics.h"
#include "serve/world_door.h"
#include "serve/world_keeper.h"
#include "serve/world_lookups.h"
#include "serve/world_rows.h"
#include "served/code_rows.h"
#include "served/commands.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FRAME_NS 20000000                        // pause between two checks while the world starts or ends
#define WAIT_MS 100                              // maximum time between two iterations of the loop
#define ENDED_NS 1000000                         // pause while a process has closed its pipe, but has not ended
#define METRICS_US 10000000                      // time between two writes of the metrics file
#define CLAIM_US 1000000                         // time between two attempts to become the owner of the world
#define COMMANDS_US 1000000                      // time between two reads of the operators' commands
#define STRANDED_US 10000000                     // minimum time between two lines about stranded accounts
#define DOOR_US 30000000                         // maximum time until a former owner of the world has closed the port
#define ASK_US (INT64_C(1000) * WORLD_SILENT_MS) // maximum time until a process that uses the port has answered
#define MAX_PATH_BYTES 1024u
#define MAX_ARGUMENTS (20u + SERVED_MAX_OPTIONS)

// Command line of a room's process. The list ends with NULL; --accept-loss is its last element.
typedef struct room_command_t {
  const char *arguments[MAX_ARGUMENTS];
  char port[16], owner[24], pipe[8];
  uint32_t count;
} room_command_t;

typedef struct served_world_t served_world_t;

// A statement that reads the operators' commands.
typedef struct world_commands_t {
  world_statement_t statement; // must be the first member
  served_world_t *world;
  bool starts[SERVED_MAX_ROOMS]; // true for each room, in the order of `rooms`, for which commands wait
  command_t command;             // executed command for the world; its `id` is 0 if there was no command
} world_commands_t;

// A statement that updates the table of kept events.
typedef struct world_events_t {
  world_statement_t statement; // must be the first member
  served_world_t *world;
  int64_t now_us;
  kept_events_t events;
} world_events_t;

struct served_world_t {
  const served_world_desc_t *desc;
  world_rooms_t rooms;
  room_command_t *commands; // commands of the rooms, in the order of the rooms
  world_door_o *door;
  int lock_file; // file that this process locks while it owns the world and its door is open; -1: not open
  bool has_lock; // true once this process has locked the file
  world_lock_holder_t former_owner; // process that owned the world and used the port before this process
  world_keeper_o *keeper;
  world_requests_t requests;
  world_statements_o *statements; // thread of the statements; NULL: the main thread uses the connection
  world_lookups_t lookups;
  world_commands_t waiting_commands;
  world_events_t kept_events;
  int64_t owner;
  int64_t metrics_us, commands_us;
  int64_t stranded_us;  // earliest time at which the next stranded account is logged
  child_service_t bots; // process of the bots
  world_rows_t rows_process;
  room_command_t rows_command;              // command line of the process that rewrites rows
  bool is_stopping;                         // true once an operator has ended the world
  bool has_failed_beat, has_failed_metrics; // true if the latest beat or metrics file has failed (logged)
  char metrics_path[MAX_PATH_BYTES];
};

static int64_t get_now_us(void) {
  return now_ns() / 1000;
}

static void wait_for_next_frame(void) {
  nanosleep(&(struct timespec){.tv_nsec = FRAME_NS}, NULL);
}

// --- creation

static bool accepts_loss(const served_world_desc_t *desc, const char *room) {
  for (uint32_t i = 0; i < desc->accept_loss_count; ++i)
    if (strcmp(desc->accept_loss[i], room) == 0)
      return true;
  return false;
}

// Fills the command line of a process that loads the game. `name`: name of the room, or label of the process.
static void fill_command(const served_world_t *w, const char *name, uint16_t port, room_command_t *out) {
  const served_world_desc_t *d = w->desc;
  (void)snprintf(out->port, sizeof out->port, "%u", port);
  (void)snprintf(out->owner, sizeof out->owner, "%" PRId64, w->owner);
  (void)snprintf(out->pipe, sizeof out->pipe, "%d", CHILD_SERVICE_PIPE);
  const char *const fixed[] = {d->program,  "run",    d->folder, "--headless", "--no-watch", "--room", name,     "--db",
                               d->database, "--port", out->port, "--owner",    out->owner,   "--fd",   out->pipe};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; ++i)
    out->arguments[out->count++] = fixed[i];
  for (uint32_t i = 0; i < SERVED_MAX_OPTIONS && d->options[i]; ++i)
    out->arguments[out->count++] = d->options[i];
}

static void create_rooms(served_world_t *w) {
  served_room_t list[SERVED_MAX_ROOMS];
  w->rooms.count = served_rooms_list(w->desc->config, list);
  w->rooms.items = alloc_object(w->rooms.count * sizeof *w->rooms.items);
  w->commands = alloc_object(w->rooms.count * sizeof *w->commands);
  randombytes_buf(&w->rooms.first_process, sizeof w->rooms.first_process);
  for (uint32_t i = 0; i < w->rooms.count; ++i) {
    world_room_t *r = &w->rooms.items[i];
    r->room = list[i];
    r->port = (uint16_t)(w->desc->port + 1u + i);
    fill_command(w, r->room.name, r->port, &w->commands[i]);
    if (accepts_loss(w->desc, r->room.name))
      w->commands[i].arguments[w->commands[i].count++] = "--accept-loss";
    r->process = (room_process_t){.name = r->room.name,
                                  .arguments = w->commands[i].arguments,
                                  .sleeps = r->room.kind->sleeps,
                                  .service = {.pipe = -1}};
  }
  fill_command(w, "rows", w->desc->port, &w->rows_command);
  w->rows_command.arguments[w->rows_command.count++] = "--rows";
  w->rows_process.arguments = w->rows_command.arguments;
  w->rows_process.base = w->desc->base;
}

// Logs that an account is in a room that cannot release it. Logs at most one account per 10 s, because machines repeat
// their requests.
static void log_stranded(served_world_t *w, int64_t now_us, const account_info_t *account, bool is_damaged) {
  if (now_us < w->stranded_us)
    return;
  w->stranded_us = now_us + STRANDED_US;
  log_warn(w->desc->log,
           "account %" PRId64 " cannot join: it is in the room %s, which %s: use ./shoal world DB release %s",
           account->id, account->room, is_damaged ? "is damaged" : "game.lua does not declare", account->room);
}

// Requests the account from the room that holds it, and starts this room if it sleeps. The player's machine repeats its
// request. Refuses the request if this room is damaged or no longer exists.
static void free_account(served_world_t *w, int64_t now_us, const account_info_t *account, match_refusal_t *out) {
  world_room_t *holder = room_choice_find(&w->rooms, account->room);
  if (!holder || holder->process.phase == ROOM_DAMAGED) {
    match_refusal_set(out, MATCH_REFUSAL_ELSEWHERE, 0);
    (void)snprintf(out->texts[0], sizeof out->texts[0], "%.63s", account->room);
    log_stranded(w, now_us, account, holder != NULL);
    return;
  }
  if (out->number == MATCH_REFUSAL_ROOM)
    match_refusal_set(out, MATCH_REFUSAL_ROOM_STARTS, ROOM_ASK_AGAIN_MS);
  world_lookups_want(&w->lookups, account);
  room_process_need(&holder->process, now_us, w->desc->log);
}

static void choose_room(served_world_t *w, int64_t now_us, const world_request_t *request,
                        const account_info_t *account, match_refusal_t *out) {
  if (account && account->is_taken) {
    match_refusal_set(out, MATCH_REFUSAL_TAKEN, 0);
    return;
  }
  world_room_t *r = room_choice_answer(&w->rooms, now_us, request, account, out);
  if (!r)
    return;
  room_process_need(&r->process, now_us, w->desc->log);
  if (!request->watches && account->is_in_room && strcmp(account->room, r->room.name) != 0)
    free_account(w, now_us, account, out);
}

// Returns true if the latest beat has failed. No statements are added until a beat succeeds, because each statement
// would wait for the database.
static bool is_database_silent(const served_world_t *w) {
  return world_keeper_get_status(w->keeper).is_failing;
}

static void answer(void *context, int64_t now_us, const link_address_t *address, const world_request_t *request,
                   match_refusal_t *out) {
  served_world_t *w = context;
  account_info_t account;
  if (is_database_silent(w))
    match_refusal_set(out, MATCH_REFUSAL_ROOM_STARTS, WORLD_ACCOUNTS_ASK_AGAIN_MS);
  else if (world_lookups_find(&w->lookups, now_us, address, request, &account, out))
    choose_room(w, now_us, request, &account, out);
  ++w->requests.count[out->number];
}

static void print_address(const served_world_t *w) {
  link_address_t addresses[LINK_UDP_MAX_OWN_ADDRESSES];
  char text[LINK_ADDRESS_TEXT_BYTES], code[MATCH_CODE_BYTES], database[MAX_PATH_BYTES];
  uint32_t count = link_udp_find_own_addresses(addresses);
  for (uint32_t i = 0; i < count; ++i) {
    addresses[i].port = world_door_get_port(w->door);
    printf("%s: %s\n", i == 0 ? "listening" : "ipv6", link_address_format(&addresses[i], text));
  }
  printf("key: %s\n", match_files_format_code(world_door_get_key(w->door), code));
  world_store_hide_password(w->desc->database, database, sizeof database);
  printf("database: %s\n", database);
  if (world_store_is_address(database))
    printf("files: %.*s\n", (int)(strrchr(w->desc->files, '/') - w->desc->files), w->desc->files);
  printf("rooms: %u, UDP ports %u to %u\n", w->rooms.count, w->desc->port + 1u, w->desc->port + w->rooms.count);
  fflush(stdout);
}

// --- the owner of the world

// Claims the world. Waits while a different process owns it, or the database does not answer. Returns STORE_DONE on
// success, STORE_DAMAGED after logging the reason, or a different result if this process must exit first.
static store_result_t claim_world(served_world_t *w) {
  error_info_t error = {0};
  store_result_t result = STORE_LOST;
  int64_t next_us = 0;
  bool has_waited = false;
  while (!interrupt_is_requested()) {
    if (get_now_us() < next_us) {
      wait_for_next_frame();
      continue;
    }
    next_us = get_now_us() + CLAIM_US;
    result = world_store_claim_world(w->desc->store, w->desc->take_over, &w->owner, &error);
    if (result != STORE_LOST && result != STORE_FAILED)
      break;
    if (!has_waited)
      log_warn(w->desc->log, "%s: waiting until it has sent no beat for %u s; --take-over does not wait", error.text,
               WORLD_SILENT_MS / 1000);
    has_waited = true;
  }
  if (result == STORE_DAMAGED)
    log_error(w->desc->log, "%s", error.text);
  return result;
}

// Returns true if this process still owns the world, or false after logging that a different process owns it. Logs the
// first of several failed beats.
static bool check_owner(served_world_t *w) {
  world_keeper_status_t status = world_keeper_get_status(w->keeper);
  if (status.is_lost) {
    log_error(w->desc->log, "a different process owns the world now: this process ends");
    return false;
  }
  if (status.is_failing && !w->has_failed_beat)
    log_error(w->desc->log, "%s: this process tries again every %u s", status.error.text, WORLD_BEAT_MS / 1000);
  w->has_failed_beat = status.is_failing;
  return true;
}

static bool open_door(served_world_t *w, error_info_t *error) {
  w->door = world_door_create(&(world_door_desc_t){.port = w->desc->port,
                                                   .secret_seed = w->desc->secret_seed,
                                                   .answer = answer,
                                                   .context = w,
                                                   .log = w->desc->log},
                              error);
  return w->door != NULL;
}

static world_finder_o *ask_port(const served_world_t *w) {
  // No room has this name, so the request starts no room.
  world_finder_desc_t desc = {.world = link_address_from_ipv4(0x7f000001, w->desc->port), .request = {.room = "?"}};
  return world_finder_create(&desc, get_now_us(), NULL);
}

// Returns true if the process that has answered serves this world: it has the world's key.
static bool has_world_key(const served_world_t *w, const world_finder_o *finder) {
  uint8_t key[SEAL_KEY_BYTES], secret[SEAL_KEY_BYTES];
  crypto_kx_seed_keypair(key, secret, w->desc->secret_seed);
  sodium_memzero(secret, sizeof secret);
  return memcmp(world_finder_get_key(finder), key, sizeof key) == 0;
}

typedef enum port_user_t { PORT_USER_UNKNOWN, PORT_USER_OWNER, PORT_USER_DIFFERENT } port_user_t;

// Determines which process uses the port on this machine: the owner of this world, which holds the lock or has answered
// with the world's key, or a process of a different world. Stores the lock's holder in w->former_owner. A holder at a
// different place does not necessarily use this machine's port, so only its answer identifies it.
static port_user_t find_port_user(served_world_t *w, world_finder_o *finder) {
  match_refusal_t answer;
  if (world_lock_find_holder(w->lock_file, WORLD_LOCK_PORT(w->desc->port), &w->former_owner) && w->former_owner.is_here)
    return PORT_USER_OWNER;
  if (!finder || world_finder_poll(finder, get_now_us(), &answer) != WORLD_FINDER_ANSWERED)
    return PORT_USER_UNKNOWN;
  return has_world_key(w, finder) ? PORT_USER_OWNER : PORT_USER_DIFFERENT;
}

// Opens the port before this process claims the world: a process that cannot open it must not end the former owner.
// Waits as long as a claim waits for a silent owner, because a former process of this world may be about to end, or may
// be waiting to become the owner. Returns true if the port is open, or if the former owner uses it (see wait_for_door).
// Returns false after logging the reason, or if this process must end.
static bool prepare_door(served_world_t *w) {
  error_info_t error = {0};
  char text[WORLD_LOCK_HOLDER_BYTES];
  port_user_t user = PORT_USER_UNKNOWN;
  world_finder_o *finder = ask_port(w);
  int64_t end_us = get_now_us() + ASK_US;
  bool is_open;
  while (!(is_open = open_door(w, &error)) && user == PORT_USER_UNKNOWN && get_now_us() < end_us &&
         !interrupt_is_requested()) {
    user = find_port_user(w, finder);
    wait_for_next_frame();
  }
  world_finder_destroy(finder);
  if (is_open || user == PORT_USER_OWNER)
    return true;
  if (interrupt_is_requested())
    return false;
  if (user == PORT_USER_DIFFERENT)
    log_error(w->desc->log, "%s (it serves a different world)", error.text);
  else if (w->former_owner.process != 0)
    log_error(w->desc->log, "%s (it has not answered for %lld s; %s serves this world)", error.text,
              (long long)(ASK_US / 1000000), world_lock_describe(&w->former_owner, text));
  else
    log_error(w->desc->log, "%s (it has not answered for %lld s)", error.text, (long long)(ASK_US / 1000000));
  return false;
}

static void log_closed_door(const served_world_t *w, const error_info_t *error) {
  char text[WORLD_LOCK_HOLDER_BYTES];
  if (w->former_owner.process != 0)
    log_error(w->desc->log, "%s: %s, which served this world before, has not closed the port for %d s: end it",
              error->text, world_lock_describe(&w->former_owner, text), DOOR_US / 1000000);
  else
    log_error(w->desc->log, "%s", error->text);
}

// Opens the port unless prepare_door has opened it. A former owner of the world on this machine may still use it until
// it notices that it has lost the world. Returns 0 on success or after a request to exit, otherwise the exit status.
static int wait_for_door(served_world_t *w) {
  error_info_t error = {0};
  int64_t end_us = get_now_us() + DOOR_US;
  bool has_waited = false;
  while (!w->door && !open_door(w, &error)) {
    if (interrupt_is_requested())
      return 0; // the caller does not start the world's loop without a door
    if (get_now_us() >= end_us) {
      log_closed_door(w, &error);
      return 2;
    }
    if (!has_waited)
      log_warn(w->desc->log, "%s: trying again for %d s", error.text, DOOR_US / 1000000);
    has_waited = true;
    if (!check_owner(w))
      return ROOM_EXIT_LOST;
    wait_for_next_frame();
  }
  return 0;
}

// Locks the file. Fails while the former owner ends, so each iteration of the loop tries again. Without the lock, a
// later owner recognizes this process by its answer.
static void take_lock(served_world_t *w) {
  if (!w->has_lock)
    w->has_lock = world_lock_take(w->lock_file, WORLD_LOCK_PORT(w->desc->port));
}

// Releases the lock first, so that a process that holds the lock also uses the port.
static void close_door(served_world_t *w) {
  world_lock_close(w->lock_file);
  world_door_destroy(w->door);
  w->lock_file = -1;
  w->door = NULL;
}

// --- the loop

static void write_metrics(served_world_t *w, int64_t now_us) {
  error_info_t error = {0};
  if (now_us - w->metrics_us < METRICS_US)
    return;
  w->metrics_us = now_us;
  bool is_written = metrics_write(w->metrics_path, &w->rooms, &w->requests, &error);
  if (!is_written && !w->has_failed_metrics)
    log_error(w->desc->log, "%s", error.text);
  w->has_failed_metrics = !is_written;
  w->requests.pause_us = 0;
}

static void update_rooms(served_world_t *w, int64_t now_us) {
  for (uint32_t i = 0; i < w->rooms.count; ++i) {
    world_room_t *r = &w->rooms.items[i];
    room_phase_t before = r->process.phase;
    room_process_update(&r->process, now_us, w->desc->log);
    if (before == r->process.phase)
      continue;
    if (r->process.phase == ROOM_DAMAGED)
      world_keeper_add_reason(w->keeper, r->room.name, r->process.reason);
    if (r->process.phase == ROOM_OPEN) // --accept-loss has taken effect: later losses must be reported
      w->commands[i].arguments[w->commands[i].count - accepts_loss(w->desc, r->room.name)] = NULL;
  }
}

// --- commands of operators

static void note_waiting_command(void *context, const char *name) {
  world_commands_t *c = context;
  for (uint32_t i = 0; i < c->world->rooms.count; ++i)
    if (strcmp(c->world->rooms.items[i].room.name, name) == 0)
      c->starts[i] = true;
}

// Stores the result of a command for the world, on the thread of the statements. finish_commands applies the command.
static void execute_command(const served_world_t *w, command_t *c, world_store_o *store) {
  error_info_t error = {0};
  c->is_ok = strcmp(c->kind, "stop") == 0;
  (void)snprintf(c->result, sizeof c->result, "%s",
                 c->is_ok ? "all rooms store their state and end" : "this version of Shoal has no such command");
  log_info(w->desc->log, "executes the command %s of the operator %s", c->kind, c->author);
  if (command_finish(store, c, &error) != STORE_DONE)
    log_warn(w->desc->log, "%s", error.text);
}

// Logs no errors of reads, because failed beats report a database that does not answer.
static void execute_commands(world_statement_t *s, world_store_o *store) {
  world_commands_t *c = (world_commands_t *)s;
  error_info_t error = {0};
  memset(c->starts, 0, sizeof c->starts);
  c->command.id = 0;
  if (command_list_waiting_rooms(store, note_waiting_command, c, &error) == STORE_DONE &&
      command_take_of_world(store, c->world->owner, &c->command, &error) == STORE_DONE && c->command.id != 0)
    execute_command(c->world, &c->command, store);
}

static void finish_commands(world_statement_t *s) {
  world_commands_t *c = (world_commands_t *)s;
  served_world_t *w = c->world;
  for (uint32_t i = 0; i < w->rooms.count; ++i)
    if (c->starts[i])
      room_process_need(&w->rooms.items[i].process, get_now_us(), w->desc->log);
  w->is_stopping |= c->command.id != 0 && c->command.is_ok;
}

// Reads the operators' commands every COMMANDS_US on the thread of the statements (execute_commands, finish_commands).
static void update_commands(served_world_t *w, int64_t now_us) {
  world_commands_t *c = &w->waiting_commands;
  if (c->statement.is_busy || now_us - w->commands_us < COMMANDS_US)
    return;
  w->commands_us = now_us;
  c->statement = (world_statement_t){.execute = execute_commands, .finish = finish_commands};
  c->world = w;
  world_statements_add(w->statements, &c->statement);
}

static void start_sleepless_rooms(served_world_t *w) {
  for (uint32_t i = 0; i < w->rooms.count; ++i)
    if (!w->rooms.items[i].room.kind->sleeps)
      room_process_need(&w->rooms.items[i].process, get_now_us(), w->desc->log);
}

// Starts the bots. They repeat their requests until the world answers, so they may start before the rooms.
static void start_bots(served_world_t *w) {
  error_info_t error = {0};
  if (w->desc->bots && !world_bots_start(w->desc->bots, &w->bots, &error))
    log_error(w->desc->log, "the bots cannot start: %s", error.text);
}

static void update_bots(served_world_t *w) {
  int exit_code, signal;
  if (child_service_has_ended(&w->bots, &exit_code, &signal))
    log_error(w->desc->log, "the process of the bots has ended");
}

// Ends all rooms, and waits for their processes.
static void stop_rooms(served_world_t *w, bool is_owner) {
  uint32_t running;
  for (uint32_t i = 0; i < w->rooms.count; ++i)
    room_process_stop(&w->rooms.items[i].process, get_now_us());
  do {
    running = 0;
    update_rooms(w, get_now_us());
    for (uint32_t i = 0; i < w->rooms.count; ++i)
      running += room_process_is_running(&w->rooms.items[i].process);
    is_owner = is_owner && check_owner(w);
    if (running > 0)
      wait_for_next_frame();
  } while (running > 0);
}

// Waits until a request, a line of a room or a signal arrives, but at most WAIT_MS.
static void wait_for_event(const served_world_t *w) {
  wait_t handles[SERVED_MAX_ROOMS + LINK_UDP_MAX_SOCKETS];
  wait_handle_t sockets[LINK_UDP_MAX_SOCKETS];
  bool has_end = false;
  uint32_t count = world_door_list_sockets(w->door, sockets);
  for (uint32_t i = 0; i < count; ++i)
    handles[i] = (wait_t){.handle = sockets[i], .requested = WAIT_READ};
  for (uint32_t i = 0; i < w->rooms.count; ++i)
    if (w->rooms.items[i].process.service.pipe >= 0)
      handles[count++] = (wait_t){.handle = w->rooms.items[i].process.service.pipe, .requested = WAIT_READ};
  if (wait_for_any(handles, count, WAIT_MS * 1000) <= 0)
    return;
  for (uint32_t i = 0; i < count; ++i)
    has_end |= (handles[i].ready & (WAIT_READ | WAIT_END)) == WAIT_END;
  if (has_end)
    nanosleep(&(struct timespec){.tv_nsec = ENDED_NS}, NULL);
}

static void execute_kept_events(world_statement_t *s, world_store_o *store) {
  world_events_t *e = (world_events_t *)s;
  const served_world_desc_t *d = e->world->desc;
  kept_events_update(&e->events, e->now_us, store, e->world->owner, d->views, d->view_count, d->log);
}

static void update_kept_events(served_world_t *w, int64_t now_us) {
  world_events_t *e = &w->kept_events;
  if (e->statement.is_busy || now_us < e->events.due_us)
    return;
  e->statement = (world_statement_t){.execute = execute_kept_events};
  e->world = w;
  e->now_us = now_us;
  world_statements_add(w->statements, &e->statement);
}

static void update_statements(served_world_t *w, int64_t now_us) {
  world_statements_update(w->statements);
  if (is_database_silent(w))
    return;
  update_commands(w, now_us);
  update_kept_events(w, now_us);
  world_rows_update(&w->rows_process, now_us, w->statements, w->desc->log);
}

// Runs the loop until the world ends. Returns true if this process still owns the world.
static bool run_loop(served_world_t *w) {
  bool is_owner = true;
  while (is_owner && !w->is_stopping && !interrupt_is_requested()) {
    int64_t now_us = get_now_us();
    take_lock(w);
    world_lookups_begin(&w->lookups);
    world_door_update(w->door, now_us);
    update_rooms(w, now_us);
    update_bots(w);
    update_statements(w, now_us);
    write_metrics(w, now_us);
    is_owner = check_owner(w);
    int64_t pause_us = get_now_us() - now_us;
    w->requests.pause_us = pause_us > w->requests.pause_us ? pause_us : w->requests.pause_us;
    if (is_owner)
      wait_for_event(w);
  }
  return is_owner;
}

// Starts the thread of the statements. Until it ends, only this thread may use the connection. Returns true on success,
// or false after logging the reason.
static bool start_statements(served_world_t *w) {
  const served_world_desc_t *d = w->desc;
  error_info_t error = {0};
  // The first rows of kept events need today's partitions.
  kept_events_update(&w->kept_events.events, get_now_us(), d->store, w->owner, d->views, d->view_count, d->log);
  w->statements = world_statements_create(d->store, d->log, &error);
  if (!w->statements)
    log_error(d->log, "%s", error.text);
  w->lookups.statements = w->statements;
  w->lookups.accounts =
      (world_accounts_t){.store = d->store, .owner = w->owner, .needs_invite = d->config->needs_invite, .log = d->log};
  return w->statements != NULL;
}

static int run(served_world_t *w) {
  if (!start_statements(w))
    return 2;
  start_sleepless_rooms(w);
  start_bots(w);
  bool is_owner = run_loop(w);
  child_stop_service(&w->bots, true); // must precede the end of the rooms, which the bots would join again
  world_rows_stop(&w->rows_process);  // its transactions are complete, or have no effect
  close_door(w);                      // further requests must not start a room
  stop_rooms(w, is_owner);
  world_statements_destroy(w->statements);
  w->metrics_us = get_now_us() - METRICS_US;
  write_metrics(w, get_now_us());
  return is_owner ? 0 : ROOM_EXIT_LOST;
}

// Stores the game's folder and the options of the rooms, with which `./shoal world DB reload` tries changed code.
static void store_release(served_world_t *w) {
  code_release_t release = {.base = w->desc->base};
  error_info_t error = {0};
  size_t at = 0;
  (void)snprintf(release.folder, sizeof release.folder, "%s", w->desc->folder);
  for (uint32_t i = 0; i < SERVED_MAX_OPTIONS && w->desc->options[i] && at < sizeof release.options; ++i)
    at += (size_t)snprintf(release.options + at, sizeof release.options - at, "%s%s", i > 0 ? "\n" : "",
                           w->desc->options[i]);
  if (code_rows_set_release(w->desc->store, &release, &error) != STORE_DONE)
    log_warn(w->desc->log, "%s: the code of the rooms cannot be reloaded", error.text);
}

// Releases the world, so that the next owner need not wait.
static void release_world(served_world_t *w) {
  error_info_t error = {0};
  if (world_store_release_world(w->desc->store, w->owner, &error) == STORE_FAILED)
    log_warn(w->desc->log, "%s", error.text);
}

// Creates the views of kept events and, if the rooms run the release, the item views. The process that rewrites rows
// creates the item views of live code (world_rows.h).
static store_result_t create_all_views(const served_world_desc_t *d, int64_t owner, error_info_t *error) {
  uint64_t current = 0;
  store_result_t result = chronicle_create_views(d->store, owner, d->views, d->view_count, error);
  if (result == STORE_DONE)
    result = code_rows_get_current(d->store, d->base, &current, error);
  return result == STORE_DONE && current == 0 ? owned_views_create(d->store, owner, d->owned_columns, error) : result;
}

// Creates the views of kept events and of the table owned. Waits while the database does not answer. Returns 0 on
// success or after a request to exit, otherwise the exit status.
static int create_views(served_world_t *w) {
  error_info_t error = {0};
  const served_world_desc_t *d = w->desc;
  store_result_t result;
  bool has_failed = false;
  while ((result = create_all_views(d, w->owner, &error)) == STORE_FAILED && !interrupt_is_requested()) {
    if (!has_failed)
      log_warn(d->log, "%s: trying again", error.text);
    has_failed = true;
    wait_for_next_frame();
  }
  if (result == STORE_DAMAGED || result == STORE_LOST)
    log_error(d->log, "%s", error.text);
  return result == STORE_DAMAGED ? ROOM_EXIT_DAMAGED : result == STORE_LOST ? ROOM_EXIT_LOST : 0;
}

int served_world_run(const served_world_desc_t *desc) {
  served_world_t w = {.desc = desc, .lock_file = -1};
  error_info_t error = {0};
  if (!match_files_find_beside(desc->files, ".prom", w.metrics_path, sizeof w.metrics_path, &error)) {
    log_error(desc->log, "%s", error.text);
    return 2;
  }
  w.lock_file = world_lock_open(desc->files, &error);
  if (w.lock_file < 0)
    log_error(desc->log, "%s", error.text);
  bool has_lock_file = w.lock_file >= 0;
  if (!has_lock_file || !prepare_door(&w)) {
    close_door(&w);
    return has_lock_file && interrupt_is_requested() ? 0 : 2;
  }
  store_result_t claimed = claim_world(&w);
  if (claimed != STORE_DONE) {
    close_door(&w);
    return claimed == STORE_DAMAGED ? ROOM_EXIT_DAMAGED : 0;
  }
  store_release(&w);
  create_rooms(&w);
  w.keeper = world_keeper_create(&desc->opening, w.owner, &error);
  int code = w.keeper ? create_views(&w) : 2;
  if (code == 0)
    code = wait_for_door(&w);
  if (code == 0 && w.door) {
    take_lock(&w); // a successor that starts after the address is printed must find the holder, even a suspended one
    print_address(&w);
    code = run(&w);
  }
  if (!w.keeper)
    log_error(desc->log, "%s", error.text);
  close_door(&w);
  world_keeper_destroy(w.keeper);
  if (code != ROOM_EXIT_LOST)
    release_world(&w);
  free(w.rooms.items);
  free(w.commands);
  return code;
}
