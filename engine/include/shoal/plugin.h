// The main header of plugins. A plugin is one C file that is built into a shared library and links against nothing.
//
//   #include <shoal/plugin.h>
//
//   #define HEAT_FIELDS(F) F(f32, value, 20.0f) F(f32, rate, 1.0f)
//   SHOAL_COMPONENT(heat, HEAT_FIELDS)
//
//   static void cool(shoal_context *c, const shoal_view *v, float dt_s) {
//     float *value = SHOAL_COLUMN(v, heat, value);
//     const float *rate = SHOAL_COLUMN(v, heat, rate);
//     for (uint32_t i = 0; i < v->count; ++i)
//       value[i] -= rate[i] * dt_s;
//   }
//
//   SHOAL_PLUGIN(.name = "heat", .version = 1, .components = SHOAL_COMPONENTS(heat),
//                .systems = SHOAL_SYSTEMS({.name = "cool", .query = {"heat"}, .run = cool}))
//
// State. Keep state in columns, in a manager (shoal_manager) or in memory from shoal_realloc, never in static
// variables: a reload resets them, and all worlds of a process would share them.
//
// Determinism. The results of a system must depend on the world alone, not on clocks, addresses, the order of hash
// tables, rand() or libm. Use shoal_random_u32 for random numbers, shoal_read_external for external input, and
// shoal_sin and the other functions of <shoal/math.h>, which return the same bits on every processor.
//
// Errors. Report an error with shoal_fail. A system that fails is parked and retried after 60 ticks, and after longer
// waits if it fails again. A function raises an error in the calling script, and a plugin that fails while loading is
// rejected. Functions below that cannot return an error document their behaviour for invalid arguments. All functions
// accept entities that are no longer alive.
//
// Faults. Where the host can detect a fault, it stops the system or function and protects the game:
// - Crashes: the host runs the first tick in a forked child process. If the child crashes, the reload is rejected or,
//   at the start of the game, the system is parked.
// - Endless loops: a call that uses more than 10 s of CPU time ends the program with a report that names the call. The
//   limit is 100 times the budget of scripts if that is less than 10 s, and is tripled while loading. A call that is
//   still running 0.5 s after a request to exit also ends the program.
// - C++ exceptions are caught if SHOAL_PLUGIN is in a C++ file. Destructors run, and the call fails with the text of
//   the exception.
// - exit(), abort() and terminating the calling thread end the program with a report.
// - A changed floating-point mode or numeric locale is restored, with a warning. A child process that a plugin forks
//   cannot return to the game.
//
// The host cannot detect exceptions that pass through C code or leave a `noexcept` function (both call abort()),
// _exit(), longjmp out of a function, memory corruption that does not crash, and signal handlers that replace the
// host's. A call that blocks (on a lock, on a socket) uses no CPU time and is detected only when the program exits.
//
// Threads. Declare threads (<shoal/external_resources.h>): the host stops them before it forks the process or reloads,
// and restarts them afterwards. A thread that a plugin creates itself must not call any function of these headers, and
// the plugin must stop it in `destroy` and `close`. Such a thread does not exist in the forked child that runs a trial
// tick: there the plugin is reopened, `load` gets the bytes from `save`, and the plugin starts its thread again.
//
// Other headers. <shoal/world.h>, which this header includes, declares the functions of a world. Include one header per
// subject for the rest: relations (<shoal/relation.h>), observers and change counters (<shoal/observe.h>), functions of
// other plugins (<shoal/call.h>), tables (<shoal/table.h>), background jobs (<shoal/job.h>), spatial queries
// (<shoal/near.h>), input (<shoal/input.h>), drawing (<shoal/draw.h>), sound (<shoal/sound.h>), asset types
// (<shoal/asset.h>), commands (<shoal/command.h>), ports, files and threads (<shoal/external_resources.h>), profiling
// (<shoal/profile.h>).
// <shoal/builtin.h> lists the fields of the built-in components, and <shoal/types.h> the members of shoal_plugin and
// shoal_system.
//
// engine/docs/plugin_functions.md lists every function and the places from which it may be called. A function that is
// called from a different place has no effect and fails the current call.
//
// C11, usable from C++17 (write designated initializers in the order of the members).
#ifndef SHOAL_PLUGIN_H
#define SHOAL_PLUGIN_H

#include "shoal/api.h"
#include "shoal/builtin.h"
#include "shoal/check.h"
#include "shoal/declare.h"
#include "shoal/number.h"
#include "shoal/types.h"
#include "shoal/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef __GNUC__
#define SHOAL_VISIBLE __attribute__((visibility("default")))
#define SHOAL_PRINTF(format_, first_) __attribute__((format(printf, format_, first_)))
#else
#define SHOAL_VISIBLE
#define SHOAL_PRINTF(format_, first_)
#endif

// --- declarations

// Lists for the members of a shoal_plugin. For `.components` and `.uses` see SHOAL_COMPONENTS (<shoal/declare.h>).
#define SHOAL_SYSTEMS(...) SHOAL_LIST(shoal_system, __VA_ARGS__, SHOAL_LIST_END)
#define SHOAL_FUNCTIONS(...) SHOAL_LIST(shoal_function, __VA_ARGS__, SHOAL_LIST_END)

#define SHOAL_PANELS(...) SHOAL_LIST(shoal_panel, __VA_ARGS__, SHOAL_LIST_END)
#define SHOAL_ASSETS(...) SHOAL_LIST(shoal_asset_type, __VA_ARGS__, SHOAL_LIST_END)
#define SHOAL_THREADS(...) SHOAL_LIST(shoal_thread, __VA_ARGS__, SHOAL_LIST_END)

// Defines the plugin and exports the symbol that the host looks up. Write it once, at the end of the file. The
// arguments are the members of a shoal_plugin.
#define SHOAL_PLUGIN(...)                                                                                              \
  SHOAL_MATH_NAMES                                                                                                     \
  SHOAL_DEFINE_CHECKS                                                                                                  \
  SHOAL_DECLARATION_BEGIN                                                                                              \
  static const shoal_plugin shoal_plugin_definition = {__VA_ARGS__};                                                   \
  SHOAL_DECLARATION_END                                                                                                \
  SHOAL_EXPORT_SYMBOL(SHOAL_EXPORT_INIT(&shoal_plugin_definition))

#ifdef __cplusplus
#define SHOAL_LIST_END                                                                                                 \
  {}
#define SHOAL_EXPORT_SYMBOL(...)                                                                                       \
  extern "C" {                                                                                                         \
  extern SHOAL_VISIBLE const shoal_export shoal_plugin_export;                                                         \
  const shoal_export shoal_plugin_export = __VA_ARGS__;                                                                \
  }
#else
#define SHOAL_LIST_END                                                                                                 \
  { 0 }
#define SHOAL_EXPORT_SYMBOL(...)                                                                                       \
  extern SHOAL_VISIBLE const shoal_export shoal_plugin_export;                                                         \
  const shoal_export shoal_plugin_export = __VA_ARGS__;
#endif

struct shoal_context { // private members of the host follow
  const shoal_api *api;
  shoal_world world;
};

// Returns the world of the current call, for the functions of <shoal/world.h>. Valid as long as the context.
SHOAL_NODISCARD static inline shoal_world *shoal_get_world(shoal_context *c) {
  return &c->world;
}

// --- ticks, random numbers, state, log, memory

// Returns the number of ticks since the world was created. Any thread of the host.
SHOAL_NODISCARD static inline uint64_t shoal_tick(shoal_context *c) {
  return c->api->tick(c);
}

// Returns the number of ticks per second. Any thread of the host.
SHOAL_NODISCARD static inline uint32_t shoal_tick_rate(shoal_context *c) {
  return c->api->tick_rate(c);
}

// Returns 32 random bits from the world's stream. Each part of a parallel system has a separate stream. Allowed in
// systems, functions and commands. While loading, in managers and in the render phase it returns 0 and logs a warning.
// In a panel the call fails.
static inline uint32_t shoal_random_u32(shoal_context *c) {
  return c->api->random_u32(c);
}

// Returns a random number in [0, 1), under the conditions of shoal_random_u32.
static inline float shoal_random_f32(shoal_context *c) {
  return (float)(c->api->random_u32(c) >> 8) * (1.0f / 16777216.0f);
}

// Returns the result of `open`, or NULL before `open` has returned. Any thread of the host.
SHOAL_NODISCARD static inline void *shoal_plugin_state(shoal_context *c) {
  return c->api->plugin_state(c);
}

// Returns the storage that the manager of one of this plugin's components created (`create`), or NULL for a component
// without a manager and for components of other plugins. Parallel systems may only read the storage, and systems with
// `.concurrent` must name the component. Not allowed in parts of shoal_parallel_for.
SHOAL_NODISCARD static inline void *shoal_manager_data(shoal_context *c, const shoal_component *component) {
  return c->api->manager_data(c, component);
}

// Writes a line of up to 1,000 bytes to the log, under the plugin's name. Ignored in parallel systems and in the child
// process that runs a trial tick. Not allowed in parts of shoal_parallel_for.
SHOAL_PRINTF(3, 4) static inline void shoal_log(shoal_context *c, shoal_log_level level, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  c->api->log(c, level, text);
}

// Fails the current call with a message, which should be a full sentence. Return from the call afterwards. If a call
// fails several times, only the first message is kept. The changes that a system has queued are discarded. Not allowed
// in parts of shoal_parallel_for.
SHOAL_PRINTF(2, 3) static inline void shoal_fail(shoal_context *c, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  c->api->fail(c, text);
}

// Allocates (`old` is NULL), resizes or frees (`new_bytes` is 0) memory that the host counts for this plugin. The
// caller keeps track of the size: `old_bytes` must be the current size. Otherwise, the plugin's current function fails,
// and the memory keeps its contents. New memory is not initialized. Returns the memory, or NULL when freeing. The
// program ends if it runs out of memory. Any thread of the host. Several threads may call it at the same time. Memory
// that is still allocated when the plugin is closed is reported in the log.
static inline void *shoal_realloc(shoal_context *c, void *old, size_t old_bytes, size_t new_bytes) {
  return c->api->realloc(c, old, old_bytes, new_bytes);
}

// --- external input
// Reads external input: a packet, a file, a device, the time of day. The first time that a tick is simulated, the host
// calls `read` once with `data` and a buffer of `capacity` bytes (at most 16 MB), and records the bytes that it
// returns. When the tick is simulated again (in a replay, after a rewind, or because a different system failed) `read`
// is not called and the recorded bytes are returned, so the device need not exist.
//
//   size_t size;
//   const char *line = shoal_read_external(c, "serial", read_port, port, 256, &size);
//
// `channel` names the source: one line of up to 100 bytes. Several calls with the same channel in a tick are separate
// reads. The calls and their order must depend on the world alone: call shoal_read_external every tick and let `read`
// return 0 if no input is available. The host does not interpret the bytes. Recordings may come from untrusted sources,
// so the plugin must validate the bytes, including any version or length that it stores in them.
//
// Returns a pointer to memory owned by the host, 16-byte aligned, followed by a '\0' and valid until the tick ends;
// never NULL. Writes the number of bytes to `size`.
//
// Allowed in systems that run alone and in functions that are not pure. Elsewhere it returns no bytes and logs a
// warning. The function also returns no bytes in forked child processes that predict or run a trial tick, and, with a
// warning, if an argument is invalid or `read` returns more than `capacity`.
static inline const void *shoal_read_external(shoal_context *c, const char *channel, shoal_external_read_fn *read,
                                              void *data, size_t capacity, size_t *size) {
  return c->api->read_external(c, channel, read, data, capacity, size);
}

// --- threads

// Returns the number of worker threads, including the calling thread. The simulation must not depend on it.
SHOAL_NODISCARD static inline uint32_t shoal_worker_count(shoal_context *c) {
  return c->api->worker_count(c);
}

// Calls part(data, i, worker) for i = 0 … parts - 1 on all workers and returns when all calls have returned. No two
// calls with the same `worker` run at the same time. Results must not depend on the number of workers, so divide the
// work into parts of a fixed size. In a part of a parallel system or of shoal_parallel_for, the calls run sequentially
// on this thread. A part may call only the functions that are allowed "everywhere" (engine/docs/plugin_functions.md).
// Changes to the world are ignored with a warning, and all remaining functions fail. If a part throws, the call fails.
static inline void shoal_parallel_for(shoal_context *c, void (*part)(void *data, uint32_t part, uint32_t worker),
                                      void *data, uint32_t parts) {
  c->api->parallel_for(c, part, data, parts);
}

// --- results of functions

// Returns memory for a list result of `count` elements, to be filled by the caller, and stores it in `result`. Valid
// until the function is called again. Returns NULL if `result` is not one of the results of the current function.
static inline double *shoal_return_numbers(shoal_context *c, shoal_value *result, uint32_t count) {
  return c->api->return_numbers(c, result, count);
}

// Like shoal_return_numbers, for entity[].
static inline shoal_entity *shoal_return_entities(shoal_context *c, shoal_value *result, uint32_t count) {
  return c->api->return_entities(c, result, count);
}

// Copies a string to a result of type string. NULL means "". For strings that contain zero bytes, use
// shoal_return_bytes (<shoal/table.h>).
static inline void shoal_return_string(shoal_context *c, shoal_value *result, const char *text) {
  c->api->return_string(c, result, text);
}

// --- files

// Reads a whole file from the game's assets/ folder or the engine's, appends a '\0', and writes its length in bytes to
// `size`. Returns the bytes, or NULL with an error in the log if the file cannot be read. Always returns NULL in
// parallel systems. The caller frees the result with shoal_realloc(c, file, size + 1, 0).
SHOAL_MUST_USE static inline void *shoal_read_asset(shoal_context *c, const char *name, size_t *size) {
  return c->api->read_asset(c, name, size);
}

// --- cockpit panels
// Allowed only in the `draw` function of a shoal_panel. A panel has at most 64 widgets, drawn from top to bottom.
// Labels are truncated to 120 bytes and strings to 250 bytes. Both are copied. Two sliders, two plots or two buttons of
// a panel must not have the same label.

// Adds a widget to the panel. The functions below fill in the struct. Returns true for a button that was pressed.
static inline bool shoal_panel_add_widget(shoal_context *c, const shoal_widget_desc *w) {
  return c->api->panel_add_widget(c, w);
}

// Adds a line of text.
static inline void shoal_panel_label(shoal_context *c, const char *text) {
  shoal_widget_desc w;
  memset(&w, 0, sizeof w);
  w.kind = SHOAL_WIDGET_LABEL;
  w.label = text;
  shoal_panel_add_widget(c, &w);
}

// Adds a line with a label and a formatted value, truncated to 250 bytes.
SHOAL_PRINTF(3, 4)
static inline void shoal_panel_value(shoal_context *c, const char *label, const char *format, ...) {
  char text[256];
  shoal_widget_desc w;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  memset(&w, 0, sizeof w);
  w.kind = SHOAL_WIDGET_VALUE;
  w.label = label;
  w.string = text;
  shoal_panel_add_widget(c, &w);
}

// Adds a number, and a plot of its values since the panel was opened.
static inline void shoal_panel_plot(shoal_context *c, const char *label, double value) {
  shoal_widget_desc w;
  memset(&w, 0, sizeof w);
  w.kind = SHOAL_WIDGET_PLOT;
  w.label = label;
  w.value = value;
  shoal_panel_add_widget(c, &w);
}

// Adds a slider from `min` to `max` for a number field of an entity's component or, with entity 0, of a singleton.
// Changes are made as in the inspector: they are recorded, can be undone with Ctrl+Z, and can be written back to the
// game's files. `column` is a column index, such as SHOAL_COLUMN_INDEX(physics, gravity_y). Adds nothing if the entity
// does not have the component. Fails the panel if the component is in neither `.components` nor `.uses`, if the field
// is not a number that scripts may write, if min >= max, or if a bound is NaN.
static inline void shoal_panel_slider(shoal_context *c, const char *label, shoal_entity e,
                                      const shoal_component *component, uint32_t column, double min, double max) {
  shoal_widget_desc w;
  memset(&w, 0, sizeof w);
  w.kind = SHOAL_WIDGET_SLIDER;
  w.label = label;
  w.entity = e;
  w.component = component;
  w.column = column;
  w.min = min;
  w.max = max;
  shoal_panel_add_widget(c, &w);
}

// Adds a button. Returns true if the button was pressed. In this case, the panel may change the world during the rest
// of this call to `draw`, like a function that a script calls outside systems. The press is recorded, and a replay
// calls `draw` after the same tick with the same button pressed. Therefore the buttons of a panel must depend on the
// world alone.
static inline bool shoal_panel_button(shoal_context *c, const char *label) {
  shoal_widget_desc w;
  memset(&w, 0, sizeof w);
  w.kind = SHOAL_WIDGET_BUTTON;
  w.label = label;
  return shoal_panel_add_widget(c, &w);
}

#endif
