// Names of collision layers (schema/bit_names.h) in the tables of a save. The tables contain numbers, whose bits belong
// to the list of layers at the time of the save. When that list changes, the bits are remapped by name.
#include "store/save_internal.h"

#include "base/assert.h"
#include "schema/bit_names.h"
#include "snapshot/state_view.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTION "shoal_layers"

// Replaces the values of a column with the results of an SQL function, which receives `data`. Returns true on success,
// or false with an error.
static bool update_column(sqlite3 *db, const char *schema, const char *table, const char *column,
                          void (*function)(sqlite3_context *, int, sqlite3_value **), const void *data,
                          error_info_t *error) {
  // casts away const; the functions only read the data
  void *user_data = (void *)(uintptr_t)data;
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  bool ok = (sqlite3_create_function_v2(db, FUNCTION, 1, flags, user_data, function, NULL, NULL, NULL) == SQLITE_OK ||
             error_set(error, "%s: %s", table, sqlite3_errmsg(db))) &&
            save_execute_statement(db, error, "UPDATE \"%w\".\"%w\" SET \"%w\" = " FUNCTION "(\"%w\")", schema, table,
                                   column, column);
  sqlite3_create_function_v2(db, FUNCTION, 1, SQLITE_UTF8, NULL, NULL, NULL, NULL, NULL);
  return ok;
}

static bool read_bits(sqlite3_value *value, uint32_t *bits) {
  sqlite3_int64 number = sqlite3_value_int64(value);
  *bits = (uint32_t)number;
  return sqlite3_value_type(value) == SQLITE_INTEGER && number >= 0 && number <= UINT32_MAX;
}

// --- tables of unknown components: a value with names is the text "BITS:NAME,NAME,…", with all names of the list

static void write_names(sqlite3_context *context, int count, sqlite3_value **values) {
  const field_t *field = sqlite3_user_data(context);
  uint32_t bits;
  (void)count;
  if (!read_bits(values[0], &bits)) {
    sqlite3_result_value(context, values[0]);
    return;
  }
  sqlite3_str *text = sqlite3_str_new(NULL);
  for (uint32_t i = 0; i < field->choice_count; ++i)
    sqlite3_str_appendf(text, "%c%s", i == 0 ? ':' : ',', field_choice(field, i));
  char *names = sqlite3_str_finish(text);
  char *value = sqlite3_mprintf("%u%s", bits, names ? names : "");
  sqlite3_free(names);
  sqlite3_result_text(context, value, -1, sqlite3_free);
}

bool save_layers_write_names(sqlite3 *db, const char *schema, const char *table, const snapshot_o *snapshot,
                             const char *component, error_info_t *error) {
  allocator_t memory = {0};
  schema_buffer_t saved;
  state_view_t *view = state_open(snapshot, &memory, error);
  const state_rows_t *rows = view ? state_find_rows(view->components, view->component_count, component) : NULL;
  bool ok = view != NULL;
  if (rows)
    state_get_schema(rows, &saved);
  for (uint32_t i = 0; ok && rows && i < saved.schema.field_count; ++i) {
    const field_t *field = &saved.fields[i];
    if (bit_names_exist(field) && save_has_column(db, schema, table, field->name))
      ok = update_column(db, schema, table, field->name, write_names, field, error);
  }
  state_close(view);
  return ok;
}

// Splits "BITS:NAME,NAME,…" and returns BITS. Copies the names to `choices`, each followed by '\0', and describes them
// in `out`. Copies no names if the text contains none or they do not fit into `choices`.
static uint32_t split_names(const char *text, char *choices, size_t bytes, field_t *out) {
  char *end = NULL;
  uint32_t bits = (uint32_t)strtoul(text, &end, 10);
  size_t length = *end == ':' ? strlen(end + 1) : 0;
  *out = (field_t){.type = FIELD_U32, .choices = choices};
  if (length == 0 || length + 1 > bytes)
    return bits;
  memcpy(choices, end + 1, length + 1);
  out->choice_count = 1;
  for (size_t i = 0; i < length; ++i)
    if (choices[i] == ',') {
      choices[i] = '\0';
      out->choice_count++;
    }
  return bits;
}

static void read_names(sqlite3_context *context, int count, sqlite3_value **values) {
  char choices[BIT_NAMES_MAX * FIELD_NAME_MAX];
  field_t saved_field;
  (void)count;
  if (sqlite3_value_type(values[0]) != SQLITE_TEXT) {
    sqlite3_result_value(context, values[0]);
    return;
  }
  uint32_t bits = split_names((const char *)sqlite3_value_text(values[0]), choices, sizeof choices, &saved_field);
  if (saved_field.choice_count > 0 && saved_field.choice_count <= BIT_NAMES_MAX)
    bits = bit_names_convert(&saved_field, sqlite3_user_data(context), bits);
  sqlite3_result_int64(context, bits);
}

bool save_layers_read_names(sqlite3 *db, const table_t *t, const char *table, error_info_t *error) {
  const schema_t *schema = sql_table_schema(t);
  for (uint32_t i = 0; i < t->field_count; ++i) {
    const char *column = t->columns[t->key_count + i].text;
    const field_t *field = &schema->fields[t->fields[i]];
    if (bit_names_apply_to(schema, field) && save_has_column(db, "save", table, column) &&
        !update_column(db, "save", table, column, read_names, field, error))
      return false;
  }
  return true;
}
