// Statements of operators on accounts.
#include "served/account_changes.h"

#include "served/account_rows.h"
#include "served/code_rows.h"
#include "served/owned_rows.h"
#include "served/world_store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- reading

#define COLUMNS                                                                                                        \
  "SELECT account.id, account.name, COALESCE(room.name, ''), account.session,"                                         \
  " CASE WHEN account.room = 0 THEN 1 ELSE 0 END, " STORE_NOW " - account.seen, banned_until - " STORE_NOW             \
  ", muted_until - " STORE_NOW ", account.reason FROM account LEFT JOIN room ON room.number = account.room "

static int64_t get_positive(uint64_t bits) {
  return (int64_t)bits > 0 ? (int64_t)bits : 0;
}

static bool read_row(const store_query_t *query, account_t *out) {
  uint64_t id = 0, session = 0, is_taken = 0, away_s = 0, banned_s = 0, muted_s = 0;
  bool ok = store_read_number(query, 0, INT64_MAX, &id) && store_read_text(query, 1, out->name, sizeof out->name) &&
            store_read_text(query, 2, out->room, sizeof out->room) &&
            store_read_number(query, 3, INT64_MAX, &session) && store_read_number(query, 4, 1, &is_taken) &&
            store_read_bits(query, 5, &away_s) && store_read_bits(query, 6, &banned_s) &&
            store_read_bits(query, 7, &muted_s) && store_read_text(query, 8, out->reason, sizeof out->reason);
  out->id = (int64_t)id;
  out->session = (int64_t)session;
  out->is_taken = is_taken != 0;
  out->away_s = get_positive(away_s);
  out->banned_s = get_positive(banned_s);
  out->muted_s = get_positive(muted_s);
  return ok;
}

static store_result_t fail_row(const world_store_o *s, error_info_t *error) {
  return store_fail(s, STORE_DAMAGED, error, "the row of an account is malformed: restore a backup");
}

store_result_t account_read_by_name(world_store_o *s, const char *name, account_t *out, bool *is_found,
                                    error_info_t *error) {
  char key[PLAYER_NAME_BYTES + 1];
  store_query_t query = {0};
  bool fits = strlen(name) < PLAYER_NAME_BYTES;
  account_name_fold(name, key);
  *out = (account_t){0}; // `name` may be part of `out`
  store_query_begin(s, &query, COLUMNS "WHERE account.name_key = $1", STORE_VALUES(STORE_TEXT(key)), error);
  *is_found = fits && store_next(s, &query, error);
  bool ok = !*is_found || read_row(&query, out);
  store_result_t result = store_query_end(&query);
  return result == STORE_DONE && !ok ? fail_row(s, error) : result;
}

store_result_t account_list(world_store_o *s, account_filter_t filter,
                            void (*visit)(void *context, const account_t *account), void *context,
                            error_info_t *error) {
  static const char *const STATEMENTS[] = {
      [ACCOUNTS_ALL] = COLUMNS "ORDER BY account.name_key",
      [ACCOUNTS_IN_ROOMS] = COLUMNS "WHERE account.room > 0 ORDER BY room.name, account.name_key",
      [ACCOUNTS_TAKEN] = COLUMNS "WHERE account.room = 0 ORDER BY account.name_key"};
  store_query_t query = {0};
  account_t account;
  bool ok = true;
  store_query_begin(s, &query, STATEMENTS[filter], NULL, 0, error);
  while (ok && store_next(s, &query, error)) {
    ok = read_row(&query, &account);
    if (ok)
      visit(context, &account);
  }
  store_result_t result = store_query_end(&query);
  return result == STORE_DONE && !ok ? fail_row(s, error) : result;
}

// --- changing

// Adds the command to the log, as failed if `changed`, the number of changed rows, is 0. Then ends the transaction.
static store_result_t end(world_store_o *s, store_result_t result, int64_t changed, command_t *log,
                          error_info_t *error) {
  log->is_done = true;
  log->is_ok = changed > 0;
  if (!log->is_ok)
    (void)snprintf(log->result, sizeof log->result, "nothing has changed");
  if (result == STORE_DONE)
    result = command_insert(s, log, error);
  return store_end(s, result, error);
}

// Executes one statement, and adds the command to the log.
static store_result_t change(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                             command_t *log, error_info_t *error) {
  int64_t changed = 0;
  store_result_t result = store_begin_write(s, error);
  if (result != STORE_DONE)
    return result;
  result = store_execute(s, sql, values, count, &changed, error);
  return end(s, result, changed, log, error);
}

store_result_t account_ban(world_store_o *s, const account_t *account, int64_t seconds, const char *reason,
                           command_t *log, error_info_t *error) {
  return change(s,
                "UPDATE account SET banned_until = CASE WHEN $1 > 0 THEN " STORE_NOW " + $1 ELSE 0 END, reason = $2"
                " WHERE id = $3",
                STORE_VALUES(STORE_NUMBER(seconds), STORE_TEXT(reason), STORE_NUMBER(account->id)), log, error);
}

store_result_t account_mute(world_store_o *s, const account_t *account, int64_t seconds, command_t *log,
                            error_info_t *error) {
  return change(s, "UPDATE account SET muted_until = CASE WHEN $1 > 0 THEN " STORE_NOW " + $1 ELSE 0 END WHERE id = $2",
                STORE_VALUES(STORE_NUMBER(seconds), STORE_NUMBER(account->id)), log, error);
}

store_result_t account_rename(world_store_o *s, const account_t *account, const char *name, command_t *log,
                              error_info_t *error) {
  char key[PLAYER_NAME_BYTES + 1];
  account_name_fold(name, key);
  return change(s,
                "UPDATE account SET name = $1, name_key = $2 WHERE id = $3"
                " AND NOT EXISTS (SELECT 1 FROM account AS other WHERE other.name_key = $2 AND other.id <> $3)",
                STORE_VALUES(STORE_TEXT(name), STORE_TEXT(key), STORE_NUMBER(account->id)), log, error);
}

store_result_t account_release(world_store_o *s, const account_t *account, command_t *log, error_info_t *error) {
  if (account->is_taken)
    return change(s, "UPDATE account SET room = NULL, wanted = 0, seen = " STORE_NOW " WHERE id = $1 AND room = 0",
                  STORE_VALUES(STORE_NUMBER(account->id)), log, error);
  return change(s,
                "UPDATE account SET room = NULL, wanted = 0 WHERE id = $1"
                " AND room = (SELECT number FROM room WHERE name = $2)",
                STORE_VALUES(STORE_NUMBER(account->id), STORE_TEXT(account->room)), log, error);
}

store_result_t account_release_room(world_store_o *s, const room_status_t *room, int64_t *count, command_t *log,
                                    error_info_t *error) {
  store_result_t result = store_begin_write(s, error);
  if (result != STORE_DONE)
    return result;
  result = store_execute(s,
                         "UPDATE account SET room = NULL, wanted = 0 WHERE room ="
                         " (SELECT number FROM room WHERE name = $1 AND fence = $2 AND serial = $3)",
                         STORE_VALUES(STORE_TEXT(room->name), STORE_NUMBER(room->fence), STORE_NUMBER(room->serial)),
                         count, error);
  (void)snprintf(log->result, sizeof log->result, "%lld account%s released", (long long)*count, *count == 1 ? "" : "s");
  return end(s, result, *count, log, error);
}

// Deletes the account's row and the rows of its entities if the account is in no room, and removes its number from the
// chronicle.
static store_result_t remove_account(world_store_o *s, const account_t *account, int64_t *changed,
                                     error_info_t *error) {
  store_result_t result = store_execute(s, "DELETE FROM account WHERE id = $1 AND room IS NULL",
                                        STORE_VALUES(STORE_NUMBER(account->id)), changed, error);
  if (result == STORE_DONE && *changed > 0)
    result = store_execute(s, "INSERT INTO deleted_account (id) VALUES ($1)", STORE_VALUES(STORE_NUMBER(account->id)),
                           NULL, error);
  if (result == STORE_DONE && *changed > 0)
    result = store_execute(s, "UPDATE chronicle SET account = NULL WHERE account = $1",
                           STORE_VALUES(STORE_NUMBER(account->id)), NULL, error);
  if (result == STORE_DONE && *changed > 0)
    result =
        store_execute(s, "DELETE FROM owned WHERE account = $1", STORE_VALUES(STORE_NUMBER(account->id)), NULL, error);
  return result;
}

store_result_t account_delete(world_store_o *s, const account_t *account, command_t *log, error_info_t *error) {
  int64_t changed = 0;
  store_result_t result = store_begin_write(s, error);
  if (result != STORE_DONE)
    return result;
  result = remove_account(s, account, &changed, error);
  return end(s, result, changed, log, error);
}

// --- taken accounts

store_result_t account_take(world_store_o *s, const account_t *account, json_t **rows, command_t *log,
                            error_info_t *error) {
  int64_t changed = 0;
  *rows = NULL;
  store_result_t result = store_begin_write(s, error);
  if (result != STORE_DONE)
    return result;
  result = store_execute(s,
                         "UPDATE account SET room = 0, session = session + 1, wanted = 0, seen = " STORE_NOW
                         " WHERE id = $1 AND room IS NULL",
                         STORE_VALUES(STORE_NUMBER(account->id)), &changed, error);
  if (result == STORE_DONE)
    result = owned_rows_list(s, account->id, rows, error);
  result = end(s, result, changed, log, error);
  if (result == STORE_DONE)
    return result;
  json_decref(*rows);
  *rows = NULL;
  return result;
}

// Releases a taken account. Returns STORE_LOST with an error if the account is no longer taken or was taken again, or
// if the world's code has changed.
static store_result_t end_take(world_store_o *s, const account_gift_t *gift, error_info_t *error) {
  int64_t changed = 0;
  uint64_t code = 0;
  store_result_t result = store_execute(
      s, "UPDATE account SET room = NULL, wanted = 0, seen = " STORE_NOW " WHERE id = $1 AND room = 0 AND session = $2",
      STORE_VALUES(STORE_NUMBER(gift->account->id), STORE_NUMBER(gift->account->session)), &changed, error);
  if (result != STORE_DONE)
    return result;
  if (changed == 0) {
    error_set(error, "%s is not taken any more, or was taken again: take it, and edit what it owns now",
              gift->account->name);
    return STORE_LOST;
  }
  code_release_t *release = alloc_object(sizeof *release);
  result = code_rows_get_release(s, release, error);
  if (result == STORE_DONE)
    result = code_rows_get_current(s, release->base, &code, error);
  free(release);
  if (result != STORE_DONE || code == gift->code)
    return result;
  error_set(error, "the world's code has changed meanwhile: give again");
  return STORE_LOST;
}

static store_result_t give(world_store_o *s, const account_gift_t *gift, const command_t *log, error_info_t *error) {
  int64_t taken = 0;
  store_result_t result = end_take(s, gift, error);
  if (result == STORE_DONE)
    result =
        owned_rows_store(s, gift->account->id, gift->rows, code_rows_get_key(gift->base, gift->code), &taken, error);
  if (result == STORE_DONE && taken != 0) {
    error_set(error, "a different account has the item %lld: remove the number of a new item", (long long)taken);
    result = STORE_LOST;
  }
  return result == STORE_DONE ? command_replace_result(s, log, error) : result;
}

store_result_t account_give(world_store_o *s, const account_gift_t *gift, const command_t *log, error_info_t *error) {
  store_result_t result = store_begin_write(s, error);
  return result == STORE_DONE ? store_end(s, give(s, gift, log, error), error) : result;
}
