// Mentions of names in Lua source text.
#include "luajit/lua_mentions.h"
#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const components[] = {"bite", "motion", "gun", "score", "prowl", NULL};
static const char *const fields[] = {"bite.power", "bite.look", "bite.look.r", "motion.x",
                                     "gun.heat",   "score.x",   "prowl.steps", NULL};

static bool is_listed(const char *const *list, const char *text) {
  while (*list && strcmp(*list, text) != 0)
    ++list;
  return *list;
}

static bool is_component(void *context, const char *name) {
  (void)context;
  return is_listed(components, name);
}

static bool is_field(void *context, const char *component, const char *path) {
  char whole[1024];
  (void)context;
  snprintf(whole, sizeof whole, "%s.%s", component, path);
  return is_listed(fields, whole);
}

static bool is_record(void *context, const char *component, const char *path, const char *name) {
  char whole[512];
  snprintf(whole, sizeof whole, "%s", path);
  lua_values_append_name(whole, sizeof whole, name);
  return is_field(context, component, whole);
}

static char marked[2048];
static const char *source;
static size_t copied;

// Copies the text up to the mention, and encloses the mention: <name> if it is certain, ?name? otherwise.
static void mark_mention(const lua_mention_t *m) {
  size_t used = strlen(marked);
  assert_true(m->at >= copied && m->end >= m->at);
  snprintf(marked + used, sizeof marked - used, "%.*s%s%.*s%s", (int)(m->at - copied), source + copied,
           m->is_certain ? "<" : "?", (int)(m->end - m->at), source + m->at, m->is_certain ? ">" : "?");
  copied = m->end;
}

static const char *find_mentions(const char *file, const char *text, lua_name_t name) {
  allocator_t memory = {0};
  lua_tokens_t lua;
  lua_roles_t roles;
  lua_mentions_t list = {0};
  error_info_t error;
  assert_true(lua_tokens_read(&lua, &memory, text, strlen(text), &error));
  lua_roles_init(&roles, &memory, &lua, file);
  roles.is_record = is_record;
  const lua_values_t values = {&roles, is_component, is_field, NULL};
  marked[0] = '\0';
  source = text;
  copied = 0;
  lua_mentions_find(&values, &name, &list);
  for (uint32_t i = 0; i < list.count; ++i)
    mark_mention(&list.items[i]);
  array_free(&memory, &list);
  strncat(marked, text + copied, sizeof marked - strlen(marked) - 1);
  lua_roles_fini(&roles);
  lua_tokens_fini(&lua, &memory);
  assert_int_equal(memory.bytes, 0);
  return marked;
}

static const char *find_component(const char *file, const char *text) {
  return find_mentions(file, text,
                       (lua_name_t){.kind = LUA_NAME_COMPONENT, .name = "bite", .component = "", .path = ""});
}

static const char *find_power(const char *file, const char *text) {
  return find_mentions(file, text,
                       (lua_name_t){.kind = LUA_NAME_FIELD, .name = "power", .component = "bite", .path = "power"});
}

TEST(component_mentions_are_found_in_declarations) {
  assert_string_equal(
      find_component("components.lua", "return { bite = { bite = 1 }, tail = { requires = { \"bite\" } } }"),
      "return { <bite> = { bite = 1 }, tail = { requires = { \"<bite>\" } } }");
  assert_string_equal(
      find_component("components.lua", "return { fang = { renamed_from = { \"bite\", a = 'bite.b' } } }"),
      "return { fang = { renamed_from = { \"bite\", a = 'bite.b' } } }");
  assert_string_equal(find_component("assemblages/a.lua",
                                     "return { bite = { components = { bite = {} }, without = 'bite',"
                                     " is = \"bite\", states = { bite = { ['bite'] = {} } } } }"),
                      "return { bite = { components = { <bite> = {} }, without = '<bite>',"
                      " is = \"bite\", states = { bite = { ['<bite>'] = {} } } } }");
  assert_string_equal(
      find_component("assemblages.lua", "local parts = { bite = {} }\nreturn { a = { components = parts } }"),
      "local parts = { <bite> = {} }\nreturn { a = { components = parts } }");
  assert_string_equal(
      find_component("systems/a.lua", "return { query = { \"bite\", without = { \"bite\" } }, after = { \"bite\" } }"),
      "return { query = { \"<bite>\", without = { \"<bite>\" } }, after = { \"bite\" } }");
}

TEST(component_mentions_are_found_in_code) {
  assert_string_equal(
      find_component("systems/a.lua",
                     "return { each = function(e) local bite = e.bite e:add('bite', { bite = 1 }) end }"),
      "return { each = function(e) local bite = e.<bite> e:add('<bite>', { bite = 1 }) end }");
  assert_string_equal(
      find_component("systems/a.lua", "return { on = { bite = function(ev) print(ev.bite[1], ev.b.bite.power) end } }"),
      "return { on = { bite = function(ev) print(ev.bite[1], ev.b.<bite>.power) end } }");
  assert_string_equal(find_component("lib/a.lua", "local M = {} M.bite = 1 print('a bite', math.bite) return M"),
                      "local M = {} M.?bite? = 1 print('a ?bite?', math.?bite?) return M");
  assert_string_equal(find_component("lib/a.lua", "return e:has(kind) and world.lookup('bite') or 'bi' .. kind"),
                      "return e:has(kind) and world.lookup('<bite>') or '?bi?' .. kind");
  assert_string_equal(find_component("game.lua",
                                     "return { start = function() world.spawn('a', { bite = {} }) world.tween(e, "
                                     "'bite.power', 1, 2) end }"),
                      "return { start = function() world.spawn('a', { <bite> = {} }) world.tween(e, "
                      "'<bite>.power', 1, 2) end }");
}

TEST(members_of_data_are_uncertain_mentions) {
  assert_string_equal(find_component("assemblages.lua",
                                     "local all = {}\nfor kind, of in pairs(assets.json 'kinds.json') do "
                                     "all[kind] = of.bite.power end\nreturn all"),
                      "local all = {}\nfor kind, of in pairs(assets.json 'kinds.json') do "
                      "all[kind] = of.?bite?.power end\nreturn all");
  assert_string_equal(find_component("lib/a.lua", "local rows = assets.csv('a.csv') return rows[1].bite.power"),
                      "local rows = assets.csv('a.csv') return rows[1].?bite?.power");
  assert_string_equal(
      find_component("lib/a.lua", "local found = {} for _, e in ipairs(found) do print(e.bite.power) end"),
      "local found = {} for _, e in ipairs(found) do print(e.<bite>.power) end");
}

// An empty table, or one with other keys, may be any table of the game.
TEST(key_of_an_unknown_table_is_a_certain_mention_only_with_fields_of_the_component) {
  assert_string_equal(find_component("lib/a.lua", "return use { bite = {} }, use { bite = { power = 1 } }"),
                      "return use { ?bite? = {} }, use { <bite> = { power = 1 } }");
}

TEST(field_mentions_are_found_by_component) {
  assert_string_equal(
      find_power(
          "components.lua",
          "local t = shoal.types return { bite = t.single { power = 1, look = { power = 2 } }, gun = { power = 3 } }"),
      "local t = shoal.types return { bite = t.single { <power> = 1, look = { power = 2 } }, gun = { power = 3 } }");
  assert_string_equal(find_power("systems/a.lua",
                                 "return { update = function(q)\nlocal p, b, m = q.bite.power, q.bite, q.motion\n"
                                 "for i = 1, q.count do p[i] = b.power[i] + m.power[i] end end }"),
                      "return { update = function(q)\nlocal p, b, m = q.bite.<power>, q.bite, q.motion\n"
                      "for i = 1, q.count do p[i] = b.<power>[i] + m.power[i] end end }");
  assert_string_equal(
      find_power("lib/a.lua", "local b = world.lookup('bite') local s = { power = 3 } return b.power[e] + s.power"),
      "local b = world.lookup('bite') local s = { ?power? = 3 } return b.<power>[e] + s.?power?");
  assert_string_equal(
      find_power("sequences/a.lua", "return { { tween = 'bite.power', to = 1 }, { say = 'power of bite' } }"),
      "return { { tween = 'bite.<power>', to = 1 }, { say = '?power? of bite' } }");
  const lua_name_t red = {.kind = LUA_NAME_FIELD, .name = "r", .component = "bite", .path = "look.r"};
  assert_string_equal(
      find_mentions("assemblages.lua", "return { a = { components = { bite = { r = 1, look = { r = 2 } } } } }", red),
      "return { a = { components = { bite = { r = 1, look = { <r> = 2 } } } } }");
  const lua_name_t heat = {.kind = LUA_NAME_FIELD, .name = "heat", .component = "gun", .path = "heat"};
  assert_string_equal(
      find_mentions("assemblages.lua", "return { a = { components = { gun = { left = { heat = 1 } } } } }", heat),
      "return { a = { components = { gun = { left = { <heat> = 1 } } } } }");
  assert_string_equal(find_mentions("systems/a.lua", "return { each = function(e) return e.gun.left.heat end }", heat),
                      "return { each = function(e) return e.gun.left.<heat> end }");
  const lua_name_t steps = {.kind = LUA_NAME_FIELD, .name = "steps", .component = "prowl", .path = "steps"};
  assert_string_equal(find_mentions("behaviours/prowl.lua",
                                    "return { fields = { steps = 0 }, update = function(self) self.steps = 1 end }",
                                    steps),
                      "return { fields = { <steps> = 0 }, update = function(self) self.<steps> = 1 end }");
}

TEST(mentions_of_assemblages_states_and_events_are_found) {
  const lua_name_t wolf = {.kind = LUA_NAME_ASSEMBLAGE, .name = "wolf"};
  assert_string_equal(
      find_mentions("lib/a.lua",
                    "world.spawn('wolf') world.count('wolf') print(e:assemblage() == 'wolf', { wolf = 3 }, 'wolf')",
                    wolf),
      "world.spawn('<wolf>') world.count('<wolf>') print(e:assemblage() == '<wolf>', { ?wolf? = 3 }, '?wolf?')");
  const lua_name_t calm = {.kind = LUA_NAME_STATE, .name = "calm"};
  assert_string_equal(
      find_mentions("assemblages.lua",
                    "return { a = { states = { initial = 'calm', calm = {}, renamed_from = { calm = 'x' } } } }", calm),
      "return { a = { states = { initial = '<calm>', <calm> = {}, renamed_from = { calm = 'x' } } } }");
  assert_string_equal(find_mentions("lib/a.lua", "if 'calm' ~= e:state() then e:enter('calm') end", calm),
                      "if '<calm>' ~= e:state() then e:enter('<calm>') end");
  const lua_name_t howl = {.kind = LUA_NAME_EVENT, .name = "howl"};
  assert_string_equal(
      find_mentions("behaviours/a.lua",
                    "return { on = { howl = function(self, ev) world.after(1, 'howl') e:send('howl') end } }", howl),
      "return { on = { <howl> = function(self, ev) world.after(1, '<howl>') e:send('<howl>') end } }");
}
