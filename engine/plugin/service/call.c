// Calls functions of other plugins. A plugin refers to a function by a number, not an address. The number contains the
// indices of the plugin and the function, and a hash of the library and of the game's generation, so that outdated
// numbers are detected.
#include "service/api.h"
#include "service/permissions.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/nearest_name.h"
#include "plugin/plugin.h"
#include "plugin/call.h"
#include "plugin/result.h"
#include "shoal/call.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 16u // maximum nesting of calls between plugins
// A shoal_function_handle consists of, from the lowest bit: the function's index, the plugin's index, a 1, and the
// hash.
#define FUNCTION_BITS 8u
#define PLUGIN_BITS 11u
#define MAX_FUNCTIONS (1u << FUNCTION_BITS) // maximum number of callable functions per plugin
#define MAX_PLUGINS (1u << PLUGIN_BITS)     // maximum number of plugins with callable functions

static plugin_t *find_plugin(plugins_o *p, const char *name, size_t length, uint32_t *at) {
  for (*at = 0; *at < p->list.count; ++*at)
    if (strlen(p->list.items[*at]->name) == length && strncmp(p->list.items[*at]->name, name, length) == 0)
      return p->list.items[*at];
  return NULL;
}

static shoal_function_handle pack_callee(const plugins_o *p, uint32_t plugin, uint32_t function) {
  const plugin_t *x = p->list.items[plugin];
  shoal_assert(function < MAX_FUNCTIONS && plugin < MAX_PLUGINS, "function %u of plugin %u (%s) is out of range",
               function, plugin, x->name);
  uint64_t load[3] = {p->generation, x->hash, (uint64_t)plugin << 32 | function};
  return ((hash_bytes(load, sizeof load, 0) << 1 | 1) << PLUGIN_BITS | plugin) << FUNCTION_BITS | function;
}

static uint32_t get_callee_plugin(shoal_function_handle callee) {
  return (uint32_t)(callee >> FUNCTION_BITS) & (MAX_PLUGINS - 1);
}

static uint32_t get_callee_function(shoal_function_handle callee) {
  return (uint32_t)callee & (MAX_FUNCTIONS - 1);
}

// --- signatures

// Reads the next type of "x:number hit:entity", skipping names. Returns NULL after the last one.
static const char *parse_next_type(const char **at, size_t *length) {
  *at += strspn(*at, " ");
  size_t word = strcspn(*at, " ");
  if (word == 0)
    return NULL;
  const char *colon = memchr(*at, ':', word), *type = colon ? colon + 1 : *at;
  *length = word - (size_t)(type - *at);
  *at += word;
  return type;
}

static bool has_same_types(const char *a, const char *b) {
  size_t m = 0, n = 0;
  a = a ? a : "";
  b = b ? b : "";
  for (;;) {
    const char *x = parse_next_type(&a, &m), *y = parse_next_type(&b, &n);
    if (!x || !y)
      return !x && !y;
    if (m != n || strncmp(x, y, m) != 0)
      return false;
  }
}

static uint32_t count_types(const char *words) {
  uint32_t count = 0;
  size_t length;
  for (const char *at = words ? words : ""; parse_next_type(&at, &length);)
    ++count;
  return count;
}

// --- lookup

static bool reject_plugin(const plugins_o *p, const char *name, int length, error_info_t *error) {
  char hint[SIMILAR_MAX + 32], text[COMPONENT_NAME_MAX];
  nearest_name_t nearest;
  snprintf(text, sizeof text, "%.*s", length, name);
  nearest_name_init(&nearest, text);
  for (uint32_t i = 0; i < p->list.count; ++i)
    nearest_name_offer(&nearest, p->list.items[i]->name);
  return error_set(error, "unknown plugin %s%s%s", text, nearest_name_hint(&nearest, hint, sizeof hint),
                   p->opening.count > 0 ? ": to call it while loading, name it in .dependencies" : "");
}

static bool reject_function(const plugin_t *x, const char *name, error_info_t *error) {
  char hint[SIMILAR_MAX + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < x->function_count; ++i)
    nearest_name_offer(&nearest, x->def->functions[i].name);
  return error_set(error, "plugin %s has no function %.60s%s", x->name, name,
                   nearest_name_hint(&nearest, hint, sizeof hint));
}

typedef struct wanted_t {
  const char *name, *takes, *gives;
  uint32_t version;
} wanted_t;

static bool check_callee(const plugin_t *x, const shoal_function *f, const wanted_t *wanted, error_info_t *error) {
  uint32_t serves = x->def->compatible_version ? x->def->compatible_version : x->def->version;
  if (wanted->version > x->def->version || wanted->version < serves)
    return error_set(error, "%s requires version %u of plugin %s, got version %u%s", wanted->name, wanted->version,
                     x->name, x->def->version,
                     wanted->version < serves ? ", which no longer supports older versions" : "");
  if (!has_same_types(f->parameters, wanted->takes) || !has_same_types(f->results, wanted->gives))
    return error_set(
        error, "%s has .parameters (%s) and .results (%s), but the caller expects .parameters (%s) and .results (%s)",
        wanted->name, f->parameters ? f->parameters : "", f->results ? f->results : "",
        wanted->takes ? wanted->takes : "", wanted->gives ? wanted->gives : "");
  return true;
}

static shoal_function_handle find_callee(plugins_o *p, const wanted_t *wanted, error_info_t *error) {
  const char *dot = wanted->name ? strchr(wanted->name, '.') : NULL;
  uint32_t at = 0;
  if (!dot) {
    error_set(error, "a function's name must be PLUGIN.FUNCTION, got %.60s", wanted->name ? wanted->name : "NULL");
    return 0;
  }
  const plugin_t *x = find_plugin(p, wanted->name, (size_t)(dot - wanted->name), &at);
  if (!x) {
    reject_plugin(p, wanted->name, (int)(dot - wanted->name), error);
    return 0;
  }
  if (at >= MAX_PLUGINS) {
    error_set(error, "cannot call plugin %s: only the first %u plugins have callable functions", x->name, MAX_PLUGINS);
    return 0;
  }
  for (uint32_t i = 0; i < x->function_count && i < MAX_FUNCTIONS; ++i)
    if (strcmp(x->def->functions[i].name, dot + 1) == 0)
      return check_callee(x, &x->def->functions[i], wanted, error) ? pack_callee(p, at, i) : 0;
  reject_function(x, dot + 1, error);
  return 0;
}

// Stores the message in *why, or fails the current call if `why` is NULL.
static void report_failure(context_t *c, const char **why, const error_info_t *error) {
  if (!why) {
    context_fail(c, "%s", error->text);
    return;
  }
  c->plugin->answer = *error;
  *why = c->plugin->answer.text;
}

shoal_function_handle api_find_function(shoal_context *c, const char *name, uint32_t version, const char *takes,
                                        const char *gives, const char **why) {
  context_t *x = context_of(c);
  error_info_t error = {0};
  shoal_function_handle found = find_callee(x->plugins, &(wanted_t){name, takes, gives, version}, &error);
  if (!found)
    report_failure(x, why, &error);
  return found;
}

// --- calling

static const shoal_function *resolve_callee(plugins_o *p, shoal_function_handle callee, plugin_t **owner,
                                            error_info_t *error) {
  uint32_t plugin = get_callee_plugin(callee), function = get_callee_function(callee);
  bool there = callee != 0 && plugin < p->list.count && function < p->list.items[plugin]->function_count &&
               pack_callee(p, plugin, function) == callee;
  if (!there) {
    error_set(
        error,
        callee ? "callee is from before the last reload of plugins: call shoal_find_function in `open` and `restored`"
               : "callee must not be 0: check the result of shoal_find_function");
    return NULL;
  }
  *owner = p->list.items[plugin];
  if (plugin_is_inactive(*owner)) {
    p->called_external = true;
    error_set(error, "cannot call plugin %s in a forked process: the plugin sets .has_side_effects", (*owner)->name);
    return NULL;
  }
  return &(*owner)->def->functions[function];
}

// Checks and copies the arguments of a call from another plugin. Lua checks the arguments of its own calls.
static bool copy_arguments(const shoal_function *f, const shoal_value *from, shoal_value *to, error_info_t *error) {
  uint32_t count = count_types(f->parameters);
  memset(to, 0, PLUGIN_MAX_VALUES * sizeof *to);
  if (count > 0 && !from)
    return error_set(error, "%s: expected %u argument%s, got none", f->name, count, count == 1 ? "" : "s");
  const char *at = f->parameters ? f->parameters : "", *type;
  size_t length;
  for (uint32_t i = 0; (type = parse_next_type(&at, &length)) != NULL; ++i) {
    to[i] = from[i];
    bool list = type[length - 1] == ']', numbers = type[0] == 'n';
    if (list && to[i].count > 0 && !(numbers ? (const void *)to[i].numbers : (const void *)to[i].entities))
      return error_set(error, "%s: the list of argument %u must not be NULL (count %u)", f->name, i + 1, to[i].count);
    if (type[0] == 't' && type[1] == 'a' && to[i].type != SHOAL_VALUE_TYPE_TABLE)
      return error_set(error, "%s: argument %u must be a table: build it with shoal_table_begin and shoal_table_end",
                       f->name, i + 1);
    if ((type[0] == 't' && type[1] == 'e') || (type[0] == 'a' && to[i].type == SHOAL_VALUE_TYPE_STRING)) {
      to[i].string = to[i].string ? to[i].string : "";
      to[i].count = (uint32_t)strlen(to[i].string);
    }
  }
  return true;
}

static bool call_function(context_t *c, shoal_function_handle callee, const shoal_value *arguments,
                          shoal_value *results, error_info_t *error) {
  plugins_o *p = c->plugins;
  plugin_t *owner = NULL;
  const shoal_function *f = resolve_callee(p, callee, &owner, error);
  shoal_value taken[PLUGIN_MAX_VALUES];
  error_info_t why = {0};
  if (!f)
    return false;
  if (service_is_pure_call(c) && !f->pure)
    return error_set(error, "%s.%s is not pure, so the render phase, panels and pure functions cannot call it",
                     owner->name, f->name);
  if (p->depth == MAX_DEPTH)
    return error_set(error, "%s.%s: calls between plugins are nested %u deep: check for infinite recursion",
                     owner->name, f->name, MAX_DEPTH);
  if (!copy_arguments(f, arguments, taken, error))
    return false;
  shoal_assert(p->depth < MAX_DEPTH, "call depth %u exceeds %u", p->depth, MAX_DEPTH);
  ++p->depth;
  bool ok = plugin_call_by_number(p, get_callee_plugin(callee), get_callee_function(callee), taken, results, &why);
  --p->depth;
  return ok || error_set(error, "%s.%s: %.900s", owner->name, f->name, why.text);
}

bool api_call(shoal_context *c, shoal_function_handle callee, const shoal_value *arguments, shoal_value *results,
              const char **why) {
  context_t *x = context_of(c);
  error_info_t error = {0};
  shoal_value ignored[PLUGIN_MAX_VALUES];
  if (call_function(x, callee, arguments, results ? results : ignored, &error))
    return true;
  report_failure(x, why, &error);
  return false;
}
