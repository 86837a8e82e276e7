// Checks of names, the choice of a file, and edits of Lua sources for the proposers of kinds.
#include "cockpit/kind_edit.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/nearest_name.h"
#include "cockpit/cockpit_state.h"
#include "content/former_names.h"
#include "ecs/assemblage_inspect.h"
#include "schema/schema_build.h"
#include "script/sources.h"

#include <stdio.h>
#include <string.h>

world_o *kind_get_world(proposal_t *proposal, error_info_t *error) {
  const game_o *game = host_game(proposal->cockpit->host);
  if (!game)
    error_set(error, COCKPIT_NO_GAME);
  return game ? game->world : NULL;
}

// --- names

bool kind_check_name(proposal_t *proposal, const char *path, const char *name) {
  if (!name || !name[0])
    return proposal_add_problem(proposal, path, "the name is missing: enter a name");
  if (strlen(name) >= FIELD_NAME_MAX)
    return proposal_add_problem(proposal, path, "the name is too long: %zu bytes (at most %d)", strlen(name),
                                FIELD_NAME_MAX - 1);
  if (!schema_is_valid_name(name, SIZE_MAX))
    return proposal_add_problem(proposal, path,
                                "invalid name: use letters, digits and _, and do not start with a digit");
  return !schema_is_lua_keyword(name) ||
         proposal_add_problem(proposal, path, "%s is a Lua keyword: choose a different name", name);
}

static const char *find_system(const game_o *game, const char *name, uint32_t *line) {
  phase_t phase;
  uint32_t i;
  return schedule_find_system(game->schedule, name, &phase, &i) ? schedule_file(game->schedule, phase, i, line) : NULL;
}

bool kind_check_former_name(proposal_t *proposal, const char *path, const char *name, const char *current_name) {
  return !current_name || strcmp(current_name, get_text_member(proposal->request, "name")) == 0 ||
         proposal_add_problem(proposal, path,
                              "%.64s is a former name of %.128s: choose a different name, or remove it from the "
                              "renamed_from of %.128s",
                              name, current_name, current_name);
}

// Returns the component that was renamed from `name`, or NULL if no component has this former name.
static const char *find_renamed_component(world_o *w, const char *name) {
  former_field_t former;
  for (uint32_t i = 0; former_names_get_field(w, name, i, &former); ++i)
    if (former.column >= world_manager(w, former.manager)->schema.field_count)
      return world_manager(w, former.manager)->schema.name;
  return NULL;
}

static bool is_addon(const game_o *game, const char *name) {
  const char *addon;
  for (uint32_t i = 0; game->vm && (addon = sources_addon_name(vm_sources(game->vm), i)) != NULL; ++i)
    if (strcmp(addon, name) == 0)
      return true;
  return false;
}

// Returns true for keys of an assemblage's declaration: a child may list its components next to them.
static bool is_assemblage_key(const char *name) {
  static const char *const KEYS[] = {"is", "components", "without", "children", "states", "doc", "renamed_from"};
  for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; ++i)
    if (strcmp(KEYS[i], name) == 0)
      return true;
  return false;
}

bool kind_check_name_is_free(proposal_t *proposal, const char *path, const char *name, bool is_component,
                             bool is_system) {
  const game_o *game = host_game(proposal->cockpit->host);
  const manager_o *manager = is_component && game ? world_find_manager(game->world, name) : NULL;
  uint32_t line = 0;
  const char *file = is_system && game ? find_system(game, name, &line) : NULL;
  if (is_component && is_assemblage_key(name))
    return proposal_add_problem(proposal, path, "%s is a key of assemblages: choose a different name", name);
  if (is_component && game && is_addon(game, name))
    return proposal_add_problem(proposal, path, "an add-on is named %s: choose a different name", name);
  if (is_component && game && !kind_check_former_name(proposal, path, name, find_renamed_component(game->world, name)))
    return false;
  if (manager && schema_is_kept(&manager->schema) && strcmp(path, "name") == 0)
    manager = NULL; // the new declaration takes over the kept rows
  if (manager && manager->schema.line > 0)
    return proposal_add_problem(proposal, path, "component %s already exists (%s:%u): choose a different name", name,
                                manager->schema.origin, manager->schema.line);
  if (manager)
    return proposal_add_problem(proposal, path, "component %s already exists (%s): choose a different name", name,
                                strcmp(manager->schema.origin, "C") == 0 ? "built-in" : manager->schema.origin);
  return !file ||
         proposal_add_problem(proposal, path, "system %s already exists (%s): choose a different name", name, file);
}

const manager_o *kind_find_component(proposal_t *proposal, const char *path, const char *name) {
  const game_o *game = host_game(proposal->cockpit->host);
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t id = 1; game && id <= world_manager_count(game->world); ++id) {
    const manager_o *manager = world_manager(game->world, id);
    const schema_t *schema = &manager->schema;
    if (schema->kind == SCHEMA_SINGLE || schema_is_kept(schema) || strncmp(schema->name, "shoal.", 6) == 0)
      continue; // files cannot use these components
    if (strcmp(schema->name, name) == 0)
      return manager;
    nearest_name_offer(&nearest, schema->name);
  }
  proposal_add_problem(proposal, path, "unknown component %.64s%s", name,
                       nearest_name_hint(&nearest, hint, sizeof hint));
  return NULL;
}

// --- edits

static char *read_source(void *context, allocator_t *memory, const char *name, size_t *bytes) {
  proposal_t *proposal = context;
  const char *text =
      file_changes_exists(&proposal->files, name) ? file_changes_read(&proposal->files, name, bytes, NULL) : NULL;
  char *copy = text ? alloc_resize(memory, NULL, 0, *bytes + 1) : NULL;
  return text ? memcpy(copy, text, *bytes + 1) : NULL;
}

void kind_begin_edit(proposal_t *proposal, lua_edit_t *edit) {
  lua_edit_init(edit, &proposal->cockpit->memory, read_source, proposal);
}

bool kind_put_source(proposal_t *proposal, const char *file, const char *text, size_t bytes, error_info_t *error) {
  return lua_source_check(file, text, bytes, error) && file_changes_put(&proposal->files, file, text, bytes, error);
}

bool kind_end_edit(proposal_t *proposal, lua_edit_t *edit, bool ok, error_info_t *error) {
  for (uint32_t i = 0; ok && i < edit->search.file_count; ++i) {
    literal_file_t *file = edit->search.files[i];
    json_writer_t text;
    if (!splices_has(&edit->splices, file))
      continue;
    json_writer_init(&text, &proposal->cockpit->memory);
    lua_edit_write(edit, file, &text);
    ok = lua_source_check(file->name, file->text, file->bytes, error) &&
         kind_put_source(proposal, file->name, json_writer_text(&text), text.text.count, error);
    json_writer_fini(&text);
  }
  lua_edit_fini(edit);
  return ok;
}

// --- files

// Returns the number of named elements in the table that a file returns, or 0 if the table is computed by code.
static uint32_t count_declarations(proposal_t *proposal, const char *file) {
  lua_edit_t edit;
  lua_entry_t entry;
  uint32_t count = 0;
  kind_begin_edit(proposal, &edit);
  literal_span_t table = lua_edit_find_table(&edit, file, NULL, 0, NULL);
  for (uint32_t i = table.first + 1; table.file && lua_edit_next_element(table, &i, &entry);)
    count += entry.name > 0;
  lua_edit_fini(&edit);
  return count;
}

void kind_choose_file(proposal_t *proposal, const char *name, char *out, size_t bytes) {
  char folder[FILE_CHANGES_PATH + 32], file[FILE_CHANGES_NAME];
  file_list_t list = {0};
  error_info_t error = {0};
  snprintf(out, bytes, "%s.lua", name);
  uint32_t max_count = file_changes_exists(&proposal->files, out) ? count_declarations(proposal, out) : 0;
  if (!file_list_optional(&proposal->cockpit->memory, path_join(folder, sizeof folder, proposal->files.folder, name),
                          ".lua", &list, &error)) {
    proposal_add_problem(proposal, "file", "%s", error.text);
    return;
  }
  for (uint32_t i = 0; i < list.count; ++i) {
    snprintf(file, sizeof file, "%s/%.200s", name, list.paths[i]);
    uint32_t count = count_declarations(proposal, file);
    if (count > max_count) {
      max_count = count;
      snprintf(out, bytes, "%s", file);
    }
  }
  file_list_free(&proposal->cockpit->memory, &list);
}

static bool put_empty_table(proposal_t *proposal, const char *file, const char *prologue, error_info_t *error) {
  char text[256];
  int bytes = snprintf(text, sizeof text, "%sreturn {\n}\n", prologue);
  shoal_assert(bytes < (int)sizeof text, "the head of %s is too long: %d bytes", file, bytes);
  return kind_put_source(proposal, file, text, (size_t)bytes, error);
}

bool kind_insert_declaration(proposal_t *proposal, const char *file, const char *prologue, const char *key,
                             const char *value, error_info_t *error) {
  lua_edit_t edit;
  if (!file_changes_exists(&proposal->files, file) && !put_empty_table(proposal, file, prologue, error))
    return false;
  kind_begin_edit(proposal, &edit);
  literal_span_t table = lua_edit_find_table(&edit, file, NULL, 0, error);
  bool ok = table.file != NULL;
  literal_span_t existing = ok ? lua_edit_find_value(table, key) : table;
  if (ok && existing.file)
    proposal_add_problem(proposal, "name", "%s already exists (%s:%u): choose a different name", key, file,
                         literal_line(existing));
  else if (ok)
    lua_edit_insert(&edit, table, key, value);
  return kind_end_edit(proposal, &edit, ok, error);
}

bool kind_add_component_names(proposal_t *proposal, const char *member, lua_table_t *out) {
  const json_t *list = json_object_get(proposal->request, member);
  char path[64];
  bool ok = true;
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const char *name = json_string_value(json_array_get(list, i));
    snprintf(path, sizeof path, "%.16s.%zu", member, i);
    ok = kind_find_component(proposal, path, name ? name : "") && ok;
    lua_table_add_text(out, NULL, name ? name : "");
  }
  return ok;
}

void kind_copy_types_name(proposal_t *proposal, const char *file, char *out, size_t bytes) {
  lua_edit_t edit;
  snprintf(out, bytes, "shoal.types");
  kind_begin_edit(proposal, &edit);
  literal_span_t value = literal_find_return_value(&edit.search, file);
  const lua_tokens_t *tokens = value.file ? &value.file->lua : NULL;
  for (uint32_t i = 0; tokens && i + 5 < tokens->tokens.count; ++i) {
    const lua_token_t *name = &tokens->tokens.items[i + 1];
    if (tokens->tokens.items[i].depth == 0 && lua_tokens_match_word(tokens, i, "local") &&
        lua_tokens_match_word(tokens, i + 2, "=") && lua_tokens_match_word(tokens, i + 3, "shoal") &&
        lua_tokens_match_word(tokens, i + 4, ".") && lua_tokens_match_word(tokens, i + 5, "types"))
      snprintf(out, bytes, "%.*s", (int)name->bytes, tokens->text + name->at);
  }
  lua_edit_fini(&edit);
}
