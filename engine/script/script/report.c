// Turns a thrown value and the Lua stack into a report: message, file and line of the game's code. Frames of the
// engine's chunks, which are named "@[shoal]/…", are omitted.
#include "script/report.h"

#include "base/assert.h"
#include "luajit/error_wording.h"
#include "script/vm.h"
#include "watchdog/watchdog.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 12
#define MAX_STACK_DEPTH 400 // maximum number of stack frames examined; endless recursion creates more

static bool is_game_chunk(const char *source) {
  return source[0] == '@' && strncmp(source, "@[shoal]/", 9) != 0;
}

static void append_line(char *text, size_t bytes, const char *line) {
  size_t length = strlen(text);
  snprintf(text + length, bytes - length, "%s", line);
}

void report_read_stack(lua_State *L, script_report_t *report) {
  lua_Debug frame;
  int frame_count = 0;
  for (int level = 0; level < MAX_STACK_DEPTH && frame_count < MAX_FRAMES && lua_getstack(L, level, &frame); ++level) {
    if (!lua_getinfo(L, "nSl", &frame) || !is_game_chunk(frame.source) || frame.currentline <= 0)
      continue;
    if (frame_count++ == 0 && !report->file[0]) {
      snprintf(report->file, sizeof report->file, "%s", frame.source + 1);
      report->line = frame.currentline;
    }
    char line[400];
    snprintf(line, sizeof line, "%s%s:%d: in %s", frame_count > 1 ? "\n" : "", frame.source + 1, frame.currentline,
             frame.name ? frame.name : "the file");
    append_line(report->traceback, sizeof report->traceback, line);
  }
}

bool report_fill_from_error(script_report_t *report, const error_info_t *error) {
  shoal_assert(error->message_at <= strlen(error->text), "message offset %u is out of range (length %u)",
               (unsigned)error->message_at, (unsigned)strlen(error->text));
  *report = (script_report_t){.line = (int)error->line};
  snprintf(report->piece, sizeof report->piece, "%s", error->piece);
  snprintf(report->message, sizeof report->message, "%s", error->text + error->message_at);
  snprintf(report->file, sizeof report->file, "%s", error->file);
  report->may_be_unfinished = error->may_be_unfinished;
  return false;
}

void script_parse_location(script_report_t *out) {
  lua_State *L = watchdog_current_state();
  memset(out, 0, sizeof *out);
  if (L)
    report_read_stack(L, out);
}

static void set_source_position(script_report_t *report, const char *file, size_t length, int line) {
  if (length >= 8 && strncmp(file, "[shoal]/", 8) == 0)
    return; // the engine's own file and line are removed from the message but not stored
  snprintf(report->file, sizeof report->file, "%.*s", (int)length, file);
  report->line = line;
}

// Removes the position of the frame that raised the error, which Lua prepends to the message, and stores it in
// `report`. Returns the rest of the message; NULL if the message does not begin with the position of any frame on the
// stack.
static const char *cut_frame_position(lua_State *L, const char *message, script_report_t *report) {
  lua_Debug frame;
  char position[LUA_IDSIZE + 16];
  for (int level = 0; level < MAX_STACK_DEPTH && lua_getstack(L, level, &frame); ++level) {
    if (!lua_getinfo(L, "Sl", &frame) || frame.source[0] != '@' || frame.currentline <= 0)
      continue;
    int length = snprintf(position, sizeof position, "%s:%d: ", frame.short_src, frame.currentline);
    if (strncmp(message, position, (size_t)length) != 0)
      continue;
    set_source_position(report, frame.source + 1, strlen(frame.source + 1), frame.currentline);
    return message + length;
  }
  return NULL;
}

// Removes the position at the start of a message, stores it in the report and returns the rest of the message. A string
// that was caught and rethrown still begins with its position, but its stack frame no longer exists, so the position
// must be read from the message.
const char *report_cut_position(const vm_o *vm, const char *message, script_report_t *report) {
  const char *colon = strchr(message, ':');
  char name[256], *end;
  if (!colon || (size_t)(colon - message) >= sizeof name || colon[1] < '0' || colon[1] > '9')
    return message;
  long line = strtol(colon + 1, &end, 10);
  snprintf(name, sizeof name, "%.*s", (int)(colon - message), message);
  if (end[0] != ':' || end[1] != ' ' || !sources_has_file(vm->sources, name))
    return message;
  set_source_position(report, name, strlen(name), (int)line);
  return end + 2;
}

// Returns a string field of a thrown table; NULL if the field is not a string. Uses raw access, because a metamethod of
// the table could raise a second error. The string lives as long as the table.
static const char *get_string_field(lua_State *L, int table, const char *name) {
  lua_pushstring(L, name);
  lua_rawget(L, table);
  const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
  lua_pop(L, 1);
  return text;
}

static void copy_field(lua_State *L, int table, const char *name, char *out, size_t bytes) {
  const char *text = get_string_field(L, table, name);
  snprintf(out, bytes, "%s", text ? text : "");
}

// Reads a thrown table { message, file, line, piece, traceback }. The engine throws such a table if the position cannot
// be found on the stack.
static void read_table(lua_State *L, int table, script_report_t *report) {
  copy_field(L, table, "message", report->message, sizeof report->message);
  copy_field(L, table, "file", report->file, sizeof report->file);
  copy_field(L, table, "piece", report->piece, sizeof report->piece);
  copy_field(L, table, "traceback", report->traceback, sizeof report->traceback);
  lua_pushstring(L, "line");
  lua_rawget(L, table);
  report->line = lua_type(L, -1) == LUA_TNUMBER ? (int)lua_tointeger(L, -1) : 0;
  lua_pop(L, 1);
}

// Stores the current entity of an engine loop over entities. In such a loop, a local `ids` points to the ids, or a
// local `id_list` to a pointer to the ids, and the position is either a loop index, starting at 0, or the local `row`,
// starting at 1. Returns true on success, or false if `frame` runs no such loop.
static bool read_entity(lua_State *L, const lua_Debug *frame, uint32_t *entity) {
  const uint32_t *const *ids = NULL;
  lua_Number index = -1;
  const char *name;
  for (int i = 1; (name = lua_getlocal(L, frame, i)) != NULL; ++i) {
    if (strcmp(name, "ids") == 0)
      ids = lua_topointer(L, -1); // the address of the cdata's pointer, not its value
    else if (strcmp(name, "id_list") == 0)
      ids = *(const uint32_t *const *const *)lua_topointer(L, -1);
    else if (strcmp(name, "(for index)") == 0)
      index = lua_tonumber(L, -1);
    else if (strcmp(name, "row") == 0)
      index = lua_tonumber(L, -1) - 1;
    lua_pop(L, 1);
  }
  if (ids && *ids && index >= 0)
    *entity = (*ids)[(uint32_t)index];
  return ids && *ids && index >= 0;
}

// Reads the numeric `for` loops of a script's function, the outermost loop first. In a loop over rows that
// compile/loop_rewrite.lua has rewritten, an iterator replaces the index, and the row replaces the step.
static void read_loops(lua_State *L, const lua_Debug *frame, report_running_code_t *out) {
  double index = 0, limit = 0;
  bool is_rewritten = false;
  const char *name;
  for (int i = 1; out->loop_count < REPORT_MAX_LOOPS && (name = lua_getlocal(L, frame, i)) != NULL; ++i) {
    bool is_number = lua_type(L, -1) == LUA_TNUMBER;
    double value = is_number ? lua_tonumber(L, -1) : 0;
    if (strcmp(name, "(for index)") == 0) {
      index = value;
      is_rewritten = !is_number;
    } else if (strcmp(name, "(for limit)") == 0) {
      limit = value;
    } else if (strcmp(name, "(for step)") == 0) {
      out->loops[out->loop_count].index = is_rewritten ? value : index;
      out->loops[out->loop_count++].limit = limit;
    }
    lua_pop(L, 1);
  }
}

void report_read_running_code(lua_State *L, report_running_code_t *out) {
  lua_Debug frame;
  memset(out, 0, sizeof *out);
  for (int level = 1; level < MAX_STACK_DEPTH && lua_getstack(L, level, &frame); ++level) {
    if (!lua_getinfo(L, "S", &frame))
      continue;
    if (strcmp(frame.source, "@[shoal]/loop.lua") == 0 && read_entity(L, &frame, &out->entity))
      break;
    if (frame.source[0] == '@' && strncmp(frame.source, "@[shoal]/", 9) != 0)
      read_loops(L, &frame, out);
  }
}

// Copies the game's source line at the position of the report; "" if unknown.
static void copy_source_line(const vm_o *vm, const script_report_t *report, char *out, size_t bytes) {
  size_t size = 0;
  const char *line_start = report->line > 0 && vm->sources && sources_has_file(vm->sources, report->file)
                               ? sources_read_text(vm->sources, report->file, &size, NULL)
                               : NULL;
  for (int line = 1; line_start && line < report->line; ++line) {
    line_start = strchr(line_start, '\n');
    line_start = line_start ? line_start + 1 : NULL;
  }
  snprintf(out, bytes, "%.*s", line_start ? (int)strcspn(line_start, "\n") : 0, line_start ? line_start : "");
}

int report_handle_error(lua_State *L) {
  vm_o *vm = vm_of(L);
  char line[512]; // longer lines are truncated
  script_report_t *report = &vm->caught;
  memset(report, 0, sizeof *report);
  vm->handled = true;
  if (lua_istable(L, 1) && get_string_field(L, 1, "message")) {
    read_table(L, 1, report);
  } else if (lua_isstring(L, 1)) {
    const char *thrown = lua_tostring(L, 1), *rest = cut_frame_position(L, thrown, report);
    snprintf(report->message, sizeof report->message, "%s", rest ? rest : report_cut_position(vm, thrown, report));
  } else {
    snprintf(report->message, sizeof report->message, "the error value must be a string, got a %s: use error(\"text\")",
             luaL_typename(L, 1));
  }
  if (vm->sources && sources_has_file(vm->sources, report->file))
    sources_find_path(vm->sources, report->file, report->path, sizeof report->path);
  report->may_be_unfinished = vm->sources && sources_may_be_unfinished(vm->sources, report->file);
  copy_source_line(vm, report, line, sizeof line);
  error_wording_append_hint(report->message, sizeof report->message, line);
  report_read_stack(L, report);
  report_read_running_code(L, &vm->failed_code);
  return 1;
}
