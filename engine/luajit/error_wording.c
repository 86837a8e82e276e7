// A table of the beginnings of messages, the token or type that they end with, and the words that are added. The
// first row that fits counts. `$` in the words stands for what is quoted first, a name mostly.
#include "luajit/error_wording.h"

#include "base/assert.h"
#include "base/nearest_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct wording_t {
  const char *begin; // the message begins with it
  const char *with;  // and holds this behind it; NULL: whatever it holds
  const char *words;
} wording_t;

// Functions of Lua's libraries, for names that are almost theirs.
static const char *const LIBRARY[] = {
    "abs",     "acos",   "arshift", "asin",   "atan",   "atan2", "band",   "bnot",   "bor", "bswap",
    "bxor",    "byte",   "ceil",    "char",   "concat", "cos",   "cosh",   "create", "deg", "exp",
    "find",    "floor",  "fmod",    "format", "gmatch", "gsub",  "insert", "len",    "log", "lower",
    "lshift",  "match",  "max",     "min",    "modf",   "pow",   "rad",    "remove", "rep", "resume",
    "reverse", "rshift", "sin",     "sinh",   "sort",   "sqrt",  "status", "sub",    "tan", "tanh",
    "tobit",   "tohex",  "unpack",  "upper",  "wrap",   "yield",
};

static const wording_t WORDINGS[] = {
    // --- what does not compile
    {"", "expected near '!'", "\"is not equal\" is ~= in Lua, and \"not\" is `not`"},
    {"'=' expected near '+'", NULL, "there is no += and no ++ in Lua: write x = x + 1"},
    {"'=' expected near '-'", NULL, "there is no -= in Lua: write x = x - 1"},
    {"'=' expected near '*'", NULL, "there is no *= in Lua: write x = x * 2"},
    {"'=' expected near '/'", NULL, "there is no /= in Lua: write x = x / 2; a comment begins with --"},
    {"'=' expected near '='", NULL, "one = gives a value, == compares in a condition"},
    {"'=' expected", NULL, "a line is an assignment, x = 1, or a call, f(x)"},
    {"unexpected symbol near '+'", NULL, "there is no += and no ++ in Lua: write x = x + 1"},
    {"unexpected symbol near '#'", NULL, "a comment begins with -- in Lua; # is the length of a table: #list"},
    {"unexpected symbol near 'local'", NULL, "`local` stands in front of the table, or in a function"},
    {"unexpected symbol near '!'", NULL, "\"not\" is `not` in Lua, and \"is not equal\" is ~="},
    {"unexpected symbol near '/'", NULL, "a comment begins with -- in Lua"},
    {"unexpected symbol near '&'", NULL, "\"and\" is `and` in Lua"},
    {"unexpected symbol near '|'", NULL, "\"or\" is `or` in Lua"},
    {"unexpected symbol near '}'", NULL, "is an `end` missing before it, or a value behind a = or a comma?"},
    {"unexpected symbol near '<eof>'", NULL, "the file ends too early: is an `end` or a } missing?"},
    {"unexpected symbol", NULL, "something is missing before it, or one sign is too many"},
    {"'}' expected", "near '<eof>'", "a table is not closed: is a } missing?"},
    {"'}' expected", "near '='", "is a comma missing before the name there?"},
    {"'}' expected", NULL, "is a comma missing before it?"},
    {"')' expected near '='", NULL, "a condition compares with =="},
    {"')' expected", NULL, "is a comma missing before it, or a ) ?"},
    {"']' expected", NULL, "is a ] missing?"},
    {"'end' expected", NULL, "every function, if, for, while and do needs an `end` of its own: one is missing"},
    {"'<eof>' expected near 'end'", NULL, "there is one `end` too many above or here"},
    {"'<eof>' expected near '}'", NULL, "there is one } too many above or here"},
    {"'<eof>' expected", NULL, "something is too much: the file was complete before it"},
    {"'then' expected near '='", NULL, "a condition compares with =="},
    {"'then' expected", NULL, "a condition ends with `then`: if x > 1 then"},
    {"'until' expected", NULL, "a `repeat` ends with `until` and a condition: repeat … until x > 10"},
    {"'do' expected", NULL, "a loop begins with `do`: for i = 1, 10 do"},
    {"'=' or 'in' expected", NULL, "for i = 1, 10 do, or for e in world.each(\"transform\") do"},
    {"'<name>' expected", NULL, "a name is needed here: letters, digits and _, no word of Lua's own"},
    {"unfinished string", NULL, "a text ends in its line, with the quotation mark that it began with"},
    {"unfinished long", NULL, "[[ is not closed by ]]"},
    {"malformed number", NULL, "a number is written 12, 1.5 or 0xff"},
    {"function arguments expected", NULL, "a method is called: e:destroy()"},
    {"ambiguous syntax", NULL, "put the ( in the line of what is called"},
    // --- what fails while it runs
    {"attempt to index", "(a nil value)", "$ has no value here: is its name right, and was it set before this line?"},
    {"attempt to index", "(a number value)",
     "$ is a number and has no parts: in `each` a field is the value itself, e.transform.x, and in `update` it is a "
     "column, "
     "q.transform.x[i]"},
    {"attempt to index", "(a function value)", "$ is a function: it is called with ( )"},
    {"attempt to index", "(a boolean value)", "$ is true or false and has no parts"},
    {"attempt to index a nil value", NULL,
     "there is nothing here: was it set before this line? (world.find(\"hero\") finds by `name = \"hero\"`, and may "
     "find "
     "nothing)"},
    {"attempt to index a number value", NULL, "a number has no parts"},
    {"attempt to call", "(a nil value)", "there is no function $: is its name right?"},
    {"attempt to call", "(a number value)",
     "$ is a number and is not called: write it without ( ), or is an operator missing before them?"},
    {"attempt to call", "(a table value)", "$ is a table: is a comma missing before the ( ?"},
    {"attempt to call a number value", NULL, "a number is not called; counting is for i = 1, 10 do"},
    {"attempt to call a table value", NULL,
     "a table is not called; for … in takes pairs(t), ipairs(t) or world.each(\"transform\"), and rows are for i = 1, "
     "q.count do"},
    {"attempt to call a nil value", NULL, "there is no such function"},
    {"attempt to perform arithmetic on local 'dt' (a nil value)", NULL,
     "dt is the second argument: update = function(q, dt), each = function(e, dt); without a query update = "
     "function(dt)"},
    {"attempt to perform arithmetic", "(a nil value)", "$ has no value here: is its name right, and was it set?"},
    {"attempt to perform arithmetic", "(a string value)", "$ is a text: tonumber($) makes a number of it"},
    {"attempt to perform arithmetic", "(a table value)", "$ is a table: which of its values is meant?"},
    {"attempt to perform arithmetic", "(a boolean value)", "$ is true or false, not a number"},
    {"attempt to perform arithmetic on a nil value", NULL, "a number is needed, and there is no value"},
    {"attempt to perform arithmetic on a string value", NULL,
     "texts are joined by .. , and tonumber(text) makes a number"},
    {"attempt to compare", "nil", "one side has no value: is its name right, and was it set?"},
    {"attempt to compare number with string", NULL, "one side is a text: tonumber(text) makes a number of it"},
    {"attempt to compare string with number", NULL, "one side is a text: tonumber(text) makes a number of it"},
    {"attempt to compare", NULL, "only two numbers or two texts have an order"},
    {"attempt to concatenate", "(a nil value)", "$ has no value here; tostring($) makes a text of anything"},
    {"attempt to concatenate", NULL, "only texts and numbers are joined by ..; tostring(x) makes a text of anything"},
    {"attempt to get length", "(a nil value)", "$ has no value here: is its name right, and was it set?"},
    {"'for' ", "must be a number", "for counts from a number to a number: for i = 1, q.count do"},
    {"cannot convert 'nil' to", NULL, "a number is needed here, and there is no value"},
    {"cannot convert 'string' to", NULL, "a number is needed here, not a text"},
    {"cannot convert", NULL, "a number is needed here"},
    {"table index is nil", NULL, "what stands in the [ ] has no value"},
    {"table index is NaN", NULL, "what stands in the [ ] is no number: was something divided by 0?"},
};

// What is quoted first in the message; "it" when nothing is.
static void quoted(const char *message, char *out, size_t bytes) {
  const char *from = strchr(message, '\''), *to = from ? strchr(from + 1, '\'') : NULL;
  if (from && to && from[1] != '?') // as LuaJIT calls t[i]
    snprintf(out, bytes, "%.*s", (int)(to - from - 1), from + 1);
  else
    snprintf(out, bytes, "it");
}

static bool fits(const wording_t *w, const char *message) {
  size_t length = strlen(w->begin);
  return strncmp(message, w->begin, length) == 0 && (!w->with || strstr(message + length, w->with));
}

// A function that a library almost has.
static bool add_library(char *message, size_t bytes, const char *name) {
  nearest_name_t meant;
  char hint[SIMILAR_MAX + 32];
  bool called =
      strncmp(message, "attempt to call field", 21) == 0 || strncmp(message, "attempt to call method", 22) == 0;
  nearest_name_begin(&meant, name);
  for (size_t i = 0; i < sizeof LIBRARY / sizeof *LIBRARY && called; ++i)
    nearest_name_offer(&meant, LIBRARY[i]);
  size_t used = strlen(message);
  if (called && meant.best[0] && strstr(message, "(a nil value)"))
    snprintf(message + used, bytes - used, ": there is no function %s%s", name,
             nearest_name_hint(&meant, hint, sizeof hint));
  return strlen(message) > used;
}

void wording_add(char *message, size_t bytes) {
  shoal_assert(bytes > 0, "no room for words");
  shoal_assert(strnlen(message, bytes) < bytes, "words are added to a text that does not end");
  char name[64];
  const wording_t *w = NULL;
  if (strstr(message, ": ")) // it says why
    return;
  quoted(message, name, sizeof name);
  if (add_library(message, bytes, name))
    return;
  for (size_t i = 0; i < sizeof WORDINGS / sizeof *WORDINGS && !w; ++i)
    w = fits(&WORDINGS[i], message) ? &WORDINGS[i] : NULL;
  if (!w)
    return;
  size_t used = strlen(message);
  used += (size_t)snprintf(message + used, bytes - used, ": ");
  for (const char *at = w->words; *at && used + sizeof name < bytes; ++at) {
    int added = *at == '$' ? snprintf(message + used, bytes - used, "%s", name)
                           : snprintf(message + used, bytes - used, "%c", *at);
    used += (size_t)added;
  }
}
