// The few things that the engine's Lua cannot do through the FFI: entity handles (light userdata cannot cross it),
// files, the log, and the addresses that everything else starts from.
#include "bindings/bindings.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/similar.h"
#include "luajit/loop_starts.h"
#include "platform/input.h"
#include "bindings/abi.h"
#include "bindings/bind_scene.h"
#include "script/chunks.h"
#include "script/parallel.h"
#include "script/vm.h"
#include "watchdog/hostcall.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <sys/random.h>
#include <stdio.h>
#include <string.h>

// All light userdata share one metatable; this sets it.
static int set_handle_metatable(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushlightuserdata(L, (void *)1);
  lua_pushvalue(L, 1);
  lua_setmetatable(L, -2);
  return 0;
}

static void set_handle(lua_State *L, int table, int i, const shoal_entity *ids) {
  handles_push(L, ids[i - 1]);
  lua_rawseti(L, table, i);
}

// handle_list(address of ids, count) → an array of handles.
static int handle_list(lua_State *L) {
  const shoal_entity *ids = (const shoal_entity *)(uintptr_t)luaL_checknumber(L, 1);
  int count = (int)luaL_checkinteger(L, 2);
  lua_createtable(L, count, 0);
  for (int i = 1; i <= count; ++i)
    set_handle(L, 3, i, ids);
  return 1;
}

// fill_handles(list, address of ids, count): its elements become handles.
static int fill_handles(lua_State *L) {
  const shoal_entity *ids = (const shoal_entity *)(uintptr_t)luaL_checknumber(L, 2);
  int count = (int)luaL_checkinteger(L, 3);
  for (int i = 1; i <= count; ++i)
    set_handle(L, 1, i, ids);
  return 0;
}

// sparse_list(address of ids, count) → a table that has only the elements that # looks at on its way to `count`:
// powers of two, then halves. In a hash, so that there is no array that # would begin with. nil should this LuaJIT
// look elsewhere.
static int sparse_list(lua_State *L) {
  const shoal_entity *ids = (const shoal_entity *)(uintptr_t)luaL_checknumber(L, 1);
  int count = (int)luaL_checkinteger(L, 2), low = 0, high = 1;
  lua_createtable(L, 0, 64);
  for (; high <= count; high *= 2)
    set_handle(L, 3, low = high, ids);
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (middle <= count)
      set_handle(L, 3, low = middle, ids);
    else
      high = middle;
  }
  if (lua_objlen(L, 3) != (size_t)count)
    lua_pushnil(L);
  return 1;
}

// source(name) → the text; nil, message.
static int read_source(lua_State *L) {
  error_t error = {0};
  size_t size = 0;
  const char *name = luaL_checkstring(L, 1);
  hostcall_enter();
  const char *text = sources_read(vm_of(L)->sources, name, &size, &error);
  hostcall_leave();
  if (!text)
    return bind_refuse(L, error.text);
  lua_pushlstring(L, text, size);
  return 1;
}

// made(chunk): by a script, from text
static int made(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  chunk_note_made(L);
  return 0;
}

// compile(name) → the chunk; nil, message.
static int compile(lua_State *L) {
  bool fine = chunk_compile(L, luaL_checkstring(L, 1));
  if (fine)
    return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

static void push_write(lua_State *L, const bytecode_write_t *w) {
  lua_createtable(L, 0, 4);
  lua_pushinteger(L, (lua_Integer)w->upvalue);
  lua_setfield(L, -2, "upvalue");
  lua_pushinteger(L, (lua_Integer)w->line);
  lua_setfield(L, -2, "line");
  lua_pushstring(L, w->name);
  lua_setfield(L, -2, "name");
  lua_pushboolean(L, w->kind == BYTECODE_STORES);
  lua_setfield(L, -2, "stores");
}

// writes(function) → array of what it writes outside of itself (bytecode.h): { upvalue, line, name, stores }; nil for
// nothing.
static int list_writes(lua_State *L) {
  vm_o *vm = vm_of(L);
  bytecode_write_t found[BYTECODE_MAX_WRITES];
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  if (!vm->reads_bytecode || !bytecode_dump(L, &vm->bytecode))
    return 0;
  int count = bytecode_writes(&vm->ops, vm->bytecode.items, vm->bytecode.count, found);
  shoal_assert(count <= (int)BYTECODE_MAX_WRITES, "%d writes were found, and there is room for %d", count,
               BYTECODE_MAX_WRITES);
  if (count <= 0)
    return 0;
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; ++i) {
    push_write(L, &found[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

// mentions(function, text) → is it among the function's constants?
static int has_text(lua_State *L) {
  vm_o *vm = vm_of(L);
  const char *text = luaL_checkstring(L, 2);
  lua_pushvalue(L, 1);
  lua_pushboolean(L,
                  bytecode_dump(L, &vm->bytecode) && bytecode_mentions(vm->bytecode.items, vm->bytecode.count, text));
  return 1;
}

// sources(folder) → sorted array of the names of the game's files below it, relative to it.
static int list_sources(lua_State *L) {
  const char *folder = luaL_checkstring(L, 1), *name;
  size_t length = strlen(folder);
  int count = 0;
  lua_newtable(L);
  for (uint32_t i = 0; (name = sources_name(vm_of(L)->sources, i)) != NULL; ++i)
    if (strncmp(name, folder, length) == 0 && name[length] == '/') {
      lua_pushstring(L, name + length + 1);
      lua_rawseti(L, -2, ++count);
    }
  return 1;
}

// From here on what is on the disk now: for the menu.
static int read_file(lua_State *L) {
  vm_o *vm = vm_of(L);
  allocator_t *a = world_allocator(vm->desc.world);
  error_t error = {0};
  size_t size = 0;
  const char *path = luaL_checkstring(L, 1);
  hostcall_enter();
  char *text = file_read(a, path, &size, &error);
  if (text) {
    lua_pushlstring(L, text, size);
    file_free(a, text, size);
    hostcall_leave();
    return 1;
  }
  hostcall_leave();
  return bind_refuse(L, error.text);
}

static void push_paths(lua_State *L, const file_list_t *list) {
  lua_createtable(L, (int)list->count, 0);
  for (uint32_t i = 0; i < list->count; ++i) {
    lua_pushstring(L, list->paths[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
}

// list(folder, suffix) → sorted array of paths relative to the folder; nil, message.
static int list_files(lua_State *L) {
  vm_o *vm = vm_of(L);
  allocator_t *a = world_allocator(vm->desc.world);
  error_t error = {0};
  file_list_t list = {0};
  const char *folder = luaL_checkstring(L, 1), *suffix = luaL_checkstring(L, 2);
  hostcall_enter();
  if (!file_list(a, folder, suffix, &list, &error)) {
    hostcall_leave();
    return bind_refuse(L, error.text);
  }
  push_paths(L, &list);
  file_list_free(a, &list);
  hostcall_leave();
  return 1;
}

// similar(wanted, list of names) → the one that was meant, or nil. Names that are no texts are passed over.
static int similar(lua_State *L) {
  similar_t s;
  similar_begin(&s, luaL_checkstring(L, 1));
  luaL_checktype(L, 2, LUA_TTABLE);
  for (int i = 1, count = (int)lua_objlen(L, 2); i <= count; ++i) {
    lua_rawgeti(L, 2, i);
    if (lua_type(L, -1) == LUA_TSTRING)
      similar_offer(&s, lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  if (s.best[0])
    lua_pushstring(L, s.best);
  else
    lua_pushnil(L);
  return 1;
}

// input_similar(text) → the key, button or axis that was meant by one that means nothing; nil when none is near.
static int similar_input(lua_State *L) {
  char name[96];
  if (!input_similar(luaL_checkstring(L, 1), name, sizeof name))
    return 0;
  lua_pushstring(L, name);
  return 1;
}

static int is_folder(lua_State *L) {
  lua_pushboolean(L, file_is_folder(luaL_checkstring(L, 1)));
  return 1;
}

static int write_log(lua_State *L) {
  vm_o *vm = vm_of(L);
  log_o *log = vm->desc.log;
  const char *level = luaL_checkstring(L, 1), *text = luaL_checkstring(L, 2);
  const char *place = luaL_optstring(L, 3, "");
  if (vm->place.muted)
    return 0;
  hostcall_enter();
  log_set_place(log, place);
  if (level[0] == 'e')
    log_error(log, "%s", text);
  else if (level[0] == 'w')
    log_warn(log, "%s", text);
  else if (level[0] == 'd')
    log_debug(log, "%s", text);
  else
    log_info(log, "%s", text);
  log_set_place(log, "");
  hostcall_leave();
  return 0;
}

// A line on the standard output, or, where the log has no terminal, a line of it.
static int print_line(lua_State *L) {
  size_t size = 0;
  const char *text = luaL_checklstring(L, 1, &size);
  log_o *log = vm_of(L)->desc.log;
  if (vm_of(L)->place.muted || log_is_muted(log))
    return 0;
  hostcall_enter();
  if (log_has_terminal(log)) {
    fwrite(text, 1, size, stdout);
    fputc('\n', stdout);
    fflush(stdout);
  } else {
    log_info(log, "%s", text);
  }
  hostcall_leave();
  return 0;
}

// game_files() → the names of all files of the game's folder, below assets/ too; hidden ones are left out. For
// messages only.
static int game_files(lua_State *L) {
  vm_o *vm = vm_of(L);
  allocator_t *a = world_allocator(vm->desc.world);
  file_list_t list = {0};
  hostcall_enter();
  if (!file_list(a, vm->game_folder, "", &list, NULL))
    list = (file_list_t){0};
  push_paths(L, &list);
  file_list_free(a, &list);
  hostcall_leave();
  return 1;
}

// missing_asset(name, place, sound) → where it was looked for, in words; nil when it is there. `place` asks for it, as
// the message says when it turns out to be broken. `sound`: a name without its ending is enough. For messages only:
// nothing of the world may depend on it.
static int missing_asset(lua_State *L) {
  vm_o *vm = vm_of(L);
  char path[1280] = "";
  const char *name = luaL_checkstring(L, 1), *place = luaL_checkstring(L, 2);
  hostcall_enter();
  bool found = !vm->desc.assets || assets_find(vm->desc.assets, name, path, sizeof path);
  bool sound = !found && lua_toboolean(L, 3) && !assets_has_ending(name);
  if (sound && !assets_is_sound(vm->desc.assets, name))
    assets_say_no_sound(name, path, sizeof path);
  else
    found = found || sound;
  if (vm->desc.assets && !vm->place.muted)
    assets_ask(vm->desc.assets, name, place, !found);
  hostcall_leave();
  if (found)
    lua_pushnil(L);
  else
    lua_pushstring(L, path);
  return 1;
}

// draw.text_size: (text, size, font, wrap, markup, line_spacing) → width, height
static int text_size(lua_State *L) {
  vm_o *vm = vm_of(L);
  float width = 0, height = 0;
  const char *text = luaL_checkstring(L, 1);
  const text_style_t style = {.font = luaL_checkstring(L, 3),
                              .size = (float)luaL_checknumber(L, 2),
                              .wrap = (float)luaL_checknumber(L, 4),
                              .line_spacing = (float)luaL_checknumber(L, 6),
                              .markup = lua_toboolean(L, 5)};
  hostcall_enter();
  if (vm->desc.render)
    render_text_size(vm->desc.render, &style, text, &width, &height);
  hostcall_leave();
  lua_pushnumber(L, width);
  lua_pushnumber(L, height);
  return 2;
}

// Member names of proxies must not be guessable; this is the one place where chance from outside is right, since it
// never reaches the simulation.
static int secret(lua_State *L) {
  unsigned char bytes[12];
  char text[2 * sizeof bytes + 1];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
    return luaL_error(L, "the system has no random bytes");
  for (size_t i = 0; i < sizeof bytes; ++i) {
    text[2 * i] = (char)('a' + (bytes[i] & 15));
    text[2 * i + 1] = (char)('a' + (bytes[i] >> 4));
  }
  lua_pushlstring(L, text, 2 * sizeof bytes);
  return 1;
}

static void set_text(lua_State *L, const char *name, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
}

// run_parallel(system's name, its number, rows, dt): the body of a parallel system. An error of it is thrown on.
static int run_parallel(lua_State *L) {
  vm_o *vm = vm_of(L);
  script_report_t report;
  uint32_t number = (uint32_t)luaL_checknumber(L, 2), rows = (uint32_t)luaL_checknumber(L, 3);
  if (!vm->parallel)
    return luaL_error(L, "this VM has no workers");
  const char *system = luaL_checkstring(L, 1);
  float dt_s = (float)luaL_checknumber(L, 4);
  hostcall_enter();
  bool good = parallel_run(vm->parallel, system, number, rows, dt_s, &report);
  hostcall_leave();
  if (good)
    return 0;
  lua_createtable(L, 0, 4);
  set_text(L, "message", report.message);
  set_text(L, "file", report.file);
  set_text(L, "traceback", report.traceback);
  lua_pushinteger(L, report.line);
  lua_setfield(L, -2, "line");
  return lua_error(L);
}

static void set_truth(lua_State *L, const char *name, bool truth) {
  lua_pushboolean(L, truth);
  lua_setfield(L, -2, name);
}

// The menu is the one game folder that may list and open others.
static bool is_menu(const vm_o *vm) {
  char menu[1024];
  return strcmp(path_join(menu, sizeof menu, vm->engine_folder, "menu"), vm->game_folder) == 0;
}

static const luaL_Reg FUNCTIONS[] = {
    {"share_handles", bind_share_handles},
    {"grow_handles", bind_grow_handles},
    {"set_handle_metatable", set_handle_metatable},
    {"handle_list", handle_list},
    {"fill_handles", fill_handles},
    {"sparse_list", sparse_list},
    {"source", read_source},
    {"sources", list_sources},
    {"compile", compile},
    {"made", made},
    {"writes", list_writes},
    {"rewrite", bytecode_rewrite},
    {"mentions", has_text},
    {"read_file", read_file},
    {"list_files", list_files},
    {"is_folder", is_folder},
    {"similar", similar},
    {"input_similar", similar_input},
    {"log", write_log},
    {"print", print_line},
    {"game_files", game_files},
    {"missing_asset", missing_asset},
    {"text_size", text_size},
    {"secret", secret},
    {"run_parallel", run_parallel},
    {"sql", bind_sql},
    {"watch", bind_watch},
    {"scene_write", bind_scene_write},
    {"scene_check", bind_scene_check},
    {"scene_read", bind_scene_read},
    {"json_decode", bind_json_decode},
    {NULL, NULL},
};

static void push_addresses(lua_State *L, vm_o *vm) {
  const vm_desc_t *d = &vm->desc;
  bind_address(L, "world", d->world);
  bind_address(L, "input", d->input);
  bind_address(L, "input_before", d->input_before);
  bind_address(L, "draw", d->draw);
  bind_address(L, "audio", d->audio);
  bind_address(L, "requests", d->requests);
  bind_address(L, "vm", vm);
  bind_address(L, "place", &vm->place);
  bind_address(L, "handles", &vm->handles);
}

static void push_truths(lua_State *L, const vm_o *vm) {
  const vm_desc_t *d = &vm->desc;
  set_truth(L, "trust", d->trust);
  set_truth(L, "is_menu", is_menu(vm));
  set_truth(L, "worker", vm->worker);
  set_truth(L, "is_silent", vm->worker || vm->builds > 1); // what files say while they are loaded is said once
  set_truth(L, "check_tables", d->check_tables);
  set_truth(L, "check_kernels", d->check_kernels);
  set_truth(L, "no_jit", d->no_jit);
  set_truth(L, "strict", d->strict);
  set_truth(L, "metadata", d->metadata);
}

void bindings_open(lua_State *L, void *context) {
  vm_o *vm = vm_of(L);
  (void)context;
  bind_functions(L, FUNCTIONS, NULL);
  push_addresses(L, vm);
  bind_declarations(L, abi_text);
  game_facts_push_defaults(L);
  lua_setfield(L, -2, "game_defaults");
  set_text(L, "game_folder", vm->desc.game_folder);
  set_text(L, "engine_folder", vm->desc.engine_folder);
  set_text(L, "message", vm->desc.message);
  push_truths(L, vm);
}
