// Calls functions of other plugins, which are looked up by name and version: for example, to cast a ray with physics or
// to request a path from nav.
//
//   static void *open(shoal_context *c) { // .dependencies = {"physics"} loads physics first
//     struct tools *t = …;
//     t->ray = shoal_find_function(c, "physics.ray", 1, "x:number y:number …", "hit:entity …");
//
//   shoal_value where[4] = {{.number = x}, {.number = y}, {.number = dx}, {.number = dy}}, hit[SHOAL_MAX_VALUES];
//   if (!shoal_call(c, t->ray, where, hit))
//     return; // the current call has failed with the error message of physics
//
// A shoal_function_handle is a number, not an address, and is valid until plugins are reloaded. Do not store it in
// columns, saves or memory that is handed over to the next instance: calling an outdated handle is an error. Look
// functions up in `open` or `on_restore`.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_CALL_H
#define SHOAL_CALL_H

#include "shoal/plugin.h"

#define SHOAL_MAX_VALUES 8 // maximum number of parameters, and of results, of a function

// Looks up the function `name`, "PLUGIN.FUNCTION", of a plugin whose version is `version` or that still supports
// `version` (shoal_plugin.compatible_version). `parameters` and `results` are the types that the caller expects,
// written as in shoal_function. The names before the colons are ignored. Returns its handle, or 0 and fails the current
// call if the plugin, the function or the version does not exist, or if the types differ. Main thread, everywhere
// except in parallel systems; while loading, only for plugins in `.dependencies`.
SHOAL_NODISCARD static inline shoal_function_handle
shoal_find_function(shoal_context *c, const char *name, uint32_t version, const char *parameters, const char *results) {
  return c->api->find_function(c, name, version, parameters, results, NULL);
}

// Like shoal_find_function, for plugins that may be missing: returns 0 without failing the current call. `error` (not
// NULL) receives the reason, valid until the next call to shoal_try_find_function or shoal_try_call; "" on success.
SHOAL_NODISCARD static inline shoal_function_handle shoal_try_find_function(shoal_context *c, const char *name,
                                                                            uint32_t version, const char *parameters,
                                                                            const char *results, const char **error) {
  *error = "";
  return c->api->find_function(c, name, version, parameters, results, error);
}

// Calls a function. `arguments` has as many elements as the function has parameters; NULL for a function without
// parameters. `results` (may be NULL) is an array of SHOAL_MAX_VALUES elements. Lists and strings in `results` are
// valid until the function is called again. Returns true on success.
//
// Returns false, and fails the current call with a message, if
// - the function fails,
// - `function` is 0, or was looked up before plugins were reloaded,
// - `arguments` is NULL although the function has parameters, or a list or table argument is invalid,
// - a list or string result is not in memory from the host (see shoal_return_numbers),
// - the function's plugin has .has_side_effects and the call is made in a forked child process,
// - the function is not pure and the call is made in the render phase, a panel or a pure function, or
// - plugins call each other more than 16 levels deep.
//
// Allowed in systems that run alone, the render phase, functions, panels and commands.
static inline bool shoal_call(shoal_context *c, shoal_function_handle function, const shoal_value *arguments,
                              shoal_value *results) {
  if (results)
    memset(results, 0, SHOAL_MAX_VALUES * sizeof *results);
  return c->api->call(c, function, arguments, results, NULL);
}

// Like shoal_call, without failing the current call. `error` (not NULL) receives the message; "" on success.
SHOAL_NODISCARD static inline bool shoal_try_call(shoal_context *c, shoal_function_handle function,
                                                  const shoal_value *arguments, shoal_value *results,
                                                  const char **error) {
  *error = "";
  if (results)
    memset(results, 0, SHOAL_MAX_VALUES * sizeof *results);
  return c->api->call(c, function, arguments, results, error);
}

#endif
