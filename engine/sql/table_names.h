// How components and their fields are called as tables and columns, over the live world and in a save alike. SQL tells
// no upper from lower case, and some names are taken: what would clash gets "_" behind it.
//
//   column   field `x` → x; a part of a vector, `colour.r` → colour_x; a field called like a key column,
//            `entity` → entity_
//   table    component `health` → health; one called like one of the tables that are always there, `events` → events_
#ifndef SHOAL_SQL_TABLE_NAMES_H
#define SHOAL_SQL_TABLE_NAMES_H

#include "schema/schema.h"

#define TABLE_NAME_MAX (COMPONENT_NAME_MAX + 16)
#define TABLE_MAX_COLUMNS (SCHEMA_MAX_FIELDS + 2)

typedef struct table_name_t {
  char text[TABLE_NAME_MAX];
} table_name_t;

// What `wanted` is called beside `count` names that are taken.
void table_name_choose(table_name_t *out, const char *wanted, const table_name_t *taken, uint32_t count);
// The tables that are always there. → how many; `out` has room for 16.
uint32_t table_names_fixed(table_name_t *out);
// The columns of a component's table: the keys (entity; instance of a MANY; none of a SINGLE or an EVENT), then every
// field. → how many are keys; `out` has room for TABLE_MAX_COLUMNS.
uint32_t table_column_names(const schema_t *s, table_name_t *out);

#endif
