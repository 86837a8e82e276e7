// Converts the list of entities of a scene to JSON. Constants are evaluated by a Lua state without libraries.
#include "cockpit/level_scene_read.h"

#include "base/assert.h"
#include "base/files.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/file_changes.h"
#include "cockpit/game_files.h"
#include "cockpit/request.h"
#include "ecs/assemblage_inspect.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#define MAX_SOURCE ((size_t)4 << 20)
#define MAX_DEPTH 8u
#define CODE_BYTES 64u // maximum length of shown source text

bool level_scene_find_file(const json_t *request, char *out, size_t bytes, error_info_t *error) {
  const char *name = json_string_value(json_object_get(request, "scene"));
  if (!name || !game_files_is_scene_name(name))
    return request_reject_member(request, "scene", error, "a scene name (letters, digits, _ and -)");
  snprintf(out, bytes, "scenes/%s.lua", name);
  return true;
}

// --- source text

static const lua_token_t *get_token(literal_span_t span, uint32_t i) {
  return &span.file->lua.tokens.items[i];
}

uint32_t level_scene_find_entity(literal_span_t list, uint32_t index, literal_span_t *out) {
  lua_entry_t entry;
  uint32_t element = 0;
  for (uint32_t i = list.first + 1; lua_edit_next_element(list, &i, &entry); ++element)
    if (entry.name == 0 && index-- == 0) {
      *out = (literal_span_t){list.file, entry.value, entry.last};
      return element;
    }
  return UINT32_MAX;
}

static bool is_constant(literal_span_t span, uint32_t depth) {
  lua_entry_t entry;
  if (literal_is_plain(span))
    return true;
  if (!lua_edit_is_table(span) || depth == MAX_DEPTH)
    return false;
  for (uint32_t i = span.first + 1; lua_edit_next_element(span, &i, &entry);)
    if (lua_tokens_match_word(&span.file->lua, entry.name, "[") ||
        !is_constant((literal_span_t){span.file, entry.value, entry.last}, depth + 1))
      return false;
  return true;
}

bool level_scene_is_constant(literal_span_t span) {
  return is_constant(span, 0);
}

size_t level_scene_copy_source(literal_span_t span, char *out, size_t bytes) {
  const lua_token_t *first_token = get_token(span, span.first), *last_token = get_token(span, span.last - 1);
  size_t length = last_token->at + last_token->bytes - first_token->at;
  snprintf(out, bytes, "%.*s", (int)(length < bytes ? length : bytes - 1), span.file->text + first_token->at);
  return length;
}

static void push_constant(lua_State *L, literal_span_t span) {
  const lua_token_t *first_token = get_token(span, span.first), *last_token = get_token(span, span.last - 1);
  lua_pushliteral(L, "return ");
  lua_pushlstring(L, span.file->text + first_token->at, last_token->at + last_token->bytes - first_token->at);
  lua_concat(L, 2);
  size_t bytes;
  const char *chunk = lua_tolstring(L, -1, &bytes);
  if (luaL_loadbuffer(L, chunk, bytes, "constant") != 0 || lua_pcall(L, 0, 1, 0) != 0) {
    lua_pop(L, 1);
    lua_pushnil(L);
  }
  lua_remove(L, -2);
}

void level_scene_copy_text(literal_span_t span, char *out, size_t bytes) {
  out[0] = '\0';
  if (!span.file || lua_edit_is_table(span) || !level_scene_is_constant(span))
    return;
  lua_State *L = luaL_newstate();
  shoal_assert(L, "out of memory for a Lua state");
  push_constant(L, span);
  if (lua_type(L, -1) == LUA_TSTRING)
    snprintf(out, bytes, "%s", lua_tostring(L, -1));
  lua_close(L);
}

// --- writing

// Writes the Lua value at the top of the stack as JSON.
static void write_constant(lua_State *L, json_writer_t *out) {
  size_t bytes = 0, count = lua_istable(L, -1) ? lua_objlen(L, -1) : 0;
  if (lua_type(L, -1) == LUA_TSTRING) {
    const char *text = lua_tolstring(L, -1, &bytes);
    json_write_string_n(out, text, bytes);
  } else if (lua_isnumber(L, -1)) {
    json_write_number(out, lua_tonumber(L, -1));
  } else if (lua_isboolean(L, -1)) {
    json_write_bool(out, lua_toboolean(L, -1));
  } else if (count > 0) {
    json_write_begin(out, '[');
    for (size_t i = 1; i <= count; ++i) {
      lua_rawgeti(L, -1, (int)i);
      write_constant(L, out);
      lua_pop(L, 1);
    }
    json_write_end(out, ']');
  } else {
    json_write_null(out);
  }
}

static void write_code(literal_span_t span, json_writer_t *out) {
  char text[CODE_BYTES];
  level_scene_copy_source(span, text, sizeof text);
  json_write_pair(out, "code", text);
}

static bool has_keys(literal_span_t table) {
  lua_entry_t entry;
  for (uint32_t i = table.first + 1; lua_edit_next_element(table, &i, &entry);)
    if (entry.name > 0)
      return true;
  return false;
}

// Writes a component, the value of its field, or a table of components or fields, as a JSON object.
static void write_value(lua_State *L, literal_span_t span, uint32_t depth, json_writer_t *out) {
  lua_entry_t entry;
  char key[128];
  json_write_begin(out, '{');
  if (depth < MAX_DEPTH && lua_edit_is_table(span) && has_keys(span)) {
    for (uint32_t i = span.first + 1; lua_edit_next_element(span, &i, &entry);) {
      if (entry.name == 0 || lua_tokens_match_word(&span.file->lua, entry.name, "["))
        continue;
      lua_edit_copy_key(span, entry.name, key, sizeof key);
      json_write_key(out, key);
      write_value(L, (literal_span_t){span.file, entry.value, entry.last}, depth + 1, out);
    }
  } else if (lua_edit_is_table(span) && lua_edit_is_empty(span)) {
    // an empty table becomes an empty object
  } else if (level_scene_is_constant(span)) {
    json_write_key(out, "value");
    push_constant(L, span);
    write_constant(L, out);
    lua_pop(L, 1);
  } else {
    write_code(span, out);
  }
  json_write_end(out, '}');
}

// Returns the assemblage's value for a field of `transform`, or 0 if the assemblage lacks the component.
static double get_assemblage_position(world_o *w, const char *assemblage, const char *axis) {
  const manager_o *manager = world_find_manager(w, "transform");
  uint32_t name_id = assemblage[0] ? strings_find(world_strings(w), assemblage) : 0;
  uint32_t assemblage_index = name_id ? world_find_assemblage(w, name_id) : 0;
  int32_t column = manager ? schema_find_field(&manager->schema, axis) : -1;
  assemblage_part_t part;
  for (uint32_t i = 0; assemblage_index && column >= 0 && world_assemblage_get_part(w, assemblage_index, i, &part); ++i)
    if (part.manager == manager->id && part.state == 0)
      return part.values[column];
  return 0;
}

static void write_position(world_o *w, literal_span_t entity, const char *assemblage, json_writer_t *out) {
  static const char *const axes[] = {"x", "y"};
  literal_span_t components = lua_edit_find_value(entity, "components"), none = {0};
  literal_span_t transform = lua_edit_is_table(components) ? lua_edit_find_value(components, "transform") : none;
  for (int i = 0; i < 2; ++i) {
    literal_span_t value = lua_edit_is_table(transform) ? lua_edit_find_value(transform, axes[i]) : none;
    char text[64] = "";
    if (value.file && !literal_is_plain(value))
      continue; // code computes the position
    if (value.file)
      level_scene_copy_source(value, text, sizeof text);
    json_write_key(out, axes[i]);
    json_write_number(out, value.file ? strtod(text, NULL) : get_assemblage_position(w, assemblage, axes[i]));
  }
}

static void write_entity(lua_State *L, world_o *w, literal_span_t entity, json_writer_t *out) {
  static const char *const members[] = {"assemblage", "name", "state", "parent"};
  char text[256], assemblage[256] = "";
  json_write_begin(out, '{');
  json_write_integer_pair(out, "line", literal_line(entity));
  if (!lua_edit_is_table(entity)) {
    write_code(entity, out);
    json_write_end(out, '}');
    return;
  }
  for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
    level_scene_copy_text(lua_edit_find_value(entity, members[i]), text, sizeof text);
    if (i == 0)
      memcpy(assemblage, text, sizeof assemblage);
    if (text[0])
      json_write_pair(out, members[i], text);
  }
  write_position(w, entity, assemblage, out);
  literal_span_t components = lua_edit_find_value(entity, "components");
  if (components.file) {
    json_write_key(out, "components");
    write_value(L, components, 0, out);
  }
  json_write_end(out, '}');
}

static char *read_source(void *context, allocator_t *memory, const char *name, size_t *bytes) {
  char path[FILE_CHANGES_PATH + FILE_CHANGES_NAME];
  return file_read_limited(memory, path_join(path, sizeof path, context, name), MAX_SOURCE, bytes, NULL);
}

bool level_scene_write(cockpit_o *cockpit, const json_t *request, json_writer_t *out, error_info_t *error) {
  static const char *const keys[] = {"entities"};
  char file[FILE_CHANGES_NAME];
  host_state_t host_state;
  lua_edit_t edit;
  literal_span_t entity;
  const game_o *game = host_game(cockpit->host);
  if (!game)
    return error_set(error, COCKPIT_NO_GAME);
  if (!level_scene_find_file(request, file, sizeof file, error))
    return false;
  host_get_state(cockpit->host, &host_state);
  lua_edit_init(&edit, &cockpit->memory, read_source, (void *)(uintptr_t)host_state.folder);
  literal_span_t list = lua_edit_find_table(&edit, file, keys, 1, error);
  lua_State *L = list.file ? luaL_newstate() : NULL;
  if (L) {
    json_write_pair(out, "file", file);
    json_write_key(out, "entities");
    json_write_begin(out, '[');
    for (uint32_t i = 0; level_scene_find_entity(list, i, &entity) != UINT32_MAX; ++i)
      write_entity(L, game->world, entity, out);
    json_write_end(out, ']');
    lua_close(L);
  }
  lua_edit_fini(&edit);
  return L != NULL;
}
