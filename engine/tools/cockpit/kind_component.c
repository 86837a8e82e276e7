// Proposes the declaration of a new component.
#include "cockpit/kind_edit.h"

#include "cockpit/cockpit_state.h"

#include <stdio.h>
#include <string.h>

static bool add_requires(proposal_t *proposal, lua_table_t *out) {
  lua_table_t names;
  lua_table_init(&names, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
  bool ok = kind_add_component_names(proposal, "requires", &names);
  if (!lua_table_is_empty(&names))
    lua_table_add_table(out, "requires", &names);
  lua_table_fini(&names);
  return ok;
}

static const char *read_kind_wrapper(proposal_t *proposal, bool *ok) {
  const char *kind = get_text_member(proposal->request, "kind");
  bool is_plain = !kind[0] || strcmp(kind, "component") == 0;
  if (!is_plain && strcmp(kind, "many") != 0 && strcmp(kind, "single") != 0)
    *ok = proposal_add_problem(proposal, "kind", "the kind must be component, many or single, got %.32s", kind);
  return is_plain ? "" : kind;
}

// Returns true if the source text reads a member of the local `t`.
static bool uses_types(const char *value) {
  lua_reader_t reader = lua_reader_init(value, strlen(value));
  bool follows_types = false;
  for (lua_token_t token = lua_reader_next(&reader); token.kind != TOKEN_END; token = lua_reader_next(&reader)) {
    if (follows_types && lua_token_is(value, &token, "."))
      return true;
    follows_types = lua_token_is(value, &token, "t");
  }
  return false;
}

bool kind_propose_component(proposal_t *proposal, error_info_t *error) {
  const char *name = get_text_member(proposal->request, "name"), *doc = get_text_member(proposal->request, "doc");
  char file[FILE_CHANGES_NAME], types[64];
  lua_table_t table;
  json_writer_t value;
  if (!kind_get_world(proposal, error))
    return false;
  snprintf(proposal->title, sizeof proposal->title, "component %.64s", name);
  kind_choose_file(proposal, "components", file, sizeof file);
  bool is_new = !file_changes_exists(&proposal->files, file);
  kind_copy_types_name(proposal, file, types, sizeof types);
  if (is_new)
    snprintf(types, sizeof types, "t");
  lua_table_init(&table, &proposal->cockpit->memory, KIND_MAX_COLUMNS);
  bool ok = kind_check_name(proposal, "name", name) && kind_check_name_is_free(proposal, "name", name, true, true);
  const char *wrapper = read_kind_wrapper(proposal, &ok);
  ok = kind_add_fields(proposal, ok ? name : "a", types, &table) && ok;
  ok = add_requires(proposal, &table) && ok;
  if (strcmp(wrapper, "single") == 0 && json_array_size(json_object_get(proposal->request, "requires")) > 0)
    ok = proposal_add_problem(proposal, "requires", "a singleton cannot require components: remove them");
  if (doc[0])
    lua_table_add_text(&table, "doc", doc);
  json_writer_init(&value, &proposal->cockpit->memory);
  if (wrapper[0]) {
    json_write_text(&value, types);
    json_write_text(&value, ".");
    json_write_text(&value, wrapper);
    json_write_text(&value, " ");
  }
  lua_table_write(&table, &value);
  bool succeeded =
      !ok || kind_insert_declaration(proposal, file,
                                     is_new && uses_types(json_writer_text(&value)) ? "local t = shoal.types\n" : "",
                                     name, json_writer_text(&value), error);
  json_writer_fini(&value);
  lua_table_fini(&table);
  return succeeded;
}
