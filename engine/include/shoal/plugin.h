// All that a plugin includes: one C file, one shared library, no library to link against.
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
// State lives in columns, in a manager (shoal_manager) or in memory from shoal_resize; never in statics, which a
// reload starts anew and which several worlds would share. What a system computes follows from the world alone: no
// clock, no address, no order of a hash table, no rand(), no libm: shoal_random is the world's own stream,
// shoal_external the way in for what comes from outside, and shoal_sin and its kin (<shoal/math.h>) are the same
// everywhere.
//
// A failure is said with shoal_fail: in a system it parks that system until the next reload, in a function the script
// that called gets an error, while loading the plugin is refused. Functions that return nothing else on bad input say
// so below; none crashes on an entity that is dead.
//
// What a plugin does wrong costs it the piece that does it, where that can be seen. A crash in its first tick refuses a
// reload, and parks the system at the start: both are tried in a copy of the process first. Code that does not come
// back within 10 s of its thread's time (a hundred times the budget of a script, if that is less; three times as long
// while loading) ends the program with a report that names it, and so does code that goes on for half a second when the
// program was asked to end: nothing can tear it out of what it does. An exception of C++ is caught, where SHOAL_PLUGIN
// stands in a C++ file: what it unwinds is destroyed, and the piece has failed with its words. exit(), abort() and the
// end of the thread that called end the program with a report. Other rules of rounding and of writing numbers are put
// back, a copy of the process (fork) does not come back as the game. Not caught: an exception that a C file lets
// through or that leaves a `noexcept` function (both abort), _exit(), longjmp out of a function, memory that is
// overwritten without a crash, and signal handlers that take the place of the host's. Code that waits (a lock, a
// socket) uses no time: it is seen when the program is asked to end, and not before.
//
// Threads are declared (<shoal/outside.h>): the host stops them before it copies the process or reloads, and starts
// them again. Those that a plugin starts by itself use nothing of shoal_…, and end in `destroy` and `close`. The copy
// of the process in which a tick is tried has none of them: it opens the plugin anew, calls `load` with what `save`
// gave, and so starts its own.
//
// The functions of the world are in <shoal/world.h>, which this header includes. Each other subject has a small header:
// changes (<shoal/observe.h>), other plugins' functions (<shoal/call.h>),
// tables (<shoal/table.h>), work that takes longer than a tick (<shoal/job.h>), input (<shoal/input.h>), drawing
// (<shoal/draw.h>), sound (<shoal/sound.h>), kinds of files (<shoal/asset.h>), commands (<shoal/command.h>), ports,
// files and threads (<shoal/outside.h>), measurements (<shoal/profile.h>). engine/docs/plugin_functions.md lists
// every function with the places from which it may be called; a call from elsewhere does nothing and fails the
// current call. Fields of the built-in components stand in <shoal/builtin.h>, the members of a shoal_plugin and of a
// shoal_system in <shoal/types.h>.
//
// C11. In C++ (17; designated initialisers in the order of the members) everything is the same.
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

// -------------------------------------------------------------------------------------------------------- declarations

// For `.components` and `.uses`: SHOAL_COMPONENTS (<shoal/declare.h>).
#define SHOAL_SYSTEMS(...) SHOAL_LIST(shoal_system, __VA_ARGS__, SHOAL_LIST_END)
#define SHOAL_FUNCTIONS(...) SHOAL_LIST(shoal_function, __VA_ARGS__, SHOAL_LIST_END)

#define SHOAL_PANELS(...) SHOAL_LIST(shoal_panel, __VA_ARGS__, SHOAL_LIST_END)
#define SHOAL_ASSETS(...) SHOAL_LIST(shoal_asset_type, __VA_ARGS__, SHOAL_LIST_END)
#define SHOAL_THREADS(...) SHOAL_LIST(shoal_thread, __VA_ARGS__, SHOAL_LIST_END)

// At the end of the file: the plugin, as the members of a shoal_plugin, and the symbol that the library exports.
#define SHOAL_PLUGIN(...)                                                                                              \
  SHOAL_CHECKS_HERE                                                                                                    \
  static const shoal_plugin shoal_plugin_here = {__VA_ARGS__};                                                         \
  SHOAL_EXPORT_SYMBOL(SHOAL_EXPORT_HERE(&shoal_plugin_here))

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

struct shoal_context { // the host's data follows
  const shoal_api *api;
  shoal_world world;
};

// The world of the call, for the functions of <shoal/world.h>. Valid during the call, as the context is.
static inline shoal_world *shoal_world_of(shoal_context *c) {
  return &c->world;
}

// --------------------------------------------------------------------------------------------------------------- facts

// Ticks since the world began, and how many there are in a second. Any thread.
static inline uint64_t shoal_tick(shoal_context *c) {
  return c->api->tick(c);
}

static inline uint32_t shoal_tick_rate(shoal_context *c) {
  return c->api->tick_rate(c);
}

// 32 bits of the world's stream; a part of a parallel system has its own. Not in the render phase (0 with a line in
// the log).
static inline uint32_t shoal_random(shoal_context *c) {
  return c->api->random(c);
}

static inline float shoal_random_unit(shoal_context *c) { // 0 ≤ x < 1
  return (float)(c->api->random(c) >> 8) * (1.0f / 16777216.0f);
}

// What `open` returned; NULL before. Any thread.
static inline void *shoal_state(shoal_context *c) {
  return c->api->state(c);
}

// What the manager's `create` returned. Of this plugin's own components. Any thread; a parallel system only reads it.
static inline void *shoal_self(shoal_context *c, const shoal_component *component) {
  return c->api->self(c, component);
}

// A line in the log, under the plugin's name; up to 1,000 bytes. Level: SHOAL_LOG_ERROR, SHOAL_LOG_WARN,
// SHOAL_LOG_INFO or SHOAL_LOG_DEBUG. Main thread; in a parallel system it is dropped.
SHOAL_PRINTF(3, 4) static inline void shoal_log(shoal_context *c, shoal_level level, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  c->api->log(c, level, text);
}

// Says that the call that is going on has failed, and why, in a sentence; see the head of this file for what follows.
// Return after it. What a system queued before it failed is dropped. Any thread.
SHOAL_PRINTF(2, 3) static inline void shoal_fail(shoal_context *c, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  c->api->fail(c, text);
}

// Memory that the host counts: grows, shrinks, allocates (old NULL, new memory is not zeroed) and frees (new_bytes 0,
// returns NULL). The caller knows the size. What is not given back when the plugin is closed is named in the log.
// Never NULL otherwise. Main thread, and parts of parallel systems one at a time only.
static inline void *shoal_resize(shoal_context *c, void *old, size_t old_bytes, size_t new_bytes) {
  return c->api->resize(c, old, old_bytes, new_bytes);
}

// -------------------------------------------------------------------------------------------------------- from outside
// The one way in for what is not in the world: a packet, a file, a device, the time of day. The first time that a tick
// is lived, the host calls `read` at once, with `data` and memory for `room` bytes (at most 16 MB); what it returned
// becomes part of the recording and of what the game has heard. When the tick is lived again (in a replay, in the past,
// a second time because another system of it failed), `read` is not called: nothing outside is touched, the device need
// not be there, and the bytes are those that were read the first time.
//
//   size_t size;
//   const char *line = shoal_external(c, "serial", read_port, port, 256, &size);
//
// `channel` is the plugin's name for where it comes from, one line, up to 100 bytes. A second call in the same tick
// with the same channel is a question of its own: which calls there are, and in which order, has to follow from the
// world, so call it every tick and let `read` return 0. Bytes are as they came: a length or a version is the
// plugin's, and so is checking them, for recordings come from elsewhere too. Returns host memory, 16-byte aligned,
// with a '\0' behind the bytes, valid until the tick ends; never NULL. `size`: how many.
//
// In systems that are not parallel and not of the render phase, and in functions that are not pure. Elsewhere, in a
// copy of the game that looks ahead or is only tried, and when `read` says more than `room`: no bytes, and where it
// is a mistake a line in the log.
static inline const void *shoal_external(shoal_context *c, const char *channel, shoal_read_external *read, void *data,
                                         size_t room, size_t *size) {
  return c->api->external(c, channel, read, data, room, size);
}

// ------------------------------------------------------------------------------------------------------------- threads

// Threads that share work, this one included.
static inline uint32_t shoal_workers(shoal_context *c) {
  return c->api->workers(c);
}

// Calls part(data, 0 … parts - 1, worker), shared among the workers, and returns when all have returned. No two parts
// run with the same worker at a time. What is computed must not depend on how many workers there are: cut the parts
// by a fixed size. Main thread; inside a part the context must not be used.
static inline void shoal_jobs(shoal_context *c, void (*part)(void *data, uint32_t part, uint32_t worker), void *data,
                              uint32_t parts) {
  c->api->jobs(c, part, data, parts);
}

// ------------------------------------------------------------------------------------------------ results of functions

// Room for a list result; valid until the function is called again. Only inside a function's call.
static inline double *shoal_give_numbers(shoal_context *c, shoal_value *result, uint32_t count) {
  return c->api->give_numbers(c, result, count);
}

static inline shoal_entity *shoal_give_entities(shoal_context *c, shoal_value *result, uint32_t count) {
  return c->api->give_entities(c, result, count);
}

static inline void shoal_give_text(shoal_context *c, shoal_value *result, const char *text) { // copied
  c->api->give_text(c, result, text);
}

// --------------------------------------------------------------------------------------------------------------- files

// A whole file of the game's assets/ or the engine's, with a '\0' behind it. NULL with a line in the log when it is
// not there. Give it back with shoal_resize(c, file, size + 1, 0). Main thread.
static inline void *shoal_asset(shoal_context *c, const char *name, size_t *size) {
  return c->api->asset(c, name, size);
}

// ----------------------------------------------------------------------------------------------- panels of the cockpit
// In the `draw` of a shoal_panel alone; at most 64 widgets, in rows one below the other. Labels up to 120 bytes, texts
// up to 250; they are copied.

// Adds a widget; the functions below fill one in. Returns true for a button that was pressed.
static inline bool shoal_panel_widget(shoal_context *c, const shoal_widget *w) {
  return c->api->panel_widget(c, w);
}

// A line of text.
static inline void shoal_panel_label(shoal_context *c, const char *text) {
  shoal_widget w;
  memset(&w, 0, sizeof w);
  w.kind = SHOAL_WIDGET_LABEL;
  w.label = text;
  shoal_panel_widget(c, &w);
}

// A name and what it is.
SHOAL_PRINTF(3, 4)
static inline void shoal_panel_value(shoal_context *c, const char *label, const char *format, ...) {
  char text[256];
  shoal_widget w;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  memset(&w, 0, sizeof w);
  w.kind = SHOAL_WIDGET_VALUE;
  w.label = label;
  w.text = text;
  shoal_panel_widget(c, &w);
}

// A number, and how it was since somebody looks.
static inline void shoal_panel_plot(shoal_context *c, const char *label, double value) {
  shoal_widget w;
  memset(&w, 0, sizeof w);
  w.kind = SHOAL_WIDGET_PLOT;
  w.label = label;
  w.value = value;
  shoal_panel_widget(c, &w);
}

// A number field of an entity's component, or with entity 0 of a single, that can be drawn from `min` to `max`. It is
// changed as in the inspector: recorded, undone by Ctrl+Z, and written back into the game's files if somebody wants.
// Nothing where there is no such row. `column` is SHOAL_INDEX(physics, gravity_y).
static inline void shoal_panel_slider(shoal_context *c, const char *label, shoal_entity e,
                                      const shoal_component *component, uint32_t column, double min, double max) {
  shoal_widget w;
  memset(&w, 0, sizeof w);
  w.kind = SHOAL_WIDGET_SLIDER;
  w.label = label;
  w.entity = e;
  w.component = component;
  w.column = column;
  w.min = min;
  w.max = max;
  shoal_panel_widget(c, &w);
}

// True when it was pressed: then, and in this call alone, the world may be changed, as in a function that a script
// calls outside systems. It is part of the recording: a replay calls `draw` after the same tick with the same button
// pressed. So which buttons there are has to follow from the world. No two with the same label.
static inline bool shoal_panel_button(shoal_context *c, const char *label) {
  shoal_widget w;
  memset(&w, 0, sizeof w);
  w.kind = SHOAL_WIDGET_BUTTON;
  w.label = label;
  return shoal_panel_widget(c, &w);
}

#endif
