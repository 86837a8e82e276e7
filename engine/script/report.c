// From a thrown value and the Lua stack to a report that a person can use: message, file and line of the game's own code.
// The engine's chunks are named "@[shoal]/…": their frames are left out.
#include "script/vm.h"

#include <lauxlib.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 12
#define BROKEN_DEPTH 12
#define MAX_DEPTH 400 // of an endless recursion only the top is looked at

static bool is_game_chunk(const char *source) {
  return source[0] == '@' && strncmp(source, "@[shoal]/", 9) != 0;
}

static void append(char *text, size_t bytes, const char *line) {
  size_t used = strlen(text);
  snprintf(text + used, bytes - used, "%s", line);
}

static void read_stack(lua_State *L, int depth, script_report_t *r) {
  lua_Debug frame;
  int found = 0;
  for (int level = 0; level < depth && found < MAX_FRAMES && lua_getstack(L, level, &frame); ++level) {
    if (!lua_getinfo(L, "nSl", &frame) || !is_game_chunk(frame.source) || frame.currentline <= 0)
      continue;
    if (found++ == 0 && !r->file[0]) {
      snprintf(r->file, sizeof r->file, "%s", frame.source + 1);
      r->line = frame.currentline;
    }
    char line[400];
    snprintf(line, sizeof line, "%s%s:%d: in %s", found > 1 ? "\n" : "", frame.source + 1, frame.currentline,
             frame.name ? frame.name : "the file");
    append(r->traceback, sizeof r->traceback, line);
  }
}

void vm_where(vm_o *vm, script_report_t *out) {
  memset(out, 0, sizeof *out);
  if (vm->L)
    report_stack(vm->L, out);
}

void report_stack(lua_State *L, script_report_t *r) {
  read_stack(L, MAX_DEPTH, r);
}

static _Thread_local sigjmp_buf *volatile broken;

static void on_broken(int number) {
  if (broken)
    siglongjmp(*broken, 1);
  signal(number, SIG_DFL); // somebody else's: it comes again
}

// Whoever jumped out of LuaJIT left a stack that is fine in most cases; where it is not, reading it may fail.
void report_broken_stack(lua_State *L, script_report_t *r) {
  struct sigaction action, segv, bus;
  sigjmp_buf out;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_broken;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGSEGV, &action, &segv);
  sigaction(SIGBUS, &action, &bus);
  broken = &out;
  if (sigsetjmp(out, 0) == 0)
    read_stack(L, BROKEN_DEPTH, r);
  else
    memset(r, 0, sizeof *r);
  broken = NULL;
  sigaction(SIGSEGV, &segv, NULL);
  sigaction(SIGBUS, &bus, NULL);
}

// "systems/a.lua:12: text" → place and text. A place in the engine's own Lua is only cut off.
static const char *split_place(const char *message, char *file, size_t file_bytes, int *line) {
  const char *colon = strchr(message, ':');
  while (colon && !(colon[1] >= '0' && colon[1] <= '9'))
    colon = strchr(colon + 1, ':');
  if (!colon || colon - message > 200 || memchr(message, '\n', (size_t)(colon - message)))
    return message;
  char *end;
  long number = strtol(colon + 1, &end, 10);
  if (*end != ':' || (end[1] != ' ' && end[1] != '\0') || memchr(message, ' ', (size_t)(colon - message)))
    return message;
  if (strncmp(message, "[shoal]/", 8) != 0) {
    snprintf(file, file_bytes, "%.*s", (int)(colon - message), message);
    *line = (int)number;
  }
  return end[1] == ' ' ? end + 2 : end + 1;
}

// Raw: a metamethod of what a script threw could throw again. The text lives as long as the table.
static const char *field_text(lua_State *L, int table, const char *name) {
  lua_pushstring(L, name);
  lua_rawget(L, table);
  const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  lua_pop(L, 1);
  return text;
}

static void copy_field(lua_State *L, int table, const char *name, char *out, size_t bytes) {
  const char *text = field_text(L, table, name);
  snprintf(out, bytes, "%s", text ? text : "");
}

// The engine throws { message, file, line, piece } where it knows better than the stack.
static void read_table(lua_State *L, int table, script_report_t *r) {
  copy_field(L, table, "message", r->message, sizeof r->message);
  copy_field(L, table, "file", r->file, sizeof r->file);
  copy_field(L, table, "piece", r->piece, sizeof r->piece);
  copy_field(L, table, "traceback", r->traceback, sizeof r->traceback);
  lua_pushstring(L, "line");
  lua_rawget(L, table);
  r->line = lua_type(L, -1) == LUA_TNUMBER ? (int)lua_tointeger(L, -1) : 0;
  lua_pop(L, 1);
}

// The engine's loops over entities have their ids in a local `ids`, and count from 0.
static bool read_entity(lua_State *L, const lua_Debug *frame, uint32_t *out) {
  const uint32_t *const *ids = NULL;
  lua_Number index = -1;
  const char *name;
  for (int i = 1; (name = lua_getlocal(L, frame, i)) != NULL; ++i) {
    if (strcmp(name, "ids") == 0)
      ids = lua_topointer(L, -1); // a cdata: where its pointer is
    else if (strcmp(name, "(for index)") == 0)
      index = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  if (ids && *ids && index >= 0)
    *out = (*ids)[(uint32_t)index];
  return ids && *ids && index >= 0;
}

uint32_t report_entity_at_hand(lua_State *L) {
  lua_Debug frame;
  uint32_t entity = 0;
  for (int level = 1; level < MAX_DEPTH && lua_getstack(L, level, &frame); ++level)
    if (lua_getinfo(L, "S", &frame) && strcmp(frame.source, "@[shoal]/loop.lua") == 0 &&
        read_entity(L, &frame, &entity))
      break;
  return entity;
}

int report_handler(lua_State *L) {
  vm_o *vm = vm_of(L);
  script_report_t *r = &vm->caught;
  memset(r, 0, sizeof *r);
  vm->handled = true;
  if (lua_istable(L, 1) && field_text(L, 1, "message")) {
    read_table(L, 1, r);
  } else if (lua_isstring(L, 1)) {
    const char *text = split_place(lua_tostring(L, 1), r->file, sizeof r->file, &r->line);
    snprintf(r->message, sizeof r->message, "%s", text);
  } else {
    snprintf(r->message, sizeof r->message, "an error that is a %s value", luaL_typename(L, 1));
  }
  report_stack(L, r);
  vm->caught_entity = report_entity_at_hand(L);
  return 1;
}
