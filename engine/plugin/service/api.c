// The tables of functions that plugins call, generated from the lists (shoal/functions.h). Each entry checks the
// context and where the call is made. Then it calls api_NAME, which is implemented in this folder (draw.c, rows.c, …).
// For <shoal/world.h>, it calls the function that the row's rule names.
#include "service/api.h"

#include "access/last_error.h"
#include "base/assert.h"
#include "plugin/plugin.h"
#include "service/permissions.h"

#include <stdio.h>

// --- where functions may be called

#define AT(context_) (1u << PLUGIN_CALL_##context_)
#define CHANGES (1u << 28) // flag: the function writes the world; ignored with a warning in parts of shoal_parallel_for
#define IMPURE (1u << 29)  // flag: pure functions must not call the function
#define LATE (1u << 30)    // flag: the function accepts a context that has ended
#define IN_PARTS (1u << 31) // flag: parts of shoal_parallel_for may call the function, on several threads in parallel
#define CONTEXT_MASK (CHANGES - 1)
#define CONTEXTS(name_, contexts_, access_, description_) CONTEXTS_##name_ = contexts_,
enum { SHOAL_CALL_CONTEXTS(CONTEXTS) };

static const char *const CONTEXT_TEXTS[] = {
    [PLUGIN_CALL_LOADING] = "while loading",      [PLUGIN_CALL_MANAGER] = "in a manager",
    [PLUGIN_CALL_SYSTEM] = "in a system",         [PLUGIN_CALL_PART] = "in a parallel or .concurrent system",
    [PLUGIN_CALL_RENDER] = "in the render phase", [PLUGIN_CALL_FUNCTION] = "in a function",
    [PLUGIN_CALL_PANEL] = "in a panel",           [PLUGIN_CALL_PRESS] = "in a command or the code of a button",
};

static bool check_thread(context_t *context, const char *function) {
  if (context->call_kind == PLUGIN_CALL_PART || pthread_equal(pthread_self(), context->plugins->thread))
    return true;
  plugin_record_misplaced_call(context->plugin, function, false);
  return false;
}

static bool fail_misplaced_call(context_t *context, uint32_t contexts, const char *function, const char *context_text) {
  bool draws = (contexts & AT(RENDER)) && !(contexts & AT(SYSTEM));
  return context_fail(context, "%s cannot be called %s%s", function, context_text,
                      draws ? ": draw in a system with .phase = SHOAL_PHASE_RENDER" : "");
}

static bool check_call_is_allowed(context_t *context, uint32_t contexts, const char *function) {
  shoal_assert((size_t)context->call_kind < sizeof CONTEXT_TEXTS / sizeof *CONTEXT_TEXTS,
               "call context %d is out of range", (int)context->call_kind);
  if (!check_thread(context, function))
    return false;
  if (!(contexts & 1u << context->call_kind))
    return fail_misplaced_call(context, contexts, function, CONTEXT_TEXTS[context->call_kind]);
  return !(contexts & IMPURE) || !service_is_pure_call(context) ||
         context_fail(context, "%s cannot be called in a pure function, because it changes the world", function);
}

// Returns true if a part of shoal_parallel_for makes the call. All workers use the context of the call that runs the
// parts. Functions without IN_PARTS are not thread-safe.
static bool is_called_from_part(const context_t *context) {
  return context->plugins->in_parallel_for && context->call_kind != PLUGIN_CALL_PART;
}

static shoal_context *reject_call_from_part(context_t *context, uint32_t contexts, const char *function) {
  if (contexts & CHANGES)
    context->plugins->changed_in_part = true;
  else if (check_thread(context, function))
    fail_misplaced_call(context, contexts, function, "in a part of shoal_parallel_for");
  return NULL;
}

// Returns the context to call the function with, or NULL to reject the call. Inlined into each entry, where `contexts`
// is a constant.
__attribute__((always_inline)) static inline shoal_context *admit(shoal_context *c, uint32_t contexts,
                                                                  const char *function) {
  context_t *context = plugin_current_context(c, function);
  if (!context && (contexts & LATE))
    context = plugin_get_ended_context(c);
  if (context && !(contexts & IN_PARTS) && is_called_from_part(context))
    return reject_call_from_part(context, contexts, function);
  return context && (!(contexts & CONTEXT_MASK) || check_call_is_allowed(context, contexts, function))
             ? &context->shared
             : NULL;
}

// --- rules of <shoal/world.h>: the check of a function's arguments, and the prefix of the function to call after a
// successful check. A rule expands to these two macro arguments, and a check uses the parameter names of its row in
// shoal/functions.h. Each row of the list must have a rule; otherwise RULE_NAME is undeclared.

#define RULE(check_) (check_), world_access_
#define UNCHECKED RULE(true)
#define OWN true, api_ // the function checks its arguments itself
#define FINDS(component_) RULE(service_find_component(context_of_world(w), component_))
#define READS RULE(service_check_may_read_component(w, component))
#define WRITES RULE(service_check_may_write_component(w, component))
#define WRITES_ROW(instance_) RULE(service_check_may_write_row(w, component, instance_))

#define RULE_last_error UNCHECKED
#define RULE_string UNCHECKED
#define RULE_find_interned UNCHECKED
#define RULE_is_alive UNCHECKED
#define RULE_find_entity UNCHECKED
#define RULE_spawn_with UNCHECKED
#define RULE_add_with UNCHECKED
#define RULE_observe_changes UNCHECKED
#define RULE_enter_state UNCHECKED
#define RULE_entity_state UNCHECKED
#define RULE_entity_name UNCHECKED
#define RULE_entity_assemblage UNCHECKED
#define RULE_get_children UNCHECKED
#define RULE_query_begin UNCHECKED
#define RULE_query_end UNCHECKED
#define RULE_query_pairs_begin UNCHECKED
#define RULE_find_component OWN
#define RULE_intern OWN
#define RULE_spawn_many OWN
#define RULE_get_rows OWN
#define RULE_find_rows OWN
#define RULE_row_instance OWN
#define RULE_emit_begin OWN
#define RULE_read_events OWN
#define RULE_declare FINDS(component)
#define RULE_get_column_string FINDS(component)
#define RULE_add_pair FINDS(relation)
#define RULE_remove_pair FINDS(relation)
#define RULE_has_pair FINDS(relation)
#define RULE_pair_instance FINDS(relation)
#define RULE_find_pair_row FINDS(relation)
#define RULE_set_pair FINDS(relation)
#define RULE_get_pair FINDS(relation)
#define RULE_set_pair_struct FINDS(relation)
#define RULE_get_pair_struct FINDS(relation)
#define RULE_get_targets FINDS(relation)
#define RULE_get_referrers FINDS(component)
#define RULE_has READS
#define RULE_get_instance READS
#define RULE_get_struct READS
#define RULE_add_instance WRITES
#define RULE_remove_instance WRITES
#define RULE_set_instance WRITES_ROW(instance)
#define RULE_set_string_instance WRITES_ROW(instance)
#define RULE_set_struct WRITES_ROW(NULL)
#define RULE_destroy_many RULE(service_check_may_command(context_of_world(w)))
#define RULE_find_instance_row RULE(service_find_named(context_of_world(w), "shoal_find_instance_row", component))
#define RULE_emit_end RULE(service_find_event(context_of_world(w), event))
#define RULE_event_get_instance                                                                                        \
  RULE(service_find_readable_event(w, event) && service_check_may_read_component(w, component))
#define RULE_event_entity_state RULE(service_find_readable_event(w, event))

#define CHECK(name_, check_, prefix_) check_
#define FUNCTION(name_, check_, prefix_) prefix_##name_
#define APPLY(part_, ...) part_(__VA_ARGS__)

// --- the table

// clang-format off
#define GUARD(name_, result_, fallback_, where_, parameters_, arguments_, description_)                                \
  static result_ guard_##name_ parameters_ {                                                                           \
    c = admit(c, CONTEXTS_##where_, "shoal_" #name_);                                                                  \
    if (c)                                                                                                             \
      return api_##name_ arguments_;                                                                                   \
    return fallback_;                                                                                                  \
  }
SHOAL_HOST_FUNCTIONS(GUARD)

// Each function except shoal_last_error, which is the first function, clears the reason for the previous failure.
#define WORLD_GUARD(name_, result_, fallback_, where_, parameters_, arguments_, description_)                          \
  static result_ guard_world_##name_ parameters_ {                                                                     \
    if (offsetof(shoal_world_api, name_) > 0)                                                                          \
      access_clear_error();                                                                                            \
    shoal_context *c = admit(&context_of_world(w)->shared, CONTEXTS_##where_, "shoal_" #name_);                        \
    w = c ? &c->world : w;                                                                                             \
    if (c && APPLY(CHECK, name_, RULE_##name_))                                                                        \
      return APPLY(FUNCTION, name_, RULE_##name_) arguments_;                                                          \
    return fallback_;                                                                                                  \
  }
SHOAL_WORLD_FUNCTIONS(WORLD_GUARD)

// Functions for the whole state always fail in plugins, because plugins may run in the middle of a tick.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define STATE_GUARD(name_, result_, fallback_, where_, parameters_, arguments_, description_)                          \
  static result_ guard_world_##name_ parameters_ {                                                                     \
    if (admit(&context_of_world(w)->shared, CONTEXTS_##where_, "shoal_" #name_))                                       \
      access_fail("shoal_" #name_ ": not available in plugins: call it in the program that embeds the game");          \
    return fallback_;                                                                                                  \
  }
SHOAL_STATE_FUNCTIONS(STATE_GUARD)

#define ENTRY(name_, result_, fallback_, where_, parameters_, arguments_, description_) .name_ = guard_##name_,
const shoal_api service_api = {
  .size = sizeof(shoal_api),
  .version = SHOAL_API_VERSION,
  SHOAL_HOST_FUNCTIONS(ENTRY)
};

#define WORLD_ENTRY(name_, result_, fallback_, where_, parameters_, arguments_, description_)                          \
  .name_ = guard_world_##name_,
const shoal_world_api service_world_api = {SHOAL_WORLD_FUNCTIONS(WORLD_ENTRY) SHOAL_STATE_FUNCTIONS(WORLD_ENTRY)};
// clang-format on
