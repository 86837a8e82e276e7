// SQL names of components and fields, in the live world and in saves. If a name equals an earlier or reserved name,
// ignoring case, "_" is appended.
//
//   column   field `x` → x; a part of a vector, `colour.x` → colour_x; a field named like a key column,
//            `entity` → entity_
//   table    component `health` → health; a component named like a fixed table, `events` → events_
#ifndef SHOAL_SQL_TABLE_NAMES_H
#define SHOAL_SQL_TABLE_NAMES_H

#include "schema/schema.h"

#define TABLE_NAME_MAX (COMPONENT_NAME_MAX + 16)
#define TABLE_MAX_COLUMNS (SCHEMA_MAX_FIELDS + 2)

typedef struct table_name_t {
  char text[TABLE_NAME_MAX];
} table_name_t;

// Writes a name based on `preferred` that differs from all `count` names in `taken`.
void table_name_choose(table_name_t *out, const char *preferred, const table_name_t *taken, uint32_t count);
// Writes the names of the fixed tables and returns their number. `out` must hold 16 names.
uint32_t table_names_list_fixed(table_name_t *out);
// Writes the column names of a component's table: the keys (entity, and instance for a MANY component; none for a
// SINGLE or EVENT), then every field. Returns the number of keys. `out` must hold TABLE_MAX_COLUMNS names.
uint32_t table_names_list_columns(const schema_t *s, table_name_t *out);

#endif
