// What edits are made of: texts of Lua in which ids are marked (edit_return.c). Private to edit.c and to what undoes.
#ifndef SHOAL_COCKPIT_EDIT_INTERNAL_H
#define SHOAL_COCKPIT_EDIT_INTERNAL_H

#include "cockpit/cockpit_internal.h"

#include "sql/table_names.h"

typedef ARRAY(shoal_entity) id_list_t;

void edit_put_table(cockpit_o *c, const target_t *x, json_text_t *t); // of the component, as SQL calls it
const char *edit_column_of(const target_t *x, uint32_t field, table_name_t *columns);

// Ends with '\0': with the ids that are there now of those that have come back.
void edit_finish(cockpit_o *c, const char *text, json_text_t *out);
bool edit_returned(cockpit_o *c, const char *result); // reads "17=203 18=204"; false for anything else
// The chunk that brings back these and all who die with them, who join the list. It returns who is who, for
// edit_returned. Nothing where their texts cannot be written.
void edit_put_return(cockpit_o *c, world_o *w, id_list_t *list, json_text_t *t);

#endif
