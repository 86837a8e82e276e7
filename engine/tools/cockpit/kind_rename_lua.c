// Renames mentions and declarations in Lua files.
#include "cockpit/kind_rename.h"

#include "cockpit/cockpit_state.h"

#include <stdio.h>
#include <string.h>

typedef struct lua_job_t {
  rename_job_t *job;
  lua_edit_t *edit;
  literal_file_t *file;
  lua_roles_t roles;
  lua_values_t values;
} lua_job_t;

static bool is_record(void *world, const char *component, const char *path, const char *name) {
  char whole[LUA_ROLE_PATH];
  snprintf(whole, sizeof whole, "%s", path);
  lua_values_append_name(whole, sizeof whole, name);
  return rename_is_field(world, component, whole);
}

static bool open_file(lua_job_t *x, rename_job_t *job, lua_edit_t *edit, const char *file) {
  kind_begin_edit(job->x, edit);
  *x = (lua_job_t){.job = job, .edit = edit, .file = literal_open_file(&edit->search, file)};
  if (!x->file)
    return false;
  lua_roles_init(&x->roles, &job->x->c->memory, &x->file->lua, file);
  x->roles.is_record = is_record;
  x->roles.context = job->w;
  x->values = (lua_values_t){&x->roles, rename_is_component, rename_is_field, job->w};
  return true;
}

void rename_check_ambiguity(rename_job_t *job, const char *file) {
  lua_edit_t edit;
  lua_job_t x;
  if (open_file(&x, job, &edit, file)) {
    job->name.is_ambiguous = job->name.is_ambiguous || lua_mentions_has_other_key(&x.values, &job->name);
    lua_roles_fini(&x.roles);
  }
  lua_edit_fini(&edit);
}

static void edit_mentions(lua_job_t *x) {
  lua_mentions_t list = {0};
  lua_mentions_find(&x->values, &x->job->name, &list);
  for (uint32_t i = 0; i < list.count; ++i) {
    const lua_mention_t *m = &list.items[i];
    if (m->is_certain)
      lua_edit_replace_bytes(x->edit, x->file, m->at, m->end, x->job->to);
    else
      rename_add_unsure_mention(x->job, x->file->name, x->file->text, x->file->bytes, m->at);
  }
  array_free(x->roles.memory, &list);
}

// Returns true if the table at token i is the declaration to which renamed_from must be added.
static bool is_declaration(const lua_job_t *x, uint32_t i) {
  const rename_job_t *job = x->job;
  const lua_name_t *n = &job->name;
  lua_role_t of = lua_roles_find_table_role(&x->roles, i);
  lua_context_t context = lua_roles_find_context(&x->roles, i);
  bool is_named =
      context.kind == LUA_CONTEXT_ELEMENT && context.key && lua_roles_is_name(&x->file->lua, context.key, n->name);
  literal_span_t table = {x->file, i, lua_tokens_skip_bracket(&x->file->lua, i)};
  switch (n->kind) {
  case LUA_NAME_COMPONENT: return of.kind == LUA_ROLE_DECLARED && strcmp(of.name, n->name) == 0 && of.path[0] == '\0';
  case LUA_NAME_FIELD:
    return of.kind == LUA_ROLE_DECLARED && strcmp(of.name, n->component) == 0 && strcmp(of.path, job->parent) == 0;
  case LUA_NAME_ASSEMBLAGE: return of.kind == LUA_ROLE_ASSEMBLAGE && is_named;
  case LUA_NAME_EVENT: return of.kind == LUA_ROLE_EVENT && strcmp(of.name, n->name) == 0;
  case LUA_NAME_STATE: return of.kind == LUA_ROLE_STATES && lua_edit_find_value(table, n->name).file;
  }
  return false;
}

static bool edit_declarations(lua_job_t *x, error_info_t *error) {
  const lua_name_t *n = &x->job->name;
  bool is_part = n->kind == LUA_NAME_FIELD || n->kind == LUA_NAME_STATE, ok = true;
  for (uint32_t i = 0; ok && i + 1 < x->file->lua.tokens.count; ++i) {
    if (!lua_tokens_match_word(&x->file->lua, i, "{") || !is_declaration(x, i))
      continue;
    literal_span_t table = {x->file, i, lua_tokens_skip_bracket(&x->file->lua, i)};
    ++x->job->declaration_count;
    ok = lua_edit_add_renamed_from(x->edit, table, is_part, n->name, x->job->to, error);
  }
  return ok;
}

// A behaviour without fields declares its former name in an empty table of fields.
static bool edit_behaviour(lua_job_t *x, error_info_t *error) {
  char text[LUA_ROLE_NAME + 32];
  literal_span_t whole = lua_edit_find_table(x->edit, x->file->name, NULL, 0, error);
  if (!whole.file)
    return false;
  if (lua_edit_find_value(whole, "fields").file)
    return true;
  snprintf(text, sizeof text, "{ renamed_from = \"%s\" }", x->job->name.name);
  lua_edit_insert(x->edit, whole, "fields", text);
  ++x->job->declaration_count;
  return true;
}

bool rename_in_lua_file(rename_job_t *job, const char *file, error_info_t *error) {
  lua_edit_t edit;
  lua_job_t x;
  if (!open_file(&x, job, &edit, file)) {
    lua_edit_fini(&edit);
    rename_report_matches(job, file);
    return true;
  }
  edit_mentions(&x);
  bool ok = edit_declarations(&x, error);
  if (ok && job->name.kind == LUA_NAME_COMPONENT && strcmp(file, job->behaviour) == 0)
    ok = edit_behaviour(&x, error);
  lua_roles_fini(&x.roles);
  return kind_end_edit(job->x, &edit, ok, error);
}
