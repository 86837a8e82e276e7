// The table `fields` of a save: properties of declarations that the state does not contain, such as defaults and
// ranges, so that SQL on the save behaves as in the running game. Built-in declarations are omitted, because the engine
// has them.
#include "store/save_internal.h"

#include "base/assert.h"
#include "schema/schema_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TABLE SAVE_FIELDS_TABLE
#define SAVED_FLAGS (FIELD_HIDDEN | FIELD_READ_ONLY | FIELD_CASCADES | FIELD_REJECTS_NAN | FIELD_OF_MACHINE)

// --- writing

typedef struct writer_t {
  sqlite3 *db;
  sqlite3_stmt *insert;
  const schema_t *schema;
  bool ok;
} writer_t;

static void insert_property(writer_t *writer, const char *field, const char *property, const char *text,
                            double number) {
  const char *kind = writer->schema->kind == SCHEMA_EVENT ? "event" : "component";
  sqlite3_bind_text(writer->insert, 1, kind, -1, SQLITE_STATIC);
  sqlite3_bind_text(writer->insert, 2, writer->schema->name, -1, SQLITE_STATIC);
  sqlite3_bind_text(writer->insert, 3, field, -1, SQLITE_STATIC); // binds NULL for NULL
  sqlite3_bind_text(writer->insert, 4, property, -1, SQLITE_STATIC);
  if (text)
    sqlite3_bind_text(writer->insert, 5, text, -1, SQLITE_STATIC);
  else
    sqlite3_bind_double(writer->insert, 5, number);
  writer->ok &= sqlite3_step(writer->insert) == SQLITE_DONE;
  sqlite3_reset(writer->insert);
}

static void write_schema(writer_t *writer, const schema_t *schema) {
  writer->schema = schema;
  for (uint32_t i = 0; i < schema->required_count; ++i)
    insert_property(writer, NULL, "requires", schema_get_required(schema, i), 0);
  for (uint32_t i = 0; i < schema->field_count; ++i) {
    const field_t *field = &schema->fields[i];
    if (field->flags & SAVED_FLAGS)
      insert_property(writer, field->name, "flags", NULL, field->flags & SAVED_FLAGS);
    if (field->flags & FIELD_HAS_MIN)
      insert_property(writer, field->name, "min", NULL, field->min);
    if (field->flags & FIELD_HAS_MAX)
      insert_property(writer, field->name, "max", NULL, field->max);
    if (field->initial != 0)
      insert_property(writer, field->name, "default", NULL, field->initial);
    if (field->initial_text && field->initial_text[0])
      insert_property(writer, field->name, "default", field->initial_text, 0);
  }
}

static bool is_built_in(const schema_t *schema) {
  return strcmp(schema->origin, "C") == 0;
}

bool save_fields_write(sqlite3 *db, world_o *w, error_info_t *error) {
  writer_t writer = {.db = db, .ok = true};
  if (!save_execute_statement(db, error,
                              "CREATE TABLE save." TABLE "(kind TEXT, name TEXT, field TEXT, property TEXT, value)"))
    return false;
  if (save_prepare_statement(db, &writer.insert, "INSERT INTO save." TABLE " VALUES (?, ?, ?, ?, ?)") != SQLITE_OK)
    return error_set(error, "%s", sqlite3_errmsg(db));
  for (uint32_t i = 1; i <= world_manager_count(w); ++i)
    if (!is_built_in(&world_manager(w, i)->schema))
      write_schema(&writer, &world_manager(w, i)->schema);
  for (uint32_t i = 1; i <= world_event_count(w); ++i)
    if (!is_built_in(&world_event(w, i)->schema))
      write_schema(&writer, &world_event(w, i)->schema);
  bool ok = writer.ok || error_set(error, "%s", sqlite3_errmsg(db));
  sqlite3_finalize(writer.insert);
  return ok;
}

// --- reading: ignores properties that do not apply, because a save may be damaged

static bool is_number(const field_t *field) {
  return field->type >= FIELD_F32 && field->type <= FIELD_U32;
}

static uint32_t read_flags(const schema_t *schema, const field_t *field, sqlite3_int64 flags) {
  uint32_t allowed = FIELD_HIDDEN | FIELD_READ_ONLY;
  uint32_t cascades = (uint32_t)flags & FIELD_CASCADES;
  if (field->type == FIELD_ENTITY && (cascades & (cascades - 1)) == 0)
    allowed |= FIELD_CASCADES;
  if (is_number(field))
    allowed |= FIELD_REJECTS_NAN;
  if (schema->kind == SCHEMA_SINGLE && (is_number(field) || field->type == FIELD_BOOL || field->type == FIELD_ENUM))
    allowed |= FIELD_OF_MACHINE;
  return (uint32_t)flags & allowed;
}

static void read_bound(field_t *field, bool is_min, double bound) {
  field_range_t range = {.has_min = field->flags & FIELD_HAS_MIN || is_min,
                         .has_max = field->flags & FIELD_HAS_MAX || !is_min,
                         .min = is_min ? bound : field->min,
                         .max = is_min ? field->max : bound};
  bool is_valid = is_number(field) && bound == bound && (!range.has_min || !range.has_max || range.min <= range.max);
  if (is_valid)
    field_set_range(field, &range);
}

// Returns true if the field can store the default value unchanged.
static bool is_valid_default(const field_t *field, double number) {
  if (field->type == FIELD_ENUM)
    return number >= 0 && number < field->choice_count && number == floor(number);
  if (!is_number(field) && field->type != FIELD_BOOL)
    return false;
  if (field->type == FIELD_F32 || field->type == FIELD_F64)
    return number == number;
  field_limits_t limits = field_limits(field->type);
  return number >= limits.low && number <= limits.high && number == floor(number);
}

static void read_property(schema_t *schema, sqlite3_stmt *statement, allocator_t *a) {
  const char *name = (const char *)sqlite3_column_text(statement, 0);
  const char *property = (const char *)sqlite3_column_text(statement, 1);
  int type = sqlite3_column_type(statement, 2);
  double number = sqlite3_column_double(statement, 2);
  if (!property)
    return;
  if (!name) {
    const char *required = (const char *)sqlite3_column_text(statement, 2);
    if (strcmp(property, "requires") == 0 && required && required[0] && strlen(required) < COMPONENT_NAME_MAX &&
        schema->required_count < SCHEMA_MAX_REQUIRED)
      schema_add_required(schema, a, required);
    return;
  }
  int32_t index = schema_find_field(schema, name);
  field_t *field = index >= 0 ? &schema->fields[index] : NULL;
  if (!field)
    return;
  if (strcmp(property, "flags") == 0)
    field->flags |= read_flags(schema, field, sqlite3_column_int64(statement, 2));
  else if ((strcmp(property, "min") == 0 || strcmp(property, "max") == 0) && type != SQLITE_NULL)
    read_bound(field, property[1] == 'i', number);
  else if (strcmp(property, "default") == 0 && field_is_text(field))
    field_set_text(field, a, (const char *)sqlite3_column_text(statement, 2));
  else if (strcmp(property, "default") == 0 && type != SQLITE_NULL && is_valid_default(field, number))
    field->initial = number;
}

bool save_fields_exist(sqlite3 *db) {
  return save_has_column(db, "save", TABLE, "property");
}

bool save_fields_read(sqlite3 *db, schema_t *schema, allocator_t *a, error_info_t *error) {
  sqlite3_stmt *statement;
  const char *kind = schema->kind == SCHEMA_EVENT ? "event" : "component";
  for (uint32_t i = 0; i < schema->field_count; ++i) {
    schema->fields[i].low = -INFINITY;
    schema->fields[i].high = INFINITY;
  }
  if (!save_fields_exist(db))
    return true;
  int code = save_prepare_statement(
      db, &statement, "SELECT field, property, value FROM save." TABLE " WHERE kind = %Q AND name = %Q ORDER BY rowid",
      kind, schema->name);
  while (code == SQLITE_OK || code == SQLITE_ROW)
    if ((code = sqlite3_step(statement)) == SQLITE_ROW)
      read_property(schema, statement, a);
  bool ok = code == SQLITE_DONE || error_set(error, "cannot read the table " TABLE ": %s", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  // The world clamps stored values, so a default outside the range is invalid
  for (uint32_t i = 0; ok && i < schema->field_count; ++i)
    if (field_has_range(&schema->fields[i]))
      schema->fields[i].initial = field_clamp(&schema->fields[i], schema->fields[i].initial, schema->fields[i].initial);
  return ok;
}

void save_fields_free(schema_t *schema, allocator_t *a) {
  for (uint32_t i = 0; i < schema->field_count; ++i)
    field_set_text(&schema->fields[i], a, NULL);
  schema_free_required(schema, a);
}
