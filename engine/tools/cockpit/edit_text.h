// Writes parts of an edit's Lua text: literals, columns, and ids of entities that may have been re-created.
#ifndef SHOAL_COCKPIT_EDIT_TEXT_H
#define SHOAL_COCKPIT_EDIT_TEXT_H

#include "base/json_writer.h"
#include "cockpit/edit_target.h"
#include "sql/table_names.h"

void edit_write_text_n(json_writer_t *t, const char *text, size_t bytes); // writes a string literal
void edit_write_text(json_writer_t *t, const char *text); // writes a '\0'-terminated string as a literal
// Writes a number in its shortest form that reads back exactly.
void edit_write_number(json_writer_t *t, double number);
// Writes the value of a column. `values`: the values of the row, indexed by column. For the column that stores a list's
// length, writes the whole list as JSON text, with its entity ids marked as edit_write_id does.
void edit_write_stored_value(const target_t *target, uint32_t field, const double *values, json_writer_t *t);
// Like edit_write_stored_value, for the current value of the row.
void edit_write_current_value(const target_t *target, uint32_t field, json_writer_t *t);
// Returns true if edits can set this column: it is settable and not an element of a list.
bool edit_can_set_column(const field_t *field);
void edit_write_table(cockpit_o *cockpit, const target_t *target, json_writer_t *t); // writes the SQL table's name
// Returns the SQL name of a column, borrowed from `columns`, a buffer of TABLE_MAX_COLUMNS names.
const char *edit_column_name(const target_t *target, uint32_t field, table_name_t *columns);
// Writes an id with a mark, so that edit_replace_ids can replace it.
void edit_write_id(json_writer_t *t, shoal_entity entity);
// Copies `text`, replacing the ids of re-created entities with their current ids, and appends '\0'.
void edit_replace_ids(cockpit_o *cockpit, const char *text, json_writer_t *out);
// Stores pairs of former and current ids, "17=203 18=204", for edit_replace_ids. Returns true if `result` begins with a
// pair.
bool edit_record_id_changes(cockpit_o *cockpit, const char *result);

#endif
