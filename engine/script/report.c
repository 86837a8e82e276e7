// From a thrown value and the Lua stack to a report that a person can use: message, file and line of the game's own code.
// The engine's chunks are named "@[shoal]/…": their frames are left out.
#include "script/vm.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 12
#define MAX_DEPTH 400 // of an endless recursion only the top is looked at

static bool is_game_chunk(const char *source) {
  return source[0] == '@' && strncmp(source, "@[shoal]/", 9) != 0;
}

static void append(char *text, size_t bytes, const char *line) {
  size_t used = strlen(text);
  snprintf(text + used, bytes - used, "%s", line);
}

static void read_stack(lua_State *L, script_report_t *r) {
  lua_Debug frame;
  int found = 0;
  for (int level = 1; level < MAX_DEPTH && found < MAX_FRAMES && lua_getstack(L, level, &frame); ++level) {
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

static const char *field_text(lua_State *L, int table, const char *name) {
  lua_getfield(L, table, name);
  const char *text = lua_tostring(L, -1);
  lua_pop(L, 1);
  return text ? text : "";
}

// The engine throws { message, file, line, piece } where it knows better than the stack.
static void read_table(lua_State *L, int table, script_report_t *r) {
  snprintf(r->message, sizeof r->message, "%s", field_text(L, table, "message"));
  snprintf(r->file, sizeof r->file, "%s", field_text(L, table, "file"));
  snprintf(r->piece, sizeof r->piece, "%s", field_text(L, table, "piece"));
  lua_getfield(L, table, "line");
  r->line = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
}

int report_handler(lua_State *L) {
  vm_o *vm = vm_of(L);
  script_report_t *r = &vm->caught;
  memset(r, 0, sizeof *r);
  bool told = false;
  if (lua_istable(L, 1)) {
    lua_getfield(L, 1, "message");
    told = lua_isstring(L, -1);
    lua_pop(L, 1);
  }
  if (told) {
    read_table(L, 1, r);
  } else if (lua_isstring(L, 1)) {
    const char *text = split_place(lua_tostring(L, 1), r->file, sizeof r->file, &r->line);
    snprintf(r->message, sizeof r->message, "%s", text);
  } else {
    snprintf(r->message, sizeof r->message, "an error that is a %s value", luaL_typename(L, 1));
  }
  read_stack(L, r);
  return 1;
}
