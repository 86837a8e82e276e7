// Rows as JSON, for tools and SQL. Numbers have the shortest form that parses back to the same value, strings and enum
// choices are strings, and entities are ids.
#ifndef SHOAL_CONTENT_ROW_JSON_H
#define SHOAL_CONTENT_ROW_JSON_H

#include "base/json_writer.h"
#include "ecs/world.h"

// Writes `number`, a value returned by columns_get, as JSON according to the field's type.
void row_json_write_number(world_o *w, const field_t *field, double number, json_writer_t *out);
// Writes the value of a field or, if the column is the count of a list, the whole list.
void row_json_write_field(world_o *w, const columns_t *columns, uint32_t row, uint32_t column, json_writer_t *out);
// Writes a list. `column`: column of the list's count. `values`: the row's values, indexed by column. Numbers that
// are not finite are strings: "nan", "inf", "-inf".
void row_json_write_list(world_o *w, const schema_t *schema, uint32_t column, const double *values, json_writer_t *out);
// Writes { field: value, … }, without hidden fields. A list is one value.
void row_json_write(world_o *w, const columns_t *columns, uint32_t row, json_writer_t *out);

#endif
