// Calls from one plugin to functions of a different plugin. A plugin refers to a function by a number, not an address.
// The number contains the indices of the plugin and the function, and a hash of the library and the game's generation,
// so that outdated numbers are detected.
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

static plugin_t *find_plugin(plugins_o *plugins, const char *name, size_t length, uint32_t *index) {
  for (*index = 0; *index < plugins->list.count; ++*index)
    if (strlen(plugins->list.items[*index]->name) == length &&
        strncmp(plugins->list.items[*index]->name, name, length) == 0)
      return plugins->list.items[*index];
  return NULL;
}

static shoal_function_handle pack_callee(const plugins_o *plugins, uint32_t plugin, uint32_t function) {
  const plugin_t *owner = plugins->list.items[plugin];
  shoal_assert(function < MAX_FUNCTIONS && plugin < MAX_PLUGINS, "function %u of plugin %u (%s) is out of range",
               function, plugin, owner->name);
  uint64_t hashed[3] = {plugins->generation, owner->hash, (uint64_t)plugin << 32 | function};
  return ((hash_bytes(hashed, sizeof hashed, 0) << 1 | 1) << PLUGIN_BITS | plugin) << FUNCTION_BITS | function;
}

static uint32_t get_callee_plugin(shoal_function_handle callee) {
  return (uint32_t)(callee >> FUNCTION_BITS) & (MAX_PLUGINS - 1);
}

static uint32_t get_callee_function(shoal_function_handle callee) {
  return (uint32_t)callee & (MAX_FUNCTIONS - 1);
}

// --- signatures

// Reads the type at the cursor in a signature such as "x:number hit:entity", skipping the name. Returns the type, or
// NULL after the last type.
static const char *parse_next_type(const char **cursor, size_t *length) {
  *cursor += strspn(*cursor, " ");
  size_t word_length = strcspn(*cursor, " ");
  if (word_length == 0)
    return NULL;
  const char *colon = memchr(*cursor, ':', word_length), *type = colon ? colon + 1 : *cursor;
  *length = word_length - (size_t)(type - *cursor);
  *cursor += word_length;
  return type;
}

static bool has_same_types(const char *a, const char *b) {
  size_t a_length = 0, b_length = 0;
  a = a ? a : "";
  b = b ? b : "";
  for (;;) {
    const char *a_type = parse_next_type(&a, &a_length), *b_type = parse_next_type(&b, &b_length);
    if (!a_type || !b_type)
      return !a_type && !b_type;
    if (a_length != b_length || strncmp(a_type, b_type, a_length) != 0)
      return false;
  }
}

static uint32_t count_types(const char *signature) {
  uint32_t count = 0;
  size_t length;
  for (const char *cursor = signature ? signature : ""; parse_next_type(&cursor, &length);)
    ++count;
  return count;
}

// --- lookup

static bool reject_plugin(const plugins_o *plugins, const char *name, int length, error_info_t *error) {
  char hint[NEAREST_NAME_MAX_BYTES + 32], terminated_name[COMPONENT_NAME_MAX];
  nearest_name_t nearest;
  snprintf(terminated_name, sizeof terminated_name, "%.*s", length, name);
  nearest_name_init(&nearest, terminated_name);
  for (uint32_t i = 0; i < plugins->list.count; ++i)
    nearest_name_offer(&nearest, plugins->list.items[i]->name);
  return error_set(error, "unknown plugin %s%s%s", terminated_name, nearest_name_hint(&nearest, hint, sizeof hint),
                   plugins->opening.count > 0 ? ": to call it while loading, name it in .dependencies" : "");
}

static bool reject_function(const plugin_t *plugin, const char *name, error_info_t *error) {
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < plugin->function_count; ++i)
    nearest_name_offer(&nearest, plugin->def->functions[i].name);
  return error_set(error, "plugin %s has no function %.60s%s", plugin->name, name,
                   nearest_name_hint(&nearest, hint, sizeof hint));
}

typedef struct callee_request_t {
  const char *name, *parameters, *results;
  uint32_t version;
} callee_request_t;

static bool check_callee(const plugin_t *plugin, const shoal_function *function, const callee_request_t *request,
                         error_info_t *error) {
  uint32_t oldest_version = plugin->def->compatible_version ? plugin->def->compatible_version : plugin->def->version;
  if (request->version > plugin->def->version || request->version < oldest_version)
    return error_set(error, "%s requires version %u of plugin %s, got version %u%s", request->name, request->version,
                     plugin->name, plugin->def->version,
                     request->version < oldest_version ? ", which no longer supports older versions" : "");
  if (!has_same_types(function->parameters, request->parameters) ||
      !has_same_types(function->results, request->results))
    return error_set(
        error, "%s has .parameters (%s) and .results (%s), but the caller expects .parameters (%s) and .results (%s)",
        request->name, function->parameters ? function->parameters : "", function->results ? function->results : "",
        request->parameters ? request->parameters : "", request->results ? request->results : "");
  return true;
}

static shoal_function_handle find_callee(plugins_o *plugins, const callee_request_t *request, error_info_t *error) {
  const char *separator = request->name ? strchr(request->name, '.') : NULL;
  uint32_t index = 0;
  if (!separator) {
    error_set(error, "a function's name must be PLUGIN.FUNCTION, got %.60s", request->name ? request->name : "NULL");
    return 0;
  }
  const plugin_t *plugin = find_plugin(plugins, request->name, (size_t)(separator - request->name), &index);
  if (!plugin) {
    reject_plugin(plugins, request->name, (int)(separator - request->name), error);
    return 0;
  }
  if (index >= MAX_PLUGINS) {
    error_set(error, "cannot call plugin %s: only the first %u plugins have callable functions", plugin->name,
              MAX_PLUGINS);
    return 0;
  }
  for (uint32_t i = 0; i < plugin->function_count && i < MAX_FUNCTIONS; ++i)
    if (strcmp(plugin->def->functions[i].name, separator + 1) == 0)
      return check_callee(plugin, &plugin->def->functions[i], request, error) ? pack_callee(plugins, index, i) : 0;
  reject_function(plugin, separator + 1, error);
  return 0;
}

// Stores the message in *reason, or fails the current call if `reason` is NULL.
static void report_failure(context_t *context, const char **reason, const error_info_t *error) {
  if (!reason) {
    context_fail(context, "%s", error->text);
    return;
  }
  context->plugin->last_failure = *error;
  *reason = context->plugin->last_failure.text;
}

shoal_function_handle api_find_function(shoal_context *c, const char *name, uint32_t version, const char *parameters,
                                        const char *results, const char **why) {
  context_t *context = context_of(c);
  error_info_t error = {0};
  shoal_function_handle callee =
      find_callee(context->plugins, &(callee_request_t){name, parameters, results, version}, &error);
  if (!callee)
    report_failure(context, why, &error);
  return callee;
}

// --- calling

static const shoal_function *resolve_callee(plugins_o *plugins, shoal_function_handle callee, plugin_t **owner,
                                            error_info_t *error) {
  uint32_t plugin = get_callee_plugin(callee), function = get_callee_function(callee);
  bool exists = callee != 0 && plugin < plugins->list.count && function < plugins->list.items[plugin]->function_count &&
                pack_callee(plugins, plugin, function) == callee;
  if (!exists) {
    error_set(
        error,
        callee ? "callee is from before the last reload of plugins: call shoal_find_function in `open` and `on_restore`"
               : "callee must not be 0: check the result of shoal_find_function");
    return NULL;
  }
  *owner = plugins->list.items[plugin];
  if (plugin_is_inactive(*owner)) {
    plugins->called_external = true;
    error_set(error, "cannot call plugin %s in a forked process: the plugin sets .has_side_effects", (*owner)->name);
    return NULL;
  }
  return &(*owner)->def->functions[function];
}

// Checks and copies the arguments of a call by a plugin. For calls by scripts, Lua checks the arguments.
static bool copy_arguments(const shoal_function *function, const shoal_value *source, shoal_value *target,
                           error_info_t *error) {
  uint32_t count = count_types(function->parameters);
  memset(target, 0, PLUGIN_MAX_VALUES * sizeof *target);
  if (count > 0 && !source)
    return error_set(error, "%s: expected %u argument%s, got none", function->name, count, count == 1 ? "" : "s");
  const char *cursor = function->parameters ? function->parameters : "", *type;
  size_t length;
  for (uint32_t i = 0; (type = parse_next_type(&cursor, &length)) != NULL; ++i) {
    target[i] = source[i];
    bool is_list = type[length - 1] == ']', is_number_list = type[0] == 'n';
    if (is_list && target[i].count > 0 &&
        !(is_number_list ? (const void *)target[i].numbers : (const void *)target[i].entities))
      return error_set(error, "%s: the list of argument %u must not be NULL (count %u)", function->name, i + 1,
                       target[i].count);
    if (type[0] == 't' && type[1] == 'a' && target[i].type != SHOAL_VALUE_TYPE_TABLE)
      return error_set(error, "%s: argument %u must be a table: build it with shoal_table_begin and shoal_table_end",
                       function->name, i + 1);
    if ((type[0] == 't' && type[1] == 'e') || (type[0] == 'a' && target[i].type == SHOAL_VALUE_TYPE_STRING)) {
      target[i].string = target[i].string ? target[i].string : "";
      target[i].count = (uint32_t)strlen(target[i].string);
    }
  }
  return true;
}

static bool call_function(context_t *caller, shoal_function_handle callee, const shoal_value *arguments,
                          shoal_value *results, error_info_t *error) {
  plugins_o *plugins = caller->plugins;
  plugin_t *owner = NULL;
  const shoal_function *function = resolve_callee(plugins, callee, &owner, error);
  shoal_value copied_arguments[PLUGIN_MAX_VALUES];
  error_info_t failure = {0};
  if (!function)
    return false;
  if (service_is_pure_call(caller) && !function->pure)
    return error_set(error, "%s.%s is not pure, so the render phase, panels and pure functions cannot call it",
                     owner->name, function->name);
  if (plugins->depth == MAX_DEPTH)
    return error_set(error, "%s.%s: calls between plugins are nested %u deep: check for infinite recursion",
                     owner->name, function->name, MAX_DEPTH);
  if (!copy_arguments(function, arguments, copied_arguments, error))
    return false;
  shoal_assert(plugins->depth < MAX_DEPTH, "call depth %u exceeds %u", plugins->depth, MAX_DEPTH);
  ++plugins->depth;
  bool ok = plugin_call_by_number(plugins, get_callee_plugin(callee), get_callee_function(callee), copied_arguments,
                                  results, &failure);
  --plugins->depth;
  return ok || error_set(error, "%s.%s: %.900s", owner->name, function->name, failure.text);
}

bool api_call(shoal_context *c, shoal_function_handle callee, const shoal_value *arguments, shoal_value *results,
              const char **why) {
  context_t *context = context_of(c);
  error_info_t error = {0};
  shoal_value unused_results[PLUGIN_MAX_VALUES];
  if (call_function(context, callee, arguments, results ? results : unused_results, &error))
    return true;
  report_failure(context, why, &error);
  return false;
}
