// Binds sql/sql.h to Lua: runs queries, and converts their parameters and rows.
#include "bindings/bind.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "script/vm.h"
#include "sql/sql.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

static bool read_handle(const void *pointer, sql_value_t *value) {
  uintptr_t bits = (uintptr_t)pointer;
  *value = (sql_value_t){.kind = SQL_ENTITY, .integer = (int64_t)(bits >> 2)};
  return (bits & 3) == 1;
}

static bool read_parameter(lua_State *L, int index, sql_value_t *value) {
  size_t bytes = 0;
  double number;
  switch (lua_type(L, index)) {
  case LUA_TNIL: *value = (sql_value_t){.kind = SQL_NULL}; return true;
  case LUA_TBOOLEAN: *value = (sql_value_t){.kind = SQL_BOOL, .integer = lua_toboolean(L, index)}; return true;
  case LUA_TNUMBER:
    number = lua_tonumber(L, index);
    if (number == floor(number) && fabs(number) < 9e15)
      *value = (sql_value_t){.kind = SQL_INTEGER, .integer = (int64_t)number};
    else
      *value = (sql_value_t){.kind = SQL_REAL, .real = number};
    return true;
  case LUA_TSTRING:
    value->kind = SQL_TEXT;
    value->text = lua_tolstring(L, index, &bytes); // the table of parameters keeps the string alive
    value->bytes = (uint32_t)bytes;
    return true;
  case LUA_TLIGHTUSERDATA: return read_handle(lua_touserdata(L, index), value);
  default: return false;
  }
}

static void push_matrix(lua_State *L, const char *bytes) {
  lua_createtable(L, 16, 0);
  for (int i = 0; i < 16; ++i) {
    float number;
    memcpy(&number, bytes + (size_t)i * sizeof number, sizeof number);
    lua_pushnumber(L, number);
    lua_rawseti(L, -2, i + 1);
  }
}

static void push_value(lua_State *L, const sql_value_t *value) {
  switch (value->kind) {
  case SQL_INTEGER: lua_pushnumber(L, (lua_Number)value->integer); break;
  case SQL_REAL: lua_pushnumber(L, value->real); break;
  case SQL_BOOL: lua_pushboolean(L, value->integer != 0); break;
  case SQL_ENTITY: handles_push_handle(L, (shoal_entity)value->integer); break;
  case SQL_MATRIX: push_matrix(L, value->text); break;
  case SQL_TEXT:
  case SQL_BLOB: lua_pushlstring(L, value->text, value->bytes); break;
  default: lua_pushnil(L); break;
  }
}

static void push_rows(lua_State *L, const sql_result_t *result) {
  shoal_assert(result->row_count == 0 || result->column_count > 0, "the result has %u rows, but no columns",
               result->row_count);
  lua_createtable(L, (int)result->row_count, 0);
  for (uint32_t row = 0; row < result->row_count; ++row) {
    if (row % 1024 == 0 && interrupt_is_pending())
      luaL_error(L, "the query was interrupted");
    lua_createtable(L, 0, (int)result->column_count);
    for (uint32_t i = 0; i < result->column_count; ++i) {
      lua_pushstring(L, result->names[i]);
      push_value(L, &result->values[row * result->column_count + i]);
      lua_rawset(L, -3);
    }
    lua_rawseti(L, -2, (int)row + 1);
  }
}

// Called under lua_pcall, so that the result is freed even if Lua runs out of memory.
static int push_result(lua_State *L) {
  const sql_result_t *result = lua_touserdata(L, 1);
  push_rows(L, result);
  lua_pushnumber(L, (lua_Number)result->changed_rows);
  return 2;
}

int bind_sql(lua_State *L) {
  sql_o *sql = vm_of(L)->desc.sql;
  sql_value_t parameters[SQL_MAX_PARAMETERS];
  sql_run_desc_t desc = {.parameters = parameters, .allow_writes = lua_toboolean(L, 2)};
  desc.text = luaL_checklstring(L, 1, &desc.text_bytes);
  int count = (int)luaL_checkinteger(L, 4);
  if (!sql)
    return bind_push_error(L, "SQL is not available in this run");
  desc.max_steps = desc.allow_writes ? 0 : sql_script_steps(sql);
  if (count > SQL_MAX_PARAMETERS)
    return bind_push_error(L, lua_pushfstring(L, "too many parameters: %d (at most %d)", count, SQL_MAX_PARAMETERS));
  for (int i = 0; i < count; ++i) {
    lua_rawgeti(L, 3, i + 1);
    if (!read_parameter(L, -1, &parameters[i]))
      return bind_push_error(L, "parameters must be numbers, strings, booleans, entities or nil");
    lua_pop(L, 1);
  }
  desc.parameter_count = (uint32_t)count;
  error_info_t error = {0};
  sql_result_t result;
  bool ok = sql_run_statement(sql, &desc, &result, &error);
  if (!ok)
    return bind_push_error(L, error.text);
  lua_pushcfunction(L, push_result);
  lua_pushlightuserdata(L, &result);
  int status = lua_pcall(L, 1, 2, 0);
  sql_result_fini(&result);
  return status == 0 ? 2 : lua_error(L);
}

int bind_check_watch(lua_State *L) {
  sql_o *sql = vm_of(L)->desc.sql;
  error_info_t error = {0};
  if (!sql)
    return bind_push_error(L, "SQL is not available in this run");
  if (!sql_check_watch(sql, luaL_checkstring(L, 1), (uint32_t)luaL_checkinteger(L, 2), &error))
    return bind_push_error(L, error.text);
  lua_pushboolean(L, 1);
  return 1;
}

int bind_watch(lua_State *L) {
  sql_o *sql = vm_of(L)->desc.sql;
  const char *text = luaL_checkstring(L, 1);
  if (sql && lua_toboolean(L, 2))
    sql_add_watch(sql, text);
  else if (sql)
    sql_remove_watch(sql, text);
  return 0;
}
