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

// Replaces the table `key` of the template. Leaves the template unchanged if the new table is empty. Returns true on
// success, or false with an error.
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

// Puts a file generated from the template into the proposal. `file`: path of the new file. Returns true on success, or
// false after an error or a problem.
static bool put_template(proposal_t *proposal, const char *kind, const char *file, const char *name,
                         error_info_t *error) {
  json_writer_t text;
  json_writer_init(&text, &proposal->cockpit->memory);
  bool ok = read_template(proposal, kind, name, &text) &&
            kind_put_source(proposal, file, json_writer_text(&text), text.text.count, error);
  json_writer_fini(&text);
  return ok;
}

static bool check_file_is_new(proposal_t *proposal, const char *file) {
  return !file_changes_exists(&proposal->files, file) ||
         proposal_add_problem(proposal, "name", "%s already exists: choose a different name", file);
}

bool kind_propose_behaviour(proposal_t *proposal, error_info_t *error) {
  const char *name = get_text_member(proposal->request, "name");
  char file[FILE_CHANGES_NAME];
  lua_table_t fields;
  if (!kind_get_world(proposal, error))
    return false;
  snprintf(proposal->title, sizeof proposal->title, "behaviour %.64s", name);
  snprintf(file, sizeof file, "behaviours/%.64s.lua", name);
  lua_table_init(&fields, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
  bool ok = kind_check_name(proposal, "name", name) && kind_check_name_is_free(proposal, "name", name, true, true) &&
            check_file_is_new(proposal, file);
  ok = kind_add_fields(proposal, ok ? name : "a", "shoal.types", &fields) && ok;
  bool succeeded =
      !ok || (put_template(proposal, "behaviours", file, name, error) && add_fields(proposal, file, &fields, error));
  lua_table_fini(&fields);
  return succeeded || proposal->problem_count > 0;
}

bool kind_propose_system(proposal_t *proposal, error_info_t *error) {
  const char *name = get_text_member(proposal->request, "name");
  char file[FILE_CHANGES_NAME];
  lua_table_t query;
  if (!kind_get_world(proposal, error))
    return false;
  snprintf(proposal->title, sizeof proposal->title, "system %.64s", name);
  snprintf(file, sizeof file, "systems/%.64s.lua", name);
  lua_table_init(&query, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
  bool ok = kind_check_name(proposal, "name", name) && kind_check_name_is_free(proposal, "name", name, false, true) &&
            check_file_is_new(proposal, file);
  ok = kind_add_component_names(proposal, "query", &query) && ok;
  bool succeeded = !ok || (put_template(proposal, "systems", file, name, error) &&
                           set_table(proposal, file, "query", &query, error));
  lua_table_fini(&query);
  return succeeded || proposal->problem_count > 0;
}
