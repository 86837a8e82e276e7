// The tables of functions that plugins call, generated from the lists (shoal/functions.h). Each entry checks the
// context and where the call is made, then calls api_NAME, which is implemented in this folder (draw.c, rows.c, …) or
// in access/ (service/api.h).
#include "service/api.h"

#include "access/last_error.h"
#include "base/assert.h"
#include "plugin/plugin.h"
#include "service/permissions.h"

#include <stdio.h>

// --- where functions may be called

#define AT(place_) (1u << WHERE_##place_)
#define CHANGES (1u << 28)  // changes the world: ignored in parts of shoal_parallel_for, with a warning
#define IMPURE (1u << 29)   // not allowed in pure functions
#define LATE (1u << 30)     // allowed with a context that has ended
#define IN_PARTS (1u << 31) // allowed in parts of shoal_parallel_for, on several threads in parallel
#define OF_PLACES (CHANGES - 1)
#define PLACES(word_, places_, access_, description_) PLACES_##word_ = places_,
enum { SHOAL_PLACES(PLACES) };

static const char *const PLACES[] = {
    [WHERE_LOADING] = "while loading",      [WHERE_MANAGER] = "in a manager",
    [WHERE_SYSTEM] = "in a system",         [WHERE_PART] = "in a parallel or .concurrent system",
    [WHERE_RENDER] = "in the render phase", [WHERE_FUNCTION] = "in a function",
    [WHERE_PANEL] = "in a panel",           [WHERE_PRESS] = "in a command or the code of a button",
};

static bool check_thread(context_t *x, const char *function) {
  if (x->where == WHERE_PART || pthread_equal(pthread_self(), x->plugins->thread))
    return true;
  plugin_record_misplaced_call(x->plugin, function, false);
  return false;
}

static bool fail_misplaced_call(context_t *x, uint32_t places, const char *function, const char *place) {
  bool draws = (places & AT(RENDER)) && !(places & AT(SYSTEM));
  return context_fail(x, "%s cannot be called %s%s", function, place,
                      draws ? ": draw in a system with .phase = SHOAL_PHASE_RENDER" : "");
}

static bool check_call_is_allowed(context_t *x, uint32_t places, const char *function) {
  shoal_assert((size_t)x->where < sizeof PLACES / sizeof *PLACES, "call place %d is out of range", (int)x->where);
  if (!check_thread(x, function))
    return false;
  if (!(places & 1u << x->where))
    return fail_misplaced_call(x, places, function, PLACES[x->where]);
  return !(places & IMPURE) || !service_is_pure_call(x) ||
         context_fail(x, "%s cannot be called in a pure function, because it changes the world", function);
}

// Returns true if a part of shoal_parallel_for makes the call. All workers use the context of the call that runs the
// parts. Functions without IN_PARTS are not thread-safe.
static bool is_called_from_part(const context_t *x) {
  return x->plugins->in_parallel_for && x->where != WHERE_PART;
}

static shoal_context *reject_call_from_part(context_t *x, uint32_t places, const char *function) {
  if (places & CHANGES)
    x->plugins->changed_in_part = true;
  else if (check_thread(x, function))
    fail_misplaced_call(x, places, function, "in a part of shoal_parallel_for");
  return NULL;
}

// Returns the context to call the function with, or NULL to reject the call. Inlined into each entry, where `places` is
// a constant.
__attribute__((always_inline)) static inline shoal_context *admit(shoal_context *c, uint32_t places,
                                                                  const char *function) {
  context_t *x = plugin_current_context(c, function);
  if (!x && (places & LATE))
    x = plugin_get_ended_context(c);
  if (x && !(places & IN_PARTS) && is_called_from_part(x))
    return reject_call_from_part(x, places, function);
  return x && (!(places & OF_PLACES) || check_call_is_allowed(x, places, function)) ? &x->shared : NULL;
}

// --- the table

// clang-format off
#define GUARD(name_, result_, otherwise_, where_, parameters_, arguments_, words_)                                     \
  static result_ guard_##name_ parameters_ {                                                                           \
    c = admit(c, PLACES_##where_, "shoal_" #name_);                                                                    \
    if (c)                                                                                                             \
      return api_##name_ arguments_;                                                                                   \
    return otherwise_;                                                                                                 \
  }
SHOAL_HOST_FUNCTIONS(GUARD)

// Each function except shoal_last_error, the first one, clears the reason for the previous failure.
#define WORLD_GUARD(name_, result_, otherwise_, where_, parameters_, arguments_, words_)                               \
  static result_ guard_world_##name_ parameters_ {                                                                     \
    if (offsetof(shoal_world_api, name_) > 0)                                                                          \
      access_clear_error();                                                                                            \
    shoal_context *c = admit(&context_of_world(w)->shared, PLACES_##where_, "shoal_" #name_);                          \
    w = c ? &c->world : w;                                                                                             \
    if (c)                                                                                                             \
      return api_##name_ arguments_;                                                                                   \
    return otherwise_;                                                                                                 \
  }
SHOAL_WORLD_FUNCTIONS(WORLD_GUARD)

// Functions for the whole state always fail in plugins, because plugins may run in the middle of a tick.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define STATE_GUARD(name_, result_, otherwise_, where_, parameters_, arguments_, words_)                               \
  static result_ guard_world_##name_ parameters_ {                                                                     \
    if (admit(&context_of_world(w)->shared, PLACES_##where_, "shoal_" #name_))                                         \
      access_fail("shoal_" #name_ ": not available in plugins: call it in the program that embeds the game"); \
    return otherwise_;                                                                                                 \
  }
SHOAL_STATE_FUNCTIONS(STATE_GUARD)

#define ENTRY(name_, result_, otherwise_, where_, parameters_, arguments_, words_) .name_ = guard_##name_,
const shoal_api service_api = {
  .size = sizeof(shoal_api),
  .version = SHOAL_API_VERSION,
  SHOAL_HOST_FUNCTIONS(ENTRY)
};

#define WORLD_ENTRY(name_, result_, otherwise_, where_, parameters_, arguments_, words_) .name_ = guard_world_##name_,
const shoal_world_api service_world_api = {SHOAL_WORLD_FUNCTIONS(WORLD_ENTRY) SHOAL_STATE_FUNCTIONS(WORLD_ENTRY)};
// clang-format on
