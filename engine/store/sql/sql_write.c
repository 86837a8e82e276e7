// INSERT, UPDATE and DELETE as commands of the world. All values of a row are checked before its first command is
// queued; sql.c applies or drops a statement's commands when it ends.
#include "base/assert.h"
#include "ecs/name_hint.h"
#include "sql/sql_internal.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

// A row being written, with its values by SQL column.
typedef struct write_t {
  table_t *table;
  world_o *world;
  vtab_t *vtab;
  sqlite3_value **values;
  bool insert;
  uint32_t row; // components: the row that is updated; `entities`: the entity
} write_t;

enum { ENTITY, INDEX, GENERATION, NAME, ASSEMBLAGE, STATE }; // columns of `entities`

__attribute__((format(printf, 2, 3))) static int refuse(write_t *x, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  sqlite3_free(x->vtab->base.zErrMsg);
  x->vtab->base.zErrMsg = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  return SQLITE_ERROR;
}

static bool is_text(sqlite3_value *v, const strings_o *s, uint32_t id) {
  if (sqlite3_value_type(v) == SQLITE_NULL)
    return id == 0;
  return sqlite3_value_type(v) == SQLITE_TEXT && (size_t)sqlite3_value_bytes(v) == strings_length(s, id) &&
         memcmp(sqlite3_value_text(v), strings_text(s, id), strings_length(s, id)) == 0;
}

static bool is_number(sqlite3_value *v, double number) {
  int type = sqlite3_value_type(v);
  if (number != number)
    return type == SQLITE_NULL;
  return (type == SQLITE_INTEGER || type == SQLITE_FLOAT) && sqlite3_value_double(v) == number;
}

static bool is_entity_column_unchanged(const write_t *x, uint32_t column, sqlite3_value *v) {
  const entities_t *s = world_entities(x->world);
  uint32_t index = shoal_entity_index(x->row);
  switch (column) {
  case ENTITY: return is_number(v, x->row);
  case INDEX: return is_number(v, index);
  case GENERATION: return is_number(v, s->generation[index]);
  case ASSEMBLAGE: return is_text(v, world_strings(x->world), s->assemblage[index]);
  case STATE: return is_text(v, world_strings(x->world), s->state[index]);
  case SQL_ENTITY_WORDS: {
    char *words = sql_describe_entity(x->world, x->row);
    const char *text = (const char *)sqlite3_value_text(v);
    bool same = text && strcmp(text, words ? words : "") == 0;
    sqlite3_free(words);
    return same;
  }
  default: return false;
  }
}

// Returns true if `v` equals the field's current value. Compares only matrices and read-only fields, which cannot be
// set, and floats, because NaN is read as NULL. Returns false for all other fields, because setting them to the same
// value is harmless.
static bool is_field_unchanged(const write_t *x, const manager_o *m, uint32_t field, sqlite3_value *v) {
  const field_t *f = &m->schema.fields[field];
  if (f->type == FIELD_MAT4)
    return sqlite3_value_type(v) == SQLITE_BLOB && sqlite3_value_bytes(v) == 64 &&
           memcmp(sqlite3_value_blob(v), (const char *)m->data[field] + (size_t)x->row * 64, 64) == 0;
  if (f->type == FIELD_F32 || f->type == FIELD_F64 || f->flags & FIELD_READ_ONLY)
    return is_number(v, columns_get(&m->columns, x->row, field));
  return false;
}

static bool is_unchanged(const write_t *x, uint32_t column, sqlite3_value *v) {
  const table_t *t = x->table;
  if (t->kind == TABLE_ENTITIES)
    return is_entity_column_unchanged(x, column, v);
  if (t->kind != TABLE_COMPONENT && t->kind != TABLE_SINGLE)
    return false;
  const manager_o *m = world_manager(x->world, t->id);
  if (x->row >= m->count)
    return false;
  if (column >= t->key_count)
    return column - t->key_count < t->field_count && is_field_unchanged(x, m, t->fields[column - t->key_count], v);
  return column == 0 ? is_number(v, m->owner[x->row]) : is_text(v, world_strings(x->world), m->instance[x->row]);
}

// Returns true if the statement sets this column. In an INSERT, omitted columns are NULL and keep their defaults. In an
// UPDATE … FROM, SQLite passes every column; unchanged values do not count as set.
static bool is_column_set(const write_t *x, uint32_t column) {
  sqlite3_value *v = x->values[column];
  if (x->insert)
    return sqlite3_value_type(v) != SQLITE_NULL;
  return !sqlite3_value_nochange(v) && !is_unchanged(x, column, v);
}

// --- values

static const char *describe_value(sqlite3_value *v) {
  const char *text = sqlite3_value_type(v) == SQLITE_BLOB ? "a blob" : (const char *)sqlite3_value_text(v);
  return text ? text : "NULL";
}

static int reject_type(write_t *x, const char *column, const char *expected, sqlite3_value *v) {
  const char *quote = sqlite3_value_type(v) == SQLITE_TEXT ? "'" : "";
  return refuse(x, "%s.%s must be %s, got %s%.60s%s", x->table->name.text, column, expected, quote, describe_value(v),
                quote);
}

static int check_integer(write_t *x, const field_t *f, const char *column, sqlite3_value *v, double *out) {
  field_limits_t range = field_limits(f->type);
  double number = sqlite3_value_double(v);
  int type = sqlite3_value_type(v);
  if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || number != floor(number))
    return reject_type(x, column, f->type == FIELD_BOOL ? "0 or 1" : "an integer", v);
  if (number < range.low || number > range.high)
    return refuse(x, "%s.%s: %s does not fit in %s (%.0f to %.0f)", x->table->name.text, column, describe_value(v),
                  field_type_name(f->type), range.low, range.high);
  *out = number;
  return SQLITE_OK;
}

static int check_choice(write_t *x, const field_t *f, const char *column, sqlite3_value *v, double *out) {
  char all[200], expected[sizeof all + 8];
  const char *text = sqlite3_value_type(v) == SQLITE_TEXT ? (const char *)sqlite3_value_text(v) : "";
  int32_t found = field_find_choice(f, text, strlen(text));
  *out = found;
  snprintf(expected, sizeof expected, "one of %s", field_list_choices(f, all, sizeof all));
  return found >= 0 ? SQLITE_OK : reject_type(x, column, expected, v);
}

static int check_entity(write_t *x, const char *column, sqlite3_value *v, double *out) {
  double id = sql_value_to_entity(v);
  if (id < 0)
    return reject_type(x, column, "an entity", v);
  if (id > 0 && !world_is_alive(x->world, (shoal_entity)id))
    return refuse(x, "%s.%s: entity %.0f is not alive", x->table->name.text, column, id);
  *out = id;
  return SQLITE_OK;
}

// Converts a value to its stored form. Fails if the field cannot store it.
static int check_value(write_t *x, const field_t *f, const char *column, sqlite3_value *v, double *out) {
  int type = sqlite3_value_type(v);
  if (f->flags & FIELD_READ_ONLY)
    return refuse(x, "%s.%s is read-only", x->table->name.text, column);
  switch (f->type) {
  case FIELD_F32:
  case FIELD_F64:
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
      return reject_type(x, column, "a number", v);
    *out = sqlite3_value_double(v);
    return SQLITE_OK;
  case FIELD_STRING:
  case FIELD_ASSET:
    if (type != SQLITE_TEXT)
      return reject_type(x, column, "a string", v);
    const char *text = (const char *)sqlite3_value_text(v);
    *out = strings_intern_bytes(world_strings(x->world), text, (size_t)sqlite3_value_bytes(v));
    return SQLITE_OK;
  case FIELD_ENTITY: return check_entity(x, column, v, out);
  case FIELD_ENUM: return check_choice(x, f, column, v, out);
  case FIELD_MAT4: return refuse(x, "%s.%s: SQL cannot write a matrix", x->table->name.text, column);
  default: return check_integer(x, f, column, v, out);
  }
}

// Converts the JSON text of a list to the values of its columns, from `field`.
static int check_list(write_t *x, const schema_t *schema, uint32_t field, sqlite3_value *v, double *numbers) {
  error_info_t error;
  const char *text = sqlite3_value_type(v) == SQLITE_TEXT ? (const char *)sqlite3_value_text(v) : NULL;
  size_t bytes = text ? (size_t)sqlite3_value_bytes(v) : 0;
  bool ok = sql_list_parse(x->world, schema, field, text, bytes, numbers, &error);
  return ok ? SQLITE_OK : refuse(x, "%s", error.text);
}

// Checks the values of the fields that the statement sets. Stores them in `numbers`, indexed by column of the schema,
// and marks these columns in `set_columns`. Returns SQLITE_OK or an error code.
static int check_fields(write_t *x, double *numbers, bool *set_columns) {
  const schema_t *schema = sql_table_schema(x->table);
  memset(set_columns, 0, SCHEMA_MAX_FIELDS * sizeof *set_columns);
  for (uint32_t i = 0; i < x->table->field_count; ++i) {
    uint32_t at = x->table->key_count + i, field = x->table->fields[i];
    if (!is_column_set(x, at))
      continue;
    const field_t *f = &schema->fields[field];
    int code = f->flags & FIELD_IS_COUNT
                   ? check_list(x, schema, field, x->values[at], numbers)
                   : check_value(x, f, x->table->columns[at].text, x->values[at], &numbers[field]);
    if (code != SQLITE_OK)
      return code;
    memset(&set_columns[field], true, 1 + schema_list_capacity(schema, field));
  }
  return SQLITE_OK;
}

// --- components

static int set_fields(write_t *x, shoal_entity e, uint32_t instance, const double *numbers, const bool *set_columns) {
  error_info_t error;
  for (uint32_t i = 0; i < SCHEMA_MAX_FIELDS; ++i)
    if (set_columns[i] && !world_set_field(x->world, e, x->table->id, instance, i, numbers[i], &error))
      return refuse(x, "%s: %s", x->table->name.text, error.text);
  return SQLITE_OK;
}

static int read_instance(write_t *x, uint32_t *out) {
  *out = 0;
  if (x->table->key_count < 2 || !is_column_set(x, 1))
    return SQLITE_OK;
  if (sqlite3_value_type(x->values[1]) != SQLITE_TEXT)
    return reject_type(x, "instance", "a name", x->values[1]);
  *out = strings_intern(world_strings(x->world), (const char *)sqlite3_value_text(x->values[1]));
  strings_pin(world_strings(x->world), *out);
  return SQLITE_OK;
}

// Handles an INSERT for an existing row. With OR REPLACE, sets its fields; otherwise returns a constraint error, which
// SQLite ignores for OR IGNORE.
static int insert_existing(write_t *x, shoal_entity e, uint32_t instance, const double *numbers,
                           const bool *set_columns) {
  if (sqlite3_vtab_on_conflict(x->table->sql->db) == SQLITE_REPLACE)
    return set_fields(x, e, instance, numbers, set_columns);
  refuse(x, "%s: entity %u already has this component: use UPDATE", x->table->name.text, e);
  return SQLITE_CONSTRAINT;
}

static int insert_component(write_t *x, sqlite3_int64 *rowid) {
  double numbers[SCHEMA_MAX_FIELDS], id = 0;
  bool set_columns[SCHEMA_MAX_FIELDS];
  uint32_t instance = 0;
  error_info_t error;
  int code = check_entity(x, "entity", x->values[0], &id);
  if (code == SQLITE_OK && id == 0)
    code = refuse(x, "%s: INSERT must set the column entity", x->table->name.text);
  if (code == SQLITE_OK)
    code = check_fields(x, numbers, set_columns);
  if (code == SQLITE_OK)
    code = read_instance(x, &instance);
  if (code != SQLITE_OK)
    return code;
  shoal_entity e = (shoal_entity)id;
  *rowid = e;
  const manager_o *m = world_manager(x->world, x->table->id);
  bool exists = manager_find_instance_row(m, e, instance) != ROW_NONE;
  if (exists || (m->schema.kind != SCHEMA_MANY && world_is_component_pending(x->world, e, m->id)))
    return insert_existing(x, e, instance, numbers, set_columns);
  if (!world_add_component(x->world, e, m->id, instance, &error))
    return refuse(x, "%s: %s", x->table->name.text, error.text);
  return set_fields(x, e, instance, numbers, set_columns);
}

// Returns the row of a rowid (see component_rowid in sql_tables.c).
static uint32_t find_row(const manager_o *m, sqlite3_value *rowid) {
  sqlite3_int64 number = sqlite3_value_int64(rowid);
  uint32_t row = m->schema.kind == SCHEMA_MANY ? (uint32_t)(number - 1) : manager_row(m, (shoal_entity)number);
  return row < m->count ? row : ROW_NONE;
}

static int update_component(write_t *x, sqlite3_value *rowid) {
  double numbers[SCHEMA_MAX_FIELDS];
  bool set_columns[SCHEMA_MAX_FIELDS];
  const manager_o *m = world_manager(x->world, x->table->id);
  uint32_t row = x->row = find_row(m, rowid);
  for (uint32_t i = 0; i < x->table->key_count; ++i)
    if (is_column_set(x, i))
      return refuse(x, "cannot change %s.%s: the column identifies the row", x->table->name.text,
                    x->table->columns[i].text);
  int code = check_fields(x, numbers, set_columns);
  if (code != SQLITE_OK || row == ROW_NONE)
    return code;
  return set_fields(x, m->owner[row], m->schema.kind == SCHEMA_MANY ? m->instance[row] : 0, numbers, set_columns);
}

static int delete_row(write_t *x, const manager_o *m, uint32_t row) {
  if (row >= m->count)
    return SQLITE_OK;
  shoal_entity e = m->owner[row];
  uint32_t instance = m->schema.kind == SCHEMA_MANY ? m->instance[row] : 0;
  bool others =
      m->schema.kind == SCHEMA_MANY && instance == 0 && (manager_row(m, e) != row || m->next[row] != ROW_NONE);
  if (others) // world_remove_component without an instance would remove all instances
    return refuse(x, "%s: cannot remove the unnamed instance alone: remove the named instances first", m->schema.name);
  error_info_t error;
  if (!world_check_removal(x->world, e, m->id, &error))
    return refuse(x, "%s", error.text);
  world_remove_component(x->world, e, m->id, instance);
  return SQLITE_OK;
}

static int update_single(write_t *x) {
  double numbers[SCHEMA_MAX_FIELDS] = {0};
  bool set_columns[SCHEMA_MAX_FIELDS];
  int code = check_fields(x, numbers, set_columns);
  return code == SQLITE_OK ? set_fields(x, SHOAL_ENTITY_NONE, 0, numbers, set_columns) : code;
}

static int insert_event(write_t *x) {
  double numbers[SCHEMA_MAX_FIELDS] = {0};
  bool set_columns[SCHEMA_MAX_FIELDS];
  int code = check_fields(x, numbers, set_columns);
  uint32_t ticket = code == SQLITE_OK ? world_emit_event(x->world, x->table->id) : 0;
  for (uint32_t i = 0; ticket && i < SCHEMA_MAX_FIELDS; ++i)
    if (set_columns[i])
      world_set_event_field(x->world, ticket, i, numbers[i]);
  return code;
}

// --- entities

static int set_name(write_t *x, shoal_entity e) {
  error_info_t error;
  const manager_o *m = world_find_manager(x->world, "name");
  int32_t column = m ? manager_find_column(m, "value") : -1;
  if (column < 0 || m->schema.fields[column].type != FIELD_STRING)
    return refuse(x, "entities.name: this world has no component named name");
  if (sqlite3_value_type(x->values[NAME]) == SQLITE_NULL) {
    if (!world_check_removal(x->world, e, m->id, &error))
      return refuse(x, "%s", error.text);
    world_remove_component(x->world, e, m->id, 0);
    return SQLITE_OK;
  }
  if (sqlite3_value_type(x->values[NAME]) != SQLITE_TEXT)
    return reject_type(x, "name", "a string", x->values[NAME]);
  uint32_t id = strings_intern(world_strings(x->world), (const char *)sqlite3_value_text(x->values[NAME]));
  if (!world_add_component(x->world, e, m->id, 0, &error) ||
      !world_set_field(x->world, e, m->id, 0, (uint32_t)column, id, &error))
    return refuse(x, "entities.name: %s", error.text);
  return SQLITE_OK;
}

static int set_state(write_t *x, shoal_entity e) {
  error_info_t error;
  if (sqlite3_value_type(x->values[STATE]) != SQLITE_TEXT)
    return reject_type(x, "state", "the name of a state", x->values[STATE]);
  uint32_t id = strings_intern(world_strings(x->world), (const char *)sqlite3_value_text(x->values[STATE]));
  return world_enter_state(x->world, e, id, &error) ? SQLITE_OK : refuse(x, "entities.state: %s", error.text);
}

static int set_entity(write_t *x, shoal_entity e) {
  int code = is_column_set(x, NAME) ? set_name(x, e) : SQLITE_OK;
  return code == SQLITE_OK && is_column_set(x, STATE) ? set_state(x, e) : code;
}

static int insert_entity(write_t *x, sqlite3_int64 *rowid) {
  error_info_t error;
  char hint[HINT_BYTES];
  uint32_t number = 0;
  if (is_column_set(x, ENTITY) || is_column_set(x, INDEX) || is_column_set(x, GENERATION) ||
      is_column_set(x, SQL_ENTITY_WORDS))
    return refuse(x, "entities.entity: the world assigns ids; INSERT may set name, assemblage and state");
  if (is_column_set(x, ASSEMBLAGE)) {
    const char *name = (const char *)sqlite3_value_text(x->values[ASSEMBLAGE]);
    number = world_find_assemblage(x->world, strings_find(world_strings(x->world), name));
    if (number == 0)
      return refuse(x, "entities.assemblage: unknown assemblage %s%s", name ? name : "NULL",
                    name ? hint_assemblage(x->world, name, hint) : "");
  }
  shoal_entity e = world_spawn(x->world, number, &error);
  if (e == SHOAL_ENTITY_NONE)
    return refuse(x, "entities: %s", error.text);
  *rowid = e;
  return set_entity(x, e);
}

static int update_entity(write_t *x, shoal_entity e) {
  x->row = e;
  if (is_column_set(x, ENTITY) || is_column_set(x, INDEX) || is_column_set(x, GENERATION) ||
      is_column_set(x, ASSEMBLAGE) || is_column_set(x, SQL_ENTITY_WORDS))
    return refuse(x, "entities: only name and state can be changed");
  return set_entity(x, e);
}

// --- entity_components

static int insert_link(write_t *x) {
  error_info_t error;
  char hint[HINT_BYTES];
  double id = 0;
  uint32_t instance = 0;
  int code = check_entity(x, "entity", x->values[0], &id);
  if (code != SQLITE_OK)
    return code;
  const char *name = (const char *)sqlite3_value_text(x->values[1]);
  const manager_o *m = name ? world_find_manager(x->world, name) : NULL;
  if (!m)
    return refuse(x, "entity_components.component: unknown component %s%s", name ? name : "NULL",
                  name ? hint_component(x->world, name, hint) : "");
  if (is_column_set(x, 2) || is_column_set(x, 3))
    return refuse(x, "entity_components: INSERT may set only entity, component and instance");
  if (is_column_set(x, 4)) {
    instance = strings_intern(world_strings(x->world), (const char *)sqlite3_value_text(x->values[4]));
    strings_pin(world_strings(x->world), instance);
  }
  if (!world_add_component(x->world, (shoal_entity)id, m->id, instance, &error))
    return refuse(x, "entity_components: %s", error.text);
  return SQLITE_OK;
}

// --- dispatch

static int insert_row(write_t *x, sqlite3_int64 *rowid) {
  switch (x->table->kind) {
  case TABLE_COMPONENT: return insert_component(x, rowid);
  case TABLE_EVENT: return insert_event(x);
  case TABLE_ENTITIES: return insert_entity(x, rowid);
  case TABLE_ENTITY_COMPONENTS: return insert_link(x);
  case TABLE_SINGLE: return refuse(x, "%s is a singleton with exactly one row: use UPDATE", x->table->name.text);
  default: return refuse(x, "%s is read-only", x->table->name.text);
  }
}

static int update_row(write_t *x, sqlite3_value *rowid) {
  switch (x->table->kind) {
  case TABLE_COMPONENT: return update_component(x, rowid);
  case TABLE_SINGLE: return update_single(x);
  case TABLE_ENTITIES: return update_entity(x, (shoal_entity)sqlite3_value_int64(rowid));
  case TABLE_ENTITY_COMPONENTS:
    return refuse(x, "entity_components: rows cannot be updated: use INSERT to add a component, DELETE to remove one");
  case TABLE_EVENT:
    return refuse(x, "%s: past events cannot be changed: use INSERT to emit a new one", x->table->name.text);
  default: return refuse(x, "%s is read-only", x->table->name.text);
  }
}

static int delete (write_t *x, sqlite3_value *rowid) {
  const manager_o *m;
  sqlite3_int64 number = sqlite3_value_int64(rowid);
  switch (x->table->kind) {
  case TABLE_COMPONENT: m = world_manager(x->world, x->table->id); return delete_row(x, m, find_row(m, rowid));
  case TABLE_ENTITIES: world_destroy_entity(x->world, (shoal_entity)number); return SQLITE_OK;
  case TABLE_ENTITY_COMPONENTS:
    m = world_manager(x->world, (uint32_t)(number >> 32));
    return m ? delete_row(x, m, (uint32_t)(number & UINT32_MAX)) : SQLITE_OK;
  case TABLE_SINGLE: return refuse(x, "%s is a singleton: its row cannot be deleted", x->table->name.text);
  case TABLE_EVENT:
    return refuse(x, "%s: past events cannot be changed: use INSERT to emit a new one", x->table->name.text);
  default: return refuse(x, "%s is read-only", x->table->name.text);
  }
}

// Returns true if the statement sets component_data_id. An UPDATE … FROM passes it unchanged.
static bool sets_data_id(const write_t *x, sqlite3_value *rowid) {
  if (x->table->kind != TABLE_COMPONENT)
    return false;
  sqlite3_value *v = x->values[x->table->key_count + x->table->field_count];
  if (x->insert)
    return sqlite3_value_type(v) != SQLITE_NULL;
  const manager_o *m = world_manager(x->world, x->table->id);
  uint32_t row = find_row(m, rowid);
  return !sqlite3_value_nochange(v) && row != ROW_NONE && sqlite3_value_int64(v) != sql_data_id(m, row);
}

// Returns the first derived field that the statement sets; NULL if none.
static const field_t *find_written_derived(const write_t *x, sqlite3_value *rowid) {
  const table_t *t = x->table;
  for (uint32_t i = 0; i < t->derived_count; ++i) {
    sqlite3_value *v = x->values[t->key_count + t->field_count + 1 + i];
    const manager_o *m = world_manager(x->world, t->id);
    uint32_t row = x->insert ? ROW_NONE : find_row(m, rowid);
    float now[16] = {0};
    if (x->insert ? sqlite3_value_type(v) == SQLITE_NULL : sqlite3_value_nochange(v) || row == ROW_NONE)
      continue;
    if (row != ROW_NONE)
      manager_compute_derived_field(m, m->schema.field_count + i, NULL, row, 1, now);
    bool as_it_was = row != ROW_NONE && sqlite3_value_type(v) == SQLITE_BLOB && sqlite3_value_bytes(v) == sizeof now &&
                     memcmp(sqlite3_value_blob(v), now, sizeof now) == 0;
    if (!as_it_was)
      return sql_derived_field(t, i);
  }
  return NULL;
}

int sql_write_row(sqlite3_vtab *vtab, int argc, sqlite3_value **argv, sqlite3_int64 *rowid) {
  table_t *t = ((vtab_t *)vtab)->table;
  write_t x = {.table = t, .world = t->sql->desc.world, .vtab = (vtab_t *)vtab, .values = argv + 2};
  if (!t->sql->writing)
    return refuse(&x, "cannot write %s: the query is read-only", t->name.text);
  shoal_assert(world_is_deferring(x.world), "the world must defer commands while rows of %s are written", t->name.text);
  if (argc == 1)
    return delete (&x, argv[0]);
  x.insert = sqlite3_value_type(argv[0]) == SQLITE_NULL;
  if (sets_data_id(&x, argv[0]))
    return refuse(&x, "%s.component_data_id is assigned by the world and cannot be set", t->name.text);
  const field_t *derived = find_written_derived(&x, argv[0]);
  if (derived)
    return refuse(&x, "%s.%s is read-only", t->name.text, derived->name);
  return x.insert ? insert_row(&x, rowid) : update_row(&x, argv[0]);
}
