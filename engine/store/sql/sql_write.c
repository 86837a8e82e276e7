// Executes INSERT, UPDATE and DELETE as commands of the world. All values of a row are checked before its first command
// is queued. When a statement ends, sql.c applies or drops its commands.
#include "base/assert.h"
#include "ecs/name_hint.h"
#include "sql/sql_internal.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

// A row being written, with its values by SQL column.
typedef struct row_write_t {
  table_t *table;
  world_o *world;
  vtab_t *vtab;
  sqlite3_value **values;
  bool is_insert;
  uint32_t row; // components: row to update; `entities`: entity to update
} row_write_t;

enum { ENTITY, INDEX, GENERATION, NAME, ASSEMBLAGE, STATE }; // columns of `entities`

__attribute__((format(printf, 2, 3))) static int reject_write(row_write_t *row_write, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  sqlite3_free(row_write->vtab->base.zErrMsg);
  row_write->vtab->base.zErrMsg = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  return SQLITE_ERROR;
}

static bool equals_text(sqlite3_value *v, const strings_o *s, uint32_t id) {
  if (sqlite3_value_type(v) == SQLITE_NULL)
    return id == 0;
  return sqlite3_value_type(v) == SQLITE_TEXT && (size_t)sqlite3_value_bytes(v) == strings_length(s, id) &&
         memcmp(sqlite3_value_text(v), strings_text(s, id), strings_length(s, id)) == 0;
}

static bool equals_number(sqlite3_value *v, double number) {
  int type = sqlite3_value_type(v);
  if (number != number)
    return type == SQLITE_NULL;
  return (type == SQLITE_INTEGER || type == SQLITE_FLOAT) && sqlite3_value_double(v) == number;
}

static bool is_entity_column_unchanged(const row_write_t *row_write, uint32_t column, sqlite3_value *value) {
  const entities_t *s = world_entities(row_write->world);
  uint32_t index = shoal_entity_index(row_write->row);
  switch (column) {
  case ENTITY: return equals_number(value, row_write->row);
  case INDEX: return equals_number(value, index);
  case GENERATION: return equals_number(value, s->generation[index]);
  case ASSEMBLAGE: return equals_text(value, world_strings(row_write->world), s->assemblage[index]);
  case STATE: return equals_text(value, world_strings(row_write->world), s->state[index]);
  case SQL_ENTITY_WORDS: {
    char *description = sql_describe_entity(row_write->world, row_write->row);
    const char *text = (const char *)sqlite3_value_text(value);
    bool equal = text && strcmp(text, description ? description : "") == 0;
    sqlite3_free(description);
    return equal;
  }
  default: return false;
  }
}

// Returns true if `value` equals the field's current value. Compares only matrices and read-only fields, which cannot
// be set, and floats, whose NaN is read as NULL. Returns false for all other fields, because setting them to the same
// value is harmless.
static bool is_field_unchanged(const row_write_t *row_write, const manager_o *m, uint32_t field, sqlite3_value *value) {
  const field_t *f = &m->schema.fields[field];
  if (f->type == FIELD_MAT4)
    return sqlite3_value_type(value) == SQLITE_BLOB && sqlite3_value_bytes(value) == 64 &&
           memcmp(sqlite3_value_blob(value), (const char *)m->data[field] + (size_t)row_write->row * 64, 64) == 0;
  if (f->type == FIELD_F32 || f->type == FIELD_F64 || f->flags & FIELD_READ_ONLY)
    return equals_number(value, columns_get(&m->columns, row_write->row, field));
  return false;
}

static bool is_unchanged(const row_write_t *row_write, uint32_t column, sqlite3_value *value) {
  const table_t *t = row_write->table;
  if (t->kind == TABLE_ENTITIES)
    return is_entity_column_unchanged(row_write, column, value);
  if (t->kind != TABLE_COMPONENT && t->kind != TABLE_SINGLE)
    return false;
  const manager_o *m = world_manager(row_write->world, t->id);
  if (row_write->row >= m->count)
    return false;
  if (column >= t->key_count)
    return column - t->key_count < t->field_count &&
           is_field_unchanged(row_write, m, t->fields[column - t->key_count], value);
  return column == 0 ? equals_number(value, m->owner[row_write->row])
                     : equals_text(value, world_strings(row_write->world), m->instance[row_write->row]);
}

// Returns true if the statement sets this column. In an INSERT, omitted columns are NULL and keep their defaults. In an
// UPDATE … FROM, SQLite passes every column, so unchanged values do not count as set.
static bool is_column_set(const row_write_t *row_write, uint32_t column) {
  sqlite3_value *value = row_write->values[column];
  if (row_write->is_insert)
    return sqlite3_value_type(value) != SQLITE_NULL;
  return !sqlite3_value_nochange(value) && !is_unchanged(row_write, column, value);
}

// --- values

static const char *describe_value(sqlite3_value *value) {
  const char *text = sqlite3_value_type(value) == SQLITE_BLOB ? "a blob" : (const char *)sqlite3_value_text(value);
  return text ? text : "NULL";
}

static int reject_type(row_write_t *row_write, const char *column, const char *expected, sqlite3_value *value) {
  const char *quote = sqlite3_value_type(value) == SQLITE_TEXT ? "'" : "";
  return reject_write(row_write, "%s.%s must be %s, got %s%.60s%s", row_write->table->name.text, column, expected,
                      quote, describe_value(value), quote);
}

static int check_integer(row_write_t *row_write, const field_t *f, const char *column, sqlite3_value *value,
                         double *out) {
  field_limits_t range = field_limits(f->type);
  double number = sqlite3_value_double(value);
  int type = sqlite3_value_type(value);
  if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || number != floor(number))
    return reject_type(row_write, column, f->type == FIELD_BOOL ? "0 or 1" : "an integer", value);
  if (number < range.low || number > range.high)
    return reject_write(row_write, "%s.%s: %s does not fit in %s (%.0f to %.0f)", row_write->table->name.text, column,
                        describe_value(value), field_type_name(f->type), range.low, range.high);
  *out = number;
  return SQLITE_OK;
}

static int check_choice(row_write_t *row_write, const field_t *f, const char *column, sqlite3_value *value,
                        double *out) {
  char choices[200], expected[sizeof choices + 8];
  const char *text = sqlite3_value_type(value) == SQLITE_TEXT ? (const char *)sqlite3_value_text(value) : "";
  int32_t choice = field_find_choice(f, text, strlen(text));
  *out = choice;
  snprintf(expected, sizeof expected, "one of %s", field_list_choices(f, choices, sizeof choices));
  return choice >= 0 ? SQLITE_OK : reject_type(row_write, column, expected, value);
}

static int check_entity(row_write_t *row_write, const char *column, sqlite3_value *value, double *out) {
  double id = sql_value_to_entity(value);
  if (id < 0)
    return reject_type(row_write, column, "an entity", value);
  if (id > 0 && !world_is_alive(row_write->world, (shoal_entity)id))
    return reject_write(row_write, "%s.%s: entity %.0f is not alive", row_write->table->name.text, column, id);
  *out = id;
  return SQLITE_OK;
}

// Converts a value to its stored form. Returns SQLITE_OK on success, or an error code if the field is read-only or
// cannot store the value.
static int check_value(row_write_t *row_write, const field_t *f, const char *column, sqlite3_value *value,
                       double *out) {
  int type = sqlite3_value_type(value);
  if (f->flags & FIELD_READ_ONLY)
    return reject_write(row_write, "%s.%s is read-only", row_write->table->name.text, column);
  switch (f->type) {
  case FIELD_F32:
  case FIELD_F64:
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
      return reject_type(row_write, column, "a number", value);
    *out = sqlite3_value_double(value);
    return SQLITE_OK;
  case FIELD_STRING:
  case FIELD_ASSET:
    if (type != SQLITE_TEXT)
      return reject_type(row_write, column, "a string", value);
    const char *text = (const char *)sqlite3_value_text(value);
    *out = strings_intern_bytes(world_strings(row_write->world), text, (size_t)sqlite3_value_bytes(value));
    return SQLITE_OK;
  case FIELD_ENTITY: return check_entity(row_write, column, value, out);
  case FIELD_ENUM: return check_choice(row_write, f, column, value, out);
  case FIELD_MAT4:
    return reject_write(row_write, "%s.%s: SQL cannot write a matrix", row_write->table->name.text, column);
  default: return check_integer(row_write, f, column, value, out);
  }
}

// Converts a list's JSON text to the values of its columns, starting at column `field`. Returns SQLITE_OK on success,
// or an error code if the text is invalid.
static int check_list(row_write_t *row_write, const schema_t *schema, uint32_t field, sqlite3_value *value,
                      double *numbers) {
  error_info_t error;
  const char *text = sqlite3_value_type(value) == SQLITE_TEXT ? (const char *)sqlite3_value_text(value) : NULL;
  size_t bytes = text ? (size_t)sqlite3_value_bytes(value) : 0;
  bool ok = sql_list_parse(row_write->world, schema, field, text, bytes, numbers, &error);
  return ok ? SQLITE_OK : reject_write(row_write, "%s", error.text);
}

// Checks the values of the fields that the statement sets. Stores them in `numbers`, indexed by column of the schema,
// and marks these columns in `is_set`. Returns SQLITE_OK or an error code.
static int check_fields(row_write_t *row_write, double *numbers, bool *is_set) {
  const schema_t *schema = sql_table_schema(row_write->table);
  memset(is_set, 0, SCHEMA_MAX_FIELDS * sizeof *is_set);
  for (uint32_t i = 0; i < row_write->table->field_count; ++i) {
    uint32_t column = row_write->table->key_count + i, field = row_write->table->fields[i];
    if (!is_column_set(row_write, column))
      continue;
    const field_t *f = &schema->fields[field];
    int code = f->flags & FIELD_IS_COUNT ? check_list(row_write, schema, field, row_write->values[column], numbers)
                                         : check_value(row_write, f, row_write->table->columns[column].text,
                                                       row_write->values[column], &numbers[field]);
    if (code != SQLITE_OK)
      return code;
    memset(&is_set[field], true, 1 + schema_list_capacity(schema, field));
  }
  return SQLITE_OK;
}

// --- components

static int set_fields(row_write_t *row_write, shoal_entity e, uint32_t instance, const double *numbers,
                      const bool *is_set) {
  error_info_t error;
  for (uint32_t i = 0; i < SCHEMA_MAX_FIELDS; ++i)
    if (is_set[i] && !world_set_field(row_write->world, e, row_write->table->id, instance, i, numbers[i], &error))
      return reject_write(row_write, "%s: %s", row_write->table->name.text, error.text);
  return SQLITE_OK;
}

static int read_instance(row_write_t *row_write, uint32_t *out) {
  *out = 0;
  if (row_write->table->key_count < 2 || !is_column_set(row_write, 1))
    return SQLITE_OK;
  if (sqlite3_value_type(row_write->values[1]) != SQLITE_TEXT)
    return reject_type(row_write, "instance", "a name", row_write->values[1]);
  *out = strings_intern(world_strings(row_write->world), (const char *)sqlite3_value_text(row_write->values[1]));
  strings_pin(world_strings(row_write->world), *out);
  return SQLITE_OK;
}

// Handles an INSERT for an existing row. With OR REPLACE, sets the row's fields. Otherwise, returns a constraint error,
// which SQLite ignores for OR IGNORE.
static int insert_existing(row_write_t *row_write, shoal_entity e, uint32_t instance, const double *numbers,
                           const bool *is_set) {
  if (sqlite3_vtab_on_conflict(row_write->table->sql->db) == SQLITE_REPLACE)
    return set_fields(row_write, e, instance, numbers, is_set);
  reject_write(row_write, "%s: entity %u already has this component: use UPDATE", row_write->table->name.text, e);
  return SQLITE_CONSTRAINT;
}

static int insert_component(row_write_t *row_write, sqlite3_int64 *rowid) {
  double numbers[SCHEMA_MAX_FIELDS], id = 0;
  bool is_set[SCHEMA_MAX_FIELDS];
  uint32_t instance = 0;
  error_info_t error;
  int code = check_entity(row_write, "entity", row_write->values[0], &id);
  if (code == SQLITE_OK && id == 0)
    code = reject_write(row_write, "%s: INSERT must set the column entity", row_write->table->name.text);
  if (code == SQLITE_OK)
    code = check_fields(row_write, numbers, is_set);
  if (code == SQLITE_OK)
    code = read_instance(row_write, &instance);
  if (code != SQLITE_OK)
    return code;
  shoal_entity e = (shoal_entity)id;
  *rowid = e;
  const manager_o *m = world_manager(row_write->world, row_write->table->id);
  bool has_row = manager_find_instance_row(m, e, instance) != ROW_NONE;
  if (has_row || (m->schema.kind != SCHEMA_MANY && world_is_component_pending(row_write->world, e, m->id)))
    return insert_existing(row_write, e, instance, numbers, is_set);
  if (!world_add_component(row_write->world, e, m->id, instance, &error))
    return reject_write(row_write, "%s: %s", row_write->table->name.text, error.text);
  return set_fields(row_write, e, instance, numbers, is_set);
}

// Returns the row with a rowid (see component_rowid in sql_tables.c), or ROW_NONE if the row no longer exists.
static uint32_t find_row(const manager_o *m, sqlite3_value *rowid) {
  sqlite3_int64 number = sqlite3_value_int64(rowid);
  uint32_t row = m->schema.kind == SCHEMA_MANY ? (uint32_t)(number - 1) : manager_row(m, (shoal_entity)number);
  return row < m->count ? row : ROW_NONE;
}

static int update_component(row_write_t *row_write, sqlite3_value *rowid) {
  double numbers[SCHEMA_MAX_FIELDS];
  bool is_set[SCHEMA_MAX_FIELDS];
  const manager_o *m = world_manager(row_write->world, row_write->table->id);
  uint32_t row = row_write->row = find_row(m, rowid);
  for (uint32_t i = 0; i < row_write->table->key_count; ++i)
    if (is_column_set(row_write, i))
      return reject_write(row_write, "cannot change %s.%s: the column identifies the row", row_write->table->name.text,
                          row_write->table->columns[i].text);
  int code = check_fields(row_write, numbers, is_set);
  if (code != SQLITE_OK || row == ROW_NONE)
    return code;
  return set_fields(row_write, m->owner[row], m->schema.kind == SCHEMA_MANY ? m->instance[row] : 0, numbers, is_set);
}

static int delete_component_row(row_write_t *row_write, const manager_o *m, uint32_t row) {
  if (row >= m->count)
    return SQLITE_OK;
  shoal_entity e = m->owner[row];
  uint32_t instance = m->schema.kind == SCHEMA_MANY ? m->instance[row] : 0;
  bool has_named_instances =
      m->schema.kind == SCHEMA_MANY && instance == 0 && (manager_row(m, e) != row || m->next[row] != ROW_NONE);
  if (has_named_instances) // world_remove_component without an instance would remove all instances
    return reject_write(row_write, "%s: cannot remove the unnamed instance alone: remove the named instances first",
                        m->schema.name);
  error_info_t error;
  if (!world_check_removal(row_write->world, e, m->id, &error))
    return reject_write(row_write, "%s", error.text);
  world_remove_component(row_write->world, e, m->id, instance);
  return SQLITE_OK;
}

static int update_single(row_write_t *row_write) {
  double numbers[SCHEMA_MAX_FIELDS] = {0};
  bool is_set[SCHEMA_MAX_FIELDS];
  int code = check_fields(row_write, numbers, is_set);
  return code == SQLITE_OK ? set_fields(row_write, SHOAL_ENTITY_NONE, 0, numbers, is_set) : code;
}

static int insert_event(row_write_t *row_write) {
  double numbers[SCHEMA_MAX_FIELDS] = {0};
  bool is_set[SCHEMA_MAX_FIELDS];
  int code = check_fields(row_write, numbers, is_set);
  uint32_t ticket = code == SQLITE_OK ? world_emit_event(row_write->world, row_write->table->id) : 0;
  for (uint32_t i = 0; ticket && i < SCHEMA_MAX_FIELDS; ++i)
    if (is_set[i])
      world_set_event_field(row_write->world, ticket, i, numbers[i]);
  return code;
}

// --- entities

static int set_name(row_write_t *row_write, shoal_entity e) {
  error_info_t error;
  const manager_o *m = world_find_manager(row_write->world, "name");
  int32_t column = m ? manager_find_column(m, "value") : -1;
  if (column < 0 || m->schema.fields[column].type != FIELD_STRING)
    return reject_write(row_write, "entities.name: this world has no component named name");
  if (sqlite3_value_type(row_write->values[NAME]) == SQLITE_NULL) {
    if (!world_check_removal(row_write->world, e, m->id, &error))
      return reject_write(row_write, "%s", error.text);
    world_remove_component(row_write->world, e, m->id, 0);
    return SQLITE_OK;
  }
  if (sqlite3_value_type(row_write->values[NAME]) != SQLITE_TEXT)
    return reject_type(row_write, "name", "a string", row_write->values[NAME]);
  uint32_t id =
      strings_intern(world_strings(row_write->world), (const char *)sqlite3_value_text(row_write->values[NAME]));
  if (!world_add_component(row_write->world, e, m->id, 0, &error) ||
      !world_set_field(row_write->world, e, m->id, 0, (uint32_t)column, id, &error))
    return reject_write(row_write, "entities.name: %s", error.text);
  return SQLITE_OK;
}

static int set_state(row_write_t *row_write, shoal_entity e) {
  error_info_t error;
  if (sqlite3_value_type(row_write->values[STATE]) != SQLITE_TEXT)
    return reject_type(row_write, "state", "the name of a state", row_write->values[STATE]);
  uint32_t id =
      strings_intern(world_strings(row_write->world), (const char *)sqlite3_value_text(row_write->values[STATE]));
  return world_enter_state(row_write->world, e, id, &error) ? SQLITE_OK
                                                            : reject_write(row_write, "entities.state: %s", error.text);
}

static int set_entity(row_write_t *row_write, shoal_entity e) {
  int code = is_column_set(row_write, NAME) ? set_name(row_write, e) : SQLITE_OK;
  return code == SQLITE_OK && is_column_set(row_write, STATE) ? set_state(row_write, e) : code;
}

static int insert_entity(row_write_t *row_write, sqlite3_int64 *rowid) {
  error_info_t error;
  char hint[HINT_BYTES];
  uint32_t number = 0;
  if (is_column_set(row_write, ENTITY) || is_column_set(row_write, INDEX) || is_column_set(row_write, GENERATION) ||
      is_column_set(row_write, SQL_ENTITY_WORDS))
    return reject_write(row_write, "entities.entity: the world assigns ids; INSERT may set name, assemblage and state");
  if (is_column_set(row_write, ASSEMBLAGE)) {
    const char *name = (const char *)sqlite3_value_text(row_write->values[ASSEMBLAGE]);
    number = world_find_assemblage(row_write->world, strings_find(world_strings(row_write->world), name));
    if (number == 0)
      return reject_write(row_write, "entities.assemblage: unknown assemblage %s%s", name ? name : "NULL",
                          name ? hint_assemblage(row_write->world, name, hint) : "");
  }
  shoal_entity e = world_spawn(row_write->world, number, &error);
  if (e == SHOAL_ENTITY_NONE)
    return reject_write(row_write, "entities: %s", error.text);
  *rowid = e;
  return set_entity(row_write, e);
}

static int update_entity(row_write_t *row_write, shoal_entity e) {
  row_write->row = e;
  if (is_column_set(row_write, ENTITY) || is_column_set(row_write, INDEX) || is_column_set(row_write, GENERATION) ||
      is_column_set(row_write, ASSEMBLAGE) || is_column_set(row_write, SQL_ENTITY_WORDS))
    return reject_write(row_write, "entities: only name and state can be changed");
  return set_entity(row_write, e);
}

// --- entity_components

static int insert_entity_component(row_write_t *row_write) {
  error_info_t error;
  char hint[HINT_BYTES];
  double id = 0;
  uint32_t instance = 0;
  int code = check_entity(row_write, "entity", row_write->values[0], &id);
  if (code != SQLITE_OK)
    return code;
  const char *name = (const char *)sqlite3_value_text(row_write->values[1]);
  const manager_o *m = name ? world_find_manager(row_write->world, name) : NULL;
  if (!m)
    return reject_write(row_write, "entity_components.component: unknown component %s%s", name ? name : "NULL",
                        name ? hint_component(row_write->world, name, hint) : "");
  if (is_column_set(row_write, 2) || is_column_set(row_write, 3))
    return reject_write(row_write, "entity_components: INSERT may set only entity, component and instance");
  if (is_column_set(row_write, 4)) {
    instance = strings_intern(world_strings(row_write->world), (const char *)sqlite3_value_text(row_write->values[4]));
    strings_pin(world_strings(row_write->world), instance);
  }
  if (!world_add_component(row_write->world, (shoal_entity)id, m->id, instance, &error))
    return reject_write(row_write, "entity_components: %s", error.text);
  return SQLITE_OK;
}

// --- dispatch

static int insert_row(row_write_t *row_write, sqlite3_int64 *rowid) {
  switch (row_write->table->kind) {
  case TABLE_COMPONENT: return insert_component(row_write, rowid);
  case TABLE_EVENT: return insert_event(row_write);
  case TABLE_ENTITIES: return insert_entity(row_write, rowid);
  case TABLE_ENTITY_COMPONENTS: return insert_entity_component(row_write);
  case TABLE_SINGLE:
    return reject_write(row_write, "%s is a singleton with exactly one row: use UPDATE", row_write->table->name.text);
  default: return reject_write(row_write, "%s is read-only", row_write->table->name.text);
  }
}

static int update_row(row_write_t *row_write, sqlite3_value *rowid) {
  switch (row_write->table->kind) {
  case TABLE_COMPONENT: return update_component(row_write, rowid);
  case TABLE_SINGLE: return update_single(row_write);
  case TABLE_ENTITIES: return update_entity(row_write, (shoal_entity)sqlite3_value_int64(rowid));
  case TABLE_ENTITY_COMPONENTS:
    return reject_write(
        row_write, "entity_components: rows cannot be updated: use INSERT to add a component, DELETE to remove one");
  case TABLE_EVENT:
    return reject_write(row_write, "%s: past events cannot be changed: use INSERT to emit a new one",
                        row_write->table->name.text);
  default: return reject_write(row_write, "%s is read-only", row_write->table->name.text);
  }
}

static int delete_row(row_write_t *row_write, sqlite3_value *rowid) {
  const manager_o *m;
  sqlite3_int64 number = sqlite3_value_int64(rowid);
  switch (row_write->table->kind) {
  case TABLE_COMPONENT:
    m = world_manager(row_write->world, row_write->table->id);
    return delete_component_row(row_write, m, find_row(m, rowid));
  case TABLE_ENTITIES: world_destroy_entity(row_write->world, (shoal_entity)number); return SQLITE_OK;
  case TABLE_ENTITY_COMPONENTS:
    m = world_manager(row_write->world, (uint32_t)(number >> 32));
    return m ? delete_component_row(row_write, m, (uint32_t)(number & UINT32_MAX)) : SQLITE_OK;
  case TABLE_SINGLE:
    return reject_write(row_write, "%s is a singleton: its row cannot be deleted", row_write->table->name.text);
  case TABLE_EVENT:
    return reject_write(row_write, "%s: past events cannot be changed: use INSERT to emit a new one",
                        row_write->table->name.text);
  default: return reject_write(row_write, "%s is read-only", row_write->table->name.text);
  }
}

// Returns true if the statement sets component_data_id. A value that an UPDATE … FROM passes unchanged does not count
// as set.
static bool sets_data_id(const row_write_t *row_write, sqlite3_value *rowid) {
  if (row_write->table->kind != TABLE_COMPONENT)
    return false;
  sqlite3_value *value = row_write->values[row_write->table->key_count + row_write->table->field_count];
  if (row_write->is_insert)
    return sqlite3_value_type(value) != SQLITE_NULL;
  const manager_o *m = world_manager(row_write->world, row_write->table->id);
  uint32_t row = find_row(m, rowid);
  return !sqlite3_value_nochange(value) && row != ROW_NONE && sqlite3_value_int64(value) != sql_data_id(m, row);
}

// Returns true if `value` equals a derived field's current value, `current`.
static bool is_derived_value(const field_t *field, sqlite3_value *value, const float *current) {
  if (field->type != FIELD_MAT4)
    return sqlite3_value_numeric_type(value) == SQLITE_FLOAT && sqlite3_value_double(value) == (double)current[0];
  size_t bytes = field_size(field->type);
  return sqlite3_value_type(value) == SQLITE_BLOB && (size_t)sqlite3_value_bytes(value) == bytes &&
         memcmp(sqlite3_value_blob(value), current, bytes) == 0;
}

// Returns the first derived field that the statement sets, or NULL if it sets no derived field.
static const field_t *find_written_derived(const row_write_t *row_write, sqlite3_value *rowid) {
  const table_t *t = row_write->table;
  for (uint32_t i = 0; i < t->derived_count; ++i) {
    sqlite3_value *value = row_write->values[t->key_count + t->field_count + 1 + i];
    const manager_o *m = world_manager(row_write->world, t->id);
    uint32_t row = row_write->is_insert ? ROW_NONE : find_row(m, rowid);
    float current[16] = {0};
    if (row_write->is_insert ? sqlite3_value_type(value) == SQLITE_NULL
                             : sqlite3_value_nochange(value) || row == ROW_NONE)
      continue;
    if (row != ROW_NONE)
      manager_compute_derived_field(m, m->schema.field_count + i, NULL, row, 1, current);
    if (row == ROW_NONE || !is_derived_value(sql_derived_field(t, i), value, current))
      return sql_derived_field(t, i);
  }
  return NULL;
}

int sql_write_row(sqlite3_vtab *vtab, int argc, sqlite3_value **argv, sqlite3_int64 *rowid) {
  table_t *t = ((vtab_t *)vtab)->table;
  row_write_t row_write = {.table = t, .world = t->sql->desc.world, .vtab = (vtab_t *)vtab, .values = argv + 2};
  if (!t->sql->writing)
    return reject_write(&row_write, "cannot write %s: the query is read-only", t->name.text);
  shoal_assert(world_is_deferring(row_write.world), "the world must defer commands while rows of %s are written",
               t->name.text);
  if (argc == 1)
    return delete_row(&row_write, argv[0]);
  row_write.is_insert = sqlite3_value_type(argv[0]) == SQLITE_NULL;
  if (sets_data_id(&row_write, argv[0]))
    return reject_write(&row_write, "%s.component_data_id is assigned by the world and cannot be set", t->name.text);
  const field_t *derived = find_written_derived(&row_write, argv[0]);
  if (derived)
    return reject_write(&row_write, "%s.%s is read-only", t->name.text, derived->name);
  return row_write.is_insert ? insert_row(&row_write, rowid) : update_row(&row_write, argv[0]);
}
