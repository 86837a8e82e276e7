// Proposes the declaration of a new component.
#include "cockpit/kind_edit.h"

#include "cockpit/cockpit_state.h"

#include <stdio.h>
#include <string.h>

static bool add_requires(proposal_t *x, lua_table_t *out) {
  lua_table_t names;
  lua_table_init(&names, &x->c->memory, KIND_MAX_COLUMNS);
  bool ok = kind_add_component_names(x, "requires", &names);
  if (!lua_table_is_empty(&names))
    lua_table_add_table(out, "requires", &names);
  lua_table_fini(&names);
  return ok;
}

static const char *read_kind_wrapper(proposal_t *x, bool *ok) {
  const char *kind = text_member(x->request, "kind");
  bool is_plain = !kind[0] || strcmp(kind, "component") == 0;
  if (!is_plain && strcmp(kind, "many") != 0 && strcmp(kind, "single") != 0)
    *ok = proposal_add_problem(x, "kind", "the kind must be component, many or single, got %.32s", kind);
  return is_plain ? "" : kind;
}

// Returns true if the source text reads a member of the local `t`.
static bool uses_types(const char *value) {
  lua_reader_t r = lua_reader_init(value, strlen(value));
  bool follows_name = false;
  for (lua_token_t t = lua_reader_next(&r); t.kind != TOKEN_END; t = lua_reader_next(&r)) {
    if (follows_name && lua_token_is(value, &t, "."))
      return true;
    follows_name = lua_token_is(value, &t, "t");
  }
  return false;
}

bool kind_propose_component(proposal_t *x, error_info_t *error) {
  const char *name = text_member(x->request, "name"), *doc = text_member(x->request, "doc");
  char file[FILE_CHANGES_NAME], types[64];
  lua_table_t table;
  json_writer_t value;
  if (!kind_world(x, error))
    return false;
  snprintf(x->title, sizeof x->title, "component %.64s", name);
  kind_choose_file(x, "components", file, sizeof file);
  bool is_new = !file_changes_exists(&x->files, file);
  kind_copy_types_name(x, file, types, sizeof types);
  if (is_new)
    snprintf(types, sizeof types, "t");
  lua_table_init(&table, &x->c->memory, KIND_MAX_COLUMNS);
  bool ok = kind_check_name(x, "name", name) && kind_check_name_is_free(x, "name", name, true, true);
  const char *wrapper = read_kind_wrapper(x, &ok);
  ok = kind_add_fields(x, ok ? name : "a", types, &table) && ok;
  ok = add_requires(x, &table) && ok;
  if (doc[0])
    lua_table_add_text(&table, "doc", doc);
  json_writer_init(&value, &x->c->memory);
  if (wrapper[0]) {
    json_write_text(&value, types);
    json_write_text(&value, ".");
    json_write_text(&value, wrapper);
    json_write_text(&value, " ");
  }
  lua_table_write(&table, &value);
  bool done =
      !ok || kind_insert(x, file, is_new && uses_types(json_writer_text(&value)) ? "local t = shoal.types\n" : "", name,
                         json_writer_text(&value), error);
  json_writer_fini(&value);
  lua_table_fini(&table);
  return done;
}
