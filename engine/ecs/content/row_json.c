// Converts fields to JSON according to their types.
#include "content/row_json.h"

#include "base/assert.h"
#include "base/number_text.h"

#include <math.h>

void row_json_write_number(world_o *w, const field_t *field, double number, json_writer_t *out) {
  const strings_o *strings = w ? world_strings(w) : NULL;
  switch (field->type) {
  case FIELD_F32: json_write_float(out, (float)number); break;
  case FIELD_F64: json_write_number(out, number); break;
  case FIELD_BOOL: json_write_bool(out, number != 0); break;
  case FIELD_STRING:
  case FIELD_ASSET:
    shoal_assert(strings || number == 0, "string id %.0f without a string table", number);
    json_write_string_n(out, number != 0 ? strings_text(strings, (uint32_t)number) : "",
                        number != 0 ? strings_length(strings, (uint32_t)number) : 0);
    break;
  case FIELD_ENUM: json_write_string(out, field_choice(field, (uint32_t)number)); break;
  default: json_write_integer(out, (long long)number); break;
  }
}

void row_json_write_list(world_o *w, const schema_t *schema, uint32_t column, const double *values,
                         json_writer_t *out) {
  char digits[NUMBER_TEXT_BYTES];
  json_write_begin(out, '[');
  for (uint32_t i = column + 1; i <= column + (uint32_t)values[column]; ++i) {
    const field_t *field = &schema->fields[i];
    bool is_float = field->type == FIELD_F32 || field->type == FIELD_F64;
    if (is_float && !isfinite(values[i])) {
      number_to_text(values[i], field->type == FIELD_F32, digits);
      json_write_string(out, digits);
    } else {
      row_json_write_number(w, field, values[i], out);
    }
  }
  json_write_end(out, ']');
}

void row_json_write_field(world_o *w, const columns_t *columns, uint32_t row, uint32_t column, json_writer_t *out) {
  const field_t *field = &columns->schema->fields[column];
  if (field->flags & FIELD_IS_COUNT) {
    double values[SCHEMA_MAX_FIELDS];
    for (uint32_t i = column; i <= column + schema_list_capacity(columns->schema, column); ++i)
      values[i] = columns_get(columns, row, i);
    row_json_write_list(w, columns->schema, column, values, out);
    return;
  }
  if (field->type == FIELD_MAT4)
    json_write_floats(out, (const float *)columns->data[column] + (size_t)row * 16, 16);
  else
    row_json_write_number(w, field, columns_get(columns, row, column), out);
}

void row_json_write(world_o *w, const columns_t *columns, uint32_t row, json_writer_t *out) {
  json_write_begin(out, '{');
  for (uint32_t i = 0; i < columns->schema->field_count; ++i) {
    char name[FIELD_NAME_MAX];
    if (columns->schema->fields[i].flags & (FIELD_HIDDEN | FIELD_IS_ELEMENT))
      continue;
    json_write_key(out, field_label(&columns->schema->fields[i], name));
    row_json_write_field(w, columns, row, i, out);
  }
  json_write_end(out, '}');
}
