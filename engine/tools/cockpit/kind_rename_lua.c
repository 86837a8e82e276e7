// Renames in Lua files: replaces mentions of the name, and adds renamed_from to its declarations.
#include "cockpit/kind_rename.h"

#include "cockpit/cockpit_state.h"

#include <stdio.h>
#include <string.h>

typedef struct lua_rename_t {
  rename_job_t *job;
  lua_edit_t *edit;
  literal_file_t *file;
  lua_roles_t roles;
  lua_values_t values;
} lua_rename_t;

static bool is_record(void *world, const char *component, const char *path, const char *name) {
  char field_path[LUA_ROLE_PATH];
  snprintf(field_path, sizeof field_path, "%s", path);
  lua_values_append_name(field_path, sizeof field_path, name);
  return rename_is_field(world, component, field_path);
}

static bool open_file(lua_rename_t *lua, rename_job_t *job, lua_edit_t *edit, const char *file) {
  kind_begin_edit(job->proposal, edit);
  *lua = (lua_rename_t){.job = job, .edit = edit, .file = literal_open_file(&edit->search, file)};
  if (!lua->file)
    return false;
  lua_roles_init(&lua->roles, &job->proposal->cockpit->memory, &lua->file->lua, file);
  lua->roles.is_record = is_record;
  lua->roles.context = job->world;
  lua->values = (lua_values_t){&lua->roles, rename_is_component, rename_is_field, job->world};
  return true;
}

void rename_check_ambiguity(rename_job_t *job, const char *file) {
  lua_edit_t edit;
  lua_rename_t lua;
  if (open_file(&lua, job, &edit, file)) {
    job->name.is_ambiguous = job->name.is_ambiguous || lua_mentions_has_other_key(&lua.values, &job->name);
    lua_roles_fini(&lua.roles);
  }
  lua_edit_fini(&edit);
}

static void edit_mentions(lua_rename_t *lua) {
  lua_mentions_t mentions = {0};
  lua_mentions_find(&lua->values, &lua->job->name, &mentions);
  for (uint32_t i = 0; i < mentions.count; ++i) {
    const lua_mention_t *mention = &mentions.items[i];
    if (mention->is_certain)
      lua_edit_replace_bytes(lua->edit, lua->file, mention->at, mention->end, lua->job->new_name);
    else
      rename_add_unsure_mention(lua->job, lua->file->name, lua->file->text, lua->file->bytes, mention->at);
  }
  array_free(lua->roles.memory, &mentions);
}

// Returns true if the table at token i is the declaration to which renamed_from must be added.
static bool is_declaration(const lua_rename_t *lua, uint32_t i) {
  const rename_job_t *job = lua->job;
  const lua_name_t *n = &job->name;
  lua_role_t role = lua_roles_find_table_role(&lua->roles, i);
  lua_context_t context = lua_roles_find_context(&lua->roles, i);
  bool is_named =
      context.kind == LUA_CONTEXT_ELEMENT && context.key && lua_roles_is_name(&lua->file->lua, context.key, n->name);
  literal_span_t table = {lua->file, i, lua_tokens_skip_bracket(&lua->file->lua, i)};
  switch (n->kind) {
  case LUA_NAME_COMPONENT:
    return role.kind == LUA_ROLE_DECLARED && strcmp(role.name, n->name) == 0 && role.path[0] == '\0';
  case LUA_NAME_FIELD:
    return role.kind == LUA_ROLE_DECLARED && strcmp(role.name, n->component) == 0 &&
           strcmp(role.path, job->parent) == 0 && lua_edit_find_value(table, n->name).file;
  case LUA_NAME_ASSEMBLAGE: return role.kind == LUA_ROLE_ASSEMBLAGE && is_named;
  case LUA_NAME_EVENT: return role.kind == LUA_ROLE_EVENT && strcmp(role.name, n->name) == 0;
  case LUA_NAME_STATE: return role.kind == LUA_ROLE_STATES && lua_edit_find_value(table, n->name).file;
  }
  return false;
}

static bool edit_declarations(lua_rename_t *lua, error_info_t *error) {
  const lua_name_t *n = &lua->job->name;
  bool is_part = n->kind == LUA_NAME_FIELD || n->kind == LUA_NAME_STATE, ok = true;
  for (uint32_t i = 0; ok && i + 1 < lua->file->lua.tokens.count; ++i) {
    if (!lua_tokens_match_word(&lua->file->lua, i, "{") || !is_declaration(lua, i))
      continue;
    literal_span_t table = {lua->file, i, lua_tokens_skip_bracket(&lua->file->lua, i)};
    ++lua->job->declaration_count;
    ok = lua_edit_add_renamed_from(lua->edit, table, is_part, n->name, lua->job->new_name, error);
  }
  return ok;
}

// Adds a table of fields that contains only `renamed_from` to a behaviour without fields. For a behaviour with fields,
// edit_declarations adds `renamed_from`.
static bool edit_behaviour(lua_rename_t *lua, error_info_t *error) {
  char text[LUA_ROLE_NAME + 32];
  literal_span_t table = lua_edit_find_table(lua->edit, lua->file->name, NULL, 0, error);
  if (!table.file)
    return false;
  if (lua_edit_find_value(table, "fields").file)
    return true;
  snprintf(text, sizeof text, "{ renamed_from = \"%s\" }", lua->job->name.name);
  lua_edit_insert(lua->edit, table, "fields", text);
  ++lua->job->declaration_count;
  return true;
}

bool rename_in_lua_file(rename_job_t *job, const char *file, error_info_t *error) {
  lua_edit_t edit;
  lua_rename_t lua;
  if (!open_file(&lua, job, &edit, file)) {
    lua_edit_fini(&edit);
    rename_report_matches(job, file);
    return true;
  }
  edit_mentions(&lua);
  bool ok = edit_declarations(&lua, error);
  if (ok && job->name.kind == LUA_NAME_COMPONENT && strcmp(file, job->behaviour) == 0)
    ok = edit_behaviour(&lua, error);
  lua_roles_fini(&lua.roles);
  return kind_end_edit(job->proposal, &edit, ok, error);
}
