// Commands on accounts. The program changes the rows itself. A running room that contains the account's player then
// executes a second command.
#include "serve/operator.h"

#include "base/nearest_name.h"
#include "base/now.h"
#include "game/world_files.h"
#include "match/match_files.h"
#include "platform/player_name.h"
#include "served/account_rows.h"
#include "serve/world_accounts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEAVE_MS 10000 // time to wait until a player has left

// --- accounts

static void offer_name(void *context, const account_t *account) {
  nearest_name_offer(context, account->name);
}

bool operator_find_account(operator_t *o, account_t *out) {
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  bool is_found = false;
  nearest_name_t nearest;
  const char *name = o->arguments[0];
  if (account_read_by_name(o->store, name, out, &is_found, &o->error) != STORE_DONE)
    return false;
  if (is_found)
    return true;
  nearest_name_init(&nearest, name);
  if (account_list(o->store, ACCOUNTS_ALL, offer_name, &nearest, &o->error) != STORE_DONE)
    return false;
  return error_set(&o->error, "the world has no account %.60s%s", name,
                   nearest.best[0] ? nearest_name_hint(&nearest, hint, sizeof hint)
                                   : ": the messages of serve name each player who joins");
}

command_t *operator_create_log(const char *kind, json_t *data) {
  command_t *log = alloc_object(sizeof *log);
  char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;
  (void)snprintf(log->kind, sizeof log->kind, "%s", kind);
  (void)snprintf(log->data, sizeof log->data, "%s", text && strlen(text) < sizeof log->data ? text : "{}");
  operator_get_author(log->author);
  free(text);
  json_decref(data);
  return log;
}

// Ends a change of an account: prints the result, or sets an error. Frees `log`.
static int finish(operator_t *o, store_result_t result, command_t *log, const char *failure) {
  bool ok = result == STORE_DONE && log->is_ok;
  if (ok)
    puts(log->result);
  else if (result == STORE_DONE)
    error_set(&o->error, "%s", failure);
  free(log);
  return !ok;
}

static const char CHANGED[] = "the account has changed meanwhile: repeat the command";

// --- times

// Parses a duration such as "30m", "12h", "7 days" or "forever". Returns true on success.
static bool parse_duration(const char *text, int64_t *seconds) {
  static const struct {
    const char *names[3];
    int64_t seconds;
  } UNITS[] = {{{"s", "second", "seconds"}, 1},
               {{"m", "minute", "minutes"}, 60},
               {{"h", "hour", "hours"}, 3600},
               {{"d", "day", "days"}, 86400},
               {{"w", "week", "weeks"}, 604800}};
  char *unit = NULL;
  if (strcmp(text, "forever") == 0) {
    *seconds = ACCOUNT_FOREVER_S;
    return true;
  }
  long number = strtol(text, &unit, 10);
  unit += strspn(unit, " ");
  for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; ++i)
    for (size_t k = 0; k < 3; ++k)
      if (strcmp(unit, UNITS[i].names[k]) == 0) {
        *seconds = (int64_t)number * UNITS[i].seconds;
        return number >= 1 && number <= ACCOUNT_FOREVER_S / UNITS[i].seconds;
      }
  return false;
}

// Reads the optional duration and reason after the name. Returns true on success, or false with an error.
static bool read_duration(operator_t *o, int64_t *seconds) {
  *seconds = ACCOUNT_FOREVER_S;
  return o->count < 2 || parse_duration(o->arguments[1], seconds) ||
         error_set(&o->error,
                   "the duration must be forever or a number of seconds, minutes, hours, days or weeks, such "
                   "as “7 days” or 12h, got %.40s",
                   o->arguments[1]);
}

static const char *format_duration(int64_t seconds, char out[32]) {
  int64_t minutes = (seconds + 59) / 60;
  if (seconds >= ACCOUNT_FOREVER_S / 2)
    (void)snprintf(out, 32, "forever");
  else if (seconds >= 2 * 86400)
    (void)snprintf(out, 32, "for %" PRId64 " days", seconds / 86400);
  else if (seconds >= 2 * 3600)
    (void)snprintf(out, 32, "for %" PRId64 " hours", seconds / 3600);
  else
    (void)snprintf(out, 32, "for %" PRId64 " minute%s", minutes, minutes == 1 ? "" : "s");
  return out;
}

// --- commands

// Sends a command to the room of an account, which must be running. Releases `data`. Returns the exit status.
static int send_to_room_of(operator_t *o, const account_t *account, const char *kind, json_t *data) {
  int status = operator_send_to_room(o, account->room, kind, data);
  json_decref(data);
  return status;
}

int operator_kick(operator_t *o) {
  account_t account;
  if (!operator_find_account(o, &account))
    return 1;
  if (account.room[0])
    return send_to_room_of(o, &account, "kick",
                           json_pack("{s:I,s:s}", "account", (json_int_t)account.id, "name", account.name));
  error_set(&o->error, "%s is in no room: use ban to refuse the account's next join", account.name);
  return 1;
}

int operator_ban(operator_t *o) {
  account_t account;
  int64_t seconds;
  char duration[32];
  const char *reason = o->count > 2 ? o->arguments[2] : "";
  if (!operator_find_account(o, &account) || !read_duration(o, &seconds))
    return 1;
  if (strlen(reason) >= ACCOUNT_REASON_BYTES)
    return !error_set(&o->error, "the reason has %zu bytes: the maximum is %u", strlen(reason),
                      ACCOUNT_REASON_BYTES - 1);
  command_t *log = operator_create_log(
      "ban", json_pack("{s:s,s:I,s:s}", "name", account.name, "seconds", (json_int_t)seconds, "reason", reason));
  (void)snprintf(log->result, sizeof log->result, "%s is banned %s", account.name, format_duration(seconds, duration));
  int status = finish(o, account_ban(o->store, &account, seconds, reason, log, &o->error), log, CHANGED);
  return status == 0 && account.room[0] && operator_is_running(o, account.room)
             ? send_to_room_of(
                   o, &account, "kick",
                   json_pack("{s:I,s:s,s:b}", "account", (json_int_t)account.id, "name", account.name, "ban", 1))
             : status;
}

int operator_unban(operator_t *o) {
  account_t account;
  if (!operator_find_account(o, &account))
    return 1;
  command_t *log = operator_create_log("unban", json_pack("{s:s}", "name", account.name));
  (void)snprintf(log->result, sizeof log->result, "%s is not banned", account.name);
  return finish(o, account_ban(o->store, &account, 0, "", log, &o->error), log, CHANGED);
}

static int mute(operator_t *o, const char *kind, int64_t seconds) {
  account_t account;
  char duration[32];
  if (!operator_find_account(o, &account))
    return 1;
  command_t *log =
      operator_create_log(kind, json_pack("{s:s,s:I}", "name", account.name, "seconds", (json_int_t)seconds));
  if (seconds > 0)
    (void)snprintf(log->result, sizeof log->result, "%s is muted %s", account.name, format_duration(seconds, duration));
  else
    (void)snprintf(log->result, sizeof log->result, "%s is not muted", account.name);
  int status = finish(o, account_mute(o->store, &account, seconds, log, &o->error), log, CHANGED);
  return status == 0 && account.room[0] && operator_is_running(o, account.room)
             ? send_to_room_of(o, &account, "mute",
                               json_pack("{s:I,s:s,s:I}", "account", (json_int_t)account.id, "name", account.name,
                                         "seconds", (json_int_t)seconds))
             : status;
}

int operator_mute(operator_t *o) {
  int64_t seconds;
  return read_duration(o, &seconds) ? mute(o, "mute", seconds) : 1;
}

int operator_unmute(operator_t *o) {
  return mute(o, "unmute", 0);
}

int operator_rename(operator_t *o) {
  account_t account;
  char name[PLAYER_NAME_BYTES], failure[128];
  player_name_clean(o->arguments[1], strlen(o->arguments[1]), name);
  if (!operator_find_account(o, &account))
    return 1;
  if (!name[0] || strcmp(name, o->arguments[1]) != 0)
    return !error_set(&o->error,
                      "a name has at most %u characters in %u bytes of UTF-8, without control characters%s%s",
                      PLAYER_NAME_CHARACTERS, PLAYER_NAME_BYTES - 1, name[0] ? ": try " : "", name);
  bool is_online = account.room[0] && operator_is_running(o, account.room);
  command_t *log = operator_create_log("rename", json_pack("{s:s,s:s}", "name", account.name, "to", name));
  (void)snprintf(log->result, sizeof log->result, "%s is now %s%s", account.name, name,
                 account.room[0] && !is_online ? " (in the room, from the next join on)" : "");
  (void)snprintf(failure, sizeof failure, "a different account has the name %s: choose a different name", name);
  int status = finish(o, account_rename(o->store, &account, name, log, &o->error), log, failure);
  return status == 0 && is_online
             ? send_to_room_of(o, &account, "rename",
                               json_pack("{s:I,s:s}", "account", (json_int_t)account.id, "name", name))
             : status;
}

// Creates a code for the world. Fails if the world's secret is missing, because a new secret would belong to a
// different world.
static bool make_code(operator_t *o, char code[MATCH_ACCOUNT_CODE_BYTES], uint8_t digest[ACCOUNT_DIGEST_BYTES]) {
  world_status_t world;
  char files[4096];
  return world_store_get_world(o->store, &world, &o->error) == STORE_DONE &&
         world_files_locate(world.game, o->database, files, sizeof files, &o->error) &&
         match_files_require_world_secret(files, &o->error) && world_accounts_make_code(files, code, digest, &o->error);
}

// Prints a code, and adds the command to the log.
static int print_code(operator_t *o, const char *code, const char *kind, json_t *data) {
  command_t *log = operator_create_log(kind, data);
  log->is_done = log->is_ok = true;
  (void)snprintf(log->result, sizeof log->result, "code created");
  bool ok = command_add(o->store, log, &o->error) == STORE_DONE;
  free(log);
  if (ok)
    printf("code: %s\n", code);
  return !ok;
}

int operator_reset(operator_t *o) {
  account_t account;
  char code[MATCH_ACCOUNT_CODE_BYTES];
  uint8_t digest[ACCOUNT_DIGEST_BYTES];
  bool is_found = false;
  if (!operator_find_account(o, &account) || !make_code(o, code, digest) ||
      world_store_reset_account(o->store, account.name, digest, &is_found, &o->error) != STORE_DONE)
    return 1;
  if (!is_found)
    return !error_set(&o->error, "%s", CHANGED);
  return print_code(o, code, "reset", json_pack("{s:s}", "name", account.name));
}

int operator_invite(operator_t *o) {
  char code[MATCH_ACCOUNT_CODE_BYTES];
  uint8_t digest[ACCOUNT_DIGEST_BYTES];
  if (!make_code(o, code, digest) || world_store_add_invite(o->store, digest, &o->error) != STORE_DONE)
    return 1;
  return print_code(o, code, "invite", json_object());
}

// Waits until an account has left its room. Returns true on success, or false with an error, for example after
// LEAVE_MS.
static bool wait_until_away(operator_t *o, account_t *account) {
  bool is_found = true;
  for (int64_t end_ns = now_ns() + (int64_t)LEAVE_MS * NS_PER_MS; account->room[0] && now_ns() < end_ns;) {
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    if (account_read_by_name(o->store, account->name, account, &is_found, &o->error) != STORE_DONE || !is_found)
      return is_found ? false : error_set(&o->error, "%s", CHANGED);
  }
  return !account->room[0] || error_set(&o->error, "%s has not left the room %s in %d s: repeat the command",
                                        account->name, account->room, LEAVE_MS / 1000);
}

// Removes the player of an account from its room. Returns true on success or if the account is in no room. Returns
// false with an error if the account is taken, its room does not run, or the player does not leave in time.
static bool leave_room(operator_t *o, account_t *account) {
  if (account->is_taken)
    return error_set(&o->error, "%s is taken: use give or release first", account->name);
  if (!account->room[0])
    return true;
  if (!operator_is_running(o, account->room))
    return o->error.text[0] ? false
                            : error_set(&o->error, "%s is in the room %s, which does not run: use release first",
                                        account->name, account->room);
  return send_to_room_of(o, account, "kick",
                         json_pack("{s:I,s:s}", "account", (json_int_t)account->id, "name", account->name)) == 0 &&
         wait_until_away(o, account);
}

int operator_delete(operator_t *o) {
  account_t account;
  if (!operator_find_account(o, &account) || !leave_room(o, &account))
    return 1;
  command_t *log = operator_create_log("delete", json_pack("{s:I}", "account", (json_int_t)account.id));
  (void)snprintf(log->result, sizeof log->result, "deleted");
  return finish(o, account_delete(o->store, &account, log, &o->error), log, CHANGED);
}

static int release_account(operator_t *o, const account_t *account) {
  if (!account->is_taken && !account->room[0])
    return !error_set(&o->error, "%s is in no room, and not taken: there is nothing to release", account->name);
  if (account->room[0] && operator_is_running(o, account->room))
    return !error_set(&o->error, "the room %s, in which %s is, runs: use kick", account->room, account->name);
  if (o->error.text[0])
    return 1;
  command_t *log = operator_create_log("release", json_pack("{s:s,s:s}", "name", account->name, "room", account->room));
  (void)snprintf(log->result, sizeof log->result,
                 account->is_taken ? "%s is not taken any more; nothing was changed" : "%s is in no room any more",
                 account->name);
  return finish(o, account_release(o->store, account, log, &o->error), log, CHANGED);
}

// Releases all accounts of a room. Stores the exit status and returns true, or returns false if the world has no room
// of this name.
static bool release_room(operator_t *o, const char *name, int *status) {
  room_list_t list = {0};
  int64_t count = 0;
  const room_status_t *room = NULL;
  *status = world_store_list_rooms(o->store, &list, &o->error) != STORE_DONE;
  for (uint32_t i = 0; *status == 0 && i < list.count; ++i)
    room = strcmp(list.items[i].name, name) == 0 ? &list.items[i] : room;
  if (room && operator_is_running(o, name)) {
    *status = !error_set(&o->error, "the room %s runs: use stop %s first", name, name);
  } else if (room) {
    command_t *log = operator_create_log("release", json_pack("{s:s}", "room", name));
    store_result_t result = account_release_room(o->store, room, &count, log, &o->error);
    *status = finish(o, result, log, "no account is in the room, or it has started meanwhile: see players");
  }
  room_list_free(&list);
  return room || *status != 0;
}

// Releases the account of this name if it is taken or in a room. Otherwise, releases all accounts of the room of this
// name.
int operator_release(operator_t *o) {
  account_t account = {0};
  int status = 0;
  bool is_found = false;
  if (account_read_by_name(o->store, o->arguments[0], &account, &is_found, &o->error) != STORE_DONE)
    return 1;
  bool is_held = is_found && (account.is_taken || account.room[0]);
  if (!is_held && release_room(o, o->arguments[0], &status))
    return status;
  return operator_find_account(o, &account) ? release_account(o, &account) : 1;
}

// --- the list of players

static void print_player(void *context, const account_t *account) {
  char duration[32];
  const char *room = context;
  if (room && strcmp(room, account->room) != 0)
    return;
  printf("%-28s %-20s %6" PRId64 " min  %s%s\n", account->name, account->room, account->away_s / 60,
         account->muted_s > 0 ? "muted " : "", account->muted_s > 0 ? format_duration(account->muted_s, duration) : "");
}

int operator_print_players(operator_t *o) {
  if (o->count > 0 && !operator_has_room(o, o->arguments[0]))
    return 1;
  printf("%-28s %-20s %10s\n", "player", "room", "since");
  return account_list(o->store, ACCOUNTS_IN_ROOMS, print_player, o->count > 0 ? (void *)o->arguments[0] : NULL,
                      &o->error) != STORE_DONE;
}
