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

static bool reject_value(parser_t *x, const char *expected, const json_t *v) {
  char shown[JSON_VALUE_SHOWN];
  return error_set(x->error, "%s.%.*s[%u] must be %s, got %s", x->component, (int)field_base_bytes(x->field),
                   x->field->name, field_element_number(x->field), expected, json_value_describe(v, shown));
}

static bool parse_float(parser_t *x, const json_t *v, double *out) {
  const char *text = json_string_value(v);
  bool is_nan = json_is_null(v) || (text && strcmp(text, "nan") == 0);
  bool is_infinite = text && (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0);
  *out = is_nan ? (double)NAN : is_infinite ? (text[0] == '-' ? -INFINITY : INFINITY) : json_number_value(v);
  return is_nan || is_infinite || json_is_number(v) || reject_value(x, "a number", v);
}

static bool parse_integer(parser_t *x, const json_t *v, double *out) {
  char range[80], expected[120];
  field_limits_t limits = field_limits(x->field->type);
  *out = json_number_value(v);
  snprintf(expected, sizeof expected, "an integer %s",
           schema_format_range(limits.low, limits.high, range, sizeof range));
  if (!json_is_number(v))
    return reject_value(x, "a number", v);
  return (*out == floor(*out) && *out >= limits.low && *out <= limits.high) || reject_value(x, expected, v);
}

static bool parse_choice(parser_t *x, const json_t *v, double *out) {
  char all[200], expected[sizeof all + 8];
  const char *text = json_string_value(v);
  int32_t found = text ? field_find_choice(x->field, text, json_string_length(v)) : -1;
  snprintf(expected, sizeof expected, "one of %s", field_list_choices(x->field, all, sizeof all));
  *out = found;
  return found >= 0 || reject_value(x, expected, v);
}

static bool parse_entity(parser_t *x, const json_t *v, double *out) {
  json_int_t id = json_integer_value(v);
  *out = (double)id;
  if (json_is_null(v) || (json_is_integer(v) && id == 0))
    return true;
  return (json_is_integer(v) && id > 0 && id < 1 << 30 && world_is_alive(x->world, (shoal_entity)id)) ||
         reject_value(x, "the id of a living entity or 0", v);
}

static bool parse_value(parser_t *x, const json_t *v, double *out) {
  switch (x->field->type) {
  case FIELD_F32:
  case FIELD_F64: return parse_float(x, v, out);
  case FIELD_BOOL:
    *out = json_is_true(v) || json_integer_value(v) == 1;
    return json_is_boolean(v) || (json_is_integer(v) && (json_integer_value(v) | 1) == 1) ||
           reject_value(x, "true or false", v);
  case FIELD_STRING:
  case FIELD_ASSET:
    if (!json_is_string(v))
      return reject_value(x, "a string", v);
    *out = strings_intern_bytes(world_strings(x->world), json_string_value(v), json_string_length(v));
    return true;
  case FIELD_ENUM: return parse_choice(x, v, out);
  case FIELD_ENTITY: return parse_entity(x, v, out);
  default: return parse_integer(x, v, out);
  }
}

static bool parse_values(parser_t *x, const schema_t *s, uint32_t column, const json_t *list, double *numbers) {
  uint32_t capacity = schema_list_capacity(s, column), count = (uint32_t)json_array_size(list);
  const field_t *f = &s->fields[column];
  if (count > capacity)
    return error_set(x->error, "too many values for %s.%.*s: %u (at most %u): declare a larger capacity", s->name,
                     (int)field_base_bytes(f), f->name, count, capacity);
  numbers[column] = count;
  for (uint32_t i = 1; i <= capacity; ++i) {
    double *out = &numbers[column + i];
    x->field = f + i;
    *out = 0;
    if (i > count)
      continue;
    if (!parse_value(x, json_array_get(list, i - 1), out))
      return false;
    if (field_has_range(f + i)) // the column's own clamp lets 0 pass, because unused values are 0
      *out = *out != *out ? f[i].initial : *out < f[i].low ? f[i].low : *out > f[i].high ? f[i].high : *out;
  }
  return true;
}

bool sql_list_parse(world_o *w, const schema_t *s, uint32_t column, const char *text, size_t bytes, double *numbers,
                    error_info_t *error) {
  parser_t x = {.world = w, .component = s->name, .error = error};
  json_error_t problem;
  json_t *list = text ? json_loadb(text, bytes, JSON_ALLOW_NUL, &problem) : NULL;
  bool ok = json_is_array(list);
  if (ok)
    ok = parse_values(&x, s, column, list, numbers);
  else
    error_set(error, "%s.%.*s must be a list as JSON text, such as '[1, 2]', got %s%.60s%s", s->name,
              (int)field_base_bytes(&s->fields[column]), s->fields[column].name, text ? "'" : "", text ? text : "NULL",
              text ? "'" : "");
  json_decref(list);
  return ok;
}
