// Functions shared by the proposers of kinds (components, assemblages, behaviours and systems): checks of names, the
// choice of a file, edits of Lua sources, and values.
#ifndef SHOAL_COCKPIT_KIND_EDIT_H
#define SHOAL_COCKPIT_KIND_EDIT_H

#include "cockpit/lua_table.h"
#include "cockpit/proposals.h"
#include "ecs/manager.h"
#include "ecs/world.h"
#include "luajit/lua_edit.h"

#define KIND_MAX_COLUMNS 84u // maximum width of a table on one line, without its key

// The proposers, listed in proposals.c.
bool kind_propose_component(proposal_t *proposal, error_info_t *error);
bool kind_propose_behaviour(proposal_t *proposal, error_info_t *error);
bool kind_propose_system(proposal_t *proposal, error_info_t *error);
bool kind_propose_assemblage(proposal_t *proposal, error_info_t *error);
bool kind_propose_rename(proposal_t *proposal, error_info_t *error);

// Writes the available templates as two lists of { "name", "doc" }, "behaviours" and "systems".
bool kind_write_templates(cockpit_o *cockpit, json_writer_t *out, error_info_t *error);

// --- names

// Returns true if the text is a Lua name. Otherwise, reports a problem at `path` and returns false.
bool kind_check_name(proposal_t *proposal, const char *path, const char *name);
// Returns true if no component (if `is_component` is true) and no behaviour or system (if `is_system` is true) has the
// name. For a component, also requires that no add-on has the name, and that it is not the former name of a different
// component. Otherwise, reports a problem at `path` and returns false.
bool kind_check_name_is_free(proposal_t *proposal, const char *path, const char *name, bool is_component,
                             bool is_system);
// Returns true if `current_name` is NULL or is the name that the request renames. Otherwise, reports at `path` that
// `name` is a former name of `current_name`, and returns false, because two declarations cannot claim a name.
bool kind_check_former_name(proposal_t *proposal, const char *path, const char *name, const char *current_name);
// Returns true if the behaviour whose source is `text` can have a field of this name. Otherwise, reports a problem at
// `path` and returns false.
bool kind_check_behaviour_field(proposal_t *proposal, const char *path, const char *text, const char *field);
// Returns the component with this name that files can use. Without such a component, reports a problem that
// suggests the nearest name, and returns NULL.
const manager_o *kind_find_component(proposal_t *proposal, const char *path, const char *name);
// Returns true if an assemblage has the name. Otherwise, reports a problem that suggests the nearest name, and returns
// false.
bool kind_check_assemblage(proposal_t *proposal, const char *path, const char *name);
// Returns the world of the running game, or NULL with an error if no game is running.
world_o *kind_get_world(proposal_t *proposal, error_info_t *error);

// --- files

// Stores the path of the file to which a component or an assemblage is added. `name` is "components" or "assemblages".
// Chooses the file with the most declarations among NAME.lua and the files in the folder NAME, or NAME.lua if no file
// has declarations.
void kind_choose_file(proposal_t *proposal, const char *name, char *out, size_t bytes);

// Begins edits of the game's Lua files, with the changes that the proposal already contains.
void kind_begin_edit(proposal_t *proposal, lua_edit_t *edit);
// Puts the edited files into the proposal if `ok` is true, and frees the edit. Returns true on success. Returns false
// if `ok` is false. Returns false with an error if a file does not compile before or after the edit.
bool kind_end_edit(proposal_t *proposal, lua_edit_t *edit, bool ok, error_info_t *error);
// Adds `key = value` to the table that a file returns. Creates the file if it is missing, with `prologue` before the
// table. Returns true on success, or false with an error if the file cannot be read or edited.
bool kind_insert_declaration(proposal_t *proposal, const char *file, const char *prologue, const char *key,
                             const char *value, error_info_t *error);
// Puts the text of a Lua file into the proposal. Returns true on success, or false with an error if the text does not
// compile.
bool kind_put_source(proposal_t *proposal, const char *file, const char *text, size_t bytes, error_info_t *error);

// --- values

// Adds the declarations of the request's "fields" to `out`. `types_name`: source text of shoal.types in the file.
// Reports problems at "fields.N". Returns true if all fields are valid.
bool kind_add_fields(proposal_t *proposal, const char *component, const char *types_name, lua_table_t *out);
// Stores the source text that denotes shoal.types in a file: the local that holds it, or "shoal.types".
void kind_copy_types_name(proposal_t *proposal, const char *file, char *out, size_t bytes);
// Adds the component names that a list of the request contains. Reports problems at "MEMBER.N". Returns true if all
// components exist.
bool kind_add_component_names(proposal_t *proposal, const char *member, lua_table_t *out);
// Writes the source text for the value of a field or vector. Returns true on success. If the field is unknown or cannot
// have the value, reports a problem at `path` and returns false.
bool kind_write_value(proposal_t *proposal, const char *path, const manager_o *manager, const char *field,
                      const json_t *value, json_writer_t *out);
// Adds the values of a component: { "hp": 3, "colors.r": 4, "colour": "#ff0000" }. Reports problems at
// "PATH.values.FIELD". Returns true if all values are valid.
bool kind_add_values(proposal_t *proposal, const char *path, const manager_o *manager, const json_t *values,
                     lua_table_t *out);

#endif
