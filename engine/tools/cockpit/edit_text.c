// Writes parts of an edit's Lua text: literals, columns, and ids of entities that may have been re-created.
#include "cockpit/edit_text.h"

#include "base/assert.h"
#include "base/number_text.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/edit_target.h"
#include "content/row_json.h"
#include "sql/table_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Marks before the digits of an entity's id or of a name's number (edit_names.h). The marks cannot occur in other Lua
// text, because edit_write_text_n writes these bytes as \001 to \004.
#define ID_MARK '\x01'
#define COMPONENT_MARK '\x02'
#define TABLE_MARK '\x03'
#define COLUMN_MARK '\x04'
static const char MARKS[] = {ID_MARK, COMPONENT_MARK, TABLE_MARK, COLUMN_MARK, '\0'};

void edit_write_text_n(json_writer_t *t, const char *text, size_t bytes) {
  char escaped[8];
  json_write_text(t, "\"");
  for (size_t i = 0; i < bytes; ++i) {
    unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\')
      snprintf(escaped, sizeof escaped, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      snprintf(escaped, sizeof escaped, "\\%03u", c);
    else
      snprintf(escaped, sizeof escaped, "%c", c);
    json_write_text(t, escaped);
  }
  json_write_text(t, "\"");
}

void edit_write_text(json_writer_t *t, const char *text) {
  edit_write_text_n(t, text, strlen(text));
}

void edit_write_number(json_writer_t *t, double number) {
  char digits[NUMBER_TEXT_BYTES];
  json_write_bytes(t, digits, number_to_text(number, false, digits));
}

static void write_mark(json_writer_t *t, char mark, uint32_t number) {
  char text[16];
  snprintf(text, sizeof text, "%c%u", mark, number);
  json_write_text(t, text);
}

void edit_write_id(json_writer_t *t, shoal_entity entity) {
  write_mark(t, ID_MARK, entity);
}

void edit_write_component(cockpit_o *cockpit, const target_t *target, json_writer_t *t) {
  write_mark(t, COMPONENT_MARK, edit_names_add(cockpit, target->manager->schema.name, ""));
}

void edit_write_table(cockpit_o *cockpit, const target_t *target, json_writer_t *t) {
  write_mark(t, TABLE_MARK, edit_names_add(cockpit, target->manager->schema.name, ""));
}

void edit_write_column(cockpit_o *cockpit, const target_t *target, uint32_t field, json_writer_t *t) {
  const schema_t *schema = &target->manager->schema;
  write_mark(t, COLUMN_MARK, edit_names_add(cockpit, schema->name, schema->fields[field].name));
}

static void write_table_name(cockpit_o *cockpit, const manager_o *manager, json_writer_t *t) {
  sql_result_t result;
  sql_value_t id = {.kind = SQL_INTEGER, .integer = manager->id};
  static const char text[] = "SELECT table_name FROM components WHERE component_id = ?";
  sql_run_desc_t desc = {.text = text, .text_bytes = sizeof text - 1, .parameters = &id, .parameter_count = 1};
  if (sql_run_statement(host_game(cockpit->host)->sql, &desc, &result, NULL) && result.row_count == 1)
    json_write_text(t, result.values[0].text);
  sql_result_fini(&result);
}

bool edit_can_set_column(const field_t *field) {
  return field_is_settable(field) && !(field->flags & FIELD_IS_ELEMENT);
}

static void write_list(const target_t *target, uint32_t field, const double *values, json_writer_t *t) {
  json_writer_t text;
  if (values[field] > 0 && target->manager->schema.fields[field + 1].type == FIELD_ENTITY) {
    json_write_text(t, "json.encode { ");
    for (uint32_t i = 1; i <= (uint32_t)values[field]; ++i) {
      edit_write_id(t, (shoal_entity)values[field + i]);
      json_write_text(t, i < (uint32_t)values[field] ? ", " : " }");
    }
    return;
  }
  json_writer_init(&text, t->allocator);
  row_json_write_list(target->world, &target->manager->schema, field, values, &text);
  edit_write_text_n(t, text.text.items, text.text.count);
  json_writer_fini(&text);
}

// Writes 0 for numbers that are not finite.
void edit_write_stored_value(const target_t *target, uint32_t field, const double *values, json_writer_t *t) {
  const field_t *f = &target->manager->schema.fields[field];
  double number = values[field];
  if (f->flags & FIELD_IS_COUNT)
    write_list(target, field, values, t);
  else if (field_is_text(f))
    edit_write_text(t, number != 0 ? strings_text(world_strings(target->world), (uint32_t)number) : "");
  else if (f->type == FIELD_ENUM)
    edit_write_text(t, field_choice(f, (uint32_t)number));
  else if (f->type == FIELD_BOOL)
    json_write_text(t, number != 0 ? "true" : "false");
  else
    edit_write_number(t, isfinite(number) ? number : 0);
}

void edit_write_current_value(const target_t *target, uint32_t field, json_writer_t *t) {
  double values[SCHEMA_MAX_FIELDS];
  shoal_assert(target->row < target->manager->count, "row %u of %s is out of range (count %u)", target->row,
               target->manager->schema.name, target->manager->count);
  for (uint32_t i = field; i <= field + schema_list_capacity(&target->manager->schema, field); ++i)
    values[i] = columns_get(&target->manager->columns, target->row, i);
  if (target->manager->schema.fields[field].type == FIELD_ENTITY)
    edit_write_id(t, (shoal_entity)values[field]);
  else
    edit_write_stored_value(target, field, values, t);
}

static shoal_entity find_current_id(const cockpit_o *cockpit, const world_o *w, shoal_entity entity) {
  for (uint32_t i = cockpit->id_changes.count; w && !world_is_alive(w, entity) && i-- > 0;)
    if (cockpit->id_changes.items[i].old_id == entity)
      entity = cockpit->id_changes.items[i].new_id;
  return entity;
}

// Writes the current name that belongs to a mark. Returns true, or false if the game no longer declares the name.
static bool write_current_name(cockpit_o *cockpit, char mark, uint32_t number, json_writer_t *out,
                               error_info_t *error) {
  table_name_t columns[TABLE_MAX_COLUMNS];
  uint32_t column = 0;
  const manager_o *manager = edit_names_find(cockpit, number, &column, error);
  if (!manager)
    return false;
  if (mark == COMPONENT_MARK)
    edit_write_text(out, manager->schema.name);
  else if (mark == TABLE_MARK)
    write_table_name(cockpit, manager, out);
  else
    json_write_text(out, columns[table_names_list_columns(&manager->schema, columns) + column].text);
  return true;
}

bool edit_replace_marks(cockpit_o *cockpit, const char *text, json_writer_t *out, error_info_t *error) {
  const game_o *game = host_game(cockpit->host);
  char digits[16];
  edit_names_follow_renames(cockpit);
  for (char *end; *text; text = end) {
    size_t length = strcspn(text, MARKS);
    json_write_bytes(out, text, length);
    end = (char *)(uintptr_t)text + length;
    char mark = *end;
    if (!mark)
      break;
    uint32_t number = (uint32_t)strtoul(end + 1, &end, 10);
    if (mark != ID_MARK && !write_current_name(cockpit, mark, number, out, error))
      return false;
    if (mark != ID_MARK)
      continue;
    snprintf(digits, sizeof digits, "%u", find_current_id(cockpit, game ? game->world : NULL, number));
    json_write_text(out, digits);
  }
  return true;
}

bool edit_record_id_changes(cockpit_o *cockpit, const char *result) {
  uint32_t old_count = cockpit->id_changes.count;
  id_change_t change;
  for (int length; sscanf(result, " %u=%u%n", &change.old_id, &change.new_id, &length) == 2; result += length)
    array_push(&cockpit->memory, &cockpit->id_changes, change);
  return cockpit->id_changes.count > old_count;
}
