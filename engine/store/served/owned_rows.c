// Reads and replaces rows of the table `owned`.
#include "served/owned_rows.h"

#include "owned/owned.h"
#include "served/code_rows.h"
#include "served/world_store_internal.h"
#include "store/item_parked.h"
#include "store/item_rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- reading

static bool has_text(const store_cell_t *cell) {
  return cell->kind == STORE_KIND_TEXT;
}

json_t *owned_rows_read_row(const store_query_t *query) {
  uint64_t item = 0, parent = 0;
  json_error_t problem;
  store_cell_t name = store_read_cell(query, 2), assemblage = store_read_cell(query, 3),
               components = store_read_cell(query, 4);
  if (!store_read_number(query, 0, OWNED_MAX_ITEM, &item) || !store_read_number(query, 1, OWNED_MAX_ITEM, &parent) ||
      !has_text(&name) || !has_text(&assemblage) || !has_text(&components))
    return NULL;
  json_t *parsed = json_loadb(components.bytes, components.size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &problem);
  return parsed ? json_pack("{s:I, s:I, s:s%, s:s%, s:o}", "item", (json_int_t)item, "parent", (json_int_t)parent,
                            "name", (const char *)name.bytes, name.size, "assemblage", (const char *)assemblage.bytes,
                            assemblage.size, "components", parsed)
                : NULL;
}

__attribute__((format(printf, 3, 4))) static void set_problem(owned_rows_t *out, owned_rows_state_t state,
                                                              const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(out->problem, sizeof out->problem, format, arguments);
  va_end(arguments);
  out->state = state;
}

static void pack(const json_t *rows, owned_rows_t *out) {
  error_info_t problem = {0};
  if (!item_rows_check(rows, &problem)) {
    bool is_large = json_array_size(rows) > OWNED_MAX_ENTITIES;
    set_problem(out, is_large ? OWNED_ROWS_TOO_LARGE : OWNED_ROWS_MALFORMED, "%.150s", problem.text);
    return;
  }
  out->bytes = item_rows_pack(rows, &out->memory, &out->size, &problem);
  if (!out->bytes)
    set_problem(out, OWNED_ROWS_TOO_LARGE, "%.150s", problem.text);
}

// Adds the rows of an account to `rows`, and sets the problem of the last malformed row.
static store_result_t read_rows(world_store_o *s, int64_t account, json_t *rows, owned_rows_t *out,
                                error_info_t *error) {
  store_query_t query = {0};
  store_query_begin(s, &query,
                    "SELECT item, parent, name, assemblage, components FROM owned WHERE account = $1 ORDER BY item",
                    STORE_VALUES(STORE_NUMBER(account)), error);
  while (store_next(s, &query, error)) {
    json_t *row = owned_rows_read_row(&query);
    if (row)
      json_array_append_new(rows, row);
    else
      set_problem(out, OWNED_ROWS_MALFORMED, "row %zu of account %lld is malformed", json_array_size(rows) + 1,
                  (long long)account);
  }
  return store_query_end(&query);
}

store_result_t owned_rows_read(world_store_o *s, int64_t account, owned_rows_t *out, error_info_t *error) {
  json_t *rows = json_array();
  store_result_t result = read_rows(s, account, rows, out, error);
  if (result == STORE_DONE && out->state == OWNED_ROWS_SOUND && json_array_size(rows) > 0)
    pack(rows, out);
  json_decref(rows);
  return result;
}

store_result_t owned_rows_list(world_store_o *s, int64_t account, json_t **out, error_info_t *error) {
  owned_rows_t problem = {0};
  *out = json_array();
  store_result_t result = read_rows(s, account, *out, &problem, error);
  return result == STORE_DONE && problem.state != OWNED_ROWS_SOUND
             ? store_fail(s, STORE_DAMAGED, error, "%s: restore a backup", problem.problem)
             : result;
}

void owned_rows_free(owned_rows_t *rows) {
  if (rows->bytes)
    alloc_resize(&rows->memory, rows->bytes, rows->size, 0);
  *rows = (owned_rows_t){0};
}

// --- codes

// Stores whether the code at position `rank` (code_list_find) is a return to earlier code. Leaves `out` unchanged for a
// release.
static store_result_t is_return(world_store_o *s, const code_list_t *codes, uint64_t base, int32_t rank, bool *out,
                                error_info_t *error) {
  int64_t former = 0;
  uint64_t before = rank > 1 ? codes->items[rank - 2] : 0;
  if (rank < 1)
    return STORE_DONE;
  store_result_t result =
      store_query_number(s, "SELECT former FROM code WHERE base = $1 AND number = $2",
                         STORE_VALUES(STORE_NUMBER(base), STORE_NUMBER(codes->items[rank - 1])), &former, error);
  *out = former != (int64_t)before;
  return result;
}

store_result_t owned_rows_check_code(world_store_o *s, int64_t account, uint64_t base, uint64_t number, bool is_exact,
                                     owned_code_t *out, error_info_t *error) {
  store_query_t query = {0};
  code_list_t codes = {0};
  uint64_t key = 0;
  bool returns = false;
  store_result_t result = code_rows_list(s, base, &codes, error);
  int32_t own = code_list_find(&codes, base, code_rows_get_key(base, number));
  *out = (owned_code_t){.fits = true};
  if (result == STORE_DONE)
    result = is_return(s, &codes, base, own, &returns, error);
  if (result == STORE_DONE) {
    store_query_begin(s, &query, "SELECT DISTINCT code FROM owned WHERE account = $1",
                      STORE_VALUES(STORE_NUMBER(account)), error);
    while (store_next(s, &query, error)) {
      int32_t row = store_read_bits(&query, 0, &key) ? code_list_find(&codes, base, (int64_t)key) : -1;
      out->fits &= row == own || (row + 1 == own && !returns && !is_exact);
      if (row > 0 && codes.items[row - 1] > out->newest)
        out->newest = codes.items[row - 1];
    }
    result = store_query_end(&query);
  }
  code_list_free(&codes);
  return result;
}

store_result_t owned_rows_set_code(world_store_o *s, int64_t account, int64_t key, error_info_t *error) {
  return store_execute(s, "UPDATE owned SET code = $1 WHERE account = $2",
                       STORE_VALUES(STORE_NUMBER(key), STORE_NUMBER(account)), NULL, error);
}

// --- replacing

json_t *owned_rows_find(const json_t *rows, int64_t item) {
  size_t i;
  json_t *row;
  json_array_foreach(rows, i, row) {
    if (json_integer_value(json_object_get(row, "item")) == item)
      return row;
  }
  return NULL;
}

#define NO_ROOM (-1)

typedef struct new_row_t {
  int64_t room; // room of the accounts whose items the row may take; NO_ROOM: an operator stores the row
  int64_t account;
  int64_t key;      // code of the rows (code_rows_get_key)
  int64_t imported; // code of the room when the player arrived; 0: unknown
  const json_t *row;
  const uint8_t *items; // remaining items of the room: unaligned account_item_t
  uint32_t item_count;
  bool has_items; // true if `items` contains all such items
} new_row_t;

// Adds or replaces the row of an item, unless the item belongs to an account that is not in the room. A row that only
// keeps parked values (OWNED_KEPT_BY) is replaced.
static store_result_t add_row(world_store_o *s, const new_row_t *r, int64_t *changed, error_info_t *error) {
  const json_t *row = r->row;
  char *components = json_dumps(json_object_get(row, "components"), JSON_COMPACT);
  store_result_t result = store_execute(
      s,
      "INSERT INTO owned (item, account, parent, name, assemblage, components, code)"
      " VALUES ($1, $2, $3, $4, $5, $6, $7)"
      " ON CONFLICT (item) DO UPDATE SET account = excluded.account, parent = excluded.parent, name = excluded.name,"
      " assemblage = excluded.assemblage, components = excluded.components, code = excluded.code"
      " WHERE owned.account < 0 OR owned.account IN (SELECT id FROM account WHERE room = $8)",
      STORE_VALUES(STORE_NUMBER(json_integer_value(json_object_get(row, "item"))), STORE_NUMBER(r->account),
                   STORE_NUMBER(json_integer_value(json_object_get(row, "parent"))),
                   STORE_TEXT(json_string_value(json_object_get(row, "name"))),
                   STORE_TEXT(json_string_value(json_object_get(row, "assemblage"))), STORE_TEXT(components),
                   STORE_NUMBER(r->key), STORE_NUMBER(r->room)),
      changed, error);
  free(components);
  return result;
}

// A stored row with parked values.
typedef struct parked_row_t {
  json_t *row;
  int64_t account, code; // the row's owner and code
  int64_t session;       // the account's current or latest visit
} parked_row_t;

// Rows with parked values that a departure moves or deletes.
typedef struct parked_changes_t {
  json_t *moved; // rows of items that the account has given away or put down: { row, account, code }
  json_t *gone;  // numbers of items that no longer exist
} parked_changes_t;

// Returns true if the room's code has not restored the parked values; restored values must not be added again.
static bool is_unknown(const new_row_t *r, const parked_row_t *old) {
  bool was_given = item_parked_get_visit(old->row) == old->session && old->session != 0;
  bool was_put_down = old->account < 0; // only the import of a row restores values
  return old->code == r->key || was_given || was_put_down || (old->account == r->account && old->code == r->imported);
}

// Adds the parked values of a stored row to its new version. Returns true, or false if the new rows lack the item and
// the item is not parked as a whole.
static bool keep_parked(json_t *rows, const new_row_t *r, const parked_row_t *old) {
  const json_t *parked = item_parked_get(old->row);
  json_t *row = owned_rows_find(rows, json_integer_value(json_object_get(old->row, "item")));
  if (row && json_is_object(parked))
    item_parked_set(row, (json_t *)parked);
  else if (!row && json_is_true(parked) && old->account == r->account && json_array_size(rows) < OWNED_MAX_ENTITIES)
    json_array_append(rows, old->row);
  return row || json_is_true(parked);
}

// Returns true if the item exists in the room and the leaving account does not own it, otherwise false. If true,
// `account` receives the item's owner; 0: no owner.
static bool find_owner(const new_row_t *r, int64_t number, int64_t *account) {
  account_item_t item;
  for (uint32_t i = 0; i < r->item_count; ++i) {
    memcpy(&item, r->items + i * sizeof item, sizeof item);
    *account = item.account;
    if (item.item == number)
      return true;
  }
  return false;
}

// Returns a row that contains only the item's number and its parked values.
static json_t *make_kept_row(const json_t *row) {
  json_t *kept = json_pack("{s:O, s:i, s:s, s:s, s:{}}", "item", json_object_get(row, "item"), "parent", 0, "name", "",
                           "assemblage", "", "components");
  item_parked_set(kept, (json_t *)item_parked_get(row));
  return kept;
}

// Adds an item that is missing from the new rows to `out`: the parked values of an item that the account has given away
// or put down are moved, and the kept values of a destroyed item are deleted.
static void change_parked(parked_changes_t *out, const new_row_t *r, const parked_row_t *old) {
  int64_t account = 0, item = json_integer_value(json_object_get(old->row, "item"));
  bool exists = find_owner(r, item, &account);
  if (old->account < 0 && !exists && r->has_items)
    json_array_append_new(out->gone, json_integer((json_int_t)item));
  if (old->account != r->account || !exists)
    return;
  json_t *row = account != 0 ? json_incref(old->row) : make_kept_row(old->row);
  json_array_append_new(out->moved, json_pack("{s:o, s:I, s:I}", "row", row, "account",
                                              (json_int_t)(account != 0 ? account : OWNED_KEPT_BY(r->room)), "code",
                                              (json_int_t)old->code));
}

// Keeps the parked values of the account, and of items in the room that now belong to it.
static store_result_t keep_all_parked(world_store_o *s, const new_row_t *r, json_t *rows, parked_changes_t *out,
                                      error_info_t *error) {
  store_query_t query = {0};
  uint64_t account = 0, code = 0, session = 0;
  store_query_begin(
      s, &query,
      "SELECT item, parent, owned.name, assemblage, components, owned.account, code,"
      " COALESCE(account.session, 0) FROM owned LEFT JOIN account ON account.id = owned.account"
      " WHERE (owned.account = $1 OR owned.account = $2 OR account.room = $3) AND components LIKE '%\"parked\":%'"
      " ORDER BY item",
      STORE_VALUES(STORE_NUMBER(r->account), STORE_NUMBER(OWNED_KEPT_BY(r->room)), STORE_NUMBER(r->room)), error);
  while (store_next(s, &query, error)) {
    parked_row_t old = {.row = owned_rows_read_row(&query)};
    bool ok = old.row && store_read_bits(&query, 5, &account) && store_read_bits(&query, 6, &code) &&
              store_read_number(&query, 7, INT64_MAX, &session);
    old.account = (int64_t)account;
    old.code = (int64_t)code;
    old.session = (int64_t)session;
    if (ok && item_parked_get(old.row) && is_unknown(r, &old) && !keep_parked(rows, r, &old))
      change_parked(out, r, &old);
    json_decref(old.row);
  }
  return store_query_end(&query);
}

// Stores the moved row of an item. An account's departure replaces the row. Drops the row with its parked values if the
// account already has the maximum number or size of rows.
static store_result_t store_moved_row(world_store_o *s, const new_row_t *leaving, json_t *moved, error_info_t *error) {
  int64_t session = 0, changed = 0;
  new_row_t r = *leaving;
  json_t *row = json_object_get(moved, "row");
  r.account = json_integer_value(json_object_get(moved, "account"));
  r.key = json_integer_value(json_object_get(moved, "code"));
  r.row = row;
  if (r.account < 0)
    return add_row(s, &r, &changed, error);
  store_result_t result =
      store_query_number(s,
                         "SELECT COALESCE(MAX(session), 0) FROM account WHERE id = $1 AND room = $2"
                         " AND (SELECT count(*) FROM owned WHERE owned.account = $1) < $3"
                         " AND (SELECT COALESCE(SUM(LENGTH(components)), 0) FROM owned WHERE owned.account = $1) < $4",
                         STORE_VALUES(STORE_NUMBER(r.account), STORE_NUMBER(r.room), STORE_NUMBER(OWNED_MAX_ENTITIES),
                                      STORE_NUMBER(ITEM_ROWS_MAX_TEXT / 2)),
                         &session, error);
  if (result != STORE_DONE || session == 0)
    return result;
  item_parked_set_visit(row, session);
  return add_row(s, &r, &changed, error);
}

// Deletes the rows that only keep parked values of items that no longer exist.
static store_result_t delete_kept_rows(world_store_o *s, const json_t *items, error_info_t *error) {
  store_result_t result = STORE_DONE;
  size_t i;
  json_t *item;
  json_array_foreach(items, i, item) {
    if (result == STORE_DONE)
      result = store_execute(s, "DELETE FROM owned WHERE item = $1 AND account < 0",
                             STORE_VALUES(STORE_NUMBER(json_integer_value(item))), NULL, error);
  }
  return result;
}

// Replaces the rows of an account. `dropped` receives the number of items that belong to accounts that are not in the
// room, and `first` one of these items.
static store_result_t replace(world_store_o *s, const new_row_t *values, json_t *rows, uint32_t *dropped,
                              int64_t *first, error_info_t *error) {
  new_row_t r = *values;
  json_t *row;
  size_t i;
  *dropped = 0;
  parked_changes_t parked = {json_array(), json_array()};
  store_result_t result = r.room == NO_ROOM ? STORE_DONE : keep_all_parked(s, &r, rows, &parked, error);
  if (result == STORE_DONE)
    result =
        store_execute(s, "DELETE FROM owned WHERE account = $1", STORE_VALUES(STORE_NUMBER(r.account)), NULL, error);
  json_array_foreach(rows, i, row) {
    int64_t changed = 0;
    r.row = row;
    if (result == STORE_DONE)
      result = add_row(s, &r, &changed, error);
    if (result != STORE_DONE || changed > 0)
      continue;
    *first = *dropped == 0 ? json_integer_value(json_object_get(row, "item")) : *first;
    ++*dropped;
  }
  json_array_foreach(parked.moved, i, row) {
    if (result == STORE_DONE)
      result = store_moved_row(s, values, row, error);
  }
  if (result == STORE_DONE)
    result = delete_kept_rows(s, parked.gone, error);
  json_decref(parked.moved);
  json_decref(parked.gone);
  return result;
}

store_result_t owned_rows_replace(world_store_o *s, int64_t room, const account_leave_t *leave, const uint8_t *bytes,
                                  size_t size, uint32_t *dropped, int64_t *first, error_info_t *error) {
  error_info_t problem = {0};
  size_t items = leave->item_count * sizeof(account_item_t);
  json_t *rows = item_rows_unpack(bytes + items, size - items, &problem);
  *dropped = 0;
  if (!rows)
    return store_fail(s, STORE_DAMAGED, error, "entities of account %lld: %s", (long long)leave->account, problem.text);
  const new_row_t values = {.room = room,
                            .account = leave->account,
                            .key = leave->code,
                            .imported = leave->imported,
                            .items = bytes,
                            .item_count = leave->item_count,
                            .has_items = leave->has_items};
  store_result_t result = replace(s, &values, rows, dropped, first, error);
  json_decref(rows);
  return result;
}

store_result_t owned_rows_store(world_store_o *s, int64_t account, const json_t *rows, int64_t key, int64_t *taken,
                                error_info_t *error) {
  uint32_t dropped;
  json_t *copy = json_deep_copy(rows);
  *taken = 0;
  store_result_t result =
      replace(s, &(new_row_t){.room = NO_ROOM, .account = account, .key = key}, copy, &dropped, taken, error);
  json_decref(copy);
  return result;
}
