// Edits of tables in Lua source (luajit/lua_edit.h): layouts, refusals, and random files that LuaJIT loads before and
// after an edit.
#include "luajit/lua_edit.h"
#include "test.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static allocator_t memory;
static error_info_t error;

static char *read_source(void *context, allocator_t *a, const char *name, size_t *bytes) {
  const char *text = context;
  if (strcmp(name, "a.lua") != 0)
    return NULL;
  *bytes = strlen(text);
  char *out = alloc_resize(a, NULL, 0, *bytes + 1);
  memcpy(out, text, *bytes + 1);
  return out;
}

typedef enum action_t { INSERT, RENAME, FORMER, REMOVE, REMOVE_KEY } action_t;

// Edits the table at `path` ("ship.components"; "" for the returned table) and returns the new text, or the error.
static char *edit_table(const char *text, const char *path, action_t action, const char *key, const char *value) {
  static char out[65536];
  char names[256], *keys[8];
  uint32_t count = 0;
  lua_edit_t x;
  snprintf(names, sizeof names, "%s", path);
  for (char *name = strtok(names, "."); name; name = strtok(NULL, "."))
    keys[count++] = name;
  lua_edit_init(&x, &memory, read_source, (void *)(uintptr_t)text);
  literal_span_t table = lua_edit_find_table(&x, "a.lua", (const char *const *)keys, count, &error);
  bool ok = table.file != NULL;
  if (ok && action == INSERT)
    lua_edit_insert(&x, table, key, value);
  else if (ok && action == REMOVE)
    lua_edit_remove(&x, table, (uint32_t)atoi(key));
  else if (ok && action == REMOVE_KEY)
    assert_true(lua_edit_remove_key(&x, table, key));
  else if (ok && action == RENAME)
    ok = lua_edit_rename_key(&x, table, key, value, &error);
  else if (ok)
    ok = lua_edit_add_renamed_from(&x, table, key != NULL, value, key ? key : "now", &error);
  snprintf(out, sizeof out, "%s", ok ? "" : error.text);
  if (ok) {
    json_writer_t result;
    json_writer_init(&result, &memory);
    lua_edit_write(&x, table.file, &result);
    snprintf(out, sizeof out, "%.*s", (int)result.text.count, result.text.items);
    json_writer_fini(&result);
  }
  lua_edit_fini(&x);
  assert_int_equal(memory.bytes, 0);
  return out;
}

static void assert_insert(const char *text, const char *path, const char *key, const char *value,
                          const char *expected) {
  assert_string_equal(edit_table(text, path, INSERT, key, value), expected);
}

TEST(key_is_inserted_into_a_one_line_table) {
  assert_insert("return {}", "", "a", "1", "return { a = 1 }");
  assert_insert("return { a = 1 }\n", "", "b", "2", "return { a = 1, b = 2 }\n");
  assert_insert("return { a = 1, }\n", "", "b", "2", "return { a = 1, b = 2, }\n");
  assert_insert("return {a=1}\n", "", "b", "2", "return {a=1, b = 2}\n");
  assert_insert("return { --[[ none ]] }\n", "", "b", "2", "return { --[[ none ]] b = 2 }\n");
  assert_insert("return { a = f(1, { 2 }) --[[ x ]] }", "", "b", "2", "return { a = f(1, { 2 }), b = 2 --[[ x ]] }");
  assert_insert("return { a = 1 }\n", "", "end", "2", "return { a = 1, [\"end\"] = 2 }\n");
  assert_insert("return { 'x' }\n", "", NULL, "\"y\"", "return { 'x', 'y' }\n");
  assert_insert("return { a = { 'x' } }\n", "a", NULL, "\"it's\"", "return { a = { 'x', \"it's\" } }\n");
}

TEST(table_that_becomes_too_long_is_split_into_lines) {
  assert_insert("return { a = 1, b = { 2 } }\n", "", "c", "{\n\td = 1,\n}",
                "return {\n  a = 1,\n  b = { 2 },\n  c = {\n    d = 1,\n  },\n}\n");
  assert_insert("return {}\n", "", "c", "{\n\td = 1,\n}", "return {\n  c = {\n    d = 1,\n  },\n}\n");
  assert_insert("return { a = 1, --[[ b ]] }\n", "", "c", "{\n\td = 1,\n}",
                "return {\n  a = 1,\n  c = {\n    d = 1,\n  }, --[[ b ]] \n}\n");
}

TEST(key_is_inserted_on_its_own_line_with_the_indentation_of_its_table) {
  assert_insert("return {\n  a = 1,\n}\n", "", "b", "2", "return {\n  a = 1,\n  b = 2,\n}\n");
  assert_insert("return {\n  a = 1\n}\n", "", "b", "2", "return {\n  a = 1,\n  b = 2\n}\n");
  assert_insert("return {\n  a = 1 -- one\n}\n", "", "b", "2", "return {\n  a = 1, -- one\n  b = 2\n}\n");
  assert_insert("return {\n  a = 1, -- one\n  -- c = 3,\n}\n", "", "b", "2",
                "return {\n  a = 1, -- one\n  b = 2,\n  -- c = 3,\n}\n");
  assert_insert("return {\n  a = 1, --[[ one\n  two ]]\n}\n", "", "b", "2",
                "return {\n  a = 1, --[[ one\n  two ]]\n  b = 2,\n}\n");
  assert_insert("return {\n  a = 1, --[==[ ]] one\n  two ]==] -- three\n}\n", "", "b", "2",
                "return {\n  a = 1, --[==[ ]] one\n  two ]==] -- three\n  b = 2,\n}\n");
  assert_insert("return {\r\n\ta = 1;\r\n}\r\n", "", "b", "{\n\tc = 1,\n}",
                "return {\r\n\ta = 1;\r\n\tb = {\r\n\t\tc = 1,\r\n\t},\r\n}\r\n");
  assert_insert("return {\n    a = 'x',\n}", "", "b", "{\n\tc = \"y\",\n}",
                "return {\n    a = 'x',\n    b = {\n        c = 'y',\n    },\n}");
  assert_insert("return { a = 1,\n  b = 2 }\n", "", "c", "3", "return { a = 1,\n  b = 2,\n  c = 3 }\n");
  assert_insert("return { a = {\n  b = 2 } }\n", "", "c", "3", "return { a = {\n  b = 2 },\n  c = 3 }\n");
  assert_insert("return { a = {\n\t{ b = 2 },\n} }\n", "a", NULL, "{\n\tc = 3,\n}",
                "return { a = {\n\t{ b = 2 },\n\t{\n\t\tc = 3,\n\t},\n} }\n");
  assert_insert("return {\n}\n", "", "c", "3", "return {\n  c = 3,\n}\n");
  assert_insert("return {\n  -- nothing yet\n}\n", "", "c", "3", "return {\n  -- nothing yet\n  c = 3,\n}\n");
  assert_insert("return {\n  a = [[\n}\n]],\n  b = { c = function() return {} end },\n}\n", "b", "d", "3",
                "return {\n  a = [[\n}\n]],\n  b = { c = function() return {} end, d = 3 },\n}\n");
  assert_insert("return {\n  a = { 1 },\n\n  -- the second\n  b = { 2 },\n}\n", "", "c", "3",
                "return {\n  a = { 1 },\n\n  -- the second\n  b = { 2 },\n\n  c = 3,\n}\n");
}

TEST(tables_are_found_through_locals_modules_and_wrappers) {
  assert_insert("local M = { a = 1 }\nreturn M\n", "", "b", "2", "local M = { a = 1, b = 2 }\nreturn M\n");
  assert_insert("local M = {}\nM.a = { b = 1 }\nreturn M\n", "a", "c", "2",
                "local M = {}\nM.a = { b = 1, c = 2 }\nreturn M\n");
  assert_insert("local t = shoal.types\nlocal gun = { heat = 0 }\nreturn { gun = t.many(gun) }\n", "gun", "b", "2",
                "local t = shoal.types\nlocal gun = { heat = 0, b = 2 }\nreturn { gun = t.many(gun) }\n");
  assert_insert("return { score = shoal.types.single { value = 0 } }", "score", "b", "2",
                "return { score = shoal.types.single { value = 0, b = 2 } }");
  assert_insert("return { [\"a\"] = {} }", "a", "b", "2", "return { [\"a\"] = { b = 2 } }");
}

TEST(edit_of_a_computed_table_is_refused_with_its_line) {
  assert_insert("return make()\n", "", "b", "2",
                "a.lua:1: cannot change the table that a.lua returns, which code creates (make()): edit the file");
  assert_insert(
      "local M = {}\nfor i = 1, 3 do\n  M[\"k\" .. i] = {}\nend\nreturn M\n", "", "b", "2",
      "a.lua:3: cannot change the table that a.lua returns, which code creates (M[\"k\" .. i]): edit the file");
  assert_insert("return {\n  a = 1,\n  b = merge(x, { c = 1 }),\n}\n", "b", "d", "2",
                "a.lua:3: cannot change b, which code creates (merge(x, { c = 1 })): edit the file");
  assert_insert("return {\n  a = { 1 } and { 2 },\n}\n", "a", "d", "2",
                "a.lua:2: cannot change a, which code creates ({ 1 } and { 2 }): edit the file");
  assert_insert("\n\nreturn { a = 1 }\n", "b", "d", "2", "a.lua:3: b not found in the table at this line");
  assert_insert("print(1)\n", "", "d", "2", "a.lua must return a table");
}

TEST(key_is_renamed_in_place) {
  assert_string_equal(edit_table("return { a = 1, b = { a = 2 } }", "", RENAME, "a", "c"),
                      "return { c = 1, b = { a = 2 } }");
  assert_string_equal(edit_table("return { ['a'] = 1 }", "", RENAME, "a", "c"), "return { ['c'] = 1 }");
  assert_string_equal(edit_table("return { b = { a --[[x]]= 2 } }", "b", RENAME, "a", "c"),
                      "return { b = { c --[[x]]= 2 } }");
  assert_string_equal(edit_table("return {\n b = 1 }", "", RENAME, "a", "c"),
                      "a.lua:1: a not found in the table at this line");
}

TEST(old_names_are_added_to_renamed_from) {
  const char *field = "return { poise = { balance = 0 } }";
  assert_string_equal(edit_table(field, "poise", FORMER, NULL, "calm"),
                      "return { poise = { balance = 0, renamed_from = \"calm\" } }");
  assert_string_equal(edit_table(field, "poise", FORMER, "balance", "b"),
                      "return { poise = { balance = 0, renamed_from = { balance = \"b\" } } }");
  assert_string_equal(edit_table("return { p = { a = 0, renamed_from = 'q' } }", "p", FORMER, "a", "b"),
                      "return { p = { a = 0, renamed_from = { 'q', a = 'b' } } }");
  assert_string_equal(edit_table("return { p = { a = 0, c = 0, renamed_from = { c = 'd' } } }", "p", FORMER, "a", "b"),
                      "return { p = { a = 0, c = 0, renamed_from = { c = 'd', a = 'b' } } }");
  assert_string_equal(edit_table("return { p = { c = 0, renamed_from = { b = 'a' } } }", "p", FORMER, "c", "b"),
                      "return { p = { c = 0, renamed_from = { c = { 'b', 'a' } } } }");
  assert_string_equal(edit_table("return { p = { c = 0, renamed_from = 'q' } }", "p", FORMER, NULL, "o"),
                      "return { p = { c = 0, renamed_from = { 'o', 'q' } } }");
  assert_string_equal(edit_table("return { p = { c = 0, renamed_from = { 'q', 'r' } } }", "p", FORMER, NULL, "o"),
                      "return { p = { c = 0, renamed_from = { 'o', 'q', 'r' } } }");
  assert_string_equal(edit_table("return { p = { c = 0, renamed_from = { b = { 'a' } } } }", "p", FORMER, "c", "b"),
                      "return { p = { c = 0, renamed_from = { c = { 'b', 'a' } } } }");
  assert_string_equal(edit_table("return { p = { c = 0, renamed_from = { a = 'b', 'now' } } }", "p", FORMER, NULL, "o"),
                      "return { p = { c = 0, renamed_from = { 'o', a = 'b' } } }");
  assert_string_equal(edit_table("return { p = { c = 0, renamed_from = { 'now', 'r' } } }", "p", FORMER, NULL, "o"),
                      "return { p = { c = 0, renamed_from = { 'o', 'r' } } }");
  assert_string_equal(edit_table("return { p = { b = 0, renamed_from = { b = 'c' } } }", "p", FORMER, "c", "b"),
                      "return { p = { b = 0, renamed_from = { c = 'b' } } }");
  assert_string_equal(edit_table("return { p = { c = 0, renamed_from = {} } }", "p", FORMER, NULL, "o"),
                      "return { p = { c = 0, renamed_from = { \"o\" } } }");
}

TEST(removed_element_takes_its_line_or_separator_with_it) {
  assert_string_equal(edit_table("return { 1, 2, 3 }", "", REMOVE, "0", NULL), "return { 2, 3 }");
  assert_string_equal(edit_table("return { 1, 2, 3 }", "", REMOVE, "2", NULL), "return { 1, 2 }");
  assert_string_equal(edit_table("return { 1, 2; }", "", REMOVE, "1", NULL), "return { 1; }");
  assert_string_equal(edit_table("return { 1 }", "", REMOVE, "0", NULL), "return {}");
  assert_string_equal(
      edit_table("return {\n  -- a\n  { 1,\n    2 }, -- first\n  -- b\n  { 3 },\n}\n", "", REMOVE, "0", NULL),
      "return {\n  -- a\n  -- b\n  { 3 },\n}\n");
  assert_string_equal(edit_table("return {\r\n\ta = 1,\r\n\tb = 2\r\n}\r\n", "", REMOVE_KEY, "b", NULL),
                      "return {\r\n\ta = 1\r\n}\r\n");
  assert_string_equal(edit_table("return {\n  a = 1, b = 2,\n  c = 3,\n}\n", "", REMOVE_KEY, "a", NULL),
                      "return {\n  b = 2,\n  c = 3,\n}\n");
  assert_string_equal(edit_table("return {\n  a = 1, b = 2,\n  c = 3,\n}\n", "", REMOVE_KEY, "b", NULL),
                      "return {\n  a = 1, c = 3,\n}\n");
  assert_string_equal(edit_table("return {\n  a = 1,\n}\n", "", REMOVE_KEY, "a", NULL), "return {\n}\n");
}

// --- random files

static uint32_t seed = 11;
static uint32_t random_below(uint32_t below) {
  seed = seed * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)seed * below >> 32);
}

typedef struct source_t {
  char text[32768];
  uint32_t bytes;
  const char *newline, *indent;
} source_t;

static void put_text(source_t *s, const char *text) {
  for (; *text; ++text)
    if (*text == '\n')
      s->bytes += (uint32_t)sprintf(s->text + s->bytes, "%s", s->newline);
    else
      s->text[s->bytes++] = *text;
  s->text[s->bytes] = '\0';
}

static void put_gap(source_t *s, bool lines, uint32_t depth) {
  static const char *const comments[] = {"--[[ } ]] ", "--[==[ ]] { ]==]", " "};
  if (random_below(8) == 0)
    put_text(s, comments[random_below(3)]);
  if (lines) {
    if (random_below(8) == 0)
      put_text(s, " -- it's { odd");
    put_text(s, random_below(12) ? "\n" : "\n\n");
    for (uint32_t i = 0; i < depth; ++i)
      put_text(s, s->indent);
  } else if (random_below(6)) {
    put_text(s, " ");
  }
}

static void put_value(source_t *s, uint32_t depth);

static void put_table(source_t *s, uint32_t depth) {
  bool lines = random_below(2);
  uint32_t count = random_below(5);
  put_text(s, "{");
  for (uint32_t i = 0; i < count; ++i) {
    char key[24];
    put_gap(s, lines, depth + 1);
    snprintf(key, sizeof key, random_below(6) ? "k%u = " : random_below(2) ? "[\"k%u\"]=" : "['k%u'] =", i);
    put_text(s, random_below(8) ? key : "");
    put_value(s, depth + 1);
    put_gap(s, false, 0);
    put_text(s, i + 1 < count || random_below(2) ? (random_below(6) ? "," : ";") : "");
  }
  put_gap(s, lines, depth);
  put_text(s, "}");
}

static void put_value(source_t *s, uint32_t depth) {
  static const char *const values[] = {"1",
                                       "-2.5e3",
                                       "\"}\\\"{\"",
                                       "'x\\'\\\n'",
                                       "[[ }\n]]",
                                       "[==[]]]==]",
                                       "true",
                                       "#'abc' + 1",
                                       "f(1, { 2 }, (3))",
                                       "function(a) return { a } end",
                                       "('x'):rep(3)",
                                       "not nil",
                                       "{ 1, 2 } and 3"};
  if (depth < 4 && random_below(2))
    put_table(s, depth);
  else
    put_text(s, values[random_below(sizeof values / sizeof *values)]);
}

static const char CHECK[] =
    "local before, after, action, key, value, path = ...\n"
    "local function f() return 7 end\n"
    "local function run(text) local c = assert(loadstring(text)) setfenv(c, { f = f }) return c() end\n"
    "local a, b = run(before), run(after)\n"
    "local t, u = a, b\n"
    "for name in path:gmatch('[^.]+') do t, u = t[name], u[name] end\n"
    "if action == 'insert' and key == '' then assert(u[#t + 1] == value, 'missing element') u[#t + 1] = nil\n"
    "elseif action == 'insert' then assert(u[key] == value, 'missing key') assert(t[key] == nil) u[key] = nil\n"
    "elseif action == 'delete' then assert(u[key] == nil, 'kept key') u[key] = t[key]\n"
    "else u[key], u[value] = u[value], nil end\n"
    "local function same(x, y, where)\n"
    "  if type(x) == 'function' and type(y) == 'function' then return end\n"
    "  if type(x) ~= 'table' or type(y) ~= 'table' then assert(x == y, where .. ' differs') return end\n"
    "  for k, v in pairs(x) do same(v, y[k], where .. '.' .. tostring(k)) end\n"
    "  for k in pairs(y) do assert(x[k] ~= nil, where .. '.' .. tostring(k) .. ' is new') end\n"
    "end\n"
    "same(a, b, 'table')\n";

// Returns a random table nested in `table`, or `table` itself. Appends the keys that lead to it to `path`.
static literal_span_t choose_table(lua_edit_t *x, literal_span_t table, char *path) {
  for (;;) {
    literal_span_t tables[16];
    char names[16][8];
    uint32_t count = 0;
    lua_entry_t e;
    for (uint32_t i = table.first + 1; lua_edit_next_element(table, &i, &e);) {
      literal_span_t value = {table.file, e.value, e.last};
      if (e.name == 0 || literal_find_table(&x->search, value).file == NULL)
        continue;
      const lua_token_t *t = &table.file->lua.tokens.items[e.name];
      bool quoted = t->kind == TOKEN_STRING;
      snprintf(names[count], sizeof names[count], "%.*s", (int)(t->bytes - 2 * quoted),
               table.file->text + t->at + quoted);
      tables[count++] = value;
    }
    if (count == 0 || random_below(4) == 0)
      return table;
    uint32_t chosen = random_below(count);
    strcat(path, path[0] ? "." : "");
    strcat(path, names[chosen]);
    table = tables[chosen];
  }
}

static void check_random_edit(lua_State *L, const source_t *s) {
  char path[128] = "";
  lua_edit_t x;
  json_writer_t out;
  lua_entry_t e;
  lua_edit_init(&x, &memory, read_source, (void *)(uintptr_t)s->text);
  literal_span_t table = lua_edit_find_table(&x, "a.lua", NULL, 0, &error);
  assert_non_null(table.file);
  table = choose_table(&x, table, path);
  uint32_t first = table.first + 1;
  bool has_name = lua_edit_next_element(table, &first, &e) && e.name > 0;
  const char *action = has_name && random_below(2) ? (random_below(2) ? "rename" : "delete") : "insert";
  const char *key = random_below(3) ? "added" : "", *value = "ab";
  if (*action == 'd') {
    key = "k0";
    assert_true(lua_edit_remove_key(&x, table, key));
  } else if (*action == 'r') {
    key = "k0";
    value = "renamed";
    assert_true(lua_edit_rename_key(&x, table, key, value, &error));
  } else {
    lua_edit_insert(&x, table, *key ? key : NULL, random_below(2) ? "\"ab\"" : "\"a\"\n\t\t..\n\t\t\"b\"");
  }
  json_writer_init(&out, &memory);
  lua_edit_write(&x, table.file, &out);
  if (luaL_loadbuffer(L, CHECK, sizeof CHECK - 1, "=check") != 0)
    fail_msg("%s", lua_tostring(L, -1));
  lua_pushstring(L, s->text);
  lua_pushlstring(L, out.text.items, out.text.count);
  lua_pushstring(L, action);
  lua_pushstring(L, key);
  lua_pushstring(L, value);
  lua_pushstring(L, path);
  if (lua_pcall(L, 6, 0, 0) != 0)
    fail_msg("%s of %s in %s: %s\n--- before\n%s\n--- after\n%.*s", action, key, path, lua_tostring(L, -1), s->text,
             (int)out.text.count, out.text.items);
  json_writer_fini(&out);
  lua_edit_fini(&x);
  assert_int_equal(memory.bytes, 0);
}

TEST(random_files_load_after_an_edit_and_only_the_edited_key_differs) {
  static const char *const indents[] = {"  ", "    ", "\t", " "};
  static source_t s;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  for (int round = 0; round < 1000; ++round) {
    s.bytes = 0;
    s.newline = random_below(3) ? "\n" : "\r\n";
    s.indent = indents[random_below(4)];
    bool named = random_below(3) == 0;
    put_text(&s, named ? "-- made\nlocal M = " : "return ");
    put_table(&s, 0);
    put_text(&s, named ? "\nreturn M" : "");
    put_text(&s, random_below(2) ? "\n" : "");
    check_random_edit(L, &s);
  }
  lua_close(L);
}

TEST(syntax_error_in_edited_source_is_reported_with_file_and_line) {
  assert_true(lua_source_check("a.lua", "return 1", 8, &error));
  assert_false(lua_source_check("a.lua", "\nreturn {", 9, &error));
  assert_string_equal(error.text, "a.lua:2: unexpected symbol near '<eof>'");
  assert_true(lua_is_name("a1_") && !lua_is_name("1a") && !lua_is_name("end") && !lua_is_name("") &&
              !lua_is_name("a b"));
}
