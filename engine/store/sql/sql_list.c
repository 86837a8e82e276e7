// Lists as JSON text in one SQL column: reads them from the columns of a row, and parses them for writes.
#include "base/json_value.h"
#include "ecs/name_hint.h"
#include "sql/sql_internal.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

// --- writing JSON

void sql_list_set_result(sqlite3_context *out, sql_o *s, const columns_t *c, uint32_t row, uint32_t column) {
  json_writer_t text;
  json_writer_init(&text, &s->memory);
  row_json_write_field(s->desc.world, c, row, column, &text);
  sqlite3_result_text(out, json_writer_text(&text), (int)text.text.count, SQLITE_TRANSIENT);
  json_writer_fini(&text);
}

void sql_list_set_values_result(sqlite3_context *out, sql_o *s, const schema_t *schema, uint32_t column,
                                const double *values) {
  json_writer_t text;
  json_writer_init(&text, &s->memory);
  row_json_write_list(s->desc.world, schema, column, values, &text);
  sqlite3_result_text(out, json_writer_text(&text), (int)text.text.count, SQLITE_TRANSIENT);
  json_writer_fini(&text);
}

// --- parsing JSON

typedef struct parser_t {
  world_o *world;
  const field_t *field; // field of the value
  const char *component;
  error_info_t *error;
} parser_t;

static bool reject_value(parser_t *parser, const char *expected, const json_t *value) {
  char shown[JSON_VALUE_BYTES];
  return error_set(parser->error, "%s.%.*s[%u] must be %s, got %s", parser->component,
                   (int)field_base_bytes(parser->field), parser->field->name, field_element_number(parser->field),
                   expected, json_value_describe(value, shown));
}

static bool parse_float(parser_t *parser, const json_t *value, double *out) {
  const char *text = json_string_value(value);
  bool is_nan = json_is_null(value) || (text && strcmp(text, "nan") == 0);
  bool is_infinite = text && (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0);
  *out = is_nan ? (double)NAN : is_infinite ? (text[0] == '-' ? -INFINITY : INFINITY) : json_number_value(value);
  return is_nan || is_infinite || json_is_number(value) || reject_value(parser, "a number", value);
}

static bool parse_integer(parser_t *parser, const json_t *value, double *out) {
  char range[80], expected[120];
  field_limits_t limits = field_limits(parser->field->type);
  *out = json_number_value(value);
  snprintf(expected, sizeof expected, "an integer %s",
           schema_format_range(limits.low, limits.high, range, sizeof range));
  if (!json_is_number(value))
    return reject_value(parser, "a number", value);
  return (*out == floor(*out) && *out >= limits.low && *out <= limits.high) || reject_value(parser, expected, value);
}

static bool parse_choice(parser_t *parser, const json_t *value, double *out) {
  char choices[200], expected[sizeof choices + 8];
  const char *text = json_string_value(value);
  int32_t choice = text ? field_find_choice(parser->field, text, json_string_length(value)) : -1;
  snprintf(expected, sizeof expected, "one of %s", field_list_choices(parser->field, choices, sizeof choices));
  *out = choice;
  return choice >= 0 || reject_value(parser, expected, value);
}

static bool parse_entity(parser_t *parser, const json_t *value, double *out) {
  json_int_t id = json_integer_value(value);
  *out = (double)id;
  if (json_is_null(value) || (json_is_integer(value) && id == 0))
    return true;
  return (json_is_integer(value) && id > 0 && id < 1 << 30 && world_is_alive(parser->world, (shoal_entity)id)) ||
         reject_value(parser, "the id of a living entity or 0", value);
}

static bool parse_value(parser_t *parser, const json_t *value, double *out) {
  switch (parser->field->type) {
  case FIELD_F32:
  case FIELD_F64: return parse_float(parser, value, out);
  case FIELD_BOOL:
    *out = json_is_true(value) || json_integer_value(value) == 1;
    return json_is_boolean(value) || (json_is_integer(value) && (json_integer_value(value) | 1) == 1) ||
           reject_value(parser, "true or false", value);
  case FIELD_STRING:
  case FIELD_ASSET:
    if (!json_is_string(value))
      return reject_value(parser, "a string", value);
    *out = strings_intern_bytes(world_strings(parser->world), json_string_value(value), json_string_length(value));
    return true;
  case FIELD_ENUM: return parse_choice(parser, value, out);
  case FIELD_ENTITY: return parse_entity(parser, value, out);
  default: return parse_integer(parser, value, out);
  }
}

static bool parse_values(parser_t *parser, const schema_t *s, uint32_t column, const json_t *list, double *numbers) {
  uint32_t capacity = schema_list_capacity(s, column), count = (uint32_t)json_array_size(list);
  const field_t *field = &s->fields[column];
  if (count > capacity)
    return error_set(parser->error, "too many values for %s.%.*s: %u (at most %u): declare a larger capacity", s->name,
                     (int)field_base_bytes(field), field->name, count, capacity);
  numbers[column] = count;
  for (uint32_t i = 1; i <= capacity; ++i) {
    double *out = &numbers[column + i];
    parser->field = field + i;
    *out = 0;
    if (i > count)
      continue;
    if (!parse_value(parser, json_array_get(list, i - 1), out))
      return false;
    if (field_has_range(field + i)) // the column's own clamp accepts 0, the value of unused elements
      *out = *out != *out           ? field[i].initial
             : *out < field[i].low  ? field[i].low
             : *out > field[i].high ? field[i].high
                                    : *out;
  }
  return true;
}

bool sql_list_parse(world_o *w, const schema_t *s, uint32_t column, const char *text, size_t bytes, double *numbers,
                    error_info_t *error) {
  parser_t parser = {.world = w, .component = s->name, .error = error};
  json_error_t parse_error;
  json_t *list = text ? json_loadb(text, bytes, JSON_ALLOW_NUL, &parse_error) : NULL;
  bool ok = json_is_array(list);
  if (ok)
    ok = parse_values(&parser, s, column, list, numbers);
  else
    error_set(error, "%s.%.*s must be a list as JSON text, such as '[1, 2]', got %s%.60s%s", s->name,
              (int)field_base_bytes(&s->fields[column]), s->fields[column].name, text ? "'" : "", text ? text : "NULL",
              text ? "'" : "");
  json_decref(list);
  return ok;
}
