// Interprets the bytecode of all functions of a chunk with types in place of values.
#include "luajit/name_check.h"

#include "base/assert.h"

#include <lauxlib.h>
#include <string.h>

#define MAX_SLOTS 256u
#define MAX_PARAMETERS 4u
#define MAX_DEPTH 16u // maximum nesting of table constructors
#define TYPES_INDEX 1
#define REPORT_INDEX 2
#define GLOBALS_TYPE 1u
#define FILE_VALUE_TYPE 2u

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
  uint32_t index; // index of a type, a constant of the dump, a table, or a function
} value_t;

static const value_t UNKNOWN = {VALUE_UNKNOWN, 0};

typedef struct entry_t {
  const uint8_t *key;            // key of the entry; NULL for an element of a list
  uint32_t key_size, line, next; // next: index + 1 of the next entry; 0: last entry
  bool is_first_line;            // true if `line` is the line of the constructor
  value_t value;
} entry_t;

typedef struct table_t {
  uint32_t entries; // index of the latest entry + 1
} table_t;

typedef struct function_state_t {
  uint32_t parent;
  uint32_t upvalues;                   // index in checker_t.upvalues
  uint32_t parameters[MAX_PARAMETERS]; // types of the parameters
  bool is_ignored, is_queued;
  bool is_ambiguous; // true if unknown code may call the function with values of different types
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
  ARRAY(dump_constant_t) strings; // strings in constant tables; their indices follow the dump's constants
  ARRAY(value_t) upvalues;
  ARRAY(function_state_t) functions;
  ARRAY(uint32_t) queue;
  ARRAY(finding_t) findings;

  // --- the current function
  const dump_function_t *code;
  uint32_t function;
  function_state_t state;
  bool is_main, is_reachable;
  value_t slots[MAX_SLOTS];
  ARRAY(pending_t) pending;
  ARRAY(value_t) pending_slots;
  ARRAY(uint32_t) loops;                // pairs: first instruction, last instruction
  uint32_t item_instruction, item_slot; // `item` is stored in slot `item_slot` at instruction `item_instruction`
  value_t item;
  uint32_t copy_instruction, copy_slot; // the jump at `copy_instruction`, if taken, also copies `copied` to `copy_slot`
  value_t copied;
} checker_t;

typedef struct instruction_t {
  uint8_t op, a, b, c;
  uint32_t d;
} instruction_t;

static instruction_t get_instruction(const checker_t *checker, uint32_t i) {
  const uint8_t *bytes = checker->code->code + 4 * (size_t)i;
  return (instruction_t){
      .op = bytes[0], .a = bytes[1], .b = bytes[3], .c = bytes[2], .d = (uint32_t)(bytes[2] | bytes[3] << 8)};
}

// --- types

// Returns a field of a type as an index: the field's value if it is a positive number, 1 for a true value that is not a
// number, otherwise 0.
static uint32_t get_field(checker_t *checker, uint32_t type, int key) {
  lua_rawgeti(checker->L, TYPES_INDEX, (int)type);
  shoal_assert(lua_istable(checker->L, -1), "type %u does not exist", (unsigned)type);
  lua_rawgeti(checker->L, -1, key);
  lua_Number number = lua_tonumber(checker->L, -1);
  uint32_t out = number > 0 ? (uint32_t)number : lua_toboolean(checker->L, -1) && !lua_isnumber(checker->L, -1);
  lua_pop(checker->L, 2);
  return out;
}

static value_t typed_value(uint32_t type) {
  return type > 0 ? (value_t){VALUE_TYPED, type} : UNKNOWN;
}

// Returns the type of a name, 0 if unknown. Sets *is_invalid if the name is invalid.
static uint32_t find_name(checker_t *checker, uint32_t type, const uint8_t *name, uint32_t size, bool *is_invalid) {
  lua_rawgeti(checker->L, TYPES_INDEX, (int)type);
  lua_pushlstring(checker->L, (const char *)name, size);
  lua_gettable(checker->L, -2);
  *is_invalid = lua_isboolean(checker->L, -1) && !lua_toboolean(checker->L, -1);
  uint32_t out = lua_isnumber(checker->L, -1) ? (uint32_t)lua_tointeger(checker->L, -1) : 0;
  lua_pop(checker->L, 2);
  return out;
}

// Returns the type of a name, and records the name if it is invalid.
static uint32_t look_up(checker_t *checker, uint32_t type, const uint8_t *name, uint32_t size, uint32_t line,
                        bool is_first_line) {
  bool is_invalid;
  uint32_t out = find_name(checker, type, name, size, &is_invalid);
  if (is_invalid)
    array_push(checker->memory, &checker->findings,
               ((finding_t){name, size, type, line, checker->function, is_first_line}));
  return out;
}

static void report(checker_t *checker, const finding_t *finding) {
  for (uint32_t i = finding->function; i < checker->functions.count; i = checker->functions.items[i].parent)
    if (checker->functions.items[i].is_ambiguous && checker->functions.items[i].parameters[0] > 0)
      return;
  lua_pushvalue(checker->L, REPORT_INDEX);
  lua_pushinteger(checker->L, (lua_Integer)finding->type);
  lua_pushlstring(checker->L, (const char *)finding->name, finding->size);
  lua_pushinteger(checker->L, (lua_Integer)finding->line);
  lua_pushboolean(checker->L, finding->is_first_line);
  lua_call(checker->L, 4, 0);
}

static const dump_constant_t *get_text(const checker_t *checker, uint32_t index) {
  uint32_t constants = checker->dump->constants.count;
  return index < constants ? &checker->dump->constants.items[index] : &checker->strings.items[index - constants];
}

static void check_value(checker_t *x, uint32_t type, value_t v, uint32_t line, bool is_first_line, uint32_t depth);

static void check_entry(checker_t *checker, uint32_t type, bool checks_keys, const entry_t *entry, uint32_t depth) {
  uint32_t expected = 0;
  if (!entry->key)
    expected = get_field(checker, type, NAME_TYPE_ELEMENT);
  else if (checks_keys)
    expected = look_up(checker, type, entry->key, entry->key_size, entry->line, entry->is_first_line);
  if (expected > 0)
    check_value(checker, expected, entry->value, entry->line, entry->is_first_line, depth + 1);
}

static void set_parameters(checker_t *checker, uint32_t type, function_state_t *function) {
  function->is_ignored |= get_field(checker, type, NAME_TYPE_IS_IGNORED) > 0;
  for (uint32_t k = 0; k < MAX_PARAMETERS; ++k) {
    uint32_t parameter = get_field(checker, type, NAME_TYPE_PARAMETER - 1 - (int)k);
    function->is_ambiguous |= function->parameters[k] > 0 && parameter != function->parameters[k];
    if (parameter > 0)
      function->parameters[k] = parameter;
  }
}

// Checks the strings and keys in a value that is used as a value of type `type`. A function's parameters get the types
// that `type` defines.
static void check_value(checker_t *checker, uint32_t type, value_t value, uint32_t line, bool is_first_line,
                        uint32_t depth) {
  if (value.kind == VALUE_STRING && get_field(checker, type, NAME_TYPE_CHECKS_TEXT)) {
    const dump_constant_t *text = get_text(checker, value.index);
    look_up(checker, type, text->bytes, text->size, line, is_first_line);
  } else if (value.kind == VALUE_FUNCTION) {
    set_parameters(checker, type, &checker->functions.items[value.index]);
  } else if (value.kind == VALUE_TABLE && depth < MAX_DEPTH) {
    bool checks_keys = get_field(checker, type, NAME_TYPE_CHECKS_KEYS) > 0;
    for (uint32_t i = checker->tables.items[value.index].entries; i > 0;) {
      entry_t entry = checker->entries.items[i - 1]; // copied, since the array may grow
      check_entry(checker, type, checks_keys, &entry, depth);
      i = entry.next;
    }
  }
}

// --- tables

static void add_entry(checker_t *checker, uint32_t table, entry_t entry) {
  entry.next = checker->tables.items[table].entries;
  array_push(checker->memory, &checker->entries, entry);
  checker->tables.items[table].entries = checker->entries.count;
}

static value_t add_table(checker_t *checker) {
  array_push(checker->memory, &checker->tables, ((table_t){0}));
  return (value_t){VALUE_TABLE, checker->tables.count - 1};
}

static value_t copy_table(checker_t *checker, const dump_constant_t *constant, uint32_t line) {
  value_t table = add_table(checker);
  dump_table_t iterator = dump_table_begin(constant);
  for (dump_pair_t pair; dump_table_next(&iterator, &pair);) {
    entry_t entry = {.key = pair.key, .key_size = pair.key_size, .line = line, .is_first_line = true};
    if (pair.text) {
      array_push(checker->memory, &checker->strings,
                 ((dump_constant_t){.kind = DUMP_STRING, .bytes = pair.text, .size = pair.text_size}));
      entry.value = (value_t){VALUE_STRING, checker->dump->constants.count + checker->strings.count - 1};
    }
    add_entry(checker, table.index, entry);
  }
  return table;
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

static void clear_slots_above(checker_t *checker, uint32_t slot) {
  for (uint32_t i = slot; i < checker->code->slot_count; ++i)
    checker->slots[i] = UNKNOWN;
}

static void clear_written(checker_t *checker, instruction_t instruction) {
  effect_t effect = get_effect(instruction.op);
  if (effect == EFFECT_ALL_ABOVE)
    clear_slots_above(checker, instruction.a);
  else if (effect == EFFECT_ONE)
    checker->slots[instruction.a] = UNKNOWN;
}

static bool are_equal(value_t a, value_t b) {
  return a.kind == b.kind && a.index == b.index;
}

// Merges the current slots into the slots with which execution continues at `target`.
static void add_pending(checker_t *checker, uint32_t target) {
  uint32_t count = checker->code->slot_count;
  for (uint32_t i = 0; i < checker->pending.count; ++i) {
    if (checker->pending.items[i].target == target) {
      value_t *slots = &checker->pending_slots.items[checker->pending.items[i].slots];
      for (uint32_t k = 0; k < count; ++k)
        slots[k] = are_equal(slots[k], checker->slots[k]) ? slots[k] : UNKNOWN;
      return;
    }
  }
  array_push(checker->memory, &checker->pending, ((pending_t){target, checker->pending_slots.count}));
  array_reserve(checker->memory, &checker->pending_slots, checker->pending_slots.count + count);
  memcpy(checker->pending_slots.items + checker->pending_slots.count, checker->slots, count * sizeof *checker->slots);
  checker->pending_slots.count += count;
}

static void merge_pending(checker_t *checker, uint32_t instruction) {
  uint32_t count = checker->code->slot_count;
  for (uint32_t i = 0; i < checker->pending.count; ++i) {
    if (checker->pending.items[i].target != instruction)
      continue;
    const value_t *slots = &checker->pending_slots.items[checker->pending.items[i].slots];
    for (uint32_t k = 0; k < count; ++k)
      checker->slots[k] = !checker->is_reachable || are_equal(slots[k], checker->slots[k]) ? slots[k] : UNKNOWN;
    checker->is_reachable = true;
    checker->pending.items[i] = checker->pending.items[--checker->pending.count];
    return; // each target occurs at most once
  }
}

// --- jumps and loops

static bool has_jump(uint8_t op) {
  return op == JMP || op == UCLO || op == ISNEXT || (op >= FORI && op <= JITERL);
}

static uint32_t get_target(uint32_t i, instruction_t instruction) {
  return i + 1 + instruction.d - 0x8000u;
}

static void collect_loops(checker_t *checker) {
  checker->loops.count = 0;
  for (uint32_t i = 0; i < checker->code->instruction_count; ++i) {
    instruction_t instruction = get_instruction(checker, i);
    if (has_jump(instruction.op) && get_target(i, instruction) <= i) {
      array_push(checker->memory, &checker->loops, get_target(i, instruction));
      array_push(checker->memory, &checker->loops, i);
    }
  }
}

// Clears the slots that the loops beginning at instruction `start` write, because their values can differ between
// iterations.
static void begin_loops(checker_t *checker, uint32_t start) {
  for (uint32_t i = 0; i < checker->loops.count; i += 2)
    for (uint32_t k = start; checker->loops.items[i] == start && k <= checker->loops.items[i + 1]; ++k)
      clear_written(checker, get_instruction(checker, k));
}

// Handles the jump from the start of `for … in` to its end, where the iterator is first called. The loop's body follows
// the jump. Returns true on success, or false for any other jump.
static bool enter_iteration(checker_t *checker, uint32_t i, uint32_t target) {
  instruction_t call =
      target < checker->code->instruction_count ? get_instruction(checker, target) : (instruction_t){.op = MOV};
  if (target <= i || (call.op != ITERC && call.op != ITERN) || call.a < 3)
    return false;
  value_t iterator = checker->slots[call.a - 3];
  checker->item_instruction = i + 1;
  checker->item_slot = call.a;
  checker->item =
      iterator.kind == VALUE_TYPED ? typed_value(get_field(checker, iterator.index, NAME_TYPE_ITEM)) : UNKNOWN;
  begin_loops(checker, i + 1);
  add_pending(checker, target);
  return true;
}

static void jump(checker_t *checker, uint32_t i, instruction_t instruction) {
  uint32_t target = get_target(i, instruction);
  uint8_t previous_op = i > 0 ? get_instruction(checker, i - 1).op : (uint8_t)MOV;
  if ((instruction.op == JMP || instruction.op == ISNEXT) && previous_op > ISF && enter_iteration(checker, i, target))
    return;
  if (target > i && target < checker->code->instruction_count) {
    value_t saved = checker->slots[checker->copy_slot];
    if (checker->copy_instruction == i)
      checker->slots[checker->copy_slot] = checker->copied;
    add_pending(checker, target);
    checker->slots[checker->copy_slot] = saved;
  }
  checker->is_reachable =
      instruction.op == FORI || instruction.op == JFORI || (instruction.op == JMP && previous_op <= ISF);
}

// --- calls

// Returns the type that a name in an argument denotes; field `key` of the callee's type has the argument's number.
static uint32_t get_type_by_name(checker_t *checker, uint32_t callee, uint32_t first_argument, int key) {
  uint32_t argument = get_field(checker, callee, key),
           names_type = argument > 0 ? get_field(checker, callee, (int)argument) : 0;
  value_t name = argument > 0 && first_argument + argument <= checker->code->slot_count
                     ? checker->slots[first_argument + argument - 1]
                     : UNKNOWN;
  bool is_invalid;
  if (names_type == 0 || name.kind != VALUE_STRING)
    return 0;
  const dump_constant_t *text = get_text(checker, name.index);
  return find_name(checker, names_type, text->bytes, text->size, &is_invalid);
}

// Marks a function that is passed to an unknown function, because other code may call it with any arguments.
static void mark_ambiguous(checker_t *checker, value_t value) {
  if (value.kind == VALUE_FUNCTION)
    checker->functions.items[value.index].is_ambiguous = true;
}

static void check_argument(checker_t *checker, uint32_t type, uint32_t first_argument, uint32_t number, uint32_t line) {
  value_t value = checker->slots[first_argument + number - 1];
  if (value.kind == VALUE_UNKNOWN || value.kind == VALUE_TYPED)
    return;
  uint32_t expected = get_type_by_name(checker, type, first_argument, (int)(NAME_TYPE_NAMED_BY + number));
  expected = expected > 0 ? expected : get_field(checker, type, (int)number);
  if (expected > 0)
    check_value(checker, expected, value, line, false, 0);
}

static void call(checker_t *checker, uint32_t i, instruction_t instruction) {
  uint32_t first_argument = instruction.a + (checker->dump->has_wide_frames ? 2u : 1u);
  uint32_t count = instruction.op == CALL    ? instruction.c - 1u
                   : instruction.op == CALLM ? instruction.c
                   : instruction.op == CALLT ? instruction.d - 1u
                                             : instruction.d;
  value_t callee = checker->slots[instruction.a];
  uint32_t result = 0;
  mark_ambiguous(checker, callee);
  for (uint32_t k = 1; k <= count && first_argument + k <= checker->code->slot_count; ++k) {
    if (callee.kind == VALUE_TYPED)
      check_argument(checker, callee.index, first_argument, k, dump_line(checker->code, i));
    else
      mark_ambiguous(checker, checker->slots[first_argument + k - 1]);
  }
  if (callee.kind == VALUE_TYPED) {
    result = get_type_by_name(checker, callee.index, first_argument, NAME_TYPE_RESULT_BY);
    result = result > 0 ? result : get_field(checker, callee.index, NAME_TYPE_RESULT);
  }
  clear_slots_above(checker, instruction.a);
  if (instruction.op == CALLT || instruction.op == CALLMT)
    checker->is_reachable = false;
  else
    checker->slots[instruction.a] = typed_value(result);
}

// --- instructions

static value_t create_function(checker_t *checker, uint32_t slot, const dump_constant_t *constant) {
  const dump_function_t *child = &checker->dump->functions.items[constant->function];
  function_state_t *state = &checker->functions.items[constant->function];
  state->upvalues = checker->upvalues.count;
  state->parent = checker->function;
  for (uint32_t i = 0; i < child->upvalue_count; ++i) {
    uint32_t source = (uint32_t)(child->upvalues[2 * i] | child->upvalues[2 * i + 1] << 8), index = source & 0xff;
    value_t value = UNKNOWN;
    if (!(source & DUMP_UPVALUE_LOCAL))
      value = index < checker->code->upvalue_count ? checker->upvalues.items[checker->state.upvalues + index] : UNKNOWN;
    else if ((source & DUMP_UPVALUE_IMMUTABLE) && index != slot)
      value = checker->slots[index];
    array_push(checker->memory, &checker->upvalues, value);
  }
  if (!state->is_queued)
    array_push(checker->memory, &checker->queue, constant->function);
  state->is_queued = true;
  return (value_t){VALUE_FUNCTION, constant->function};
}

static value_t load_constant(checker_t *checker, uint32_t i, instruction_t instruction) {
  const dump_constant_t *constant = dump_find_constant(checker->dump, checker->code, instruction.d);
  if (instruction.op == KSTR && constant && constant->kind == DUMP_STRING)
    return (value_t){VALUE_STRING, (uint32_t)(constant - checker->dump->constants.items)};
  if (instruction.op == TDUP && constant && constant->kind == DUMP_TABLE)
    return copy_table(checker, constant, dump_line(checker->code, i));
  if (instruction.op == FNEW && constant && constant->kind == DUMP_FUNCTION)
    return create_function(checker, instruction.a, constant);
  return UNKNOWN;
}

static value_t read_global(checker_t *checker, instruction_t instruction) {
  const dump_constant_t *name = dump_find_constant(checker->dump, checker->code, instruction.d);
  return name && name->kind == DUMP_STRING
             ? typed_value(look_up(checker, GLOBALS_TYPE, name->bytes, name->size, 0, false))
             : UNKNOWN;
}

// Returns the constant key of an access to a member; NULL if the key is not a constant string.
static const dump_constant_t *get_member_name(const checker_t *checker, instruction_t instruction) {
  if (instruction.op == TGETS || instruction.op == TSETS) {
    const dump_constant_t *name = dump_find_constant(checker->dump, checker->code, instruction.c);
    return name && name->kind == DUMP_STRING ? name : NULL;
  }
  bool is_text =
      (instruction.op == TGETV || instruction.op == TSETV) && checker->slots[instruction.c].kind == VALUE_STRING;
  return is_text ? get_text(checker, checker->slots[instruction.c].index) : NULL;
}

static value_t read_member(checker_t *checker, uint32_t i, instruction_t instruction) {
  value_t object = checker->slots[instruction.b];
  if (object.kind != VALUE_TYPED)
    return UNKNOWN;
  const dump_constant_t *name = get_member_name(checker, instruction);
  return typed_value(name ? look_up(checker, object.index, name->bytes, name->size, dump_line(checker->code, i), false)
                          : get_field(checker, object.index, NAME_TYPE_ELEMENT));
}

static void write_member(checker_t *checker, uint32_t i, instruction_t instruction) {
  value_t object = checker->slots[instruction.b];
  const dump_constant_t *name = get_member_name(checker, instruction);
  uint32_t line = dump_line(checker->code, i);
  if (object.kind == VALUE_TYPED) {
    uint32_t type = name ? look_up(checker, object.index, name->bytes, name->size, line, false)
                         : get_field(checker, object.index, NAME_TYPE_ELEMENT);
    if (type > 0)
      check_value(checker, type, checker->slots[instruction.a], line, false, 0);
  } else if (object.kind == VALUE_TABLE && (name || instruction.op == TSETB)) {
    add_entry(checker, object.index,
              (entry_t){.key = name ? name->bytes : NULL,
                        .key_size = name ? name->size : 0,
                        .line = line,
                        .value = checker->slots[instruction.a]});
  }
}

static void return_value(checker_t *checker, uint32_t i, instruction_t instruction) {
  if (checker->is_main && instruction.op == RET1)
    check_value(checker, FILE_VALUE_TYPE, checker->slots[instruction.a], dump_line(checker->code, i), false, 0);
  checker->is_reachable = false;
}

static value_t compute(checker_t *checker, uint32_t i, instruction_t instruction) {
  switch (instruction.op) {
  case MOV: return checker->slots[instruction.d & 0xff];
  case KSTR:
  case TDUP:
  case FNEW: return load_constant(checker, i, instruction);
  case TNEW: return add_table(checker);
  case GGET: return read_global(checker, instruction);
  case UGET:
    return instruction.d < checker->code->upvalue_count
               ? checker->upvalues.items[checker->state.upvalues + instruction.d]
               : UNKNOWN;
  case TGETS:
  case TGETV:
  case TGETB:
  case TGETR: return read_member(checker, i, instruction);
  default: return UNKNOWN;
  }
}

// Checks a string with which a value is compared: e.mood.state == "angry".
static void check_comparison(checker_t *checker, uint32_t i, instruction_t instruction) {
  value_t value = checker->slots[instruction.a];
  const dump_constant_t *text = dump_find_constant(checker->dump, checker->code, instruction.d);
  if (value.kind == VALUE_TYPED && text && text->kind == DUMP_STRING &&
      get_field(checker, value.index, NAME_TYPE_CHECKS_TEXT))
    look_up(checker, value.index, text->bytes, text->size, dump_line(checker->code, i), false);
}

static void interpret(checker_t *checker, uint32_t i) {
  instruction_t instruction = get_instruction(checker, i);
  if (instruction.op == CALL || instruction.op == CALLM || instruction.op == CALLT || instruction.op == CALLMT) {
    call(checker, i, instruction);
  } else if (instruction.op == TSETS || instruction.op == TSETV || instruction.op == TSETB) {
    write_member(checker, i, instruction);
  } else if (instruction.op == RET || instruction.op == RET0 || instruction.op == RET1 || instruction.op == RETM) {
    return_value(checker, i, instruction);
  } else if (instruction.op == ISEQS || instruction.op == ISNES) {
    check_comparison(checker, i, instruction);
  } else if (instruction.op == ISTC || instruction.op == ISFC) {
    checker->copy_instruction = i + 1;
    checker->copy_slot = instruction.a;
    checker->copied = checker->slots[instruction.d & 0xff];
  } else if (get_effect(instruction.op) == EFFECT_ONE) {
    checker->slots[instruction.a] = compute(checker, i, instruction);
  } else {
    clear_written(checker, instruction);
  }
  if (has_jump(instruction.op) && (get_target(i, instruction) > i || instruction.op == JMP))
    jump(checker, i, instruction);
}

static void check_function(checker_t *checker, uint32_t index) {
  checker->code = &checker->dump->functions.items[index];
  checker->function = index;
  checker->state = checker->functions.items[index];
  checker->is_main = index == checker->dump->functions.count - 1;
  checker->is_reachable = true;
  checker->pending.count = checker->pending_slots.count = 0;
  checker->item_instruction = checker->copy_instruction = UINT32_MAX;
  checker->copy_slot = 0;
  memset(checker->slots, 0, checker->code->slot_count * sizeof *checker->slots);
  for (uint32_t k = 0; k < checker->code->parameter_count && k < MAX_PARAMETERS; ++k)
    checker->slots[k] = typed_value(checker->state.parameters[k]);
  collect_loops(checker);
  for (uint32_t i = 0; i < checker->code->instruction_count; ++i) {
    merge_pending(checker, i);
    begin_loops(checker, i);
    if (checker->item_instruction == i)
      checker->slots[checker->item_slot] = checker->item;
    if (checker->is_reachable)
      interpret(checker, i);
  }
}

static void free_checker(checker_t *checker) {
  array_free(checker->memory, &checker->tables);
  array_free(checker->memory, &checker->entries);
  array_free(checker->memory, &checker->strings);
  array_free(checker->memory, &checker->upvalues);
  array_free(checker->memory, &checker->functions);
  array_free(checker->memory, &checker->queue);
  array_free(checker->memory, &checker->findings);
  array_free(checker->memory, &checker->pending);
  array_free(checker->memory, &checker->pending_slots);
  array_free(checker->memory, &checker->loops);
}

static int check_all(lua_State *L) {
  checker_t *checker = lua_touserdata(L, 3);
  checker->L = L;
  luaL_checkstack(L, 32, "names");
  for (uint32_t i = 0; i < checker->dump->functions.count; ++i)
    array_push(checker->memory, &checker->functions, ((function_state_t){.parent = UINT32_MAX}));
  array_push(checker->memory, &checker->queue, checker->dump->functions.count - 1);
  for (uint32_t i = 0; i < checker->dump->functions.items[checker->dump->functions.count - 1].upvalue_count; ++i)
    array_push(checker->memory, &checker->upvalues, UNKNOWN);
  for (uint32_t i = 0; i < checker->queue.count; ++i)
    if (!checker->functions.items[checker->queue.items[i]].is_ignored)
      check_function(checker, checker->queue.items[i]);
  for (uint32_t i = 0; i < checker->findings.count; ++i)
    report(checker, &checker->findings.items[i]);
  return 0;
}

int name_check_run(lua_State *L, const dump_t *dump, allocator_t *memory) {
  shoal_assert(dump->functions.count > 0, "the dump contains no function");
  checker_t *checker = alloc_resize(memory, NULL, 0, sizeof *checker);
  memset(checker, 0, sizeof *checker);
  checker->dump = dump;
  checker->memory = memory;
  lua_pushcfunction(L, check_all);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_pushlightuserdata(L, checker);
  int status = lua_pcall(L, 3, 0, 0);
  free_checker(checker);
  alloc_resize(memory, checker, sizeof *checker, 0);
  return status;
}
