// Wraps a console line into a Lua chunk that defines `e`, the selected entity, and returns its result as a tree.
#include "cockpit/console.h"

#include "base/assert.h"
#include "cockpit/cockpit_state.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

// Lua source of tree(…), which encodes values as JSON. Kept on one line so that line numbers in errors match the typed
// text. A node is [kind, text, children]. Each child is [key, node]. Limits: 600 nodes, 100 children per table, 5
// levels of children.
#define TREE_FUNCTION                                                                                                  \
  "local left, seen = 600, {} local function node(v, deep) left = left - 1 local kind = type(v) "                      \
  "if kind ~= 'table' or getmetatable(v) ~= nil then return { kind, tostring(v):sub(1, 400) } end "                    \
  "if seen[v] then return { kind, 'already shown' } end seen[v] = true local children, keys = {}, {} "                 \
  "for key in pairs(v) do keys[#keys + 1] = key end "                                                                  \
  "table.sort(keys, function(a, b) if type(a) == type(b) and (type(a) == 'number' or type(a) == 'string') "            \
  "then return a < b end return type(a) < type(b) end) "                                                               \
  "for i = 1, #keys do if i > 100 or left < 1 or deep > 5 then break end "                                             \
  "children[i] = { tostring(keys[i]):sub(1, 100), node(v[keys[i]], deep + 1) } end "                                   \
  "return { kind, #keys .. (#keys == 1 and ' entry' or ' entries'), children } end "                                   \
  "local function tree(...) local all = {} for i = 1, select('#', ...) do all[i] = node((select(i, ...)), 1) end "     \
  "return json.encode(all) end "

static void write_chunk(json_writer_t *t, const char *text, long long entity, bool is_expression) {
  char prologue[128];
  shoal_assert(text, "text is NULL");
  json_writer_clear(t);
  json_write_text(t, TREE_FUNCTION);
  snprintf(prologue, sizeof prologue,
           "local e = (world.sql('SELECT entity FROM entities WHERE entity = %lld')[1] or {}).entity ", entity);
  json_write_text(t, prologue);
  json_write_text(t, is_expression ? "return tree(" : "return tree((function() ");
  json_write_text(t, text);
  json_write_text(t, is_expression ? "\n)\n" : "\nend)())\n");
}

static bool is_valid_chunk(const json_writer_t *t) {
  lua_State *L = luaL_newstate();
  bool ok = L && luaL_loadbuffer(L, t->text.items, t->text.count, "=console") == 0;
  if (L)
    lua_close(L);
  return ok;
}

bool console_is_lua(const char *text) {
  allocator_t memory = {0};
  json_writer_t t;
  bool ok = false;
  json_writer_init(&t, &memory);
  for (int i = 0; i < 2 && !ok; ++i) {
    write_chunk(&t, text, 0, i == 0);
    ok = is_valid_chunk(&t);
  }
  json_writer_fini(&t);
  return ok;
}

// Text that compiles neither as an expression nor as statements is passed on unchanged, so that the game reports the
// syntax error.
void console_write_chunk(const char *text, long long entity, json_writer_t *out) {
  write_chunk(out, text, entity, true);
  if (is_valid_chunk(out))
    return;
  write_chunk(out, text, entity, false);
  if (is_valid_chunk(out))
    return;
  json_writer_clear(out);
  json_write_text(out, text);
}
