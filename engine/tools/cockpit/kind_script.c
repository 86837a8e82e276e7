// Proposes new behaviours and systems from the templates in scripts/templates/behaviours/ and
// scripts/templates/systems/. The first line of a template is a comment that describes the template. The word `thing`
// stands for the new name.
#include "cockpit/kind_edit.h"

#include "base/files.h"
#include "base/nearest_name.h"
#include "cockpit/cockpit_state.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_TEMPLATE (64u << 10)
#define PLACEHOLDER "thing"

static const char *format_template_folder(cockpit_o *cockpit, const char *kind, char *out, size_t bytes) {
  char name[64];
  snprintf(name, sizeof name, "scripts/templates/%s", kind);
  return path_join(out, bytes, host_get_paths(cockpit->host)->root, name);
}

static bool write_template_list(cockpit_o *cockpit, const char *kind, json_writer_t *out, error_info_t *error) {
  char folder[PATH_MAX_BYTES + 64], path[PATH_MAX_BYTES + 256], first_line[256];
  file_list_t list = {0};
  json_write_key(out, kind);
  json_write_begin(out, '[');
  format_template_folder(cockpit, kind, folder, sizeof folder);
  bool ok = file_list(&cockpit->memory, folder, ".lua", &list, error);
  for (uint32_t i = 0; i < list.count; ++i) {
    size_t bytes =
        file_read_start(path_join(path, sizeof path, folder, list.paths[i]), first_line, sizeof first_line - 1);
    first_line[bytes] = '\0';
    first_line[strcspn(first_line, "\n")] = '\0';
    json_write_begin(out, '{');
    json_write_key(out, "name");
    json_write_string_n(out, list.paths[i], strlen(list.paths[i]) - strlen(".lua"));
    json_write_pair(out, "doc", first_line + strspn(first_line, "- "));
    json_write_end(out, '}');
  }
  file_list_free(&cockpit->memory, &list);
  json_write_end(out, ']');
  return ok;
}

bool kind_write_templates(cockpit_o *cockpit, json_writer_t *out, error_info_t *error) {
  return write_template_list(cockpit, "behaviours", out, error) && write_template_list(cockpit, "systems", out, error);
}

static bool is_name_byte(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// Appends the template's text with the name in place of PLACEHOLDER.
static void expand_template(const char *text, const char *name, json_writer_t *out) {
  for (const char *p = text; *p; ++p) {
    size_t bytes = strlen(PLACEHOLDER);
    bool is_word_start = p == text || !is_name_byte(p[-1]);
    if (is_word_start && strncmp(p, PLACEHOLDER, bytes) == 0 && !is_name_byte(p[bytes])) {
      json_write_text(out, name);
      p += bytes - 1;
    } else {
      json_write_bytes(out, p, 1);
    }
  }
}

static bool reject_template(proposal_t *proposal, const char *folder, const char *name) {
  char hint[NEAREST_NAME_MAX_BYTES + 32], template_name[NEAREST_NAME_MAX_BYTES];
  file_list_t list = {0};
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  if (file_list(&proposal->cockpit->memory, folder, ".lua", &list, NULL)) {
    for (uint32_t i = 0; i < list.count; ++i) {
      snprintf(template_name, sizeof template_name, "%.*s", (int)(strlen(list.paths[i]) - strlen(".lua")),
               list.paths[i]);
      nearest_name_offer(&nearest, template_name);
    }
    file_list_free(&proposal->cockpit->memory, &list);
  }
  return proposal_add_problem(proposal, "template", "unknown template %.32s%s", name,
                              nearest_name_hint(&nearest, hint, sizeof hint));
}

// Reads a template and replaces PLACEHOLDER with the name. Returns true on success, or false after reporting a problem.
static bool read_template(proposal_t *proposal, const char *kind, const char *name, json_writer_t *out) {
  char folder[PATH_MAX_BYTES + 64], path[PATH_MAX_BYTES + 256], file[80];
  const char *template = get_text_member(proposal->request, "template");
  size_t bytes = 0;
  format_template_folder(proposal->cockpit, kind, folder, sizeof folder);
  snprintf(file, sizeof file, "%.64s.lua", template);
  char *text = lua_is_name(template)
                   ? file_read_limited(&proposal->cockpit->memory, path_join(path, sizeof path, folder, file),
                                       MAX_TEMPLATE, &bytes, NULL)
                   : NULL;
  if (!text)
    return reject_template(proposal, folder, template);
  expand_template(text, name, out);
  file_free(&proposal->cockpit->memory, text, bytes);
  return true;
}

// Replaces the table `key` of the template, or adds it if the template has no such table. Leaves the template unchanged
// if the new table is empty. Returns true on success, or false with an error.
static bool set_table(proposal_t *proposal, const char *file, const char *key, const lua_table_t *table,
                      error_info_t *error) {
  lua_edit_t edit;
  json_writer_t value;
  if (lua_table_is_empty(table))
    return true;
  kind_begin_edit(proposal, &edit);
  json_writer_init(&value, &proposal->cockpit->memory);
  lua_table_write(table, &value);
  literal_span_t root = lua_edit_find_table(&edit, file, NULL, 0, error);
  bool ok = root.file != NULL;
  literal_span_t existing = ok ? lua_edit_find_value(root, key) : root;
  if (existing.file)
    lua_edit_replace(&edit, existing, json_writer_text(&value));
  else if (ok)
    lua_edit_insert(&edit, root, key, json_writer_text(&value));
  json_writer_fini(&value);
  return kind_end_edit(proposal, &edit, ok, error);
}

// Returns true if the list contains an element with this source text.
static bool has_element(literal_span_t list, const char *value) {
  lua_entry_t entry;
  for (uint32_t i = list.first + 1; lua_edit_next_element(list, &i, &entry);)
    if (lua_tokens_match_word(&list.file->lua, entry.value, value))
      return true;
  return false;
}

// Adds the request's components to the template's query, and keeps the components that the template's code uses.
// Returns true on success, or false with an error.
static bool add_query(proposal_t *proposal, const char *file, const lua_table_t *names, error_info_t *error) {
  const char *begin = names->text.text.items, *end = begin + names->text.text.count;
  lua_edit_t edit;
  kind_begin_edit(proposal, &edit);
  literal_span_t root = lua_edit_find_table(&edit, file, NULL, 0, error);
  literal_span_t query = root.file ? lua_edit_find_value(root, "query") : root;
  for (const char *name = begin; query.file && name < end; name += strlen(name) + 1)
    if (!has_element(query, name))
      lua_edit_insert(&edit, query, NULL, name);
  return kind_end_edit(proposal, &edit, root.file != NULL, error) &&
         (query.file || set_table(proposal, file, "query", names, error));
}

// Merges the request's fields into the template's fields. A field of the request replaces a field of the template with
// the same name. Returns true on success, or false with an error.
static bool add_fields(proposal_t *proposal, const char *file, const lua_table_t *fields, error_info_t *error) {
  static const char *const path[] = {"fields"};
  const char *begin = fields->text.text.items, *end = begin + fields->text.text.count;
  lua_edit_t edit;
  if (lua_table_is_empty(fields))
    return true;
  kind_begin_edit(proposal, &edit);
  literal_span_t table = lua_edit_find_table(&edit, file, path, 1, error);
  bool ok = table.file != NULL;
  if (ok && table.last == table.first + 2) { // the template has no fields
    kind_end_edit(proposal, &edit, true, error);
    return set_table(proposal, file, "fields", fields, error);
  }
  for (const char *declaration = begin; ok && declaration < end; declaration += strlen(declaration) + 1) {
    char name[FIELD_NAME_MAX];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(declaration, " "), declaration);
    literal_span_t existing = lua_edit_find_value(table, name);
    if (existing.file)
      lua_edit_replace(&edit, existing, strchr(declaration, '=') + 2);
    else
      lua_edit_insert(&edit, table, name, strchr(declaration, '=') + 2);
  }
  return kind_end_edit(proposal, &edit, ok, error);
}

bool kind_check_behaviour_field(proposal_t *proposal, const char *path, const char *text, const char *field) {
  lua_reader_t reader = lua_reader_init(text, strlen(text));
  lua_token_t previous[2] = {{0}};
  for (lua_token_t token = lua_reader_next(&reader); token.kind != TOKEN_END; token = lua_reader_next(&reader)) {
    if (lua_token_is(text, &token, "function") && lua_token_is(text, &previous[1], "=") &&
        lua_token_is(text, &previous[0], field))
      return proposal_add_problem(proposal, path, "the behaviour has a function %s: choose a different name", field);
    previous[0] = previous[1];
    previous[1] = token;
  }
  return strcmp(field, "entity") != 0 ||
         proposal_add_problem(proposal, path, "self.entity is reserved for the entity: choose a different name");
}

// Checks the names of the request's fields against the template's source.
static bool check_fields(proposal_t *proposal, const char *text) {
  const json_t *field, *list = json_object_get(proposal->request, "fields");
  bool ok = true;
  for (size_t i = 0; (field = json_array_get(list, i)) != NULL; ++i) {
    char path[40];
    snprintf(path, sizeof path, "fields.%zu.name", i);
    ok = kind_check_behaviour_field(proposal, path, text, get_text_member(field, "name")) && ok;
  }
  return ok;
}

// Puts a file generated from the template into the proposal. `file`: path of the new file. Returns true on success, or
// false after an error or a problem.
static bool put_template(proposal_t *proposal, const char *kind, const char *file, const char *name,
                         error_info_t *error) {
  json_writer_t text;
  json_writer_init(&text, &proposal->cockpit->memory);
  bool ok = read_template(proposal, kind, name, &text) && check_fields(proposal, json_writer_text(&text)) &&
            kind_put_source(proposal, file, json_writer_text(&text), text.text.count, error);
  json_writer_fini(&text);
  return ok;
}

// Proposes a behaviour or a system from the template that the request names.
static bool propose_script(proposal_t *proposal, bool is_behaviour, error_info_t *error) {
  const char *name = get_text_member(proposal->request, "name"), *folder = is_behaviour ? "behaviours" : "systems";
  char file[FILE_CHANGES_NAME];
  lua_table_t table; // the behaviour's fields, or the components of the system's query
  if (!kind_get_world(proposal, error))
    return false;
  snprintf(proposal->title, sizeof proposal->title, "%s %.64s", is_behaviour ? "behaviour" : "system", name);
  snprintf(file, sizeof file, "%s/%.64s.lua", folder, name);
  lua_table_init(&table, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
  bool ok =
      kind_check_name(proposal, "name", name) && kind_check_name_is_free(proposal, "name", name, is_behaviour, true);
  if (ok && file_changes_exists(&proposal->files, file))
    ok = proposal_add_problem(proposal, "name", "%s already exists: choose a different name", file);
  ok = (is_behaviour ? kind_add_fields(proposal, ok ? name : "a", "shoal.types", &table)
                     : kind_add_component_names(proposal, "query", &table)) &&
       ok;
  bool succeeded =
      !ok || (put_template(proposal, folder, file, name, error) &&
              (is_behaviour ? add_fields(proposal, file, &table, error) : add_query(proposal, file, &table, error)));
  lua_table_fini(&table);
  return succeeded || proposal->problem_count > 0;
}

bool kind_propose_behaviour(proposal_t *proposal, error_info_t *error) {
  return propose_script(proposal, true, error);
}

bool kind_propose_system(proposal_t *proposal, error_info_t *error) {
  return propose_script(proposal, false, error);
}
