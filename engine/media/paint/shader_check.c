// Checks a shader in a single pass over its tokens. Each token costs one step, multiplied by the iterations of the
// enclosing loops. A function name costs as many steps as the function. Comments are skipped. Both branches of #if are
// counted.
#include "paint/shader_check.h"

#include "base/alloc.h"
#include "base/assert.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 256
#define MAX_LOOP_DEPTH 32
#define NAME_BYTES 64
#define MAX_BOUND 1e6 // maximum absolute value of a loop's bounds and step

typedef enum name_kind_t { NAME_NUMBER, NAME_MACRO, NAME_FUNCTION } name_kind_t;

typedef struct name_t {
  char text[NAME_BYTES];
  name_kind_t kind;
  double value; // value of a NAME_NUMBER; NaN if unknown
  double steps; // cost of a NAME_FUNCTION
} name_t;

typedef struct loop_t {
  char variable[NAME_BYTES];
  double iterations;
  uint32_t braces; // brace depth around the loop
} loop_t;

typedef struct check_t {
  const char *name, *cursor, *end;
  uint32_t line;
  char token[NAME_BYTES], previous_token[NAME_BYTES]; // current and previous token; "" at the end
  bool in_directive;                                  // true if the current token is in a line that starts with #
  bool in_array;                                      // true if the current token is in an array declarator
  name_t names[MAX_NAMES];
  uint32_t name_count;
  loop_t loops[MAX_LOOP_DEPTH];
  uint32_t loop_count, braces, parentheses;
  double multiplier;         // product of the enclosing loops' iteration counts
  double steps;              // cost of the current function so far
  double max_function_steps; // cost of the most expensive function so far
  char function[NAME_BYTES]; // current function; "" outside functions
  error_info_t *error;
} check_t;

#define REJECT(c, ...) (error_set_at((c)->error, (c)->name, (c)->line, __VA_ARGS__), false)

// --- tokens

static void skip_blanks(check_t *check) {
  while (check->cursor < check->end) {
    if (*check->cursor == '\n') {
      if (check->in_directive)
        memcpy(check->token, ";", 2); // end of the directive
      check->in_directive = false;
      ++check->line;
      ++check->cursor;
    } else if (check->end - check->cursor > 1 && check->cursor[0] == '/' && check->cursor[1] == '/') {
      while (check->cursor < check->end && *check->cursor != '\n')
        ++check->cursor;
    } else if (check->end - check->cursor > 1 && check->cursor[0] == '/' && check->cursor[1] == '*') {
      for (check->cursor += 2; check->cursor < check->end &&
                               !(check->cursor[0] == '*' && check->end - check->cursor > 1 && check->cursor[1] == '/');
           ++check->cursor)
        check->line += *check->cursor == '\n';
      check->cursor += check->cursor < check->end ? 2 : 0;
    } else if (isspace((unsigned char)*check->cursor)) {
      ++check->cursor;
    } else {
      return;
    }
  }
}

static bool is_token_character(char character) {
  return isalnum((unsigned char)character) || character == '_' || character == '.';
}

// Reads the next token: a name or number, "++", "--", or a single character.
static void read_next_token(check_t *check) {
  skip_blanks(check);
  memcpy(check->previous_token, check->token, sizeof check->previous_token);
  size_t length = 0;
  const char *start = check->cursor;
  while (check->cursor < check->end && is_token_character(*check->cursor))
    ++check->cursor;
  if (check->cursor == start && check->cursor < check->end)
    check->cursor += check->end - check->cursor > 1 && (*start == '+' || *start == '-') && start[1] == *start ? 2 : 1;
  length = (size_t)(check->cursor - start);
  length = length < NAME_BYTES ? length : NAME_BYTES - 1;
  memcpy(check->token, start, length);
  check->token[length] = '\0';
  check->in_directive |= check->token[0] == '#';
}

static bool is_token(const check_t *c, const char *token) {
  return strcmp(c->token, token) == 0;
}

static bool is_name(const char *token) {
  return isalpha((unsigned char)token[0]) || token[0] == '_';
}

static bool is_type(const char *token) {
  static const char *const TYPES[] = {"float", "int", "uint", "bool", "vec", "ivec", "uvec", "bvec", "mat"};
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; ++i)
    if (strncmp(token, TYPES[i], strlen(TYPES[i])) == 0)
      return true;
  return false;
}

static name_t *find_name(check_t *c, const char *text) {
  for (uint32_t i = 0; i < c->name_count; ++i)
    if (strcmp(c->names[i].text, text) == 0)
      return &c->names[i];
  return NULL;
}

static bool add_name(check_t *check, const char *text, name_kind_t kind, double value, double steps) {
  shoal_assert(check->name_count <= MAX_NAMES, "%u names exceed the maximum %u", check->name_count, MAX_NAMES);
  name_t *entry = find_name(check, text);
  if (entry && (entry->kind != kind || kind == NAME_MACRO))
    return REJECT(check, "two declarations are named %s: rename one of them", text);
  if (!entry && check->name_count == MAX_NAMES)
    return REJECT(check, "too many functions and constants (at most %u per shader)", MAX_NAMES);
  if (!entry) {
    entry = &check->names[check->name_count++];
    *entry = (name_t){.kind = kind, .value = value};
    memcpy(entry->text, text, NAME_BYTES);
  }
  entry->value = entry->value == value ? value : NAN; // if defined twice, the applicable definition is unknown
  entry->steps = fmax(entry->steps, steps);
  return true;
}

// Returns the value of a number, or of a constant or macro with a known value, or NaN for any other token.
static double evaluate_constant(check_t *check, const char *token) {
  if (is_name(token)) {
    const name_t *name = find_name(check, token);
    return name && name->kind != NAME_FUNCTION ? name->value : (double)NAN;
  }
  char *end;
  double value = strtod(token, &end);
  return end == token || (*end && strcmp(end, "u") != 0 && strcmp(end, "f") != 0) ? (double)NAN : value;
}

// --- macros and constants

// Reads a macro. Rejects macros with parameters, and macros that do not expand to an expression of numbers, types and
// other macros, because they could expand to code that this check does not read. Also rejects macros of more than
// SHADER_MAX_STEPS steps. Returns true on success, or false if the macro is rejected.
static bool read_macro(check_t *check) {
  char name[NAME_BYTES];
  read_next_token(check);
  memcpy(name, check->token, sizeof name);
  if (check->cursor < check->end && *check->cursor == '(')
    return REJECT(check, "#define %s(…): macros with parameters are not supported: write a function", name);
  double value = NAN, steps = 1;
  uint32_t token_count = 0;
  for (;;) {
    const char *saved_cursor = check->cursor;
    uint32_t line = check->line;
    read_next_token(check);
    if (!check->in_directive || !check->token[0] || check->line != line) { // the token is on the next line
      check->cursor = saved_cursor;
      check->line = line;
      memcpy(check->token, ";", 2);
      break;
    }
    const name_t *entry = find_name(check, check->token);
    bool is_type_name = is_type(check->token);
    if (strpbrk(check->token, ";{}#\\=") || is_token(check, "++") || is_token(check, "--") ||
        (is_name(check->token) && !is_type_name && !(entry && entry->kind == NAME_MACRO)))
      return REJECT(check, "#define %s: a macro must be a numeric expression, got %s: write a constant or a function",
                    name, check->token);
    value = ++token_count == 1 ? evaluate_constant(check, check->token) : (double)NAN;
    steps += entry ? entry->steps : 1;
    if (steps > SHADER_MAX_STEPS)
      return REJECT(check, "#define %s is too long (at most %u tokens after expansion)", name, SHADER_MAX_STEPS);
  }
  return add_name(check, name, NAME_MACRO, value, steps);
}

static bool read_directive(check_t *c) {
  read_next_token(c);
  if (is_token(c, "define"))
    return read_macro(c);
  if (is_token(c, "undef") || is_token(c, "include"))
    return REJECT(c, "#%s is not supported: remove it", c->token);
  return true; // the tokens of other directives are counted as well
}

// Records the value of the constant in `const int NAME = number`. Leaves NAME as the current token. Returns true on
// success, or false if the name is rejected.
static bool read_constant(check_t *check) {
  char name[NAME_BYTES], type[NAME_BYTES];
  read_next_token(check);
  memcpy(type, check->token, sizeof type);
  read_next_token(check);
  memcpy(name, check->token, sizeof name);
  const char *saved_cursor = check->cursor;
  uint32_t line = check->line;
  read_next_token(check);
  bool has_initializer = is_token(check, "=");
  read_next_token(check);
  double value = has_initializer ? evaluate_constant(check, check->token) : (double)NAN;
  read_next_token(check);
  value = is_token(check, ";") || is_token(check, ",") ? value : (double)NAN;
  check->cursor = saved_cursor;
  check->line = line;
  memcpy(check->previous_token, type, sizeof type);
  memcpy(check->token, name, sizeof name);
  return !is_name(name) || add_name(check, name, NAME_NUMBER, value, 1);
}

static bool add_steps(check_t *c, double steps) {
  shoal_assert(steps >= 0 && c->multiplier >= 1, "invalid cost: %g tokens, %g times", steps, c->multiplier);
  c->steps += c->multiplier * steps;
  return c->steps <= SHADER_MAX_STEPS ||
         REJECT(c, "more than %u tokens may execute per pixel: shorten the loops or the functions they call",
                SHADER_MAX_STEPS);
}

// --- loops

static const char LOOP_ERROR[] = "a loop must have constant bounds: for (int i = 0; i < 16; ++i) { … }";

static bool match_next_token(check_t *c, const char *token) {
  read_next_token(c);
  return is_token(c, token);
}

// Returns an upper bound of a loop's iteration count, at least 1, or a negative number if it cannot be determined.
static double count_iterations(double start, double end, double step, char relation) {
  if (!(fabs(start) <= MAX_BOUND && fabs(end) <= MAX_BOUND && fabs(step) <= MAX_BOUND))
    return -1;
  if ((relation == '<' && step <= 0) || (relation == '>' && step >= 0) || step == 0)
    return -1;
  return fmax(floor((end - start) / step) + 1, 1);
}

static double read_step(check_t *check, const char *variable) {
  read_next_token(check);
  double sign = is_token(check, "++") || is_token(check, "--") ? (is_token(check, "++") ? 1 : -1) : 0;
  if (sign != 0)
    return match_next_token(check, variable) ? sign : (double)NAN;
  if (strcmp(check->token, variable) != 0)
    return NAN;
  read_next_token(check);
  if (is_token(check, "++") || is_token(check, "--"))
    return is_token(check, "++") ? 1 : -1;
  sign = is_token(check, "+") ? 1 : is_token(check, "-") ? -1 : (double)NAN;
  if (!match_next_token(check, "="))
    return NAN;
  read_next_token(check);
  return sign * evaluate_constant(check, check->token);
}

static bool read_loop(check_t *check) {
  loop_t loop = {.braces = check->braces};
  shoal_assert(check->loop_count <= MAX_LOOP_DEPTH, "loop depth %u exceeds %u", check->loop_count, MAX_LOOP_DEPTH);
  bool ok = match_next_token(check, "(") && match_next_token(check, "int");
  read_next_token(check);
  memcpy(loop.variable, check->token, sizeof loop.variable);
  ok = ok && is_name(loop.variable) && !find_name(check, loop.variable) && match_next_token(check, "=");
  read_next_token(check);
  double start = evaluate_constant(check, check->token);
  ok = ok && match_next_token(check, ";") && match_next_token(check, loop.variable);
  read_next_token(check);
  char relation = check->token[0];
  read_next_token(check);
  if (is_token(check, "="))
    read_next_token(check);
  double end = evaluate_constant(check, check->token);
  ok = ok && (relation == '<' || relation == '>') && match_next_token(check, ";");
  double step = ok ? read_step(check, loop.variable) : (double)NAN;
  loop.iterations = count_iterations(start, end, step, relation);
  if (!ok || !match_next_token(check, ")") || !match_next_token(check, "{") || loop.iterations < 0)
    return REJECT(check, "%s", LOOP_ERROR);
  if (check->loop_count == MAX_LOOP_DEPTH)
    return REJECT(check, "loops are nested too deeply (at most %u levels)", MAX_LOOP_DEPTH);
  check->loops[check->loop_count++] = loop;
  ++check->braces;
  check->multiplier *= loop.iterations;
  return add_steps(check, 1);
}

// Rejects changes to a loop variable inside its loop. Also rejects a loop variable at the end of a line or before a
// comment, because this check does not read the token that follows the variable. Returns true if the current token is
// accepted, or false if it is rejected.
static bool check_loop_variables(check_t *check, const char *older_token) {
  for (uint32_t i = 0; i < check->loop_count; ++i) {
    if (strcmp(check->loops[i].variable, check->token) != 0)
      continue;
    const char *next = check->cursor;
    while (next < check->end && (*next == ' ' || *next == '\t'))
      ++next;
    if (next == check->end)
      return true;
    // Detects assignments such as (i) = 0.
    bool is_parenthesized = strcmp(check->previous_token, "(") == 0 && *next == ')' && !is_name(older_token);
    bool changed =
        is_parenthesized || strcmp(check->previous_token, "++") == 0 || strcmp(check->previous_token, "--") == 0;
    changed |= check->end - next > 1 &&
               ((next[0] == '=' && next[1] != '=') || (next[0] == next[1] && (*next == '+' || *next == '-')));
    changed |= check->end - next > 1 && next[0] != '\0' && strchr("+-*/%&|^", next[0]) && next[1] == '=';
    changed |= check->end - next > 2 && (*next == '<' || *next == '>') && next[1] == *next && next[2] == '=';
    if (changed)
      return REJECT(check, "the body of a loop must not change the loop variable %s: use a different variable",
                    check->token);
    // The next token may be hidden by a comment or line break.
    bool is_comment = check->end - next > 1 && next[0] == '/' && (next[1] == '/' || next[1] == '*');
    if (is_comment || isspace((unsigned char)*next))
      return REJECT(check, "no comment or line break may follow the loop variable %s: write the expression on one line",
                    check->token);
  }
  return true;
}

// --- main loop

static bool close_brace(check_t *check) {
  check->braces -= check->braces > 0;
  if (check->loop_count > 0 && check->loops[check->loop_count - 1].braces == check->braces)
    check->multiplier /= check->loops[--check->loop_count].iterations;
  if (check->braces > 0 || !check->function[0])
    return true;
  bool ok = add_name(check, check->function, NAME_FUNCTION, 0, check->steps);
  check->max_function_steps = fmax(check->max_function_steps, check->steps);
  check->function[0] = '\0';
  return ok;
}

static bool is_array_too_long(check_t *check) {
  if (!is_token(check, "["))
    return false;
  const char *saved_cursor = check->cursor;
  char previous[NAME_BYTES];
  uint32_t line = check->line;
  memcpy(previous, check->previous_token, sizeof previous);
  read_next_token(check);
  double count = is_token(check, "]") ? 1 : evaluate_constant(check, check->token);
  bool is_simple = is_token(check, "]") || match_next_token(check, "]");
  check->cursor = saved_cursor;
  check->line = line;
  memcpy(check->token, "[", 2);
  memcpy(check->previous_token, previous, sizeof previous);
  return !is_simple || !(count <= SHADER_MAX_ARRAY);
}

static bool count_token(check_t *c) {
  const name_t *entry = is_name(c->token) ? find_name(c, c->token) : NULL;
  return add_steps(c, entry ? 1 + entry->steps : 1);
}

// Makes the value of a constant unknown if the current token declares a variable with the same name, because the
// variable hides the constant.
static void shadow_constant(check_t *check) {
  name_t *entry = is_name(check->token) ? find_name(check, check->token) : NULL;
  const char *next = check->cursor;
  while (next < check->end && isspace((unsigned char)*next))
    ++next;
  bool is_assigned = check->end - next > 1 && next[0] == '=' && next[1] != '=';
  if (entry && entry->kind == NAME_NUMBER &&
      (is_assigned || is_name(check->previous_token) || next == check->end || *next == '/'))
    entry->value = NAN;
}

// Processes the current token. Outside braces, two names and a parenthesis start a function. Returns true on success,
// or false if the shader is rejected.
static bool read_token(check_t *check, const char *older_token) {
  bool is_declaration = is_name(check->previous_token) && is_name(older_token) && strcmp(older_token, "return") != 0;
  check->in_array = (check->in_array && !strchr(";,", check->token[0])) ||
                    (is_token(check, "[") && (is_declaration || is_type(check->previous_token)));
  if (check->token[0] == '#')
    return read_directive(check);
  if (strchr("\\@`$", check->token[0]))
    return REJECT(check, "GLSL has no character %s: remove it", check->token);
  if (is_token(check, "while") || is_token(check, "do"))
    return REJECT(check, "%s", LOOP_ERROR);
  if (is_token(check, "inout") || (is_token(check, "out") && check->parentheses > 0))
    return REJECT(check, "out and inout parameters are not supported: return the value instead");
  if (check->in_array && is_array_too_long(check))
    return REJECT(check, "the size of an array must be a constant of at most %u", SHADER_MAX_ARRAY);
  if (is_token(check, "(") && check->braces == 0 && is_declaration && !check->in_directive) {
    memcpy(check->function, check->previous_token, sizeof check->function);
    check->steps = 0;
  }
  check->parentheses += is_token(check, "(");
  check->parentheses -= is_token(check, ")") && check->parentheses > 0;
  if (is_token(check, "const"))
    return read_constant(check);
  if (is_token(check, "for"))
    return read_loop(check);
  if (is_token(check, "{"))
    ++check->braces;
  if (is_token(check, "}"))
    return close_brace(check);
  if (is_token(check, ";") && check->braces == 0 && check->function[0])
    return REJECT(check, "function %s is declared but not defined: define the function before the first call",
                  check->function);
  shadow_constant(check);
  return check_loop_variables(check, older_token) && count_token(check);
}

bool shader_check(const char *name, const char *text, size_t bytes, error_info_t *error) {
  shoal_assert(text, "%s: text must not be NULL", name);
  if (bytes > SHADER_MAX_BYTES)
    return error_set(error, "%s: the file is too large: %zu KB (at most %u KB)", name, bytes >> 10,
                     SHADER_MAX_BYTES >> 10);
  check_t *check = alloc_object(sizeof *check);
  *check = (check_t){.name = name, .cursor = text, .end = text + bytes, .line = 1, .multiplier = 1, .error = error};
  char older_token[NAME_BYTES] = "";
  bool ok = true;
  for (read_next_token(check); ok && check->token[0]; read_next_token(check)) {
    ok = read_token(check, older_token);
    memcpy(older_token, check->previous_token, sizeof older_token);
  }
  free(check);
  return ok;
}
