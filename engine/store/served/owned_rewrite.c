// Lists accounts whose rows have an earlier code, and stores their rewritten rows.
#include "served/owned_rewrite.h"

#include "base/array.h"
#include "base/assert.h"
#include "owned/owned.h"
#include "served/owned_rows.h"
#include "served/world_store_internal.h"
#include "store/item_rows.h"

#include <stdio.h>
#include <stdlib.h>

// Rows of a different code than $1 whose accounts are in no room. Two comparisons, because an index cannot serve <>.
#define DUE_ROWS                                                                                                       \
  "owned JOIN account ON account.id = owned.account WHERE (owned.code < $1 OR owned.code > $2)"                        \
  " AND account.room IS NULL"

store_result_t owned_rewrite_count(world_store_o *s, int64_t key, int64_t *accounts, error_info_t *error) {
  return store_query_number(s, "SELECT count(DISTINCT owned.account) FROM " DUE_ROWS,
                            STORE_VALUES(STORE_NUMBER(key), STORE_NUMBER(key)), accounts, error);
}

store_result_t owned_rewrite_is_due(world_store_o *s, int64_t key, bool *is_due, error_info_t *error) {
  int64_t count = 0;
  store_result_t result =
      store_query_number(s, "SELECT count(*) FROM (SELECT owned.item FROM " DUE_ROWS " LIMIT 1) AS found",
                         STORE_VALUES(STORE_NUMBER(key), STORE_NUMBER(key)), &count, error);
  *is_due = count > 0;
  return result;
}

// --- reading

void owned_accounts_free(owned_accounts_t *list) {
  for (uint32_t i = 0; i < list->count; ++i) {
    json_decref(list->items[i].rows);
    json_decref(list->items[i].rewritten);
  }
  array_free(&list->memory, list);
}

static store_result_t list_accounts(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                                    owned_accounts_t *out, error_info_t *error) {
  store_query_t query = {0};
  uint64_t account = 0, session = 0;
  owned_accounts_free(out);
  store_query_begin(s, &query, sql, values, count, error);
  while (store_next(s, &query, error)) {
    if (!store_read_number(&query, 0, INT64_MAX, &account) || !store_read_number(&query, 1, INT64_MAX, &session))
      continue; // the next claim of the account reports the malformed row
    owned_account_t a = {.account = (int64_t)account, .session = (int64_t)session};
    array_push(&out->memory, out, a);
  }
  return store_query_end(&query);
}

static void set_problem(owned_account_t *a, json_t *rows, const char *problem) {
  (void)snprintf(a->problem, sizeof a->problem, "%.150s", problem);
  json_decref(rows);
}

static store_result_t read_rows(world_store_o *s, owned_account_t *a, error_info_t *error) {
  store_query_t query = {0};
  error_info_t problem = {0};
  json_t *rows = json_array();
  bool ok = true;
  store_query_begin(s, &query,
                    "SELECT item, parent, name, assemblage, components, code FROM owned WHERE account = $1"
                    " ORDER BY item",
                    STORE_VALUES(STORE_NUMBER(a->account)), error);
  while (store_next(s, &query, error)) {
    uint64_t code = 0;
    json_t *row = owned_rows_read_row(&query);
    ok &= row && store_read_bits(&query, 5, &code);
    json_object_set_new(row, "code", json_integer((json_int_t)code));
    json_array_append_new(rows, row);
  }
  store_result_t result = store_query_end(&query);
  if (ok && item_rows_check(rows, &problem)) {
    a->rows = rows;
    a->rewritten = json_incref(rows);
  } else {
    set_problem(a, rows, ok ? problem.text : "a row is malformed");
  }
  return result;
}

static store_result_t read_all(world_store_o *s, store_result_t result, owned_accounts_t *out, error_info_t *error) {
  for (uint32_t i = 0; result == STORE_DONE && i < out->count; ++i)
    result = read_rows(s, &out->items[i], error);
  return result;
}

store_result_t owned_rewrite_list(world_store_o *s, int64_t key, uint32_t limit, owned_accounts_t *out,
                                  error_info_t *error) {
  store_result_t result = store_begin_read(s, error);
  if (result != STORE_DONE)
    return result;
  result = list_accounts(s, "SELECT DISTINCT account.id, account.session FROM " DUE_ROWS " LIMIT $3",
                         STORE_VALUES(STORE_NUMBER(key), STORE_NUMBER(key), STORE_NUMBER(limit)), out, error);
  return store_end(s, read_all(s, result, out, error), error);
}

store_result_t owned_rewrite_list_all(world_store_o *s, int64_t after, uint32_t limit, owned_accounts_t *out,
                                      error_info_t *error) {
  store_result_t result = store_begin_read(s, error);
  if (result != STORE_DONE)
    return result;
  result = list_accounts(s,
                         "SELECT id, session FROM account WHERE id > $1 AND EXISTS"
                         " (SELECT 1 FROM owned WHERE owned.account = account.id) ORDER BY id LIMIT $2",
                         STORE_VALUES(STORE_NUMBER(after), STORE_NUMBER(limit)), out, error);
  return store_end(s, read_all(s, result, out, error), error);
}

// --- writing

static int64_t get_number(const json_t *row, const char *key) {
  return json_integer_value(json_object_get(row, key));
}

static store_result_t remove_row(world_store_o *s, int64_t account, const json_t *old, error_info_t *error) {
  return store_execute(
      s, "DELETE FROM owned WHERE item = $1 AND account = $2 AND code = $3",
      STORE_VALUES(STORE_NUMBER(get_number(old, "item")), STORE_NUMBER(account), STORE_NUMBER(get_number(old, "code"))),
      NULL, error);
}

static store_result_t change_row(world_store_o *s, int64_t account, int64_t key, const json_t *old, const json_t *row,
                                 error_info_t *error) {
  char *components = json_dumps(json_object_get(row, "components"), JSON_COMPACT);
  store_result_t result = store_execute(
      s,
      "UPDATE owned SET parent = $1, name = $2, assemblage = $3, components = $4, code = $5"
      " WHERE item = $6 AND account = $7 AND code = $8",
      STORE_VALUES(STORE_NUMBER(get_number(row, "parent")), STORE_TEXT(json_string_value(json_object_get(row, "name"))),
                   STORE_TEXT(json_string_value(json_object_get(row, "assemblage"))), STORE_TEXT(components),
                   STORE_NUMBER(key), STORE_NUMBER(get_number(old, "item")), STORE_NUMBER(account),
                   STORE_NUMBER(get_number(old, "code"))),
      NULL, error);
  free(components);
  return result;
}

static store_result_t store_account(world_store_o *s, int64_t key, const owned_account_t *a, error_info_t *error) {
  int64_t is_absent = 0;
  size_t i;
  json_t *old;
  store_result_t result =
      store_query_number(s, "SELECT count(*) FROM account WHERE id = $1 AND session = $2 AND room IS NULL",
                         STORE_VALUES(STORE_NUMBER(a->account), STORE_NUMBER(a->session)), &is_absent, error);
  if (result != STORE_DONE || is_absent == 0)
    return result;
  if (!a->rows)
    return owned_rows_set_code(s, a->account, key, error);
  json_array_foreach(a->rows, i, old) {
    const json_t *row = owned_rows_find(a->rewritten, get_number(old, "item"));
    if (result == STORE_DONE && get_number(old, "code") != key)
      result = row ? change_row(s, a->account, key, old, row, error) : remove_row(s, a->account, old, error);
  }
  return result;
}

store_result_t owned_rewrite_store(world_store_o *s, int64_t owner, int64_t key, const owned_account_t *accounts,
                                   uint32_t count, error_info_t *error) {
  shoal_assert(count <= OWNED_REWRITE_BATCH, "%u accounts in a transaction", count);
  store_result_t result = store_begin_write(s, error);
  if (result != STORE_DONE)
    return result;
  result = store_require_owner(s, owner, error);
  for (uint32_t i = 0; result == STORE_DONE && i < count; ++i)
    result = store_account(s, key, &accounts[i], error);
  return store_end(s, result, error);
}
