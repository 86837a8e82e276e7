// Rows of players who are in no room, with newer code: a separate process rewrites them after a reload, and a trial of
// a reload loads all of them. A row is imported into the world of the newer code, and exported again, as if its player
// had joined and left. The rows go through all codes in order, because code need only declare the names that have
// changed since its direct predecessor.
#include "room/room_internal.h"

#include "base/array.h"
#include "base/interrupt.h"
#include "base/now.h"
#include "game/game.h"
#include "owned/owned.h"
#include "room/owned_columns.h"
#include "served/owned_rewrite.h"
#include "served/owned_rows.h"
#include "store/item_parked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PLAYER 1u             // owner of the rows in the world of this process
#define CHUNK 512u            // maximum number of accounts that are read in one step
#define RUN_MS INT64_C(60000) // time after which the process ends; the supervisor starts the next process
#define MIN_PAUSE_NS 5000000  // minimum pause between two transactions, so that rooms can commit
#define MAX_RETRIES 20u
#define RETRY_NS 100000000
#define MAX_KINDS 48u
#define MAX_EXAMPLES 3u

// Equal reports about different rows.
typedef struct rows_kind_t {
  char key[200];  // `text` without its numbers
  char text[400]; // first report
  uint64_t count;
  int64_t accounts[MAX_EXAMPLES]; // first accounts with this report
  uint32_t account_count;
} rows_kind_t;

typedef struct rows_o {
  room_o *room;
  code_list_t codes;
  int32_t loaded; // position of the running code in the order of all codes, from 1 (the release); 0: unknown
  owned_accounts_t accounts;
  const owned_account_t *account; // account that is being converted
  json_t *parked;                 // parked values of its rows, by item
  uint64_t row_count, account_count;
  bool is_counting; // true while reports are counted
  rows_kind_t kinds[MAX_KINDS];
  uint32_t kind_count;
  uint64_t further; // number of reports that did not fit into `kinds`
} rows_o;

// --- reports

// Copies a text without its numbers.
static void write_key(const char *text, char *out, size_t bytes) {
  size_t at = 0;
  for (; *text && at + 1 < bytes; ++text)
    if (*text < '0' || *text > '9')
      out[at++] = *text;
  out[at] = '\0';
}

// Returns the kind of a report, or NULL if there are too many kinds. Adds the kind if it is new. `subject`: the part of
// the text that equal reports share, apart from numbers.
static rows_kind_t *find_kind(rows_o *t, const char *subject, const char *text) {
  char key[sizeof t->kinds->key];
  write_key(subject, key, sizeof key);
  for (uint32_t i = 0; i < t->kind_count; ++i)
    if (strcmp(t->kinds[i].key, key) == 0)
      return &t->kinds[i];
  if (t->kind_count == MAX_KINDS)
    return NULL;
  rows_kind_t *kind = &t->kinds[t->kind_count++];
  memcpy(kind->key, key, sizeof key);
  (void)snprintf(kind->text, sizeof kind->text, "%s", text);
  return kind;
}

static void note_value(rows_o *t, const char *subject, const char *text) {
  rows_kind_t *kind = t->is_counting ? find_kind(t, subject, text) : NULL;
  t->further += t->is_counting && !kind;
  if (!kind)
    return;
  ++kind->count;
  for (uint32_t i = 0; i < kind->account_count; ++i)
    if (kind->accounts[i] == t->account->account)
      return;
  if (kind->account_count < MAX_EXAMPLES)
    kind->accounts[kind->account_count++] = t->account->account;
}

static void note(rows_o *t, const char *text) {
  note_value(t, text, text);
}

// Implements item_rows_import_t.report. Omits the position of the entity in its list, which operators cannot use.
static void note_line(void *context, const char *line) {
  const char *rest = strncmp(line, "entity ", 7) == 0 ? strstr(line, ": ") : NULL;
  note(context, rest ? rest + 2 : line);
}

// Implements item_rows_import_t.report_former.
static void note_former(void *context, const char *former, const char *current) {
  char text[400];
  (void)snprintf(text, sizeof text, "%.150s: renamed from %.150s", current, former);
  note(context, text);
}

// Writes a kind as "3 times: TEXT (accounts 1, 2)".
static void format_kind(const rows_kind_t *kind, char *out, size_t bytes) {
  int at = snprintf(out, bytes, "%llu time%s: %s (account%s", (unsigned long long)kind->count,
                    kind->count == 1 ? "" : "s", kind->text, kind->account_count == 1 ? "" : "s");
  for (uint32_t i = 0; i < kind->account_count; ++i)
    at += snprintf(out + at, bytes - (size_t)at, "%s%lld", i > 0 ? ", " : " ", (long long)kind->accounts[i]);
  (void)snprintf(out + at, bytes - (size_t)at, ")");
}

// --- comparison

static int64_t get_item(const json_t *row) {
  return json_integer_value(json_object_get(row, "item"));
}

static bool is_equal(const json_t *a, const json_t *b) {
  return json_is_number(a) && json_is_number(b) ? json_number_value(a) == json_number_value(b) : json_equal(a, b);
}

static void note_difference(rows_o *t, const char *component, const char *field, const json_t *old,
                            const json_t *value) {
  char subject[220], text[400];
  char *before = json_dumps(old, JSON_COMPACT | JSON_ENCODE_ANY),
       *after = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
  (void)snprintf(subject, sizeof subject, "%.100s.%.100s: different value", component, field);
  (void)snprintf(text, sizeof text, "%s, such as %.60s instead of %.60s", subject, after, before);
  note_value(t, subject, text);
  free(before);
  free(after);
}

// Notes the fields that both rows have, with different values. Imports report all other changes.
static void compare_rows(rows_o *t, json_t *old, json_t *row) {
  const char *component, *field;
  json_t *values, *value;
  json_object_foreach(json_object_get(old, "components"), component, values) {
    json_t *current = json_object_get(json_object_get(row, "components"), component);
    json_object_foreach(values, field, value) {
      json_t *now = strcmp(field, "=") != 0 && json_is_object(current) ? json_object_get(current, field) : NULL;
      if (now && !is_equal(value, now))
        note_difference(t, component, field, value, now);
    }
  }
}

// --- conversion

static int32_t get_rank(const rows_o *t, const json_t *row) {
  return code_list_find(&t->codes, t->room->identity.sources, json_integer_value(json_object_get(row, "code")));
}

// Returns true if a row of the account has a code before `rank`.
static bool is_due(const rows_o *t, const owned_account_t *a, int32_t rank) {
  size_t i;
  json_t *row;
  json_array_foreach(a->rewritten, i, row) {
    if (get_rank(t, row) < rank)
      return true;
  }
  return false;
}

static bool is_any_due(const rows_o *t, int32_t rank) {
  for (uint32_t i = 0; i < t->accounts.count; ++i)
    if (is_due(t, &t->accounts.items[i], rank))
      return true;
  return false;
}

// Returns the rows of an account as the running game exports them, or NULL with an error.
static json_t *import_and_export(rows_o *t, const owned_account_t *a, error_info_t *error) {
  world_o *w = t->room->host->session.game->world;
  uint32_t given = 0;
  json_t *rows = json_deep_copy(a->rewritten);
  json_object_clear(t->parked);
  item_rows_import(w, rows,
                   &(item_rows_import_t){.player = PLAYER,
                                         .report = note_line,
                                         .report_former = note_former,
                                         .context = t,
                                         .parked = t->parked,
                                         .parks = true});
  json_decref(rows);
  json_t *out = item_rows_export(w, PLAYER, &given, error);
  owned_destroy_group(w, PLAYER);
  return out;
}

static bool has_all(json_t *out, json_t *rows) {
  size_t i;
  json_t *row;
  json_array_foreach(rows, i, row) {
    if (!owned_rows_find(out, get_item(row)))
      return false;
  }
  return true;
}

// Replaces the rows of an account whose code precedes `rank` with the rows of the running game, whose code is `key`.
// New children of an assemblage get no row: each import spawns them again.
static void convert(rows_o *t, owned_account_t *a, int32_t rank, int64_t key) {
  error_info_t error = {0};
  size_t i;
  json_t *old, *kept = json_array();
  t->account = a;
  json_t *out = import_and_export(t, a, &error);
  // An export omits the entities above the limit, which must not be lost.
  bool is_cut = !out || (json_array_size(out) == OWNED_MAX_ENTITIES && !has_all(out, a->rewritten));
  if (is_cut)
    note(t, out ? "too many entities with their children: the rows stay" : error.text);
  json_array_foreach(a->rewritten, i, old) {
    json_t *row = is_cut || get_rank(t, old) >= rank ? old : owned_rows_find(out, get_item(old));
    if (row && row != old) {
      compare_rows(t, old, row);
      if (!owned_rows_find(a->rewritten, json_integer_value(json_object_get(row, "parent"))))
        json_object_set_new(row, "parent", json_integer(0));
    }
    json_t *next = row == old ? json_incref(old) : item_parked_add(row, old, t->parked);
    json_t *copy = next ? json_copy(next) : NULL; // `old` may belong to the stored rows
    json_decref(next);
    if (copy && get_rank(t, old) < rank)
      json_object_set_new(copy, "code", json_integer((json_int_t)key));
    if (copy)
      json_array_append_new(kept, copy);
  }
  json_decref(out);
  json_decref(a->rewritten);
  a->rewritten = kept;
}

// Prepares the world of the running game, whose scene may contain entities of the player.
static void prepare_world(const rows_o *t) {
  game_o *g = t->room->host->session.game;
  owned_destroy_group(g->world, PLAYER);
  owned_set_room(g->world, OWNED_MAX_ROOM); // determines the numbers of new children; they are not stored
}

static void convert_all(rows_o *t, int32_t rank, int64_t key) {
  prepare_world(t);
  for (uint32_t i = 0; i < t->accounts.count && !interrupt_is_exit_requested(); ++i)
    if (is_due(t, &t->accounts.items[i], rank))
      convert(t, &t->accounts.items[i], rank, key);
}

// Returns the number of the code at this position of the order of all codes; 0: the release.
static uint64_t get_code(const rows_o *t, int32_t rank) {
  return rank == 0 ? 0 : t->codes.items[rank - 1];
}

// Loads the code at this position. First loads the code before it, whose renames a return to earlier code reverses: the
// earlier code does not declare the later names.
static bool load_code(rows_o *t, int32_t rank, error_info_t *error) {
  if (t->loaded == rank + 1)
    return true;
  t->loaded = 0;
  bool ok = (rank == 0 || room_code_load(t->room, get_code(t, rank - 1), error)) &&
            room_code_load(t->room, get_code(t, rank), error);
  t->loaded = ok ? rank + 1 : 0;
  return ok;
}

// Converts the rows that were read with all codes in order, up to the current code.
static bool convert_to_current(rows_o *t, error_info_t *error) {
  bool ok = true;
  for (int32_t rank = 0; ok && rank <= (int32_t)t->codes.count; ++rank) {
    if (!is_any_due(t, rank))
      continue;
    ok = load_code(t, rank, error);
    if (ok)
      convert_all(t, rank, code_rows_get_key(t->room->identity.sources, get_code(t, rank)));
  }
  return ok;
}

static rows_o *create_rows(room_o *r) {
  rows_o *t = alloc_object(sizeof *t);
  t->room = r;
  t->parked = json_object();
  r->code.reverses_renames = true;
  return t;
}

static void destroy_rows(rows_o *t) {
  owned_accounts_free(&t->accounts);
  code_list_free(&t->codes);
  json_decref(t->parked);
  free(t);
}

// --- trial

// Converts the rows of an account with the changed code, and notes what is refused, dropped or different.
static void try_account(rows_o *t, owned_account_t *a) {
  char text[400];
  t->account = a;
  ++t->account_count;
  if (!a->rows) {
    (void)snprintf(text, sizeof text, "not tried: %s", a->problem);
    note(t, text);
    return;
  }
  size_t count = json_array_size(a->rewritten);
  t->row_count += count;
  convert(t, a, INT32_MAX, INT64_MAX);
  size_t lost = count - json_array_size(a->rewritten);
  for (size_t i = 0; i < lost; ++i)
    note(t, "the entity is dropped");
}

static bool try_chunk(rows_o *t, const code_row_t *row, error_info_t *error) {
  t->is_counting = false;
  if (!convert_to_current(t, error))
    return false;
  bool is_running = t->room->code.number == row->number;
  if (!is_running &&
      (!room_code_load(t->room, get_code(t, (int32_t)t->codes.count), error) || !room_code_start(t->room, row, error)))
    return false;
  t->loaded = 0;
  t->is_counting = true;
  prepare_world(t);
  for (uint32_t i = 0; i < t->accounts.count; ++i)
    try_account(t, &t->accounts.items[i]);
  return true;
}

static void report_trial(const rows_o *t) {
  char line[ROOM_TRIAL_TEXT_BYTES];
  if (t->account_count > 0)
    room_trial_report(ROOM_TRIAL_NOTE, "%llu entities of %llu account%s", (unsigned long long)t->row_count,
                      (unsigned long long)t->account_count, t->account_count == 1 ? "" : "s");
  for (uint32_t i = 0; i < t->kind_count; ++i) {
    format_kind(&t->kinds[i], line, sizeof line);
    room_trial_report(ROOM_TRIAL_CHANGE, "%s", line);
  }
  if (t->further > 0)
    room_trial_report(ROOM_TRIAL_CHANGE, "%llu further changes", (unsigned long long)t->further);
}

void room_rows_try(room_o *r, const uint8_t *bundle, size_t size) {
  rows_o *t = create_rows(r);
  error_info_t error = {0};
  code_row_t row = {.number = UINT64_MAX, .bundle = (uint8_t *)bundle, .size = size};
  int64_t after = 0;
  bool ok = code_rows_list(r->store, r->identity.sources, &t->codes, &error) == STORE_DONE;
  do {
    ok = ok && owned_rewrite_list_all(r->store, after, CHUNK, &t->accounts, &error) == STORE_DONE;
    if (ok && t->accounts.count > 0) {
      after = t->accounts.items[t->accounts.count - 1].account;
      ok = try_chunk(t, &row, &error);
    }
  } while (ok && t->accounts.count > 0 && !interrupt_is_exit_requested());
  if (ok)
    report_trial(t);
  else
    room_trial_report(ROOM_TRIAL_REFUSED, "%s", error.text);
  destroy_rows(t);
}

// --- rewriting

// Stores a batch. Repeats it up to MAX_RETRIES times if the database does not answer, or if a room has changed the same
// rows. Then pauses, so that rooms can commit.
static store_result_t store_batch(rows_o *t, int64_t key, uint32_t first, error_info_t *error) {
  uint32_t left = t->accounts.count - first, count = left < OWNED_REWRITE_BATCH ? left : OWNED_REWRITE_BATCH;
  store_result_t result;
  int64_t start = now_ns();
  for (uint32_t i = 0;; ++i) {
    result = owned_rewrite_store(t->room->store, t->room->options->owner, key, &t->accounts.items[first], count, error);
    if (result != STORE_FAILED || i == MAX_RETRIES || interrupt_is_exit_requested())
      break;
    nanosleep(&(struct timespec){.tv_nsec = RETRY_NS}, NULL);
  }
  int64_t pause = now_ns() - start;
  pause = pause < MIN_PAUSE_NS ? MIN_PAUSE_NS : pause < RETRY_NS ? pause : RETRY_NS;
  nanosleep(&(struct timespec){.tv_nsec = (long)pause}, NULL);
  return result;
}

// Rewrites the rows of at most CHUNK accounts. Afterwards, `t->accounts` is empty if no rows have an earlier code.
static store_result_t rewrite_chunk(rows_o *t, error_info_t *error) {
  room_o *r = t->room;
  uint64_t base = r->identity.sources, current = 0;
  store_result_t result = code_rows_list(r->store, base, &t->codes, error);
  if (result == STORE_DONE)
    result = code_rows_get_current(r->store, base, &current, error);
  int64_t key = code_rows_get_key(base, current);
  if (result == STORE_DONE)
    result = owned_rewrite_list(r->store, key, CHUNK, &t->accounts, error);
  if (result == STORE_DONE && t->accounts.count > 0 && !convert_to_current(t, error))
    result = STORE_DAMAGED;
  for (uint32_t i = 0; result == STORE_DONE && i < t->accounts.count && !interrupt_is_exit_requested();
       i += OWNED_REWRITE_BATCH)
    result = store_batch(t, key, i, error);
  return result;
}

static void count_accounts(rows_o *t) {
  t->account_count += t->accounts.count;
  for (uint32_t i = 0; i < t->accounts.count; ++i) {
    t->account = &t->accounts.items[i];
    if (!t->account->rows)
      note(t, "the rows are malformed or too many, and stay as they are");
  }
}

static void log_result(const rows_o *t) {
  char line[ROOM_TRIAL_TEXT_BYTES];
  log_o *log = t->room->host->session.log;
  for (uint32_t i = 0; i < t->kind_count; ++i) {
    format_kind(&t->kinds[i], line, sizeof line);
    log_warn(log, "%s", line);
  }
  if (t->further > 0)
    log_warn(log, "%llu further changes", (unsigned long long)t->further);
  if (t->account_count > 0)
    log_info(log, "rewrote the rows of %llu account%s for the current code", (unsigned long long)t->account_count,
             t->account_count == 1 ? "" : "s");
}

// Replaces the views of `owned` with the views of the world's current code.
static store_result_t create_views(room_o *r, error_info_t *error) {
  owned_columns_list_t columns = {0};
  if (!room_code_load_current(r, error))
    return r->code.failure == STORE_DONE ? STORE_DAMAGED : r->code.failure;
  owned_columns_add(r->host->session.game, &columns);
  store_result_t result = owned_views_create(r->store, r->options->owner, &columns, error);
  owned_columns_list_free(&columns);
  return result;
}

int room_rows_rewrite(room_o *r) {
  rows_o *t = create_rows(r);
  error_info_t error = {0};
  int64_t end = now_ns() + RUN_MS * NS_PER_MS;
  process_lower_priority(PROCESS_PRIORITY_LOW); // the rooms of the world have precedence
  store_result_t result =
      world_store_open(&(world_store_desc_t){.path = r->options->db, .engine = r->engine}, &r->store, &error);
  if (result == STORE_DONE && !room_trial_check_release(r, &error))
    result = STORE_DAMAGED;
  if (result == STORE_DONE)
    result = create_views(r, &error);
  t->is_counting = true;
  while (result == STORE_DONE && now_ns() < end && !interrupt_is_exit_requested()) {
    result = rewrite_chunk(t, &error);
    if (t->accounts.count == 0)
      break;
    if (result == STORE_DONE && !interrupt_is_exit_requested())
      count_accounts(t);
  }
  log_result(t);
  if (result != STORE_DONE)
    log_error(r->host->session.log, "cannot rewrite the rows of players in no room: %s", error.text);
  int status = result == STORE_LOST    ? ROOM_EXIT_LOST
               : result != STORE_DONE  ? ROOM_EXIT_UNAVAILABLE
               : t->account_count == 0 ? ROOM_EXIT_IDLE
                                       : 0;
  destroy_rows(t);
  return status;
}
