// Rows as JSON, for tools and SQL. Numbers have the shortest form that parses back to the same value, strings and enum
// choices are strings, and entities are ids.
#ifndef SHOAL_ECS_ROW_JSON_H
#define SHOAL_ECS_ROW_JSON_H

#include "base/json_writer.h"
#include "ecs/world.h"

// Writes one value, as returned by columns_get.
void row_json_write_number(world_o *w, const field_t *f, double number, json_writer_t *out);
void row_json_write_field(world_o *w, const columns_t *columns, uint32_t row, uint32_t column, json_writer_t *out);
// Writes { field: value, … }, without hidden fields.
void row_json_write(world_o *w, const columns_t *columns, uint32_t row, json_writer_t *out);

#endif
