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

#include "shoal/plugin.h"

#define SHOAL_MAX_VALUES 8 // that a function takes, and that it gives

// The function `name`, "PLUGIN.FUNCTION", of a plugin whose version is `version` or that still serves it
// (shoal_plugin.serves). `takes` and `gives` are what the caller goes by, in the words of shoal_function; names in
// front of the colons do not count. 0 when there is none such or it takes and gives something else: the call that is
// going on has failed with a sentence. Main thread, everywhere; while loading, of plugins in `.needs`.
static inline shoal_callee shoal_function_of(shoal_context *c, const char *name, uint32_t version, const char *takes,
                                             const char *gives) {
  return c->api->function_of(c, name, version, takes, gives, NULL);
}

// The same where the plugin may be missing: nothing has failed, and `why` (may not be NULL) is the sentence, valid
// until the next of these calls.
static inline shoal_callee shoal_try_function_of(shoal_context *c, const char *name, uint32_t version,
                                                 const char *takes, const char *gives, const char **why) {
  *why = "";
  return c->api->function_of(c, name, version, takes, gives, why);
}

// Calls it with as many arguments as it takes; `results` has room for SHOAL_MAX_VALUES. Lists and texts among them are
// the other plugin's, valid until the function is called again. False when it failed, or is no more: then the call that
// is going on has failed too, with its words. In systems that are not parallel or beside others, functions and panels;
// in the render phase, in panels and in pure functions it has to be pure.
static inline bool shoal_call(shoal_context *c, shoal_callee callee, const shoal_value *arguments,
                              shoal_value *results) {
  if (results)
    memset(results, 0, SHOAL_MAX_VALUES * sizeof *results);
  return c->api->call(c, callee, arguments, results, NULL);
}

// The same, and the caller goes on: `why` (may not be NULL) is the sentence.
static inline bool shoal_try_call(shoal_context *c, shoal_callee callee, const shoal_value *arguments,
                                  shoal_value *results, const char **why) {
  *why = "";
  if (results)
    memset(results, 0, SHOAL_MAX_VALUES * sizeof *results);
  return c->api->call(c, callee, arguments, results, why);
}

#endif
