// Prints the rooms of a world, and the log of commands.
#include "serve/operator.h"

#include "served/code_rows.h"
#include "served/owned_rewrite.h"
#include "served/world_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Time in seconds. A room without a commit, or a world without a beat, for this time has crashed or cannot write.
#define QUIET_S (WORLD_SILENT_MS / 1000)
#define LOG_COMMANDS 20u // number of commands that `log` shows by default
#define MAX_LOG_COMMANDS 100000

room_activity_t operator_get_activity(const room_status_t *room, bool is_served) {
  if (room->reason[0])
    return ROOM_IS_DAMAGED;
  if (room->state == ROOM_STATE_NEW)
    return ROOM_IS_NEW;
  if (room->state == ROOM_STATE_SLEEPING)
    return ROOM_SLEEPS;
  return is_served && room->seen_s <= QUIET_S ? ROOM_RUNS
                                              : ROOM_HAS_STOPPED; // a stopped room recovers at its next start
}

static const char *name_activity(room_activity_t activity) {
  static const char *const NAMES[] = {[ROOM_IS_NEW] = "new",
                                      [ROOM_RUNS] = "running",
                                      [ROOM_SLEEPS] = "asleep",
                                      [ROOM_HAS_STOPPED] = "stopped",
                                      [ROOM_IS_DAMAGED] = "damaged"};
  return NAMES[activity];
}

static const char *name_proof(room_proof_t proof) {
  return proof == ROOM_PROOF_PASSED ? "passed" : proof == ROOM_PROOF_FAILED ? "FAILED" : "-";
}

const char *operator_format_age(int64_t seconds, char out[24]) {
  if (seconds < 120)
    (void)snprintf(out, 24, "%" PRId64 " s", seconds);
  else if (seconds < 7200)
    (void)snprintf(out, 24, "%" PRId64 " min", seconds / 60);
  else
    (void)snprintf(out, 24, "%" PRId64 " h", seconds / 3600);
  return out;
}

static void print_rooms(const room_list_t *list, bool is_served) {
  char age[24], started[24];
  printf("%-20s %-8s %7s %12s %10s %8s %9s %9s %7s\n", "room", "state", "players", "tick", "committed", "started",
         "records", "snapshots", "proof");
  for (uint32_t i = 0; i < list->count; ++i) {
    const room_status_t *r = &list->items[i];
    room_activity_t activity = operator_get_activity(r, is_served);
    printf("%-20s %-8s %7u %12" PRIu64 " %10s %8s %6" PRIu64 " KB %6" PRIu64 " KB %7s\n", r->name,
           name_activity(activity), activity == ROOM_RUNS ? r->players : 0, r->tick,
           operator_format_age(r->seen_s, age), operator_format_age(r->started_s, started),
           (r->journal_bytes + 1023) / 1024, (r->snapshot_bytes + 1023) / 1024, name_proof(r->proof));
  }
  for (uint32_t i = 0; i < list->count; ++i) {
    const room_status_t *r = &list->items[i];
    if (r->reason[0])
      printf("\n%s cannot start: %s\nto drop the damaged rows: ./shoal serve GAME --accept-loss %s\n", r->name,
             r->reason, r->name);
    if (operator_get_activity(r, is_served) == ROOM_HAS_STOPPED && !r->has_save)
      printf(
          "\n%s has no save: start it once with the version of Shoal and of the game that has written it, before you "
          "replace them\n",
          r->name);
  }
}

// Prints the number of accounts with rows that earlier code has written, unless it is 0.
static store_result_t print_rows(world_store_o *s, int64_t key, error_info_t *error) {
  int64_t accounts = 0;
  store_result_t result = owned_rewrite_count(s, key, &accounts, error);
  if (result == STORE_DONE && accounts > 0)
    printf("\nthe rows of %" PRId64 " account%s must be rewritten for the current code\n", accounts,
           accounts == 1 ? "" : "s");
  return result;
}

// Prints the current live code, and the rooms and rows that do not have it.
static store_result_t print_code(world_store_o *s, const world_status_t *world, const room_list_t *list,
                                 error_info_t *error) {
  code_row_t row = {0};
  uint64_t current = 0;
  char age[24];
  store_result_t result = code_rows_get_current(s, world->base, &current, error);
  if (result == STORE_DONE && current > 0)
    result = code_rows_load(s, world->base, current, &row, error);
  if (result == STORE_DONE && row.number > 0)
    printf("\ncode %" PRIu64 ": stored %s ago by %s%s%s\n", row.number, operator_format_age(row.age_s, age), row.author,
           row.note[0] ? ": " : "", row.note);
  for (uint32_t i = 0; row.number > 0 && i < list->count; ++i) {
    const room_status_t *r = &list->items[i];
    if (r->refused_code >= row.number)
      printf("%s runs code %" PRIu64 ", because it has refused code %" PRIu64 ": %s\n", r->name, r->code,
             r->refused_code, r->refusal_reason);
    else if (r->snapshots > 0 && r->code < row.number)
      printf("%s has code %" PRIu64 "\n", r->name, r->code);
  }
  if (result == STORE_DONE)
    result = print_rows(s, code_rows_get_key(world->base, current), error);
  code_row_free(&row);
  return result;
}

static void print_taken(void *context, const account_t *account) {
  char age[24];
  (void)context;
  printf("\n%s was taken %s ago, and cannot join: use give or release\n", account->name,
         operator_format_age(account->away_s, age));
}

static bool is_active(const world_status_t *world) {
  return world->is_owned && world->beat_s <= QUIET_S;
}

bool operator_is_served(operator_t *o, bool *out) {
  world_status_t world;
  store_result_t result = world_store_get_world(o->store, &world, &o->error);
  *out = result == STORE_DONE && is_active(&world);
  return result == STORE_DONE;
}

int operator_print_status(operator_t *o) {
  world_status_t world;
  room_list_t list = {0};
  char age[24];
  store_result_t result = world_store_get_world(o->store, &world, &o->error);
  if (result == STORE_DONE)
    result = world_store_list_rooms(o->store, &list, &o->error);
  if (result == STORE_DONE) {
    bool is_served = is_active(&world);
    printf("game: %s\n", world.game);
    if (is_served)
      puts("served: yes");
    else if (world.is_owned)
      printf("served: no; its last process ended %s ago without releasing the world\n",
             operator_format_age(world.beat_s, age));
    else
      puts("served: no");
    if (list.count > 0)
      print_rooms(&list, is_served);
    else
      puts("no room has run yet: a room starts with its first player");
    result = print_code(o->store, &world, &list, &o->error);
    if (result == STORE_DONE)
      result = account_list(o->store, ACCOUNTS_TAKEN, print_taken, NULL, &o->error);
  }
  room_list_free(&list);
  return result == STORE_DONE ? 0 : result == STORE_DAMAGED ? 3 : 2;
}

// Prints the first line of a text.
static void print_first_line(const char *text) {
  printf("%.*s%s\n", (int)strcspn(text, "\n"), text, strchr(text, '\n') ? " …" : "");
}

static void print_command(const command_t *c) {
  char age[24];
  printf("%6" PRId64 " %8s %-12s %-10s %-16s %s  ", c->id, operator_format_age(c->age_s, age), c->author, c->kind,
         c->room == 0 ? "-" : c->room_name, c->data);
  if (c->is_done)
    printf("%s: ", c->is_ok ? "done" : "failed");
  print_first_line(c->is_done ? c->result : c->is_taken ? "is being executed" : "waits");
}

int operator_print_log(operator_t *o) {
  char *end = NULL;
  long count = o->count > 0 ? strtol(o->arguments[0], &end, 10) : (long)LOG_COMMANDS;
  if (o->count > 0 && (*end != '\0' || count < 1 || count > MAX_LOG_COMMANDS)) {
    error_set(&o->error, "log: the number of commands must be from 1 to %d, got %.40s", MAX_LOG_COMMANDS,
              o->arguments[0]);
    return 1;
  }
  printf("%6s %8s %-12s %-10s %-16s %s\n", "number", "ago", "author", "command", "room", "arguments and result");
  return command_list(o->store, (uint32_t)count, print_command, &o->error) == STORE_DONE ? 0 : 1;
}
