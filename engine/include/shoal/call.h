// Functions of other plugins, by name and version: a plugin casts the rays of physics, asks a path of nav.
//
//   static void *open(shoal_context *c) {            // .needs = {"physics"}, so that it is there
//     struct tools *t = …;
//     t->ray = shoal_function_of(c, "physics.ray", 1, "x:number y:number …", "hit:entity …");
//
//   shoal_value where[4] = {{.number = x}, {.number = y}, {.number = dx}, {.number = dy}}, hit[SHOAL_MAX_VALUES];
//   if (!shoal_call(c, t->ray, where, hit))
//     return; // it has failed, with the words of physics
//
// What is found is a number and no address: one that is kept across a reload, in a column, a save or memory that is
// handed over, is answered with a sentence. Find it anew in `open`, or in `restored`.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_CALL_H
#define SHOAL_CALL_H

#include "shoal/service.h"

#define SHOAL_MAX_VALUES 8 // that a function takes, and that it gives

typedef uint64_t shoal_callee; // 0 is none

typedef struct shoal_call_1 {
  shoal_callee (*find)(shoal_context *c, const char *name, uint32_t version, const char *takes, const char *gives,
                       const char **why);
  bool (*call)(shoal_context *c, shoal_callee callee, const shoal_value *arguments, shoal_value *results,
               const char **why);
} shoal_call_1;

static inline const shoal_call_1 *shoal_call_service(shoal_context *c) {
  return (const shoal_call_1 *)shoal_service(c, "call", 1);
}

// The function `name`, "PLUGIN.FUNCTION", of a plugin whose version is `version` or that still serves it
// (shoal_plugin.serves). `takes` and `gives` are what the caller goes by, in the words of shoal_function; names in
// front of the colons do not count. 0 when there is none such or it takes and gives something else: the call that is
// going on has failed with a sentence. Main thread, everywhere; while loading, of plugins in `.needs`.
static inline shoal_callee shoal_function_of(shoal_context *c, const char *name, uint32_t version, const char *takes,
                                             const char *gives) {
  const shoal_call_1 *s = shoal_call_service(c);
  return s ? s->find(c, name, version, takes, gives, NULL) : 0;
}

// The same where the plugin may be missing: nothing has failed, and `why` (may not be NULL) is the sentence, valid
// until the next of these calls.
static inline shoal_callee shoal_try_function_of(shoal_context *c, const char *name, uint32_t version,
                                                 const char *takes, const char *gives, const char **why) {
  const shoal_call_1 *s = shoal_call_service(c);
  return s ? s->find(c, name, version, takes, gives, why) : 0;
}

// Calls it with as many arguments as it takes; `results` has room for SHOAL_MAX_VALUES. Lists and texts among them are
// the other plugin's, valid until the function is called again. False when it failed, or is no more: then the call that
// is going on has failed too, with its words. In systems that are not parallel or beside others, functions and panels;
// in the render phase, in panels and in pure functions it has to be pure.
static inline bool shoal_call(shoal_context *c, shoal_callee callee, const shoal_value *arguments,
                              shoal_value *results) {
  const shoal_call_1 *s = shoal_call_service(c);
  return s && s->call(c, callee, arguments, results, NULL);
}

// The same, and the caller goes on: `why` (may not be NULL) is the sentence.
static inline bool shoal_try_call(shoal_context *c, shoal_callee callee, const shoal_value *arguments,
                                  shoal_value *results, const char **why) {
  const shoal_call_1 *s = shoal_call_service(c);
  return s && s->call(c, callee, arguments, results, why);
}

#endif
