// Checks of names, the choice of a file, and edits of Lua sources for the proposers of kinds.
#include "cockpit/kind_edit.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/nearest_name.h"
#include "cockpit/cockpit_state.h"
#include "ecs/assemblage_inspect.h"
#include "schema/schema_build.h"

#include <stdio.h>
#include <string.h>

world_o *kind_world(proposal_t *x, error_info_t *error) {
  const game_o *g = host_game(x->c->host);
  if (!g)
    error_set(error, COCKPIT_NO_GAME);
  return g ? g->world : NULL;
}

// --- names

bool kind_check_name(proposal_t *x, const char *at, const char *name) {
  if (!name || !name[0])
    return proposal_add_problem(x, at, "the name is missing: enter a name");
  if (strlen(name) >= FIELD_NAME_MAX)
    return proposal_add_problem(x, at, "the name is too long: %zu bytes (at most %d)", strlen(name),
                                FIELD_NAME_MAX - 1);
  if (!schema_is_valid_name(name, SIZE_MAX))
    return proposal_add_problem(x, at, "invalid name: use letters, digits and _, and do not start with a digit");
  return !schema_is_lua_keyword(name) || proposal_add_problem(x, at, "%s is a Lua keyword: choose another name", name);
}

static const char *find_system(const game_o *g, const char *name, uint32_t *line) {
  for (int phase = 0; phase < PHASE_COUNT; ++phase)
    for (uint32_t i = 0; i < schedule_system_count(g->schedule, (phase_t)phase); ++i)
      if (strcmp(schedule_system_name(g->schedule, (phase_t)phase, i), name) == 0)
        return schedule_file(g->schedule, (phase_t)phase, i, line);
  return NULL;
}

bool kind_check_name_is_free(proposal_t *x, const char *at, const char *name, bool is_component, bool is_system) {
  const game_o *g = host_game(x->c->host);
  const manager_o *m = is_component && g ? world_find_manager(g->world, name) : NULL;
  uint32_t line = 0;
  const char *file = is_system && g ? find_system(g, name, &line) : NULL;
  if (m && m->schema.line > 0)
    return proposal_add_problem(x, at, "component %s already exists (%s:%u): choose another name", name,
                                m->schema.origin, m->schema.line);
  if (m)
    return proposal_add_problem(x, at, "component %s already exists (%s): choose another name", name,
                                strcmp(m->schema.origin, "C") == 0 ? "built-in" : m->schema.origin);
  return !file || proposal_add_problem(x, at, "system %s already exists (%s): choose another name", name, file);
}

const manager_o *kind_find_component(proposal_t *x, const char *at, const char *name) {
  const game_o *g = host_game(x->c->host);
  char hint[SIMILAR_MAX + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t id = 1; g && id <= world_manager_count(g->world); ++id) {
    const manager_o *m = world_manager(g->world, id);
    if (strcmp(m->schema.name, name) == 0 && m->schema.kind != SCHEMA_SINGLE)
      return m;
    if (m->schema.kind != SCHEMA_SINGLE)
      nearest_name_offer(&nearest, m->schema.name);
  }
  proposal_add_problem(x, at, "unknown component %.64s%s", name, nearest_name_hint(&nearest, hint, sizeof hint));
  return NULL;
}

// --- edits

static char *read_source(void *context, allocator_t *memory, const char *name, size_t *bytes) {
  proposal_t *x = context;
  const char *text = file_changes_exists(&x->files, name) ? file_changes_read(&x->files, name, bytes, NULL) : NULL;
  char *copy = text ? alloc_resize(memory, NULL, 0, *bytes + 1) : NULL;
  return text ? memcpy(copy, text, *bytes + 1) : NULL;
}

void kind_begin_edit(proposal_t *x, lua_edit_t *edit) {
  lua_edit_init(edit, &x->c->memory, read_source, x);
}

bool kind_put_source(proposal_t *x, const char *file, const char *text, size_t bytes, error_info_t *error) {
  return lua_source_check(file, text, bytes, error) && file_changes_put(&x->files, file, text, bytes, error);
}

bool kind_end_edit(proposal_t *x, lua_edit_t *edit, bool ok, error_info_t *error) {
  for (uint32_t i = 0; ok && i < edit->search.file_count; ++i) {
    literal_file_t *file = edit->search.files[i];
    json_writer_t text;
    if (!splices_has(&edit->splices, file))
      continue;
    json_writer_init(&text, &x->c->memory);
    lua_edit_write(edit, file, &text);
    ok = lua_source_check(file->name, file->text, file->bytes, error) &&
         kind_put_source(x, file->name, json_writer_text(&text), text.text.count, error);
    json_writer_fini(&text);
  }
  lua_edit_fini(edit);
  return ok;
}

// --- files

// Returns the number of named elements in the table that a file returns; 0 if the table is computed by code.
static uint32_t count_declarations(proposal_t *x, const char *file) {
  lua_edit_t edit;
  lua_entry_t e;
  uint32_t count = 0;
  kind_begin_edit(x, &edit);
  literal_span_t table = lua_edit_find_table(&edit, file, NULL, 0, NULL);
  for (uint32_t i = table.first + 1; table.file && lua_edit_next_element(table, &i, &e);)
    count += e.name > 0;
  lua_edit_fini(&edit);
  return count;
}

void kind_choose_file(proposal_t *x, const char *name, char *out, size_t bytes) {
  char folder[FILE_CHANGES_PATH + 32], file[FILE_CHANGES_NAME];
  file_list_t list = {0};
  snprintf(out, bytes, "%s.lua", name);
  uint32_t most = file_changes_exists(&x->files, out) ? count_declarations(x, out) : 0;
  if (!file_list(&x->c->memory, path_join(folder, sizeof folder, x->files.folder, name), ".lua", &list, NULL))
    return;
  for (uint32_t i = 0; i < list.count; ++i) {
    snprintf(file, sizeof file, "%s/%.200s", name, list.paths[i]);
    uint32_t count = count_declarations(x, file);
    if (count > most) {
      most = count;
      snprintf(out, bytes, "%s", file);
    }
  }
  file_list_free(&x->c->memory, &list);
}

static bool put_empty_table(proposal_t *x, const char *file, const char *head, error_info_t *error) {
  char text[256];
  int bytes = snprintf(text, sizeof text, "%sreturn {\n}\n", head);
  shoal_assert(bytes < (int)sizeof text, "the head of %s is too long: %d bytes", file, bytes);
  return kind_put_source(x, file, text, (size_t)bytes, error);
}

bool kind_insert(proposal_t *x, const char *file, const char *head, const char *key, const char *value,
                 error_info_t *error) {
  lua_edit_t edit;
  if (!file_changes_exists(&x->files, file) && !put_empty_table(x, file, head, error))
    return false;
  kind_begin_edit(x, &edit);
  literal_span_t table = lua_edit_find_table(&edit, file, NULL, 0, error);
  bool ok = table.file != NULL;
  literal_span_t old = ok ? lua_edit_find_value(table, key) : table;
  if (ok && old.file)
    proposal_add_problem(x, "name", "%s already exists (%s:%u): choose another name", key, file, literal_line(old));
  else if (ok)
    lua_edit_insert(&edit, table, key, value);
  return kind_end_edit(x, &edit, ok, error);
}

bool kind_add_component_names(proposal_t *x, const char *member, lua_table_t *out) {
  const json_t *list = json_object_get(x->request, member);
  char at[64];
  bool ok = true;
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const char *name = json_string_value(json_array_get(list, i));
    snprintf(at, sizeof at, "%.16s.%zu", member, i);
    ok = kind_find_component(x, at, name ? name : "") && ok;
    lua_table_add_text(out, NULL, name ? name : "");
  }
  return ok;
}

void kind_copy_types_name(proposal_t *x, const char *file, char *out, size_t bytes) {
  lua_edit_t edit;
  snprintf(out, bytes, "shoal.types");
  kind_begin_edit(x, &edit);
  literal_span_t value = literal_find_return_value(&edit.search, file);
  const lua_tokens_t *lua = value.file ? &value.file->lua : NULL;
  for (uint32_t i = 0; lua && i + 5 < lua->tokens.count; ++i) {
    const lua_token_t *name = &lua->tokens.items[i + 1];
    if (lua->tokens.items[i].depth == 0 && lua_tokens_match_word(lua, i, "local") &&
        lua_tokens_match_word(lua, i + 2, "=") && lua_tokens_match_word(lua, i + 3, "shoal") &&
        lua_tokens_match_word(lua, i + 4, ".") && lua_tokens_match_word(lua, i + 5, "types"))
      snprintf(out, bytes, "%.*s", (int)name->bytes, lua->text + name->at);
  }
  lua_edit_fini(&edit);
}
