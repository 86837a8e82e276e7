// Writes parts of an edit's Lua text: literals, columns, and ids of entities that may have been re-created.
#ifndef SHOAL_COCKPIT_EDIT_TEXT_H
#define SHOAL_COCKPIT_EDIT_TEXT_H

#include "base/json_writer.h"
#include "cockpit/edit_target.h"

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
// Write the name of a component, of its SQL table, or of an SQL column as a marked number of the name, so that
// edit_replace_marks can replace it.
void edit_write_component(cockpit_o *cockpit, const target_t *target, json_writer_t *t);
void edit_write_table(cockpit_o *cockpit, const target_t *target, json_writer_t *t);
void edit_write_column(cockpit_o *cockpit, const target_t *target, uint32_t field, json_writer_t *t);
// Writes an id with a mark, so that edit_replace_marks can replace it.
void edit_write_id(json_writer_t *t, shoal_entity entity);
// Copies `text` and appends '\0'. Replaces the ids of re-created entities, and the names of renamed components and
// fields, with the current ids and names. Returns true, or false with an error if the game no longer declares a name.
bool edit_replace_marks(cockpit_o *cockpit, const char *text, json_writer_t *out, error_info_t *error);
// Stores pairs of former and current ids, "17=203 18=204", for edit_replace_marks. Returns true if `result` begins with
// a pair.
bool edit_record_id_changes(cockpit_o *cockpit, const char *result);

#endif
