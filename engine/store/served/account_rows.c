// Accounts for the owner of the world: lookup, creation and names.
#include "served/account_rows.h"
#include "served/world_store_internal.h"

#include "base/utf8.h"
#include "platform/player_name.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_NAME "Player"
#define SHORT_NUMBERS 9u // candidates that are tried first: the name itself, then the name with a number from 2 to 9
#define MAX_NUMBER 900000u

// --- names

// Returns the lower-case form of a letter, for alphabets whose upper-case and lower-case letters have a fixed distance.
static uint32_t fold(uint32_t c) {
  bool is_latin = c >= 0xc0 && c <= 0xde && c != 0xd7;
  bool is_greek = c >= 0x391 && c <= 0x3a9, is_cyrillic = c >= 0x410 && c <= 0x42f;
  bool is_wide = c >= 0xff21 && c <= 0xff3a;
  if ((c >= 'A' && c <= 'Z') || is_latin || is_greek || is_cyrillic || is_wide)
    return c + 32;
  if (c >= 0x400 && c <= 0x40f)
    return c + 80;
  bool is_odd_capital = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e);
  bool is_even_capital = (c >= 0x100 && c <= 0x137) || (c >= 0x14a && c <= 0x177);
  return c + ((is_odd_capital && c % 2 == 1) || (is_even_capital && c % 2 == 0));
}

void account_name_fold(const char *name, char *out) {
  size_t at = 0;
  uint32_t length;
  for (size_t i = 0, size = strnlen(name, PLAYER_NAME_BYTES); i < size; i += length) {
    uint32_t c = utf8_decode(name + i, size - i, &length), folded = fold(c);
    if (folded == c || length < 1 || length > 3) {
      memcpy(out + at, name + i, length);
    } else if (length == 1) {
      out[at] = (char)folded;
    } else if (length == 2) { // the lower-case letter has as many bytes as the upper-case letter
      out[at] = (char)(0xc0 | folded >> 6);
      out[at + 1] = (char)(0x80 | (folded & 0x3f));
    } else {
      out[at] = (char)(0xe0 | folded >> 12);
      out[at + 1] = (char)(0x80 | (folded >> 6 & 0x3f));
      out[at + 2] = (char)(0x80 | (folded & 0x3f));
    }
    at += length;
  }
  out[at] = '\0';
}

static store_result_t is_name_free(world_store_o *s, const char *key, bool *out, error_info_t *error) {
  int64_t count = 0;
  store_result_t result = store_query_number(s, "SELECT count(*) FROM account WHERE name_key = $1",
                                             STORE_VALUES(STORE_TEXT(key)), &count, error);
  *out = count == 0;
  return result;
}

// Chooses a free name for the account `id`: the wanted name, the name with a short number such as "Ada 2", or the name
// with a longer number, which depends on `id`.
static store_result_t choose_name(world_store_o *s, int64_t id, const char *wanted, char name[PLAYER_NAME_BYTES],
                                  char key[PLAYER_NAME_BYTES + 1], error_info_t *error) {
  char clean[PLAYER_NAME_BYTES];
  bool is_free = false;
  store_result_t result = STORE_DONE;
  player_name_clean(wanted, strlen(wanted), clean);
  for (uint32_t i = 0; result == STORE_DONE && !is_free; ++i) {
    uint32_t number = i < SHORT_NUMBERS ? i : SHORT_NUMBERS + (uint32_t)((uint64_t)id + i) % MAX_NUMBER;
    player_name_number(clean[0] ? clean : DEFAULT_NAME, number, name);
    account_name_fold(name, key);
    result = is_name_free(s, key, &is_free, error);
  }
  return result;
}

// --- lookup

static const char FIND[] = "SELECT account.id, account.name,"
                           " CASE WHEN account.room IS NULL THEN 0 WHEN account.room = 0 THEN 2 ELSE 1 END,"
                           " COALESCE(room.name, ''), place, origin, banned_until - " STORE_NOW ", account.reason,"
                           " COALESCE((SELECT MAX(code.number) FROM owned JOIN code ON code.number = owned.code"
                           "  JOIN world ON world.base = code.base WHERE owned.account = account.id), 0)"
                           " FROM account LEFT JOIN room ON room.number = account.room WHERE account.digest = $1";

static store_result_t find(world_store_o *s, const uint8_t *digest, account_info_t *out, error_info_t *error) {
  store_query_t query = {0};
  uint64_t id = 0, holder = 0, banned_s = 0;
  *out = (account_info_t){0};
  store_query_begin(s, &query, FIND, STORE_VALUES(STORE_BLOB(digest, ACCOUNT_DIGEST_BYTES)), error);
  bool exists = store_next(s, &query, error);
  bool ok = !exists ||
            (store_read_number(&query, 0, INT64_MAX, &id) && store_read_text(&query, 1, out->name, sizeof out->name) &&
             store_read_number(&query, 2, 2, &holder) && store_read_text(&query, 3, out->room, sizeof out->room) &&
             store_read_text(&query, 4, out->place, sizeof out->place) &&
             store_read_text(&query, 5, out->origin, sizeof out->origin) && store_read_bits(&query, 6, &banned_s) &&
             store_read_text(&query, 7, out->reason, sizeof out->reason) &&
             store_read_number(&query, 8, INT64_MAX, &out->code));
  out->exists = exists;
  out->id = (int64_t)id;
  out->is_in_room = holder == 1;
  out->is_taken = holder == 2;
  out->banned_s = (int64_t)banned_s > 0 ? (int64_t)banned_s : 0;
  store_result_t result = store_query_end(&query);
  if (result == STORE_DONE && !ok)
    return store_fail(s, STORE_DAMAGED, error, "the row of an account is malformed: restore a backup");
  return result;
}

store_result_t world_store_find_account(world_store_o *s, const uint8_t *digest, account_info_t *out,
                                        error_info_t *error) {
  return find(s, digest, out, error);
}

// --- creation

// Gives the account with this code the new digest. `is_done` receives true if such an account exists.
static store_result_t use_reset(world_store_o *s, const account_desc_t *desc, bool *is_done, error_info_t *error) {
  int64_t changed = 0;
  store_result_t result = store_execute(
      s, "UPDATE account SET digest = $1, reset = NULL WHERE reset = $2",
      STORE_VALUES(STORE_BLOB(desc->digest, ACCOUNT_DIGEST_BYTES), STORE_BLOB(desc->code, ACCOUNT_DIGEST_BYTES)),
      &changed, error);
  *is_done = changed > 0;
  return result;
}

static store_result_t use_invite(world_store_o *s, const account_desc_t *desc, bool *is_valid, error_info_t *error) {
  int64_t changed = 0;
  store_result_t result = STORE_DONE;
  if (desc->code)
    result = store_execute(s, "DELETE FROM invite WHERE code = $1",
                           STORE_VALUES(STORE_BLOB(desc->code, ACCOUNT_DIGEST_BYTES)), &changed, error);
  *is_valid = changed > 0 || !desc->needs_invite;
  return result;
}

static store_result_t add(world_store_o *s, const account_desc_t *desc, error_info_t *error) {
  int64_t id = 0;
  char name[PLAYER_NAME_BYTES], key[PLAYER_NAME_BYTES + 1];
  store_result_t result = store_query_number(s,
                                             "SELECT COALESCE(MAX(id), 0) + 1 FROM (SELECT id FROM account UNION ALL"
                                             " SELECT id FROM deleted_account) AS used",
                                             NULL, 0, &id, error);
  if (result == STORE_DONE)
    result = choose_name(s, id, desc->name, name, key, error);
  if (result == STORE_DONE)
    result = store_execute(
        s,
        "INSERT INTO account (id, digest, name, name_key, room, session, wanted, place, origin, created, seen,"
        " banned_until, muted_until, reason, reset)"
        " VALUES ($1, $2, $3, $4, NULL, 0, 0, '', '', " STORE_NOW ", " STORE_NOW ", 0, 0, '', NULL)",
        STORE_VALUES(STORE_NUMBER(id), STORE_BLOB(desc->digest, ACCOUNT_DIGEST_BYTES), STORE_TEXT(name),
                     STORE_TEXT(key)),
        NULL, error);
  return result;
}

static store_result_t open_account(world_store_o *s, int64_t owner, const account_desc_t *desc, account_info_t *out,
                                   error_info_t *error) {
  bool is_reset = false, is_valid = false;
  store_result_t result = store_require_owner(s, owner, error);
  if (result == STORE_DONE)
    result = find(s, desc->digest, out, error);
  if (result != STORE_DONE || out->exists)
    return result;
  if (desc->code)
    result = use_reset(s, desc, &is_reset, error);
  if (result == STORE_DONE && !is_reset)
    result = use_invite(s, desc, &is_valid, error);
  if (result == STORE_DONE && is_valid)
    result = add(s, desc, error);
  return result == STORE_DONE ? find(s, desc->digest, out, error) : result;
}

store_result_t world_store_open_account(world_store_o *s, int64_t owner, const account_desc_t *desc,
                                        account_info_t *out, error_info_t *error) {
  store_result_t result = store_begin_write(s, error);
  return result == STORE_DONE ? store_end(s, open_account(s, owner, desc, out, error), error) : result;
}

// --- changes

// Executes one statement in a transaction. `changed` may be NULL.
static store_result_t change(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                             int64_t *changed, error_info_t *error) {
  store_result_t result = store_begin_write(s, error);
  return result == STORE_DONE ? store_end(s, store_execute(s, sql, values, count, changed, error), error) : result;
}

store_result_t world_store_want_account(world_store_o *s, int64_t account, error_info_t *error) {
  return change(s, "UPDATE account SET wanted = 1 WHERE id = $1 AND wanted = 0 AND room IS NOT NULL",
                STORE_VALUES(STORE_NUMBER(account)), NULL, error);
}

store_result_t world_store_add_invite(world_store_o *s, const uint8_t *code, error_info_t *error) {
  return change(s, "INSERT INTO invite (code, at) VALUES ($1, " STORE_NOW ")",
                STORE_VALUES(STORE_BLOB(code, ACCOUNT_DIGEST_BYTES)), NULL, error);
}

store_result_t world_store_reset_account(world_store_o *s, const char *name, const uint8_t *code, bool *is_found,
                                         error_info_t *error) {
  char key[PLAYER_NAME_BYTES + 1];
  int64_t changed = 0;
  account_name_fold(name, key);
  store_result_t result =
      change(s, "UPDATE account SET reset = $1 WHERE name_key = $2",
             STORE_VALUES(STORE_BLOB(code, ACCOUNT_DIGEST_BYTES), STORE_TEXT(key)), &changed, error);
  *is_found = changed > 0;
  return result;
}
