// Checks a shader in a single pass over its tokens. Each token costs one step, multiplied by the iterations of the
// enclosing loops; a function name costs as much as the function. Comments are skipped; both branches of #if are
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
  bool in_directive;                                  // the current token is in a line that starts with #
  bool in_array;                                      // inside an array declarator
  name_t names[MAX_NAMES];
  uint32_t name_count;
  loop_t loops[MAX_LOOP_DEPTH];
  uint32_t loop_count, braces, parentheses;
  double multiplier;         // product of the iterations of the enclosing loops
  double steps;              // cost of the current function so far
  double max_function_steps; // cost of the most expensive function so far
  char function[NAME_BYTES]; // current function; "" outside functions
  error_info_t *error;
} check_t;

#define REJECT(c, ...) (error_set_at((c)->error, (c)->name, (c)->line, __VA_ARGS__), false)

// --- tokens

static void skip_blanks(check_t *c) {
  while (c->cursor < c->end) {
    if (*c->cursor == '\n') {
      if (c->in_directive)
        memcpy(c->token, ";", 2); // end of the directive
      c->in_directive = false;
      ++c->line;
      ++c->cursor;
    } else if (c->end - c->cursor > 1 && c->cursor[0] == '/' && c->cursor[1] == '/') {
      while (c->cursor < c->end && *c->cursor != '\n')
        ++c->cursor;
    } else if (c->end - c->cursor > 1 && c->cursor[0] == '/' && c->cursor[1] == '*') {
      for (c->cursor += 2;
           c->cursor < c->end && !(c->cursor[0] == '*' && c->end - c->cursor > 1 && c->cursor[1] == '/'); ++c->cursor)
        c->line += *c->cursor == '\n';
      c->cursor += c->cursor < c->end ? 2 : 0;
    } else if (isspace((unsigned char)*c->cursor)) {
      ++c->cursor;
    } else {
      return;
    }
  }
}

static bool is_token_character(char character) {
  return isalnum((unsigned char)character) || character == '_' || character == '.';
}

// Reads the next token: a name or number, "++", "--", or a single character.
static void read_next_token(check_t *c) {
  skip_blanks(c);
  memcpy(c->previous_token, c->token, sizeof c->previous_token);
  size_t length = 0;
  const char *start = c->cursor;
  while (c->cursor < c->end && is_token_character(*c->cursor))
    ++c->cursor;
  if (c->cursor == start && c->cursor < c->end)
    c->cursor += c->end - c->cursor > 1 && (*start == '+' || *start == '-') && start[1] == *start ? 2 : 1;
  length = (size_t)(c->cursor - start);
  length = length < NAME_BYTES ? length : NAME_BYTES - 1;
  memcpy(c->token, start, length);
  c->token[length] = '\0';
  c->in_directive |= c->token[0] == '#';
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

static bool add_name(check_t *c, const char *text, name_kind_t kind, double value, double steps) {
  shoal_assert(c->name_count <= MAX_NAMES, "%u names exceed the maximum %u", c->name_count, MAX_NAMES);
  name_t *entry = find_name(c, text);
  if (entry && (entry->kind != kind || kind == NAME_MACRO))
    return REJECT(c, "two declarations are named %s: rename one of them", text);
  if (!entry && c->name_count == MAX_NAMES)
    return REJECT(c, "too many functions and constants (at most %u per shader)", MAX_NAMES);
  if (!entry) {
    entry = &c->names[c->name_count++];
    *entry = (name_t){.kind = kind, .value = value};
    memcpy(entry->text, text, NAME_BYTES);
  }
  entry->value = entry->value == value ? value : NAN; // defined twice: the applicable definition is unknown
  entry->steps = fmax(entry->steps, steps);
  return true;
}

// Returns the value of a number, or of a constant or macro with a known value; otherwise NaN.
static double evaluate_constant(check_t *c, const char *token) {
  if (is_name(token)) {
    const name_t *name = find_name(c, token);
    return name && name->kind != NAME_FUNCTION ? name->value : (double)NAN;
  }
  char *end;
  double value = strtod(token, &end);
  return end == token || (*end && strcmp(end, "u") != 0 && strcmp(end, "f") != 0) ? (double)NAN : value;
}

// --- macros and constants

// Reads a macro. Rejects macros with parameters, and macros that do not expand to an expression of numbers, types and
// other macros, because they could expand to code that this check cannot see. Also rejects macros of more than
// SHADER_MAX_STEPS steps.
static bool read_macro(check_t *c) {
  char name[NAME_BYTES];
  read_next_token(c);
  memcpy(name, c->token, sizeof name);
  if (c->cursor < c->end && *c->cursor == '(')
    return REJECT(c, "#define %s(…): macros with parameters are not supported: write a function", name);
  double value = NAN, steps = 1;
  uint32_t token_count = 0;
  for (;;) {
    const char *saved_cursor = c->cursor;
    uint32_t line = c->line;
    read_next_token(c);
    if (!c->in_directive || !c->token[0] || c->line != line) { // the token is on the next line
      c->cursor = saved_cursor;
      c->line = line;
      memcpy(c->token, ";", 2);
      break;
    }
    const name_t *entry = find_name(c, c->token);
    bool is_type_name = is_type(c->token);
    if (strpbrk(c->token, ";{}#\\=") || is_token(c, "++") || is_token(c, "--") ||
        (is_name(c->token) && !is_type_name && !(entry && entry->kind == NAME_MACRO)))
      return REJECT(c, "#define %s: a macro must be a numeric expression, got %s: write a constant or a function", name,
                    c->token);
    value = ++token_count == 1 ? evaluate_constant(c, c->token) : (double)NAN;
    steps += entry ? entry->steps : 1;
    if (steps > SHADER_MAX_STEPS)
      return REJECT(c, "#define %s is too long (at most %u tokens after expansion)", name, SHADER_MAX_STEPS);
  }
  return add_name(c, name, NAME_MACRO, value, steps);
}

static bool read_directive(check_t *c) {
  read_next_token(c);
  if (is_token(c, "define"))
    return read_macro(c);
  if (is_token(c, "undef") || is_token(c, "include"))
    return REJECT(c, "#%s is not supported: remove it", c->token);
  return true; // the tokens of other directives are counted, too
}

// Records the value of the constant in `const int NAME = number`. The next token is the one after NAME.
static bool read_constant(check_t *c) {
  char name[NAME_BYTES], type[NAME_BYTES];
  read_next_token(c);
  memcpy(type, c->token, sizeof type);
  read_next_token(c);
  memcpy(name, c->token, sizeof name);
  const char *saved_cursor = c->cursor;
  uint32_t line = c->line;
  read_next_token(c);
  bool has_initializer = is_token(c, "=");
  read_next_token(c);
  double value = has_initializer ? evaluate_constant(c, c->token) : (double)NAN;
  read_next_token(c);
  value = is_token(c, ";") || is_token(c, ",") ? value : (double)NAN;
  c->cursor = saved_cursor;
  c->line = line;
  memcpy(c->previous_token, type, sizeof type);
  memcpy(c->token, name, sizeof name);
  return !is_name(name) || add_name(c, name, NAME_NUMBER, value, 1);
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

// Returns an upper bound, at least 1, of the number of iterations of a loop; negative if it cannot be determined.
static double count_iterations(double start, double end, double step, char relation) {
  if (!(fabs(start) <= MAX_BOUND && fabs(end) <= MAX_BOUND && fabs(step) <= MAX_BOUND))
    return -1;
  if ((relation == '<' && step <= 0) || (relation == '>' && step >= 0) || step == 0)
    return -1;
  return fmax(floor((end - start) / step) + 1, 1);
}

static double read_step(check_t *c, const char *variable) {
  read_next_token(c);
  double sign = is_token(c, "++") || is_token(c, "--") ? (is_token(c, "++") ? 1 : -1) : 0;
  if (sign != 0)
    return match_next_token(c, variable) ? sign : (double)NAN;
  if (strcmp(c->token, variable) != 0)
    return NAN;
  read_next_token(c);
  if (is_token(c, "++") || is_token(c, "--"))
    return is_token(c, "++") ? 1 : -1;
  sign = is_token(c, "+") ? 1 : is_token(c, "-") ? -1 : (double)NAN;
  if (!match_next_token(c, "="))
    return NAN;
  read_next_token(c);
  return sign * evaluate_constant(c, c->token);
}

static bool read_loop(check_t *c) {
  loop_t loop = {.braces = c->braces};
  shoal_assert(c->loop_count <= MAX_LOOP_DEPTH, "loop depth %u exceeds %u", c->loop_count, MAX_LOOP_DEPTH);
  bool ok = match_next_token(c, "(") && match_next_token(c, "int");
  read_next_token(c);
  memcpy(loop.variable, c->token, sizeof loop.variable);
  ok = ok && is_name(loop.variable) && !find_name(c, loop.variable) && match_next_token(c, "=");
  read_next_token(c);
  double start = evaluate_constant(c, c->token);
  ok = ok && match_next_token(c, ";") && match_next_token(c, loop.variable);
  read_next_token(c);
  char relation = c->token[0];
  read_next_token(c);
  if (is_token(c, "="))
    read_next_token(c);
  double end = evaluate_constant(c, c->token);
  ok = ok && (relation == '<' || relation == '>') && match_next_token(c, ";");
  double step = ok ? read_step(c, loop.variable) : (double)NAN;
  loop.iterations = count_iterations(start, end, step, relation);
  if (!ok || !match_next_token(c, ")") || !match_next_token(c, "{") || loop.iterations < 0)
    return REJECT(c, "%s", LOOP_ERROR);
  if (c->loop_count == MAX_LOOP_DEPTH)
    return REJECT(c, "loops are nested too deeply (at most %u levels)", MAX_LOOP_DEPTH);
  c->loops[c->loop_count++] = loop;
  ++c->braces;
  c->multiplier *= loop.iterations;
  return add_steps(c, 1);
}

// Rejects changes to a loop variable inside its loop. Also rejects a loop variable at the end of a line or before a
// comment, because this check cannot see the token that follows the variable.
static bool check_loop_variables(check_t *c, const char *older_token) {
  for (uint32_t i = 0; i < c->loop_count; ++i) {
    if (strcmp(c->loops[i].variable, c->token) != 0)
      continue;
    const char *next = c->cursor;
    while (next < c->end && (*next == ' ' || *next == '\t'))
      ++next;
    if (next == c->end)
      return true;
    bool is_parenthesized =
        strcmp(c->previous_token, "(") == 0 && *next == ')' && !is_name(older_token); // as in (i) = 0
    bool changed = is_parenthesized || strcmp(c->previous_token, "++") == 0 || strcmp(c->previous_token, "--") == 0;
    changed |= c->end - next > 1 &&
               ((next[0] == '=' && next[1] != '=') || (next[0] == next[1] && (*next == '+' || *next == '-')));
    changed |= c->end - next > 1 && next[0] != '\0' && strchr("+-*/%&|^", next[0]) && next[1] == '=';
    changed |= c->end - next > 2 && (*next == '<' || *next == '>') && next[1] == *next && next[2] == '=';
    if (changed)
      return REJECT(c, "the body of a loop must not change the loop variable %s: use another variable", c->token);
    // A comment or line break may hide the next token.
    bool is_comment = c->end - next > 1 && next[0] == '/' && (next[1] == '/' || next[1] == '*');
    if (is_comment || isspace((unsigned char)*next))
      return REJECT(c, "no comment or line break may follow the loop variable %s: write the expression on one line",
                    c->token);
  }
  return true;
}

// --- main loop

static bool close_brace(check_t *c) {
  c->braces -= c->braces > 0;
  if (c->loop_count > 0 && c->loops[c->loop_count - 1].braces == c->braces)
    c->multiplier /= c->loops[--c->loop_count].iterations;
  if (c->braces > 0 || !c->function[0])
    return true;
  bool ok = add_name(c, c->function, NAME_FUNCTION, 0, c->steps);
  c->max_function_steps = fmax(c->max_function_steps, c->steps);
  c->function[0] = '\0';
  return ok;
}

static bool is_array_too_long(check_t *c) {
  if (!is_token(c, "["))
    return false;
  const char *saved_cursor = c->cursor;
  char previous[NAME_BYTES];
  uint32_t line = c->line;
  memcpy(previous, c->previous_token, sizeof previous);
  read_next_token(c);
  double count = is_token(c, "]") ? 1 : evaluate_constant(c, c->token);
  bool is_simple = is_token(c, "]") || match_next_token(c, "]");
  c->cursor = saved_cursor;
  c->line = line;
  memcpy(c->token, "[", 2);
  memcpy(c->previous_token, previous, sizeof previous);
  return !is_simple || !(count <= SHADER_MAX_ARRAY);
}

static bool count_token(check_t *c) {
  const name_t *entry = is_name(c->token) ? find_name(c, c->token) : NULL;
  return add_steps(c, entry ? 1 + entry->steps : 1);
}

// A local variable with the name of a constant hides the constant, whose value is therefore unknown from here on.
static void shadow_constant(check_t *c) {
  name_t *entry = is_name(c->token) ? find_name(c, c->token) : NULL;
  const char *next = c->cursor;
  while (next < c->end && isspace((unsigned char)*next))
    ++next;
  bool is_assigned = c->end - next > 1 && next[0] == '=' && next[1] != '=';
  if (entry && entry->kind == NAME_NUMBER &&
      (is_assigned || is_name(c->previous_token) || next == c->end || *next == '/'))
    entry->value = NAN;
}

// Processes the current token. Outside braces, two names and a parenthesis start a function.
static bool read_token(check_t *c, const char *older_token) {
  bool is_declaration = is_name(c->previous_token) && is_name(older_token) && strcmp(older_token, "return") != 0;
  c->in_array = (c->in_array && !strchr(";,", c->token[0])) ||
                (is_token(c, "[") && (is_declaration || is_type(c->previous_token)));
  if (c->token[0] == '#')
    return read_directive(c);
  if (strchr("\\@`$", c->token[0]))
    return REJECT(c, "GLSL has no character %s: remove it", c->token);
  if (is_token(c, "while") || is_token(c, "do"))
    return REJECT(c, "%s", LOOP_ERROR);
  if (is_token(c, "inout") || (is_token(c, "out") && c->parentheses > 0))
    return REJECT(c, "out and inout parameters are not supported: return the value instead");
  if (c->in_array && is_array_too_long(c))
    return REJECT(c, "the size of an array must be a constant of at most %u", SHADER_MAX_ARRAY);
  if (is_token(c, "(") && c->braces == 0 && is_declaration && !c->in_directive) {
    memcpy(c->function, c->previous_token, sizeof c->function);
    c->steps = 0;
  }
  c->parentheses += is_token(c, "(");
  c->parentheses -= is_token(c, ")") && c->parentheses > 0;
  if (is_token(c, "const"))
    return read_constant(c);
  if (is_token(c, "for"))
    return read_loop(c);
  if (is_token(c, "{"))
    ++c->braces;
  if (is_token(c, "}"))
    return close_brace(c);
  if (is_token(c, ";") && c->braces == 0 && c->function[0])
    return REJECT(c, "function %s is declared but not defined: define the function before the first call", c->function);
  shadow_constant(c);
  return check_loop_variables(c, older_token) && count_token(c);
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
