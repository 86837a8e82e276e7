// Interprets the bytecode of all functions of a chunk with types in place of values.
#include "luajit/name_check.h"

#include "base/assert.h"

#include <lauxlib.h>
#include <string.h>

#define MAX_SLOTS 256u
#define MAX_PARAMETERS 4u
#define MAX_DEPTH 16u // maximum nesting of table constructors
#define TYPES 1
#define REPORT 2
#define GLOBALS 1u
#define FILE_VALUE 2u

// The opcodes of LuaJIT 2.1, as listed in scripts/shoal/compile/bytecode.lua, which checks their numbers.
typedef enum opcode_t {
  ISLT,
  ISGE,
  ISLE,
  ISGT,
  ISEQV,
  ISNEV,
  ISEQS,
  ISNES,
  ISEQN,
  ISNEN,
  ISEQP,
  ISNEP,
  ISTC,
  ISFC,
  IST,
  ISF,
  ISTYPE,
  ISNUM,
  MOV,
  NOT,
  UNM,
  LEN,
  ADDVN,
  SUBVN,
  MULVN,
  DIVVN,
  MODVN,
  ADDNV,
  SUBNV,
  MULNV,
  DIVNV,
  MODNV,
  ADDVV,
  SUBVV,
  MULVV,
  DIVVV,
  MODVV,
  POW,
  CAT,
  KSTR,
  KCDATA,
  KSHORT,
  KNUM,
  KPRI,
  KNIL,
  UGET,
  USETV,
  USETS,
  USETN,
  USETP,
  UCLO,
  FNEW,
  TNEW,
  TDUP,
  GGET,
  GSET,
  TGETV,
  TGETS,
  TGETB,
  TGETR,
  TSETV,
  TSETS,
  TSETB,
  TSETM,
  TSETR,
  CALLM,
  CALL,
  CALLMT,
  CALLT,
  ITERC,
  ITERN,
  VARG,
  ISNEXT,
  RETM,
  RET,
  RET0,
  RET1,
  FORI,
  JFORI,
  FORL,
  IFORL,
  JFORL,
  ITERL,
  IITERL,
  JITERL,
  LOOP,
  ILOOP,
  JLOOP,
  JMP,
  OPCODE_COUNT
} opcode_t;

typedef enum value_kind_t { VALUE_UNKNOWN, VALUE_TYPED, VALUE_STRING, VALUE_TABLE, VALUE_FUNCTION } value_kind_t;

typedef struct value_t {
  value_kind_t kind;
  uint32_t index; // of a type, a constant of the dump, a table, or a function
} value_t;

static const value_t UNKNOWN = {VALUE_UNKNOWN, 0};

typedef struct entry_t {
  const uint8_t *key;            // NULL for an element of a list
  uint32_t key_size, line, next; // next: index + 1, 0: last
  bool is_first_line;            // `line` is the line of the constructor
  value_t value;
} entry_t;

typedef struct table_t {
  uint32_t entries; // index of the latest entry + 1
} table_t;

typedef struct function_state_t {
  uint32_t parent;
  uint32_t upvalues;                   // index in checker_t.upvalues
  uint32_t parameters[MAX_PARAMETERS]; // types
  bool is_ignored, is_queued;
  bool is_ambiguous; // other code may call the function with other values than the types of its parameters
} function_state_t;

typedef struct finding_t {
  const uint8_t *name;
  uint32_t size, type, line, function;
  bool is_first_line;
} finding_t;

typedef struct pending_t {
  uint32_t target; // instruction at which `slots` are merged
  uint32_t slots;  // index in checker_t.pending_slots
} pending_t;

typedef struct checker_t {
  lua_State *L;
  const dump_t *dump;
  allocator_t *memory;
  ARRAY(table_t) tables;
  ARRAY(entry_t) entries;
  ARRAY(dump_constant_t) strings; // strings in constant tables; indices follow those of the dump's constants
  ARRAY(value_t) upvalues;
  ARRAY(function_state_t) functions;
  ARRAY(uint32_t) queue;
  ARRAY(finding_t) findings;

  // --- the current function
  const dump_function_t *f;
  uint32_t function;
  function_state_t state;
  bool is_main, is_reachable;
  value_t slots[MAX_SLOTS];
  ARRAY(pending_t) pending;
  ARRAY(value_t) pending_slots;
  ARRAY(uint32_t) loops;       // pairs: first instruction, last instruction
  uint32_t item_at, item_slot; // sets a slot when instruction `item_at` is reached
  value_t item;
  uint32_t copy_at, copy_to; // the jump at `copy_at`, if taken, also copies `copied` to slot `copy_to`
  value_t copied;
} checker_t;

typedef struct instruction_t {
  uint8_t op, a, b, c;
  uint32_t d;
} instruction_t;

static instruction_t get_instruction(const checker_t *x, uint32_t i) {
  const uint8_t *at = x->f->code + 4 * (size_t)i;
  return (instruction_t){.op = at[0], .a = at[1], .b = at[3], .c = at[2], .d = (uint32_t)(at[2] | at[3] << 8)};
}

// --- types

// Returns the number in a field of a type; 0 if it is not a positive number.
static uint32_t get_field(checker_t *x, uint32_t type, int key) {
  lua_rawgeti(x->L, TYPES, (int)type);
  shoal_assert(lua_istable(x->L, -1), "type %u does not exist", (unsigned)type);
  lua_rawgeti(x->L, -1, key);
  lua_Number number = lua_tonumber(x->L, -1);
  uint32_t out = number > 0 ? (uint32_t)number : lua_toboolean(x->L, -1) && !lua_isnumber(x->L, -1);
  lua_pop(x->L, 2);
  return out;
}

static value_t typed_value(uint32_t type) {
  return type > 0 ? (value_t){VALUE_TYPED, type} : UNKNOWN;
}

// Returns the type of a name, 0 if it is unknown. Sets *is_invalid if the name is invalid.
static uint32_t find_name(checker_t *x, uint32_t type, const uint8_t *name, uint32_t size, bool *is_invalid) {
  lua_rawgeti(x->L, TYPES, (int)type);
  lua_pushlstring(x->L, (const char *)name, size);
  lua_gettable(x->L, -2);
  *is_invalid = lua_isboolean(x->L, -1) && !lua_toboolean(x->L, -1);
  uint32_t out = lua_isnumber(x->L, -1) ? (uint32_t)lua_tointeger(x->L, -1) : 0;
  lua_pop(x->L, 2);
  return out;
}

// Returns the type of a name, and records the name if it is invalid.
static uint32_t look_up(checker_t *x, uint32_t type, const uint8_t *name, uint32_t size, uint32_t line,
                        bool is_first_line) {
  bool is_invalid;
  uint32_t out = find_name(x, type, name, size, &is_invalid);
  if (is_invalid)
    array_push(x->memory, &x->findings, ((finding_t){name, size, type, line, x->function, is_first_line}));
  return out;
}

static void report(checker_t *x, const finding_t *f) {
  for (uint32_t i = f->function; i < x->functions.count; i = x->functions.items[i].parent)
    if (x->functions.items[i].is_ambiguous && x->functions.items[i].parameters[0] > 0)
      return;
  lua_pushvalue(x->L, REPORT);
  lua_pushinteger(x->L, (lua_Integer)f->type);
  lua_pushlstring(x->L, (const char *)f->name, f->size);
  lua_pushinteger(x->L, (lua_Integer)f->line);
  lua_pushboolean(x->L, f->is_first_line);
  lua_call(x->L, 4, 0);
}

static const dump_constant_t *get_text(const checker_t *x, uint32_t index) {
  uint32_t constants = x->dump->constants.count;
  return index < constants ? &x->dump->constants.items[index] : &x->strings.items[index - constants];
}

static void check_value(checker_t *x, uint32_t type, value_t v, uint32_t line, bool is_first_line, uint32_t depth);

static void check_entry(checker_t *x, uint32_t type, bool checks_keys, const entry_t *e, uint32_t depth) {
  uint32_t expected = 0;
  if (!e->key)
    expected = get_field(x, type, NAME_TYPE_ELEMENT);
  else if (checks_keys)
    expected = look_up(x, type, e->key, e->key_size, e->line, e->is_first_line);
  if (expected > 0)
    check_value(x, expected, e->value, e->line, e->is_first_line, depth + 1);
}

static void set_parameters(checker_t *x, uint32_t type, function_state_t *f) {
  f->is_ignored |= get_field(x, type, NAME_TYPE_IS_IGNORED) > 0;
  for (uint32_t k = 0; k < MAX_PARAMETERS; ++k) {
    uint32_t parameter = get_field(x, type, NAME_TYPE_PARAMETER - 1 - (int)k);
    f->is_ambiguous |= f->parameters[k] > 0 && parameter != f->parameters[k];
    if (parameter > 0)
      f->parameters[k] = parameter;
  }
}

// Checks a value where a value of type `type` is expected.
static void check_value(checker_t *x, uint32_t type, value_t v, uint32_t line, bool is_first_line, uint32_t depth) {
  if (v.kind == VALUE_STRING && get_field(x, type, NAME_TYPE_CHECKS_TEXT)) {
    const dump_constant_t *text = get_text(x, v.index);
    look_up(x, type, text->bytes, text->size, line, is_first_line);
  } else if (v.kind == VALUE_FUNCTION) {
    set_parameters(x, type, &x->functions.items[v.index]);
  } else if (v.kind == VALUE_TABLE && depth < MAX_DEPTH) {
    bool checks_keys = get_field(x, type, NAME_TYPE_CHECKS_KEYS) > 0;
    for (uint32_t i = x->tables.items[v.index].entries; i > 0;) {
      entry_t e = x->entries.items[i - 1]; // copied, since the array may grow
      check_entry(x, type, checks_keys, &e, depth);
      i = e.next;
    }
  }
}

// --- tables

static void add_entry(checker_t *x, uint32_t table, entry_t e) {
  e.next = x->tables.items[table].entries;
  array_push(x->memory, &x->entries, e);
  x->tables.items[table].entries = x->entries.count;
}

static value_t add_table(checker_t *x) {
  array_push(x->memory, &x->tables, ((table_t){0}));
  return (value_t){VALUE_TABLE, x->tables.count - 1};
}

static value_t copy_table(checker_t *x, const dump_constant_t *constant, uint32_t line) {
  value_t v = add_table(x);
  dump_table_t t = dump_table_begin(constant);
  for (dump_pair_t pair; dump_table_next(&t, &pair);) {
    entry_t e = {.key = pair.key, .key_size = pair.key_size, .line = line, .is_first_line = true};
    if (pair.text) {
      array_push(x->memory, &x->strings,
                 ((dump_constant_t){.kind = DUMP_STRING, .bytes = pair.text, .size = pair.text_size}));
      e.value = (value_t){VALUE_STRING, x->dump->constants.count + x->strings.count - 1};
    }
    add_entry(x, v.index, e);
  }
  return v;
}

// --- slots

typedef enum effect_t { EFFECT_ONE, EFFECT_NONE, EFFECT_ALL_ABOVE } effect_t; // the slots that an instruction writes

static effect_t get_effect(uint8_t op) {
  switch (op) {
  case ISTC:
  case ISFC: return EFFECT_ONE;
  case USETV:
  case USETS:
  case USETN:
  case USETP:
  case UCLO:
  case GSET:
  case TSETV:
  case TSETS:
  case TSETB:
  case TSETM:
  case TSETR:
  case ISNEXT:
  case RETM:
  case RET:
  case RET0:
  case RET1:
  case ITERL:
  case IITERL:
  case JITERL:
  case LOOP:
  case ILOOP:
  case JLOOP:
  case JMP: return EFFECT_NONE;
  case CALLM:
  case CALL:
  case CALLMT:
  case CALLT:
  case ITERC:
  case ITERN:
  case VARG:
  case KNIL:
  case FORI:
  case JFORI:
  case FORL:
  case IFORL:
  case JFORL: return EFFECT_ALL_ABOVE;
  default: return op <= ISNUM ? EFFECT_NONE : EFFECT_ONE;
  }
}

static void clear_slots_above(checker_t *x, uint32_t slot) {
  for (uint32_t i = slot; i < x->f->slot_count; ++i)
    x->slots[i] = UNKNOWN;
}

static void clear_written(checker_t *x, instruction_t in) {
  effect_t effect = get_effect(in.op);
  if (effect == EFFECT_ALL_ABOVE)
    clear_slots_above(x, in.a);
  else if (effect == EFFECT_ONE)
    x->slots[in.a] = UNKNOWN;
}

static bool are_equal(value_t a, value_t b) {
  return a.kind == b.kind && a.index == b.index;
}

// Merges the current slots into those with which execution continues at `target`.
static void add_pending(checker_t *x, uint32_t target) {
  uint32_t count = x->f->slot_count;
  for (uint32_t i = 0; i < x->pending.count; ++i) {
    if (x->pending.items[i].target == target) {
      value_t *slots = &x->pending_slots.items[x->pending.items[i].slots];
      for (uint32_t k = 0; k < count; ++k)
        slots[k] = are_equal(slots[k], x->slots[k]) ? slots[k] : UNKNOWN;
      return;
    }
  }
  array_push(x->memory, &x->pending, ((pending_t){target, x->pending_slots.count}));
  array_reserve(x->memory, &x->pending_slots, x->pending_slots.count + count);
  memcpy(x->pending_slots.items + x->pending_slots.count, x->slots, count * sizeof *x->slots);
  x->pending_slots.count += count;
}

static void merge_pending(checker_t *x, uint32_t at) {
  uint32_t count = x->f->slot_count;
  for (uint32_t i = 0; i < x->pending.count; ++i) {
    if (x->pending.items[i].target != at)
      continue;
    const value_t *slots = &x->pending_slots.items[x->pending.items[i].slots];
    for (uint32_t k = 0; k < count; ++k)
      x->slots[k] = !x->is_reachable || are_equal(slots[k], x->slots[k]) ? slots[k] : UNKNOWN;
    x->is_reachable = true;
    x->pending.items[i] = x->pending.items[--x->pending.count];
    return; // a target occurs once
  }
}

// --- jumps and loops

static bool has_jump(uint8_t op) {
  return op == JMP || op == UCLO || op == ISNEXT || (op >= FORI && op <= JITERL);
}

static uint32_t get_target(uint32_t i, instruction_t in) {
  return i + 1 + in.d - 0x8000u;
}

static void collect_loops(checker_t *x) {
  x->loops.count = 0;
  for (uint32_t i = 0; i < x->f->instruction_count; ++i) {
    instruction_t in = get_instruction(x, i);
    if (has_jump(in.op) && get_target(i, in) <= i) {
      array_push(x->memory, &x->loops, get_target(i, in));
      array_push(x->memory, &x->loops, i);
    }
  }
}

// Clears the slots that the loops beginning at instruction `at` write, whose values differ from run to run.
static void begin_loops(checker_t *x, uint32_t at) {
  for (uint32_t i = 0; i < x->loops.count; i += 2)
    for (uint32_t k = at; x->loops.items[i] == at && k <= x->loops.items[i + 1]; ++k)
      clear_written(x, get_instruction(x, k));
}

// The jump to the end of `for … in`, where the first call of the iterator is. The loop's body follows the jump.
static bool enter_iteration(checker_t *x, uint32_t i, uint32_t target) {
  instruction_t call = target < x->f->instruction_count ? get_instruction(x, target) : (instruction_t){.op = MOV};
  if (target <= i || (call.op != ITERC && call.op != ITERN) || call.a < 3)
    return false;
  value_t iterator = x->slots[call.a - 3];
  x->item_at = i + 1;
  x->item_slot = call.a;
  x->item = iterator.kind == VALUE_TYPED ? typed_value(get_field(x, iterator.index, NAME_TYPE_ITEM)) : UNKNOWN;
  begin_loops(x, i + 1);
  add_pending(x, target);
  return true;
}

static void jump(checker_t *x, uint32_t i, instruction_t in) {
  uint32_t target = get_target(i, in);
  uint8_t before = i > 0 ? get_instruction(x, i - 1).op : (uint8_t)MOV;
  if ((in.op == JMP || in.op == ISNEXT) && before > ISF && enter_iteration(x, i, target))
    return;
  if (target > i && target < x->f->instruction_count) {
    value_t kept = x->slots[x->copy_to];
    if (x->copy_at == i)
      x->slots[x->copy_to] = x->copied;
    add_pending(x, target);
    x->slots[x->copy_to] = kept;
  }
  x->is_reachable = in.op == FORI || in.op == JFORI || (in.op == JMP && before <= ISF);
}

// --- calls

// Returns the type that a name in an argument denotes; field `key` of the callee's type has the argument's number.
static uint32_t get_type_by_name(checker_t *x, uint32_t callee, uint32_t first, int key) {
  uint32_t by = get_field(x, callee, key), names = by > 0 ? get_field(x, callee, (int)by) : 0;
  value_t name = by > 0 && first + by <= x->f->slot_count ? x->slots[first + by - 1] : UNKNOWN;
  bool is_invalid;
  if (names == 0 || name.kind != VALUE_STRING)
    return 0;
  const dump_constant_t *text = get_text(x, name.index);
  return find_name(x, names, text->bytes, text->size, &is_invalid);
}

// Other code may call a function that is passed to an unknown function.
static void mark_ambiguous(checker_t *x, value_t v) {
  if (v.kind == VALUE_FUNCTION)
    x->functions.items[v.index].is_ambiguous = true;
}

static void check_argument(checker_t *x, uint32_t type, uint32_t first, uint32_t k, uint32_t line) {
  value_t v = x->slots[first + k - 1];
  if (v.kind == VALUE_UNKNOWN || v.kind == VALUE_TYPED)
    return;
  uint32_t expected = get_type_by_name(x, type, first, (int)(NAME_TYPE_NAMED_BY + k));
  expected = expected > 0 ? expected : get_field(x, type, (int)k);
  if (expected > 0)
    check_value(x, expected, v, line, false, 0);
}

static void call(checker_t *x, uint32_t i, instruction_t in) {
  uint32_t first = in.a + (x->dump->has_wide_frames ? 2u : 1u);
  uint32_t count = in.op == CALL ? in.c - 1u : in.op == CALLM ? in.c : in.op == CALLT ? in.d - 1u : in.d;
  value_t callee = x->slots[in.a];
  uint32_t result = 0;
  mark_ambiguous(x, callee);
  for (uint32_t k = 1; k <= count && first + k <= x->f->slot_count; ++k) {
    if (callee.kind == VALUE_TYPED)
      check_argument(x, callee.index, first, k, dump_line(x->f, i));
    else
      mark_ambiguous(x, x->slots[first + k - 1]);
  }
  if (callee.kind == VALUE_TYPED) {
    result = get_type_by_name(x, callee.index, first, NAME_TYPE_RESULT_BY);
    result = result > 0 ? result : get_field(x, callee.index, NAME_TYPE_RESULT);
  }
  clear_slots_above(x, in.a);
  if (in.op == CALLT || in.op == CALLMT)
    x->is_reachable = false;
  else
    x->slots[in.a] = typed_value(result);
}

// --- instructions

static value_t create_function(checker_t *x, uint32_t slot, const dump_constant_t *constant) {
  const dump_function_t *child = &x->dump->functions.items[constant->function];
  function_state_t *state = &x->functions.items[constant->function];
  state->upvalues = x->upvalues.count;
  state->parent = x->function;
  for (uint32_t i = 0; i < child->upvalue_count; ++i) {
    uint32_t from = (uint32_t)(child->upvalues[2 * i] | child->upvalues[2 * i + 1] << 8), index = from & 0xff;
    value_t v = UNKNOWN;
    if (!(from & DUMP_UPVALUE_LOCAL))
      v = index < x->f->upvalue_count ? x->upvalues.items[x->state.upvalues + index] : UNKNOWN;
    else if ((from & DUMP_UPVALUE_IMMUTABLE) && index != slot)
      v = x->slots[index];
    array_push(x->memory, &x->upvalues, v);
  }
  if (!state->is_queued)
    array_push(x->memory, &x->queue, constant->function);
  state->is_queued = true;
  return (value_t){VALUE_FUNCTION, constant->function};
}

static value_t load_constant(checker_t *x, uint32_t i, instruction_t in) {
  const dump_constant_t *constant = dump_find_constant(x->dump, x->f, in.d);
  if (in.op == KSTR && constant && constant->kind == DUMP_STRING)
    return (value_t){VALUE_STRING, (uint32_t)(constant - x->dump->constants.items)};
  if (in.op == TDUP && constant && constant->kind == DUMP_TABLE)
    return copy_table(x, constant, dump_line(x->f, i));
  if (in.op == FNEW && constant && constant->kind == DUMP_FUNCTION)
    return create_function(x, in.a, constant);
  return UNKNOWN;
}

static value_t read_global(checker_t *x, instruction_t in) {
  const dump_constant_t *name = dump_find_constant(x->dump, x->f, in.d);
  return name && name->kind == DUMP_STRING ? typed_value(look_up(x, GLOBALS, name->bytes, name->size, 0, false))
                                           : UNKNOWN;
}

// Returns the constant key of an access to a member; NULL if the key is not a constant string.
static const dump_constant_t *get_member_name(const checker_t *x, instruction_t in) {
  if (in.op == TGETS || in.op == TSETS) {
    const dump_constant_t *name = dump_find_constant(x->dump, x->f, in.c);
    return name && name->kind == DUMP_STRING ? name : NULL;
  }
  bool is_text = (in.op == TGETV || in.op == TSETV) && x->slots[in.c].kind == VALUE_STRING;
  return is_text ? get_text(x, x->slots[in.c].index) : NULL;
}

static value_t read_member(checker_t *x, uint32_t i, instruction_t in) {
  value_t object = x->slots[in.b];
  if (object.kind != VALUE_TYPED)
    return UNKNOWN;
  const dump_constant_t *name = get_member_name(x, in);
  return typed_value(name ? look_up(x, object.index, name->bytes, name->size, dump_line(x->f, i), false)
                          : get_field(x, object.index, NAME_TYPE_ELEMENT));
}

static void write_member(checker_t *x, uint32_t i, instruction_t in) {
  value_t object = x->slots[in.b];
  const dump_constant_t *name = get_member_name(x, in);
  uint32_t line = dump_line(x->f, i);
  if (object.kind == VALUE_TYPED) {
    uint32_t type = name ? look_up(x, object.index, name->bytes, name->size, line, false)
                         : get_field(x, object.index, NAME_TYPE_ELEMENT);
    if (type > 0)
      check_value(x, type, x->slots[in.a], line, false, 0);
  } else if (object.kind == VALUE_TABLE && (name || in.op == TSETB)) {
    add_entry(x, object.index,
              (entry_t){.key = name ? name->bytes : NULL,
                        .key_size = name ? name->size : 0,
                        .line = line,
                        .value = x->slots[in.a]});
  }
}

static void return_value(checker_t *x, uint32_t i, instruction_t in) {
  if (x->is_main && in.op == RET1)
    check_value(x, FILE_VALUE, x->slots[in.a], dump_line(x->f, i), false, 0);
  x->is_reachable = false;
}

static value_t compute(checker_t *x, uint32_t i, instruction_t in) {
  switch (in.op) {
  case MOV: return x->slots[in.d & 0xff];
  case KSTR:
  case TDUP:
  case FNEW: return load_constant(x, i, in);
  case TNEW: return add_table(x);
  case GGET: return read_global(x, in);
  case UGET: return in.d < x->f->upvalue_count ? x->upvalues.items[x->state.upvalues + in.d] : UNKNOWN;
  case TGETS:
  case TGETV:
  case TGETB:
  case TGETR: return read_member(x, i, in);
  default: return UNKNOWN;
  }
}

// Checks a string with which a value is compared: e.mood.state == "angry".
static void compare(checker_t *x, uint32_t i, instruction_t in) {
  value_t v = x->slots[in.a];
  const dump_constant_t *text = dump_find_constant(x->dump, x->f, in.d);
  if (v.kind == VALUE_TYPED && text && text->kind == DUMP_STRING && get_field(x, v.index, NAME_TYPE_CHECKS_TEXT))
    look_up(x, v.index, text->bytes, text->size, dump_line(x->f, i), false);
}

static void interpret(checker_t *x, uint32_t i) {
  instruction_t in = get_instruction(x, i);
  if (in.op == CALL || in.op == CALLM || in.op == CALLT || in.op == CALLMT) {
    call(x, i, in);
  } else if (in.op == TSETS || in.op == TSETV || in.op == TSETB) {
    write_member(x, i, in);
  } else if (in.op == RET || in.op == RET0 || in.op == RET1 || in.op == RETM) {
    return_value(x, i, in);
  } else if (in.op == ISEQS || in.op == ISNES) {
    compare(x, i, in);
  } else if (in.op == ISTC || in.op == ISFC) {
    x->copy_at = i + 1;
    x->copy_to = in.a;
    x->copied = x->slots[in.d & 0xff];
  } else if (get_effect(in.op) == EFFECT_ONE) {
    x->slots[in.a] = compute(x, i, in);
  } else {
    clear_written(x, in);
  }
  if (has_jump(in.op) && (get_target(i, in) > i || in.op == JMP))
    jump(x, i, in);
}

static void check_function(checker_t *x, uint32_t number) {
  x->f = &x->dump->functions.items[number];
  x->function = number;
  x->state = x->functions.items[number];
  x->is_main = number == x->dump->functions.count - 1;
  x->is_reachable = true;
  x->pending.count = x->pending_slots.count = 0;
  x->item_at = x->copy_at = UINT32_MAX;
  x->copy_to = 0;
  memset(x->slots, 0, x->f->slot_count * sizeof *x->slots);
  for (uint32_t k = 0; k < x->f->parameter_count && k < MAX_PARAMETERS; ++k)
    x->slots[k] = typed_value(x->state.parameters[k]);
  collect_loops(x);
  for (uint32_t i = 0; i < x->f->instruction_count; ++i) {
    merge_pending(x, i);
    begin_loops(x, i);
    if (x->item_at == i)
      x->slots[x->item_slot] = x->item;
    if (x->is_reachable)
      interpret(x, i);
  }
}

static void free_checker(checker_t *x) {
  array_free(x->memory, &x->tables);
  array_free(x->memory, &x->entries);
  array_free(x->memory, &x->strings);
  array_free(x->memory, &x->upvalues);
  array_free(x->memory, &x->functions);
  array_free(x->memory, &x->queue);
  array_free(x->memory, &x->findings);
  array_free(x->memory, &x->pending);
  array_free(x->memory, &x->pending_slots);
  array_free(x->memory, &x->loops);
}

static int check_all(lua_State *L) {
  checker_t *x = lua_touserdata(L, 3);
  x->L = L;
  luaL_checkstack(L, 32, "names");
  for (uint32_t i = 0; i < x->dump->functions.count; ++i)
    array_push(x->memory, &x->functions, ((function_state_t){.parent = UINT32_MAX}));
  array_push(x->memory, &x->queue, x->dump->functions.count - 1);
  for (uint32_t i = 0; i < x->dump->functions.items[x->dump->functions.count - 1].upvalue_count; ++i)
    array_push(x->memory, &x->upvalues, UNKNOWN);
  for (uint32_t i = 0; i < x->queue.count; ++i)
    if (!x->functions.items[x->queue.items[i]].is_ignored)
      check_function(x, x->queue.items[i]);
  for (uint32_t i = 0; i < x->findings.count; ++i)
    report(x, &x->findings.items[i]);
  return 0;
}

int name_check_run(lua_State *L, const dump_t *dump, allocator_t *memory) {
  shoal_assert(dump->functions.count > 0, "the dump contains no function");
  checker_t *x = alloc_resize(memory, NULL, 0, sizeof *x);
  memset(x, 0, sizeof *x);
  x->dump = dump;
  x->memory = memory;
  lua_pushcfunction(L, check_all);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_pushlightuserdata(L, x);
  int status = lua_pcall(L, 3, 0, 0);
  free_checker(x);
  alloc_resize(memory, x, sizeof *x, 0);
  return status;
}
