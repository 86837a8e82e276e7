// Searches the traces of jit.util for one that contains an address, and the bytecode for the loop compiled as that
// trace. The VM was interrupted at an arbitrary point. Its garbage collector is therefore off, memory for the search
// comes from a separate block, and nothing is reported if the VM's data are corrupt.
#include "script/loop_locations.h"

#include "base/assert.h"
#include "script/vm.h"
#include "watchdog/watchdog.h"

#include <lauxlib.h>
#include <luajit.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

// Upvalues of `run_search_in_lua`, the only Lua function involved in a search.
enum { TRACE_CODE = 1, TRACE_INFO, FUNCTION_CODE, FUNCTION_INFO, FUNCTION_CONSTANT, CHUNKS, LOOPS };
#define UPVALUE(i) lua_upvalueindex(i)

// Stack slots of the thread.
enum { WORK = 1, LIST };

#define MEMORY_BYTES ((size_t)64 << 20) // memory for the search; its use grows with the amount of machine code
#define MAX_MS 200.0                    // time limit of the search, in ms
#define MAX_TRACES 20000                // value of maxtrace set by boot.lua
#define MAX_NESTED 100                  // maximum nesting of functions
#define MAX_ENCLOSING 4                 // maximum number of enclosing loops that are reported
#define MAX_MADE 64    // number of script-created chunks that are remembered; they use the negative indices of the list
#define NO_JUMP 0x8000 // bias of the distances stored in jump instructions

struct loops_search_t {
  const loops_t *loops;
  const uintptr_t *addresses;
  uint32_t count;
  script_report_t *report;
  int trace, links_to; // the interrupted trace and the trace that it links to
  int rank;            // rank of the reported loop (rank_trace)
  bool several;        // several loops have this rank
};
typedef struct loops_search_t search_t;

enum { UNRELATED, LINKS_TO, LINKED_FROM, SAME };

// --- instructions

// Reads the instruction at `at` of the function on top of the stack. Returns false past its end.
static bool read_instruction(lua_State *L, int at, uint32_t *out) {
  lua_pushvalue(L, UPVALUE(FUNCTION_CODE));
  lua_pushvalue(L, -2);
  lua_pushinteger(L, at);
  lua_call(L, 2, 1);
  bool there = lua_isnumber(L, -1);
  *out = there ? (uint32_t)(int32_t)lua_tonumber(L, -1) : 0;
  lua_pop(L, 1);
  return there;
}

static int count_instructions(lua_State *L) {
  uint32_t x;
  int count = 0;
  while (read_instruction(L, count, &x))
    ++count;
  return count;
}

// Compiles `text`, which returns a function, and returns the opcode `before` instructions before the function's last
// one, or its first opcode if `before` is negative. Returns 0 on failure.
static uint8_t read_opcode_before_end(lua_State *L, const char *text, int before) {
  uint32_t x = 0;
  if (luaL_loadstring(L, text) == 0 && lua_pcall(L, 0, 1, 0) == 0 && lua_isfunction(L, -1)) {
    int count = count_instructions(L);
    read_instruction(L, before < 0 ? 0 : count - 1 - before, &x);
  }
  lua_pop(L, 1);
  return (uint8_t)x;
}

// Finds the opcodes of loops in the bytecode of small samples. In LuaJIT, the opcode of a compiled loop instruction
// equals the plain opcode plus 2.
static void find_loop_opcodes(loops_t *loops, lua_State *L) {
  static const char FOR[] = "return function(a, b) for i = a, b do end end";
  static const char WHILE[] = "return function(a) while a do end end";
  static const char IN[] = "return function(f) for _ in f do end end";
  loops->for_ops[0] = read_opcode_before_end(L, FOR, 2);
  loops->for_ops[1] = (uint8_t)(loops->for_ops[0] + 1);
  loops->jump_op = read_opcode_before_end(L, WHILE, 1);
  loops->loop_ops[0] = (uint8_t)(read_opcode_before_end(L, FOR, 1) + 2);
  loops->loop_ops[1] = (uint8_t)(read_opcode_before_end(L, WHILE, 2) + 2);
  loops->loop_ops[2] = (uint8_t)(read_opcode_before_end(L, IN, 1) + 2);
  loops->loop_ops[3] = (uint8_t)(read_opcode_before_end(L, WHILE, -1) + 2);
  loops->loop_ops[4] = (uint8_t)(read_opcode_before_end(L, "return function(...) end", -1) + 2);
}

static int get_opcode(uint32_t x) {
  return (int)(x & 0xff);
}

static int get_operand_d(uint32_t x) {
  return (int)(x >> 16);
}

// --- traces

// Returns a number field of the table on top of the stack; 0 if the field is not a number.
static int read_number_field(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  int n = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return n;
}

// Returns the index of the first of the `count` addresses that is in the trace's machine code; `count` if none of them
// is.
static uint32_t find_first_address_in_trace(lua_State *L, const uintptr_t *addresses, uint32_t count, int trace) {
  lua_pushvalue(L, UPVALUE(TRACE_CODE));
  lua_pushinteger(L, trace);
  lua_call(L, 1, 2);
  uintptr_t from = lua_isnil(L, -2) ? UINTPTR_MAX : (uintptr_t)lua_tonumber(L, -1), bytes = lua_objlen(L, -2);
  lua_pop(L, 2);
  for (uint32_t i = 0; i < count; ++i)
    if (addresses[i] >= from && addresses[i] - from < bytes)
      return i;
  return count;
}

// Returns the trace that `trace` links to; 0 if it links to no trace.
static int find_linked_trace(lua_State *L, int trace) {
  lua_pushvalue(L, UPVALUE(TRACE_INFO));
  lua_pushinteger(L, trace);
  lua_call(L, 1, 1);
  int to = lua_istable(L, -1) ? read_number_field(L, "link") : 0;
  lua_pop(L, 1);
  return to;
}

static void find_interrupted_trace(lua_State *L, search_t *s) {
  uint32_t before = s->count;
  for (int trace = 1; trace <= MAX_TRACES && before > 0; ++trace) {
    uint32_t held = find_first_address_in_trace(L, s->addresses, before, trace);
    s->trace = held < before ? trace : s->trace;
    before = held;
  }
  s->links_to = find_linked_trace(L, s->trace);
}

// Ranks a trace by its relation to the interrupted trace. Most traces end by linking to the trace of a loop: their own,
// or an enclosing one. These links lead from a loop of the engine to the script's loop that calls it.
static int rank_trace(lua_State *L, const search_t *s, int trace) {
  if (trace == s->trace)
    return SAME;
  if (trace == s->links_to)
    return LINKED_FROM;
  int to = find_linked_trace(L, trace);
  return to != 0 && (to == s->trace || to == s->links_to) ? LINKS_TO : UNRELATED;
}

// --- functions

// Returns the line of the instruction at `at` in the function on top of the stack, and pushes its source name.
static int push_source_and_find_line(lua_State *L, int at) {
  lua_pushvalue(L, UPVALUE(FUNCTION_INFO));
  lua_pushvalue(L, -2);
  lua_pushinteger(L, at);
  lua_call(L, 2, 1);
  int line = read_number_field(L, at == 0 ? "linedefined" : "currentline");
  lua_getfield(L, -1, "source");
  lua_remove(L, -2);
  return line;
}

static void add_line(script_report_t *r, const char *file, int line, const char *what) {
  size_t used = strlen(r->traceback);
  snprintf(r->traceback + used, sizeof r->traceback - used, "%s%s:%d: in %s", used ? "\n" : "", file, line, what);
}

// Returns the start of the loop that the instruction at `at` opens or closes; -1 if the instruction opens or closes no
// loop around the loop instruction at `loop`.
static int find_enclosing_begin(const loops_t *loops, uint32_t x, int at, int loop) {
  int to = at + 1 + get_operand_d(x) - NO_JUMP;
  bool closes = get_opcode(x) == loops->jump_op && at > loop && to <= loop;
  bool opens = (get_opcode(x) == loops->for_ops[0] || get_opcode(x) == loops->for_ops[1]) && at < loop && to - 1 > loop;
  return closes ? to : opens ? at : -1;
}

// Reports the loop at `loop` of the function on top of the stack, and the loops around it.
static void report_loop(lua_State *L, const loops_t *loops, int loop, const char *what, script_report_t *r) {
  uint32_t x;
  memset(r, 0, sizeof *r);
  r->line = push_source_and_find_line(L, loop);
  const char *source = lua_tostring(L, -1);
  snprintf(r->file, sizeof r->file, "%s", source + (*source == '@' || *source == '='));
  lua_pop(L, 1);
  add_line(r, r->file, r->line, what);
  for (int at = 1, around = 0; around < MAX_ENCLOSING && read_instruction(L, at, &x); ++at) {
    int begin = find_enclosing_begin(loops, x, at, loop);
    if (begin < 0)
      continue;
    int line = push_source_and_find_line(L, begin);
    lua_pop(L, 1);
    if (line < r->line)
      add_line(r, r->file, line, "an enclosing loop");
    around += line < r->line;
  }
}

// Searches the compiled loops of the function on top of the stack, and reports a loop that has a higher rank than the
// reported loop.
static void search_loops(lua_State *L, search_t *s) {
  uint32_t x;
  for (int at = 0; read_instruction(L, at, &x); ++at) {
    const uint8_t *op = memchr(s->loops->loop_ops, get_opcode(x), sizeof s->loops->loop_ops);
    int rank = op ? rank_trace(L, s, get_operand_d(x)) : UNRELATED;
    if (rank > s->rank)
      report_loop(L, s->loops, at, op < s->loops->loop_ops + 3 ? "a loop" : "a function", s->report);
    s->several = rank > s->rank ? false : s->several || (rank == s->rank && rank > UNRELATED);
    s->rank = rank > s->rank ? rank : s->rank;
  }
}

// Searches the function on top of the stack and all functions nested in it.
static void search_nested_functions(lua_State *L, search_t *s, int depth) {
  bool there = true;
  search_loops(L, s);
  for (int i = -1; there && depth < MAX_NESTED; --i) {
    lua_pushvalue(L, UPVALUE(FUNCTION_CONSTANT));
    lua_pushvalue(L, -2);
    lua_pushinteger(L, i);
    lua_call(L, 2, 1);
    there = !lua_isnil(L, -1);
    if (strcmp(luaL_typename(L, -1), "proto") == 0)
      search_nested_functions(L, s, depth + 1);
    lua_pop(L, 1);
  }
}

static void search_chunks(lua_State *L, search_t *s) {
  int made = (int)(s->loops->made_count < MAX_MADE ? s->loops->made_count : MAX_MADE);
  find_interrupted_trace(L, s);
  for (int i = -made; s->trace != 0 && i <= (int)s->loops->chunk_count; ++i) {
    if (i == 0)
      continue;
    lua_rawgeti(L, UPVALUE(CHUNKS), i);
    search_nested_functions(L, s, 0);
    lua_pop(L, 1);
  }
}

static int run_search_in_lua(lua_State *L) {
  loops_t *loops = lua_touserdata(L, UPVALUE(LOOPS));
  watchdog_set_interpreter((uintptr_t)__builtin_return_address(0));
  if (loops->search)
    search_chunks(L, loops->search);
  else
    find_loop_opcodes(loops, L);
  return 0;
}

// --- life cycle

static bool push_library(lua_State *L) {
  static const char *const names[] = {"tracemc", "traceinfo", "funcbc", "funcinfo", "funck"};
  lua_getglobal(L, "require");
  lua_pushliteral(L, "jit.util");
  if (lua_pcall(L, 1, 1, 0) != 0 || !lua_istable(L, -1))
    return false;
  for (int i = 0; i < 5; ++i) {
    lua_getfield(L, -1 - i, names[i]);
    if (!lua_isfunction(L, -1))
      return false;
  }
  lua_remove(L, -6);
  return true;
}

void loops_init(loops_t *loops, lua_State *L) {
  int top = lua_gettop(L);
  memset(loops, 0, sizeof *loops);
  lua_State *thread = lua_newthread(L);
  lua_pushlightuserdata(L, loops);
  lua_pushvalue(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
  if (push_library(L)) {
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_insert(L, -7);
    lua_pushlightuserdata(L, loops);
    lua_pushcclosure(L, run_search_in_lua, LOOPS);
    lua_insert(L, -2);
    lua_xmove(L, thread, 2);
    lua_pushvalue(thread, WORK);
    loops->L = lua_pcall(thread, 0, 0, 0) == 0 ? thread : NULL;
  }
  lua_settop(L, top);
}

void loops_fini(loops_t *loops) {
  if (loops->memory)
    munmap(loops->memory, MEMORY_BYTES);
  memset(loops, 0, sizeof *loops);
}

static void store_chunk(loops_t *loops, lua_State *L, int place) {
  shoal_assert(lua_gettop(loops->L) == LIST, "the search stack must hold only the list, but has %d values",
               lua_gettop(loops->L));
  lua_pushvalue(L, -1);
  lua_xmove(L, loops->L, 1);
  lua_rawseti(loops->L, LIST, place);
}

void loops_register_file(loops_t *loops, lua_State *L) {
  if (loops->L)
    store_chunk(loops, L, (int)++loops->chunk_count);
}

void loops_register_generated(loops_t *loops, lua_State *L) {
  if (loops->L)
    store_chunk(loops, L, -1 - (int)(loops->made_count++ % MAX_MADE));
}

// --- search

// Bump allocator for the search; never frees. The VM's own allocator cannot be used, because it may have been
// interrupted.
static void *bump_alloc(void *context, void *old, size_t old_bytes, size_t bytes) {
  loops_t *loops = context;
  if (bytes <= old_bytes)
    return bytes ? old : NULL;
  size_t at = (loops->used + 15) & ~(size_t)15;
  if (bytes > MEMORY_BYTES - at)
    return NULL;
  loops->used = at + bytes;
  return old_bytes ? memcpy(loops->memory + at, old, old_bytes) : loops->memory + at;
}

static void run_search(lua_State *L, void *context) {
  loops_t *loops = context;
  luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
  lua_sethook(L, NULL, 0, 0);
  lua_gc(L, LUA_GCSTOP, 0);
  lua_setallocf(L, bump_alloc, loops);
  lua_pushvalue(L, WORK);
  lua_pcall(L, 0, 0, 0);
}

bool loops_find_interrupted(loops_t *loops, const uintptr_t *addresses, uint32_t count, script_report_t *r) {
  script_report_t found = *r;
  search_t s = {.loops = loops, .addresses = addresses, .count = count, .report = &found};
  watchdog_guard_t guard;
  volatile bool whole = false;
  if (!loops->L || count == 0)
    return false;
  shoal_assert(!loops->memory, "loops_find_interrupted was already called for this VM");
  void *memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  loops->memory = memory;
  loops->search = &s;
  if (setjmp(guard.out) == 0) {
    watchdog_begin(&guard, loops->L, (uint32_t)(MAX_MS * watchdog_get_slowness()));
    whole = report_read_guarded(run_search, loops->L, loops);
  }
  whole = watchdog_end(&guard) == WATCHDOG_NONE && whole && s.rank > UNRELATED && !s.several;
  loops->search = NULL;
  if (whole)
    *r = found;
  return whole;
}
