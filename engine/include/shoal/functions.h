// The lists of all functions that are called through a table of pointers: SHOAL_WORLD_FUNCTIONS and
// SHOAL_STATE_FUNCTIONS are the functions of a world (<shoal/world.h>), for plugins, hosts and the standalone entity
// system. SHOAL_HOST_FUNCTIONS are the remaining functions that plugins can call.
//
// The lists generate the tables (shoal_world_api, shoal_api), the declarations, checks and tables of plugins
// (service/api.c), of hosts and of the entity system (engine/host/library/), the page
// engine/docs/plugin_functions.md, and the tests that call each function. Part of the public headers: C11, usable from
// C++.
//
// A row is F(name, result, fallback, where, parameters, arguments, description):
//   name        the function is shoal_NAME, and the member of the table is NAME
//   fallback    the result of a refused call: in a wrong context, on a wrong thread, or after its context ended
//   where       the contexts in which a plugin may call it: a name of SHOAL_CALL_CONTEXTS
//
// Append new rows at the end of a list: the order is the layout of the table. Any other change needs a new
// SHOAL_API_VERSION.
#ifndef SHOAL_FUNCTIONS_H
#define SHOAL_FUNCTIONS_H

// C(name, contexts, access, description): the allowed values of `where`. `access` is how a host's call uses its world
// (library/host_world.c): READS, OPENS (a query) or CHANGES; NONE if only plugins can call such functions.
//
// The engine evaluates `contexts` (service/api.c). A call in any other context fails the current call with a message.
// LATE allows calls with a context that has ended. IN_PARTS allows calls in parts of shoal_parallel_for, from several
// threads at a time. Without IN_PARTS, a call from a part fails or, if the function CHANGES the world, is ignored with
// a warning. In descriptions, ¹ means "neither parallel nor with .concurrent", ² "not pure".
// clang-format off
#define SHOAL_CALL_CONTEXTS(C)                                                                                         \
  C(ANY, 0, READS, "everywhere except in parts of shoal_parallel_for")                                                 \
  C(ANY_THREAD, IN_PARTS, READS, "everywhere")                                                                         \
  C(ALWAYS, LATE | IN_PARTS, READS, "everywhere")                                                                      \
  C(LOAD, AT(LOADING), NONE, "while loading")                                                                          \
  C(FILES, AT(LOADING) | AT(MANAGER) | AT(SYSTEM) | AT(FUNCTION) | AT(PRESS), NONE,                                    \
    "while loading, managers, systems¹, functions, commands")                                                          \
  C(NOT_PARALLEL, AT(LOADING) | AT(MANAGER) | AT(SYSTEM) | AT(RENDER) | AT(FUNCTION) | AT(PANEL) | AT(PRESS), NONE,    \
    "everywhere except in parallel systems")                                                                           \
  C(READ_LOAD, AT(LOADING) | AT(SYSTEM) | AT(RENDER) | AT(FUNCTION) | AT(PANEL) | AT(PRESS), NONE,                     \
    "everywhere except in managers and parallel systems")                                                              \
  C(READ, AT(SYSTEM) | AT(RENDER) | AT(FUNCTION) | AT(PANEL) | AT(PRESS), READS,                                       \
    "systems¹, render phase, functions, panels, commands")                                                             \
  C(READ_PARALLEL, AT(SYSTEM) | AT(PART) | AT(RENDER) | AT(FUNCTION) | AT(PANEL) | AT(PRESS), READS,                   \
    "systems, render phase, functions, panels, commands")                                                              \
  C(WRITE, AT(SYSTEM) | AT(FUNCTION) | AT(PRESS) | IMPURE, CHANGES, "systems¹, functions², commands")                  \
  C(QUERY, AT(SYSTEM) | AT(FUNCTION) | AT(PRESS) | IMPURE, OPENS, "systems¹, functions², commands")                    \
  C(INTERN, 0, CHANGES, "everywhere except in parts of shoal_parallel_for")                                            \
  C(JOB, AT(SYSTEM) | AT(FUNCTION) | IMPURE, NONE, "systems¹, functions²")                                             \
  C(SYSTEM, AT(SYSTEM), NONE, "systems¹")                                                                              \
  C(FUNCTION, AT(FUNCTION), NONE, "functions")                                                                         \
  C(CREATE_GPU, AT(RENDER) | AT(LOADING), NONE, "render phase, while loading")                                         \
  C(DRAW, AT(RENDER), NONE, "render phase")                                                                            \
  /* The function checks the context itself. Elsewhere it has no effect; it may log a warning or fail the call. */     \
  C(COMMAND, CHANGES, CHANGES, "systems, functions, commands")                                                         \
  C(SPAWN, CHANGES, CHANGES, "systems¹, functions, commands")                                                          \
  C(EVENTS, 0, READS, "systems¹")                                                                                      \
  C(ASSETS, 0, NONE, "everywhere except in parallel systems")                                                          \
  C(EXTERNAL, LATE, NONE, "systems¹, functions²")                                                                      \
  C(RESULT, 0, NONE, "functions")                                                                                      \
  C(PANEL, 0, NONE, "panels")                                                                                          \
  C(HOST_ONLY, 0, READS, "hosts, the standalone ECS")

#define SHOAL_WORLD_FUNCTIONS(F)                                                                                       \
  /* errors, declarations, strings */                                                                                  \
  F(last_error, const char *, "", ALWAYS, (shoal_world *w), (w),                                                       \
    "Returns the error message of the last failed call")                                                               \
  F(declare, bool, false, ANY, (shoal_world *w, const shoal_component *component), (w, component),                     \
    "Declares a component in the standalone ECS; elsewhere checks that the world has it")                              \
  F(find_component, const shoal_component *, NULL, ANY, (shoal_world *w, const char *name), (w, name),                 \
    "Finds a component, singleton or event by name")                                                                   \
  F(string, const char *, "", ANY_THREAD, (shoal_world *w, uint32_t id), (w, id),                                      \
    "Returns the string of an id")                                                                                     \
  F(intern, uint32_t, 0, INTERN, (shoal_world *w, const char *string), (w, string),                                    \
    "Returns the id of a string. Plugins add new strings only in systems¹, functions and commands")                    \
  /* entities */                                                                                                       \
  F(is_alive, bool, false, ANY_THREAD, (shoal_world *w, shoal_entity e), (w, e),                                       \
    "Returns true if an entity is alive")                                                                              \
  F(find_entity, shoal_entity, 0, READ, (shoal_world *w, const char *name), (w, name),                                 \
    "Finds an entity by its `name`")                                                                                   \
  F(spawn_many, uint32_t, 0, SPAWN, (shoal_world *w, const char *assemblage, uint32_t count, shoal_entity *out),       \
    (w, assemblage, count, out), "Creates entities from an assemblage")                                                \
  F(spawn_with, shoal_entity, 0, WRITE,                                                                                \
    (shoal_world *w, const char *assemblage, const shoal_field_value *values, uint32_t count, shoal_entity *tree,      \
     uint32_t capacity), (w, assemblage, values, count, tree, capacity),                                               \
    "Creates one entity with values, children and an initial state")                                                   \
  F(destroy_many, bool, false, COMMAND, (shoal_world *w, const shoal_entity *entities, uint32_t count),                \
    (w, entities, count), "Destroys entities")                                                                         \
  F(has, bool, false, READ_PARALLEL, (shoal_world *w, shoal_entity e, const shoal_component *component),               \
    (w, e, component),                                                                                                 \
    "Returns true if an entity has a component")                                                                       \
  F(add_instance, bool, false, COMMAND,                                                                                \
    (shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance),                          \
    (w, e, component, instance), "Adds a component to an entity")                                                      \
  F(remove_instance, bool, false, COMMAND,                                                                             \
    (shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance),                          \
    (w, e, component, instance), "Removes a component from an entity")                                                 \
  F(set_instance, bool, false, COMMAND,                                                                                \
    (shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance, uint32_t column,          \
     double value), (w, e, component, instance, column, value), "Sets one field")                                      \
  F(get_instance, bool, false, READ_PARALLEL,                                                                          \
    (shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance, uint32_t column,          \
     double *value), (w, e, component, instance, column, value), "Reads one field")                                    \
  F(set_string_instance, bool, false, COMMAND,                                                                         \
    (shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance, uint32_t column,          \
     const char *string), (w, e, component, instance, column, string),                                                 \
    "Sets a string, asset or enum field")                                                                              \
  F(get_column_string, const char *, "", READ_PARALLEL,                                                                \
    (shoal_world *w, const shoal_component *component, uint32_t column, uint32_t number),                              \
    (w, component, column, number),                                                                                    \
    "Returns the string of a number in a string, asset or enum column")                                                \
  F(add_with, bool, false, WRITE,                                                                                      \
    (shoal_world *w, shoal_entity e, const shoal_field_value *values, uint32_t count), (w, e, values, count),          \
    "Adds components to an entity and sets fields by name")                                                            \
  F(set_struct, bool, false, COMMAND,                                                                                  \
    (shoal_world *w, shoal_entity e, const shoal_component *component, const void *values, size_t size),               \
    (w, e, component, values, size), "Sets all fields of a component from a struct")                                   \
  F(get_struct, bool, false, READ_PARALLEL,                                                                            \
    (shoal_world *w, shoal_entity e, const shoal_component *component, void *values, size_t size),                     \
    (w, e, component, values, size), "Reads all fields of a component into a struct")                                  \
  F(enter_state, bool, false, WRITE, (shoal_world *w, shoal_entity e, const char *state), (w, e, state),               \
    "Switches an entity to a state of its assemblage")                                                                 \
  F(entity_state, const char *, "", READ, (shoal_world *w, shoal_entity e), (w, e),                                    \
    "Returns the current state of an entity")                                                                          \
  F(get_children, uint32_t, 0, READ, (shoal_world *w, shoal_entity e, shoal_entity *out, uint32_t capacity),           \
    (w, e, out, capacity), "Lists the children of an entity")                                                          \
  /* rows and queries */                                                                                               \
  F(get_rows, shoal_rows, (shoal_rows){0}, ANY, (shoal_world *w, const shoal_component *component),                    \
    (w, component), "Returns all rows and columns of a component or singleton")                                        \
  F(find_rows, bool, false, ALWAYS,                                                                                    \
    (shoal_world *w, const shoal_component *component, const shoal_entity *entities, uint32_t count,                   \
     uint32_t *rows), (w, component, entities, count, rows), "Finds the rows of many entities")                        \
  F(find_instance_row, uint32_t, SHOAL_NO_ROW, READ_PARALLEL,                                                          \
    (shoal_world *w, const shoal_component *component, shoal_entity e, const char *instance),                          \
    (w, component, e, instance), "Finds the row of a named instance")                                                  \
  F(query_begin, bool, false, QUERY, (shoal_world *w, const shoal_query_desc *desc, shoal_view *out), (w, desc, out),  \
    "Opens a view of the rows that match a query")                                                                     \
  F(query_end, bool, false, QUERY, (shoal_world *w, const shoal_view *v), (w, v),                                      \
    "Closes a view and writes back its columns")                                                                       \
  F(row_instance, uint32_t, 0, READ_PARALLEL,                                                                          \
    (shoal_world *w, const shoal_view *v, const shoal_component *component, uint32_t row), (w, v, component, row),     \
    "Returns the instance name of a row, as a string id")                                                              \
  /* events */                                                                                                         \
  F(emit_begin, void *const *, NULL, COMMAND, (shoal_world *w, const shoal_component *event, uint32_t count),          \
    (w, event, count), "Adds rows to an event, with their defaults")                                                   \
  F(emit_end, bool, false, COMMAND, (shoal_world *w, const shoal_component *event), (w, event),                        \
    "Emits the rows that `shoal_emit_begin` added")                                                                    \
  F(read_events, shoal_rows, (shoal_rows){0}, EVENTS, (shoal_world *w, const shoal_component *event), (w, event),      \
    "Returns the rows of an event that this system, or this program, has not read yet")                                \
  F(event_get_instance, bool, false, EVENTS,                                                                           \
    (shoal_world *w, const shoal_component *event, shoal_entity e, const shoal_component *component,                   \
     const char *instance, uint32_t column, double *value), (w, event, e, component, instance, column, value),         \
    "Reads one field of an entity that an event names, with its last value if the entity is dead")                     \
  F(event_entity_state, const char *, "", EVENTS, (shoal_world *w, const shoal_component *event, shoal_entity e),      \
    (w, event, e), "Returns the current or last state of an entity that an event names")                               \
  /* observers */                                                                                                      \
  F(observe_changes, bool, false, QUERY,                                                                               \
    (shoal_world *w, const char *name, const shoal_query_desc *desc, bool detect_changes, shoal_observed *out),        \
    (w, name, desc, detect_changes, out), "Lists the entities that started or stopped matching, or changed")           \
  /* names and assemblages */                                                                                          \
  F(entity_name, const char *, "", READ, (shoal_world *w, shoal_entity e), (w, e),                                     \
    "Returns the name of an entity, or the last name of a dead entity")                                                \
  F(entity_assemblage, const char *, "", READ, (shoal_world *w, shoal_entity e), (w, e),                               \
    "Returns the assemblage of an entity, or the last assemblage of a dead entity")                                    \
  F(find_interned, uint32_t, 0, INTERN, (shoal_world *w, const char *string), (w, string),                             \
    "Returns the id of a string without adding it to the world")                                                       \
  /* relations */                                                                                                      \
  F(add_pair, bool, false, WRITE,                                                                                      \
    (shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target), (w, e, relation, target),  \
    "Adds a pair of a relation to an entity")                                                                          \
  F(remove_pair, bool, false, WRITE,                                                                                   \
    (shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target), (w, e, relation, target),  \
    "Removes a pair from an entity")                                                                                   \
  F(has_pair, bool, false, READ,                                                                                       \
    (shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target), (w, e, relation, target),  \
    "Returns true if an entity has a pair")                                                                            \
  F(pair_instance, const char *, NULL, READ,                                                                           \
    (shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target), (w, e, relation, target),  \
    "Returns the name of the instance that stores a pair")                                                             \
  F(find_pair_row, uint32_t, SHOAL_NO_ROW, READ,                                                                       \
    (shoal_world *w, const shoal_component *relation, shoal_entity e, shoal_entity target), (w, relation, e, target),  \
    "Finds the row of a pair")                                                                                         \
  F(set_pair, bool, false, WRITE,                                                                                      \
    (shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target, uint32_t column,            \
     double value), (w, e, relation, target, column, value), "Sets one field of a pair")                               \
  F(get_pair, bool, false, READ,                                                                                       \
    (shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target, uint32_t column,            \
     double *value), (w, e, relation, target, column, value), "Reads one field of a pair")                             \
  F(set_pair_struct, bool, false, WRITE,                                                                               \
    (shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target, const void *values,         \
     size_t size), (w, e, relation, target, values, size), "Sets the fields of a pair from a struct")                  \
  F(get_pair_struct, bool, false, READ,                                                                                \
    (shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target, void *values, size_t size), \
    (w, e, relation, target, values, size), "Reads the fields of a pair into a struct")                                \
  F(get_targets, uint32_t, 0, READ,                                                                                    \
    (shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity *out, uint32_t capacity),           \
    (w, e, relation, out, capacity), "Lists the targets of an entity's pairs")                                         \
  F(get_referrers, uint32_t, 0, READ,                                                                                  \
    (shoal_world *w, shoal_entity target, const shoal_component *component, uint32_t column, shoal_entity *out,        \
     uint32_t capacity), (w, target, component, column, out, capacity),                                                \
    "Lists the entities that refer to an entity through a column")                                                     \
  F(query_pairs_begin, bool, false, QUERY,                                                                             \
    (shoal_world *w, const shoal_query_desc *desc, const shoal_pair *pairs, uint32_t pair_count, shoal_view *out),     \
    (w, desc, pairs, pair_count, out), "Opens a view of the rows that match a query and have pairs")

// Functions for the state of the whole world. Calls from plugins fail.
#define SHOAL_STATE_FUNCTIONS(F)                                                                                       \
  F(hash, uint64_t, 0, HOST_ONLY, (shoal_world *w), (w), "Returns a hash of the world's state")                        \
  F(snapshot, size_t, 0, HOST_ONLY, (shoal_world *w, void *bytes, size_t capacity), (w, bytes, capacity),              \
    "Copies the state of the world")                                                                                   \
  F(restore, bool, false, HOST_ONLY, (shoal_world *w, const void *bytes, size_t size), (w, bytes, size),               \
    "Replaces the state of the world with a snapshot's state")                                                         \
  F(save, bool, false, HOST_ONLY, (shoal_world *w, const char *path), (w, path), "Writes the world to a file")         \
  F(load, bool, false, HOST_ONLY, (shoal_world *w, const char *path), (w, path), "Reads the world from a file")

#define SHOAL_HOST_FUNCTIONS(F)                                                                                        \
  /* time, random numbers, log, memory */                                                                              \
  F(tick, uint64_t, 0, ANY_THREAD, (shoal_context *c), (c), "Returns the number of ticks since the world was created") \
  F(tick_rate, uint32_t, 0, ANY_THREAD, (shoal_context *c), (c),                                                       \
    "Returns the number of ticks per second")                                                                          \
  F(random_u32, uint32_t, 0, COMMAND, (shoal_context *c), (c),                                                         \
    "Returns 32 bits of the world's random stream; each part of a parallel system has a separate stream")              \
  F(log, void, (void)0, ANY, (shoal_context *c, shoal_log_level level, const char *text), (c, level, text),            \
    "Writes a line to the log, under the plugin's name")                                                               \
  F(fail, void, (void)0, ANY, (shoal_context *c, const char *text), (c, text),                                         \
    "Fails the current call with a message")                                                                           \
  F(realloc, void *, NULL, ALWAYS, (shoal_context *c, void *old, size_t old_bytes, size_t new_bytes),                  \
    (c, old, old_bytes, new_bytes), "Allocates, resizes or frees memory that counts towards the plugin's total")       \
  F(plugin_state, void *, NULL, ANY_THREAD, (shoal_context *c), (c), "Returns the result of the plugin's `open`")      \
  F(manager_data, void *, NULL, ANY, (shoal_context *c, const shoal_component *component), (c, component),             \
    "Returns the storage of a manager")                                                                                \
  F(read_external, const void *, NULL, EXTERNAL,                                                                       \
    (shoal_context *c, const char *channel, shoal_external_read_fn *read, void *data, size_t capacity, size_t *size),  \
    (c, channel, read, data, capacity, size), "Reads external input; in a replay, returns the recorded bytes")         \
  /* change counters */                                                                                                \
  F(change_count, uint64_t, 0, WRITE, (shoal_context *c, const shoal_component *component), (c, component),            \
    "Returns the change counter of a component")                                                                       \
  /* parallel work */                                                                                                  \
  F(worker_count, uint32_t, 1, ANY_THREAD, (shoal_context *c), (c),                                                    \
    "Returns the number of worker threads")                                                                            \
  F(parallel_for, void, (void)0, ANY_THREAD,                                                                           \
    (shoal_context *c, void (*part)(void *data, uint32_t part, uint32_t worker), void *data, uint32_t parts),          \
    (c, part, data, parts), "Runs parts of a task on all workers and waits for them")                                  \
  F(poll_job, const void *, NULL, JOB, (shoal_context *c, const shoal_job *job, size_t *size), (c, job, size),         \
    "Requests work on a background thread; returns the result once it is available")                                   \
  /* results, tables, other plugins */                                                                                 \
  F(return_numbers, double *, NULL, RESULT, (shoal_context *c, shoal_value *result, uint32_t count),                   \
    (c, result, count), "Allocates a list of numbers as a result")                                                     \
  F(return_entities, shoal_entity *, NULL, RESULT, (shoal_context *c, shoal_value *result, uint32_t count),            \
    (c, result, count), "Allocates a list of entities as a result")                                                    \
  F(return_string, void, (void)0, RESULT, (shoal_context *c, shoal_value *result, const char *text), (c, result, text),\
    "Copies a string to a result")                                                                                     \
  F(return_bytes, bool, false, FUNCTION, (shoal_context *c, shoal_value *result, const void *bytes, uint32_t count),   \
    (c, result, bytes, count), "Copies bytes to a result")                                                             \
  F(table_begin, bool, false, READ, (shoal_context *c, shoal_value *to, const char *key), (c, to, key),                \
    "Opens a table")                                                                                                   \
  F(table_put, bool, false, READ, (shoal_context *c, shoal_value *to, const char *key, const shoal_value *value),      \
    (c, to, key, value), "Adds a member to a table")                                                                   \
  F(table_end, bool, false, READ, (shoal_context *c, shoal_value *to), (c, to),                                        \
    "Closes a table")                                                                                                  \
  F(find_function, shoal_function_handle, 0, NOT_PARALLEL,                                                             \
    (shoal_context *c, const char *name, uint32_t version, const char *parameters, const char *results,                \
     const char **error), (c, name, version, parameters, results, error),                                              \
    "Finds a function of another plugin by name, version and types")                                                   \
  F(call, bool, false, READ,                                                                                           \
    (shoal_context *c, shoal_function_handle function, const shoal_value *arguments, shoal_value *results,             \
     const char **error), (c, function, arguments, results, error), "Calls a function of another plugin")              \
  /* assets and files */                                                                                               \
  F(read_asset, void *, (*size = 0, NULL), ASSETS, (shoal_context *c, const char *name, size_t *size),                 \
    (c, name, size), "Reads a whole asset file")                                                                       \
  F(get_asset, const void *, NULL, READ_LOAD, (shoal_context *c, const char *name, uint32_t *version),                 \
    (c, name, version), "Returns the loaded object of an asset file")                                                  \
  F(report_asset_error, void, (void)0, LOAD, (shoal_context *c, uint32_t line, const char *text), (c, line, text),     \
    "Reports an error in an asset file, with its line")                                                                \
  F(store_fd, bool, false, FILES, (shoal_context *c, const char *name, int file), (c, name, file),                     \
    "Passes an open file or socket to the host, which keeps it open across reloads")                                   \
  F(get_fd, int, -1, FILES, (shoal_context *c, const char *name), (c, name),                                           \
    "Returns a held file")                                                                                             \
  F(close_fd, void, (void)0, FILES, (shoal_context *c, const char *name), (c, name),                                   \
    "Closes a held file")                                                                                              \
  /* drawing */                                                                                                        \
  F(get_screen_size, void, (void)(*width = *height = 0), ANY, (shoal_context *c, float *width, float *height),         \
    (c, width, height), "Returns the size of the game's logical screen in pixels")                                     \
  F(set_draw_space, bool, false, DRAW, (shoal_context *c, bool screen), (c, screen),                                   \
    "Selects world or screen space for the following calls")                                                           \
  F(set_draw_layer, bool, false, DRAW, (shoal_context *c, int32_t layer), (c, layer),                                  \
    "Selects the layer for the following calls")                                                                       \
  F(set_draw_color, bool, false, DRAW, (shoal_context *c, float r, float g, float b, float a), (c, r, g, b, a),        \
    "Selects the color for the following calls")                                                                       \
  F(set_draw_camera, bool, false, DRAW, (shoal_context *c, shoal_entity camera), (c, camera),                          \
    "Restricts the following calls to the view of one camera")                                                         \
  F(draw_line, bool, false, DRAW, (shoal_context *c, float x1, float y1, float x2, float y2, float width),             \
    (c, x1, y1, x2, y2, width), "Draws a line")                                                                        \
  F(draw_polygon, bool, false, DRAW,                                                                                   \
    (shoal_context *c, const float *xy, uint32_t points, bool filled, float width), (c, xy, points, filled, width),    \
    "Draws a polygon")                                                                                                 \
  F(draw_depth_triangles, bool, false, DRAW, (shoal_context *c, const float *corners, uint32_t triangles),             \
    (c, corners, triangles), "Draws triangles with a depth test")                                                      \
  F(draw_triangles, bool, false, DRAW,                                                                                 \
    (shoal_context *c, const shoal_draw_state *state, const shoal_vertex *vertices, uint32_t count),                   \
    (c, state, vertices, count), "Draws triangles with a texture and a shader")                                        \
  F(draw_fullscreen, bool, false, DRAW, (shoal_context *c, const shoal_draw_state *state), (c, state),                 \
    "Draws a full-screen pass in each view")                                                                           \
  F(draw_sprite, bool, false, DRAW, (shoal_context *c, const shoal_sprite_desc *sprite), (c, sprite),                  \
    "Draws an image asset")                                                                                            \
  F(draw_circle, bool, false, DRAW, (shoal_context *c, float x, float y, float radius, float line_width),              \
    (c, x, y, radius, line_width), "Draws a circle")                                                                   \
  F(draw_rect, bool, false, DRAW,                                                                                      \
    (shoal_context *c, float x, float y, float width, float height, float corner, float line_width),                   \
    (c, x, y, width, height, corner, line_width), "Draws a rectangle")                                                 \
  F(draw_text_desc, bool, false, DRAW, (shoal_context *c, const shoal_text_desc *desc), (c, desc),                     \
    "Draws text with font, wrapping and alignment")                                                                    \
  F(set_draw_depth, bool, false, DRAW, (shoal_context *c, float y), (c, y),                                            \
    "Sorts the shapes of the following calls among entities with `y_sort`")                                            \
  F(set_draw_additive, bool, false, DRAW, (shoal_context *c, bool additive), (c, additive),                            \
    "Selects additive blending for the following calls")                                                               \
  F(set_uniform, bool, false, CREATE_GPU,                                                                              \
    (shoal_context *c, shoal_shader shader, const char *name, const float *value, uint32_t float_count),               \
    (c, shader, name, value, float_count), "Sets a uniform of a shader")                                               \
  F(texture_create, shoal_texture, 0, CREATE_GPU, (shoal_context *c, const shoal_texture_desc *desc), (c, desc),       \
    "Creates a texture")                                                                                               \
  F(texture_update, bool, false, CREATE_GPU,                                                                           \
    (shoal_context *c, shoal_texture texture, uint32_t x, uint32_t y, uint32_t width, uint32_t height,                 \
     const uint8_t *rgba), (c, texture, x, y, width, height, rgba), "Replaces a part of a texture")                    \
  F(texture_destroy, bool, false, CREATE_GPU, (shoal_context *c, shoal_texture texture), (c, texture),                 \
    "Frees a texture")                                                                                                 \
  F(shader_create, shoal_shader, 0, CREATE_GPU, (shoal_context *c, const shoal_shader_desc *desc), (c, desc),          \
    "Creates a shader")                                                                                                \
  F(shader_destroy, bool, false, CREATE_GPU, (shoal_context *c, shoal_shader shader), (c, shader),                     \
    "Frees a shader")                                                                                                  \
  /* input, sound, panels, profiling */                                                                                \
  F(action_value, bool, false, READ_PARALLEL,                                                                          \
    (shoal_context *c, const char *name, int32_t player, float *now, float *before),                                   \
    (c, name, player, now, before), "Returns the value of an action of `input.lua`")                                   \
  F(get_mouse, void, (void)0, READ_PARALLEL, (shoal_context *c, shoal_mouse_state *out), (c, out),                     \
    "Returns the state of the mouse")                                                                                  \
  F(text_input, const char *, "", READ, (shoal_context *c), (c),                                                       \
    "Returns the text that was typed since the previous tick")                                                         \
  F(play_sound, shoal_entity, 0, WRITE, (shoal_context *c, const shoal_sound_desc *sound), (c, sound),                 \
    "Plays a sound; returns its entity")                                                                               \
  F(stop_sound, bool, false, WRITE, (shoal_context *c, shoal_entity e), (c, e),                                        \
    "Stops a sound")                                                                                                   \
  F(set_sound_volume, bool, false, WRITE, (shoal_context *c, shoal_entity e, float volume), (c, e, volume),            \
    "Sets the volume of a sound")                                                                                      \
  F(panel_add_widget, bool, false, PANEL, (shoal_context *c, const shoal_widget_desc *w), (c, w),                      \
    "Adds a widget to the panel")                                                                                      \
  F(profile_begin, void, (void)0, ANY, (shoal_context *c, const char *name), (c, name),                                \
    "Begins a profiling scope")                                                                                        \
  F(profile_end, void, (void)0, ANY, (shoal_context *c), (c),                                                          \
    "Ends a profiling scope")                                                                                          \
  /* spatial queries */                                                                                                \
  F(find_near, uint32_t, 0, READ,                                                                                      \
    (shoal_context *c, double x, double y, double radius, uint32_t mask, shoal_entity *out, uint32_t capacity),        \
    (c, x, y, radius, mask, out, capacity), "Finds the bodies that overlap a circle")                                  \
  F(count_near, uint32_t, 0, READ, (shoal_context *c, double x, double y, double radius, uint32_t mask),               \
    (c, x, y, radius, mask), "Counts the bodies that overlap a circle")                                                \
  F(find_nearest, uint32_t, 0, READ,                                                                                   \
    (shoal_context *c, double x, double y, uint32_t k, uint32_t mask, shoal_entity *out), (c, x, y, k, mask, out),     \
    "Finds the bodies nearest to a point")                                                                             \
  F(find_in_box, uint32_t, 0, READ,                                                                                    \
    (shoal_context *c, double left, double top, double right, double bottom, uint32_t mask, shoal_entity *out,         \
     uint32_t capacity), (c, left, top, right, bottom, mask, out, capacity), "Finds the bodies that overlap a box")    \
  F(cast_ray, bool, false, READ,                                                                                       \
    (shoal_context *c, double x1, double y1, double x2, double y2, uint32_t mask, shoal_ray_hit *out),                 \
    (c, x1, y1, x2, y2, mask, out), "Finds the first body that a segment enters")                                      \
  /* movement of the mouse */                                                                                          \
  F(get_mouse_motion, void, (void)0, READ_PARALLEL, (shoal_context *c, float *dx, float *dy), (c, dx, dy),             \
    "Returns the movement of the mouse")
// clang-format on

#endif
