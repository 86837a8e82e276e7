// A rename over all files of the game, shared by the files that edit Lua (kind_rename_lua.c) and JSON
// (kind_rename_data.c).
#ifndef SHOAL_COCKPIT_KIND_RENAME_H
#define SHOAL_COCKPIT_KIND_RENAME_H

#include "cockpit/kind_edit.h"
#include "luajit/lua_mentions.h"

typedef struct rename_job_t {
  proposal_t *proposal;
  world_o *world;
  lua_name_t name;
  const char *new_name;
  const char *behaviour;             // file of the renamed behaviour; "" for other kinds
  char parent[LUA_ROLE_PATH];        // path of the record that contains the field; "" outside records
  uint32_t declaration_count;        // number of declarations to which renamed_from was added
  char last_file[FILE_CHANGES_NAME]; // file of the last line in proposal->unsure_mentions
  size_t last_line;
  uint32_t unsure_count; // number of unsure lines, including lines beyond the limit of proposal->unsure_mentions
} rename_job_t;

// Edits a Lua file: replaces certain mentions, adds renamed_from to the declaration, and reports all remaining mentions
// as unsure. Returns true on success, or false with an error if the declaration cannot be edited.
bool rename_in_lua_file(rename_job_t *job, const char *file, error_info_t *error);
// Sets job->name.is_ambiguous if the name is also a key or member of a table that the file creates.
void rename_check_ambiguity(rename_job_t *job, const char *file);

// Renames in a scene in JSON (`is_map` is false) or a Tiled map. Returns true on success, or false with an error.
bool rename_in_data_file(rename_job_t *job, const char *file, bool is_map, error_info_t *error);

// Adds the line that contains this byte offset of the text to the proposal's `unsure_mentions`, unless this line was
// added last, or the list is full.
void rename_add_unsure_mention(rename_job_t *job, const char *file, const char *text, size_t bytes, size_t offset);
// Reports all whole words in the file that equal the name.
void rename_report_matches(rename_job_t *job, const char *file);

// Returns true if the component has a field or a record at this path.
bool rename_is_field(void *world, const char *component, const char *path);
// Returns true if the world has a component of this name.
bool rename_is_component(void *world, const char *name);

#endif
