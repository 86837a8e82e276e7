// Tables that map messages to hints. A row matches if the message starts with `prefix` and then contains `contains`;
// the first matching row applies. `$` in a hint stands for the first quoted part of the message, usually a name.
#include "luajit/error_wording.h"

#include "base/assert.h"
#include "base/nearest_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct hint_t {
  const char *prefix;   // beginning of the message
  const char *contains; // text that the message contains after `prefix`; NULL: no condition
  const char *hint_text;
} hint_t;

// Functions of Lua's libraries, for suggesting similar names.
static const char *const LIBRARY[] = {
    "abs",     "acos",   "arshift", "asin",   "atan",   "atan2", "band",   "bnot",   "bor", "bswap",
    "bxor",    "byte",   "ceil",    "char",   "concat", "cos",   "cosh",   "create", "deg", "exp",
    "find",    "floor",  "fmod",    "format", "gmatch", "gsub",  "insert", "len",    "log", "lower",
    "lshift",  "match",  "max",     "min",    "modf",   "pow",   "rad",    "remove", "rep", "resume",
    "reverse", "rshift", "sin",     "sinh",   "sort",   "sqrt",  "status", "sub",    "tan", "tanh",
    "tobit",   "tohex",  "unpack",  "upper",  "wrap",   "yield",
};

static const hint_t HINTS[] = {
    // --- syntax errors
    {"", "expected near '!'", "Lua writes \"not equal\" as ~= and \"not\" as `not`"},
    {"'=' expected near '+'", NULL, "Lua has no += or ++: write x = x + 1"},
    {"'=' expected near '-'", NULL, "Lua has no -=: write x = x - 1"},
    {"'=' expected near '*'", NULL, "Lua has no *=: write x = x * 2"},
    {"'=' expected near '/'", NULL, "Lua has no /=: write x = x / 2 (comments start with --)"},
    {"'=' expected near '='", NULL, "= assigns a value; use == to compare"},
    {"'=' expected", NULL, "expected an assignment such as x = 1, or a call such as f(x)"},
    {"unexpected symbol near '+'", NULL, "Lua has no += or ++: write x = x + 1"},
    {"unexpected symbol near '#'", NULL, "comments start with --; #list is the length of a table"},
    {"unexpected symbol near 'local'", NULL,
     "`local` is not allowed here: move it before the table, or into a function"},
    {"unexpected symbol near '!'", NULL, "Lua writes \"not equal\" as ~= and \"not\" as `not`"},
    {"unexpected symbol near '/'", NULL, "comments start with -- in Lua"},
    {"unexpected symbol near '&'", NULL, "Lua writes \"and\" as `and`"},
    {"unexpected symbol near '|'", NULL, "Lua writes \"or\" as `or`"},
    {"unexpected symbol near '}'", NULL, "an `end` or a value may be missing before this `}`"},
    {"unexpected symbol near '<eof>'", NULL, "unexpected end of file: an `end` or `}` may be missing"},
    {"unexpected symbol", NULL, "remove this symbol, or add the value, name or operator that is missing before it"},
    {"'}' expected", "near '<eof>'", "unterminated table: add the missing `}`"},
    {"'}' expected", "near '='", "a key must be a name or in brackets: name = 1, [\"my key\"] = 1"},
    {"'}' expected", NULL, "a comma may be missing before this point"},
    {"')' expected near '='", NULL, "use == to compare, or a table for named arguments: f({ x = 1 })"},
    {"')' expected", NULL, "a comma or `)` may be missing before this point"},
    {"']' expected", NULL, "a `]` may be missing before this point"},
    {"'end' expected", NULL, "an `end` is missing: every function, if, for, while and do requires its own `end`"},
    {"'<eof>' expected near 'end'", NULL, "remove the extra `end`, here or above"},
    {"'<eof>' expected near '}'", NULL, "remove the extra `}`, here or above"},
    {"'<eof>' expected", NULL, "no block is open here: remove an extra `end` above"},
    {"'then' expected near '='", NULL, "use == to compare"},
    {"'then' expected", NULL, "conditions end with `then`: if x > 1 then"},
    {"'until' expected", NULL, "`repeat` requires `until` and a condition: repeat … until x > 10"},
    {"'do' expected", NULL, "loops require `do`: for i = 1, 10 do"},
    {"'=' or 'in' expected", NULL, "write for i = 1, 10 do, or for e in world.each(\"transform\") do"},
    {"'<name>' expected", NULL, "expected a name: letters, digits and _, but no Lua keyword"},
    {"unfinished string", NULL, "close the string on the same line, with the quotation mark that opens it"},
    {"unfinished long", NULL, "add the missing `]]`"},
    {"malformed number", NULL, "write numbers like 12, 1.5 or 0xff"},
    {"function arguments expected", NULL, "method calls require parentheses: e:destroy()"},
    {"ambiguous syntax", NULL, "put the `(` on the same line as the function name"},
    // --- runtime errors
    {"attempt to index", "(a nil value)", "$ has no value here: check its name, and that it is set before this line"},
    {"attempt to index", "(a number value)",
     "$ is a number and has no fields: read values as e.transform.x in `each`, and as q.transform.x[i] in `update`"},
    {"attempt to index field 'name' (a function value)", NULL,
     "e:name() returns the name of an entity; to change it, use e:set(\"name\", { value = \"ada\" })"},
    {"attempt to index field 'parent' (a function value)", NULL,
     "e:parent() returns the parent of an entity; to change it, write e.transform.parent = …"},
    {"attempt to index field 'state' (a function value)", NULL,
     "e:state() returns the state of an entity; to change it, use e:enter(\"alive\")"},
    {"attempt to index", "(a function value)", "$ is a function: call it, as in $()"},
    {"attempt to index", "(a boolean value)", "$ is a boolean and has no fields"},
    {"attempt to index a nil value", NULL, "this value is nil: check that it is set before this line"},
    {"attempt to index a number value", NULL, "the value is a number and has no fields: use the number itself"},
    {"attempt to call", "(a nil value)", "$ is nil, not a function: check its name"},
    {"attempt to call", "(a number value)",
     "$ is a number and cannot be called: remove the `()`, or add the missing operator"},
    {"attempt to call", "(a table value)", "$ is a table and cannot be called: a comma may be missing before the `(`"},
    {"attempt to call a number value", NULL, "a number cannot be called; to count, write for i = 1, 10 do"},
    {"attempt to call a table value", NULL,
     "a table cannot be called: in a loop, use pairs(t), ipairs(t) or world.each(\"transform\"); for rows, write "
     "for i = 1, q.count do"},
    {"attempt to call a nil value", NULL, "the called value is nil, not a function: check its name or key"},
    {"attempt to perform arithmetic on local 'dt' (a nil value)", NULL,
     "dt is the second argument: update = function(q, dt), each = function(e, dt); without a query, update = "
     "function(dt)"},
    {"attempt to perform arithmetic", "(a nil value)", "$ has no value here: check its name, and that it is set"},
    {"attempt to perform arithmetic", "(a string value)", "$ is a string that is not a number: join strings with .."},
    {"attempt to perform arithmetic", "(a table value)", "$ is a table: use one of its values"},
    {"attempt to perform arithmetic", "(a boolean value)", "$ is a boolean, not a number"},
    {"attempt to perform arithmetic on a nil value", NULL,
     "expected a number, got nil: check that the value is set before this line"},
    {"attempt to perform arithmetic on a string value", NULL,
     "one of the two values is a string that is not a number: join strings with .."},
    {"attempt to compare", "nil", "one of the two values is nil: check its name, and that it is set before this line"},
    {"attempt to compare number with string", NULL,
     "one of the two values is a string: tonumber(text) converts it to a number"},
    {"attempt to compare string with number", NULL,
     "one of the two values is a string: tonumber(text) converts it to a number"},
    {"attempt to compare", NULL, "only two numbers or two strings can be compared"},
    {"attempt to concatenate", "(a nil value)", "$ has no value here; tostring($) converts any value to a string"},
    {"attempt to concatenate", NULL, ".. joins strings and numbers only; tostring(x) converts any value to a string"},
    {"attempt to get length", "(a nil value)", "$ has no value here: check its name, and that it is set"},
    {"'for' ", "must be a number", "start, limit and step must be numbers: for i = 1, q.count do"},
    {"cannot convert 'nil' to", NULL, "expected a number, got nil: check that the value is set before this line"},
    {"cannot convert 'string' to", NULL, "expected a number, got a string: tonumber(text) converts it"},
    {"cannot convert", NULL, "expected a number: convert strings with tonumber(text)"},
    {"table index is nil", NULL, "the key in `[]` is nil: check that it is set before this line"},
    {"table index is NaN", NULL, "the key in `[]` is NaN: check for a division by zero"},
};

// Hints about calls that may return nil. `contains`: text in the source line of the error; `$`: the call, beginning
// with this text. LINE_HINTS take precedence over HINTS.
static const hint_t LINE_HINTS[] = {
    {"attempt to index a nil value", "world.find(",
     "this value is nil: $ found no entity: check its `name`, and that the map or scene that contains it was loaded"},
    {"attempt to index a nil value", ":child(",
     "this value is nil: e$ returns nil if the entity has no child of that name: check the name in `children` of its "
     "assemblage"},
};

// Globals of other Lua environments, and their replacements. In libraries, these globals are nil
// (scripts/shoal/load/missing_globals.lua). scripts/shoal/messages/advice.lua has the same messages for the game's own
// files.
static const struct {
  const char *name, *hint_text;
} MISSING_GLOBALS[] = {
    {"bit32", "use bit, LuaJIT's library for bits"},
    {"debug", "use print(e:describe()) or log.info"},
    {"dofile", "use require \"folder.file\" to load a module from the game's folder"},
    {"getfenv", "the environment of a function cannot be changed"},
    {"io", "scripts cannot open files: use print and log.info for output, world.save and world.load for saves"},
    {"jit", "scripts cannot control LuaJIT's compiler"},
    {"loadfile", "use require \"folder.file\" to load a module from the game's folder"},
    {"love", "Shoal does not have LÖVE's functions"},
    {"module", "return a table from the module's file"},
    {"os", "use world.time, world.tick or dt for the time, and world.quit() to end the game"},
    {"package", "use require \"folder.file\" to load a module from the game's folder"},
    {"rawlen", "use #t"},
    {"setfenv", "the environment of a function cannot be changed"},
};

// Copies the first quoted part of the message, or "the element in `[]`" if nothing is quoted or the quoted part begins
// with '?'.
static void copy_quoted(const char *message, char *out, size_t bytes) {
  const char *open = strchr(message, '\''), *close = open ? strchr(open + 1, '\'') : NULL;
  if (open && close && open[1] != '?') // '?' is LuaJIT's name for t[i]
    snprintf(out, bytes, "%.*s", (int)(close - open - 1), open + 1);
  else
    snprintf(out, bytes, "the element in `[]`");
}

// Copies the first call in the line that begins with `prefix`, up to its closing parenthesis: world.find("start").
static void copy_call(const char *line, const char *prefix, char *out, size_t bytes) {
  const char *start = strstr(line, prefix), *close = start ? strchr(start, ')') : NULL;
  if (close && (size_t)(close - start) + 2 <= bytes)
    snprintf(out, bytes, "%.*s", (int)(close - start + 1), start);
  else
    snprintf(out, bytes, "%s…)", prefix);
}

static bool matches_hint(const hint_t *hint, const char *message) {
  size_t length = strlen(hint->prefix);
  return strncmp(message, hint->prefix, length) == 0 && (!hint->contains || strstr(message + length, hint->contains));
}

// Returns the hint about a call in the source line that raised the error; NULL if no hint applies.
static const hint_t *find_line_hint(const char *message, const char *line) {
  for (size_t i = 0; i < sizeof LINE_HINTS / sizeof *LINE_HINTS; ++i)
    if (strncmp(message, LINE_HINTS[i].prefix, strlen(LINE_HINTS[i].prefix)) == 0 &&
        strstr(line, LINE_HINTS[i].contains))
      return &LINE_HINTS[i];
  return NULL;
}

// Returns the hint for an error message; NULL if no hint applies.
static const hint_t *find_hint(const char *message) {
  for (size_t i = 0; i < sizeof HINTS / sizeof *HINTS; ++i)
    if (matches_hint(&HINTS[i], message))
      return &HINTS[i];
  return NULL;
}

// If the message reports a call to an unknown function, appends the most similar name in Lua's libraries. Returns
// true if a similar name was found.
static bool add_library_hint(char *message, size_t bytes, const char *name) {
  nearest_name_t nearest;
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  bool is_call =
      strncmp(message, "attempt to call field", 21) == 0 || strncmp(message, "attempt to call method", 22) == 0;
  nearest_name_init(&nearest, name);
  for (size_t i = 0; i < sizeof LIBRARY / sizeof *LIBRARY && is_call; ++i)
    nearest_name_offer(&nearest, LIBRARY[i]);
  size_t length = strlen(message);
  if (is_call && nearest.best[0] && strstr(message, "(a nil value)"))
    snprintf(message + length, bytes - length, ": unknown function %s%s", name,
             nearest_name_hint(&nearest, hint, sizeof hint));
  return strlen(message) > length;
}

// If the message reports that a variable with the name of a missing global is indexed or called, appends the
// replacement of the global. Returns true if it appended text.
static bool add_missing_global_hint(char *message, size_t bytes, const char *name) {
  bool is_use = strncmp(message, "attempt to index ", 17) == 0 || strncmp(message, "attempt to call ", 16) == 0;
  bool is_variable = strstr(message, " global '") || strstr(message, " upvalue '") || strstr(message, " local '");
  size_t length = strlen(message);
  for (size_t i = 0; i < sizeof MISSING_GLOBALS / sizeof *MISSING_GLOBALS && is_use && is_variable; ++i)
    if (strcmp(name, MISSING_GLOBALS[i].name) == 0 && strstr(message, "(a nil value)")) {
      snprintf(message + length, bytes - length, ": %s", MISSING_GLOBALS[i].hint_text);
      return true;
    }
  return false;
}

void error_wording_append_hint(char *message, size_t bytes, const char *line) {
  shoal_assert(bytes > 0, "bytes must not be 0");
  shoal_assert(strnlen(message, bytes) < bytes, "message must be null-terminated");
  char name[64];
  if (strstr(message, ": ")) // the message already contains an explanation
    return;
  copy_quoted(message, name, sizeof name);
  if (add_library_hint(message, bytes, name) || add_missing_global_hint(message, bytes, name))
    return;
  const hint_t *line_hint = find_line_hint(message, line), *hint = line_hint ? line_hint : find_hint(message);
  if (!hint)
    return;
  if (line_hint)
    copy_call(line, hint->contains, name, sizeof name);
  size_t length = strlen(message);
  length += (size_t)snprintf(message + length, bytes - length, ": ");
  for (const char *cursor = hint->hint_text; *cursor && length + sizeof name < bytes; ++cursor) {
    int added = *cursor == '$' ? snprintf(message + length, bytes - length, "%s", name)
                               : snprintf(message + length, bytes - length, "%c", *cursor);
    length += (size_t)added;
  }
}
