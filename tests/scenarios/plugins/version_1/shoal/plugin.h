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
// reload starts anew
// and which several worlds would share. What a system computes follows from the world alone: no clock, no address, no
// order of a
// hash table, no rand(); shoal_random is the world's own stream.
//
// A failure is said with shoal_fail: in a system it parks that system until the next reload, in a function the script
// that called
// gets an error, while loading the plugin is refused. Functions that return nothing else on bad input say so below;
// none crashes on
// an entity that is dead.
//
// C11. In C++ (17; designated initialisers in the order of the members) everything is the same.
#ifndef SHOAL_PLUGIN_H
#define SHOAL_PLUGIN_H

#include "shoal/api.h"
#include "shoal/builtin.h"
#include "shoal/types.h"

#include <stdarg.h>
#include <stdio.h>

#ifdef __GNUC__
#define SHOAL_MAYBE_UNUSED __attribute__((unused))
#define SHOAL_VISIBLE __attribute__((visibility("default")))
#define SHOAL_PRINTF(format_, first_) __attribute__((format(printf, format_, first_)))
#else
#define SHOAL_MAYBE_UNUSED
#define SHOAL_VISIBLE
#define SHOAL_PRINTF(format_, first_)
#endif

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic ignored                                                                                         \
    "-Wmissing-field-initializers" // C++ warns of members that are left at zero, which is their default
#endif

// -------------------------------------------------------------------------------------------------------------
// declarations

// clang-format off
#define SHOAL_POINTER_f32(name_) float *name_;
#define SHOAL_POINTER_f64(name_) double *name_;
#define SHOAL_POINTER_i8(name_) int8_t *name_;
#define SHOAL_POINTER_i16(name_) int16_t *name_;
#define SHOAL_POINTER_i32(name_) int32_t *name_;
#define SHOAL_POINTER_u8(name_) uint8_t *name_;
#define SHOAL_POINTER_u16(name_) uint16_t *name_;
#define SHOAL_POINTER_u32(name_) uint32_t *name_;
#define SHOAL_POINTER_bool(name_) uint8_t *name_;
#define SHOAL_POINTER_entity(name_) shoal_entity *name_;
#define SHOAL_POINTER_string(name_) uint32_t *name_;
#define SHOAL_POINTER_enum(name_) uint8_t *name_;
#define SHOAL_POINTER_asset(name_) uint32_t *name_;
#define SHOAL_POINTER_mat4(name_) float (*name_)[16];
#define SHOAL_POINTER_vec2(name_) float *name_[2];
#define SHOAL_POINTER_vec3(name_) float *name_[3];
#define SHOAL_POINTER_vec4(name_) float *name_[4];
#define SHOAL_POINTER_quat(name_) float *name_[4];

#define SHOAL_DEFAULT_f32(...) .number = __VA_ARGS__
#define SHOAL_DEFAULT_f64(...) .number = __VA_ARGS__
#define SHOAL_DEFAULT_i8(...) .number = __VA_ARGS__
#define SHOAL_DEFAULT_i16(...) .number = __VA_ARGS__
#define SHOAL_DEFAULT_i32(...) .number = __VA_ARGS__
#define SHOAL_DEFAULT_u8(...) .number = __VA_ARGS__
#define SHOAL_DEFAULT_u16(...) .number = __VA_ARGS__
#define SHOAL_DEFAULT_u32(...) .number = __VA_ARGS__
#define SHOAL_DEFAULT_bool(...) .number = __VA_ARGS__
#define SHOAL_DEFAULT_string(...) .text = __VA_ARGS__
#define SHOAL_DEFAULT_enum(...) .text = __VA_ARGS__
#define SHOAL_DEFAULT_asset(...) .text = __VA_ARGS__
#define SHOAL_DEFAULT_entity(...) .number = 0, __VA_ARGS__
#define SHOAL_DEFAULT_mat4(...) .number = 0, __VA_ARGS__
#define SHOAL_DEFAULT_vec2(x_, y_, ...) .vector = {x_, y_, 0, 0}, __VA_ARGS__
#define SHOAL_DEFAULT_vec3(x_, y_, z_, ...) .vector = {x_, y_, z_, 0}, __VA_ARGS__
#define SHOAL_DEFAULT_vec4(x_, y_, z_, w_, ...) .vector = {x_, y_, z_, w_}, __VA_ARGS__
#define SHOAL_DEFAULT_quat(x_, y_, z_, w_, ...) .vector = {x_, y_, z_, w_}, __VA_ARGS__

#define SHOAL_MEMBER(type_, name_, ...) SHOAL_POINTER_##type_(name_)
#define SHOAL_FIELD(type_, name_, ...) {.name = #name_, .type = SHOAL_TYPE_##type_, SHOAL_DEFAULT_##type_(__VA_ARGS__)},

#define SHOAL_DECLARE(name_, FIELDS_, kind_, manager_)                                                                 \
  typedef struct name_##_columns { FIELDS_(SHOAL_MEMBER) } name_##_columns;                                            \
  static const shoal_field name_##_fields[] SHOAL_MAYBE_UNUSED = {FIELDS_(SHOAL_FIELD)};                               \
  static const shoal_component name_##_component SHOAL_MAYBE_UNUSED = {                                                \
      #name_, kind_, name_##_fields, (uint32_t)(sizeof(name_##_fields) / sizeof(name_##_fields[0])),                   \
      (uint32_t)(sizeof(name_##_columns) / sizeof(void *)), manager_};
// clang-format on

// FIELDS is a macro that calls its argument once for each field: F(type, name, default, …). See shoal_type for the
// types.
// What a declaration gives, for `heat`: the struct heat_columns, a typed pointer for each field (an array of 2 … 4 for
// a vector, so
// that columns->pos[0] is the x column), and heat_component, which the lists below and the functions below take.
#define SHOAL_COMPONENT(name_, FIELDS_) SHOAL_DECLARE(name_, FIELDS_, SHOAL_KIND_COMPONENT, NULL)
#define SHOAL_MANY(name_, FIELDS_) SHOAL_DECLARE(name_, FIELDS_, SHOAL_KIND_MANY, NULL)
#define SHOAL_SINGLE(name_, FIELDS_) SHOAL_DECLARE(name_, FIELDS_, SHOAL_KIND_SINGLE, NULL)
#define SHOAL_EVENT(name_, FIELDS_) SHOAL_DECLARE(name_, FIELDS_, SHOAL_KIND_EVENT, NULL)
// A component with storage of its own; `manager` is the address of a shoal_manager, which is declared before.
#define SHOAL_COMPONENT_WITH(name_, FIELDS_, manager_) SHOAL_DECLARE(name_, FIELDS_, SHOAL_KIND_COMPONENT, manager_)

// Components, singles and events by name, at most 16, for `.components` and `.uses`.
#define SHOAL_COMPONENTS(...)                                                                                          \
  SHOAL_LIST(const shoal_component *, SHOAL_EACH(SHOAL_ADDRESS_OF_COMPONENT, __VA_ARGS__) NULL)
#define SHOAL_SYSTEMS(...) SHOAL_LIST(shoal_system, __VA_ARGS__, SHOAL_LIST_END)
#define SHOAL_FUNCTIONS(...) SHOAL_LIST(shoal_function, __VA_ARGS__, SHOAL_LIST_END)

// At the end of the file: the plugin, as the members of a shoal_plugin, and the symbol that the library exports.
#define SHOAL_PLUGIN(...)                                                                                              \
  static const shoal_plugin shoal_plugin_here = {__VA_ARGS__};                                                         \
  SHOAL_EXPORT_SYMBOL(SHOAL_EXPORT_HERE(&shoal_plugin_here))

#ifdef __cplusplus
#define SHOAL_LIST_END                                                                                                 \
  {}
#define SHOAL_LIST(type_, ...)                                                                                         \
  []() {                                                                                                               \
    static type_ const list[] = {__VA_ARGS__};                                                                         \
    return static_cast<type_ const *>(list);                                                                           \
  }()
#define SHOAL_EXPORT_SYMBOL(...)                                                                                       \
  extern "C" {                                                                                                         \
  extern SHOAL_VISIBLE const shoal_export shoal_plugin_export;                                                         \
  const shoal_export shoal_plugin_export = __VA_ARGS__;                                                                \
  }
#else
#define SHOAL_LIST_END                                                                                                 \
  { 0 }
#define SHOAL_LIST(type_, ...) ((type_ const[]){__VA_ARGS__})
#define SHOAL_EXPORT_SYMBOL(...)                                                                                       \
  extern SHOAL_VISIBLE const shoal_export shoal_plugin_export;                                                         \
  const shoal_export shoal_plugin_export = __VA_ARGS__;
#endif

#define SHOAL_ADDRESS_OF_COMPONENT(name_) &name_##_component,
#define SHOAL_EACH(M_, ...)                                                                                            \
  SHOAL_EACH_N(__VA_ARGS__, SHOAL_E16, SHOAL_E15, SHOAL_E14, SHOAL_E13, SHOAL_E12, SHOAL_E11, SHOAL_E10, SHOAL_E9,     \
               SHOAL_E8, SHOAL_E7, SHOAL_E6, SHOAL_E5, SHOAL_E4, SHOAL_E3, SHOAL_E2, SHOAL_E1, SHOAL_E0)               \
  (M_, __VA_ARGS__)
#define SHOAL_EACH_N(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, N_, ...) N_
#define SHOAL_E1(M_, a_) M_(a_)
#define SHOAL_E2(M_, a_, ...) M_(a_) SHOAL_E1(M_, __VA_ARGS__)
#define SHOAL_E3(M_, a_, ...) M_(a_) SHOAL_E2(M_, __VA_ARGS__)
#define SHOAL_E4(M_, a_, ...) M_(a_) SHOAL_E3(M_, __VA_ARGS__)
#define SHOAL_E5(M_, a_, ...) M_(a_) SHOAL_E4(M_, __VA_ARGS__)
#define SHOAL_E6(M_, a_, ...) M_(a_) SHOAL_E5(M_, __VA_ARGS__)
#define SHOAL_E7(M_, a_, ...) M_(a_) SHOAL_E6(M_, __VA_ARGS__)
#define SHOAL_E8(M_, a_, ...) M_(a_) SHOAL_E7(M_, __VA_ARGS__)
#define SHOAL_E9(M_, a_, ...) M_(a_) SHOAL_E8(M_, __VA_ARGS__)
#define SHOAL_E10(M_, a_, ...) M_(a_) SHOAL_E9(M_, __VA_ARGS__)
#define SHOAL_E11(M_, a_, ...) M_(a_) SHOAL_E10(M_, __VA_ARGS__)
#define SHOAL_E12(M_, a_, ...) M_(a_) SHOAL_E11(M_, __VA_ARGS__)
#define SHOAL_E13(M_, a_, ...) M_(a_) SHOAL_E12(M_, __VA_ARGS__)
#define SHOAL_E14(M_, a_, ...) M_(a_) SHOAL_E13(M_, __VA_ARGS__)
#define SHOAL_E15(M_, a_, ...) M_(a_) SHOAL_E14(M_, __VA_ARGS__)
#define SHOAL_E16(M_, a_, ...) M_(a_) SHOAL_E15(M_, __VA_ARGS__)

// ------------------------------------------------------------------------------------------------------------------
// columns

struct shoal_context { // and what belongs to the host behind it
  const shoal_api *api;
};

// The columns of one of the components of a system's query: SHOAL_COLUMNS(v, heat)->value[i], or one of them with
// SHOAL_COLUMN.
// Valid while the system runs. Pointers are NULL when the query does not name the component.
#define SHOAL_COLUMNS(view_, name_) ((const name_##_columns *)shoal_view_columns(view_, &name_##_component))
#define SHOAL_COLUMN(view_, name_, field_) (SHOAL_COLUMNS(view_, name_)->field_)
// The same for a table: SHOAL_IN(shoal_rows_of(c, &heat_component), heat)->value[row].
#define SHOAL_IN(table_, name_) ((const name_##_columns *)(const void *)(table_).columns)
// The number of a column, for shoal_set: SHOAL_INDEX(heat, value); of a vector's second: SHOAL_INDEX(heat, pos[1]).
#define SHOAL_INDEX(name_, field_) ((uint32_t)(offsetof(name_##_columns, field_) / sizeof(void *)))

static inline const shoal_term *shoal_view_term(const shoal_view *v, const shoal_component *component) {
  for (uint32_t i = 0; i < v->term_count; ++i)
    if (v->terms[i].component == component)
      return &v->terms[i];
  return NULL;
}

static inline const void *shoal_view_columns(const shoal_view *v, const shoal_component *component) {
  static const void *const none[SHOAL_MAX_FIELDS] = {0};
  const shoal_term *term = shoal_view_term(v, component);
  return term && term->columns ? (const void *)term->columns : (const void *)none;
}

// Does row i have the `optional` or `any` component? True for those that all rows have.
static inline bool shoal_has(const shoal_view *v, const shoal_component *component, uint32_t row) {
  const shoal_term *term = shoal_view_term(v, component);
  return term && (!term->there || term->there[row]);
}

// A component, single or event that nobody named while this was compiled; also for the functions below. Its fields,
// and with them
// its columns, are all that there are, in the order of the store. NULL when there is none. Main thread; stays valid
// until `close`.
static inline const shoal_component *shoal_find(shoal_context *c, const char *name) {
  return c->api->find(c, name);
}

// All rows of a component or single, whoever has it; `count` is 0 and `columns` are NULL when it is not there. Reading
// is fine in
// every phase and on every thread; what a parallel system writes there is not its own. While a system runs, its view
// has copies of
// columns whose rows lie in another order: what it writes through this to a component of its own query may be copied
// over.
static inline shoal_table shoal_rows_of(shoal_context *c, const shoal_component *component) {
  return c->api->table(c, component);
}

// The rows of many entities at once, into `rows` (caller's, `count` long): SHOAL_NO_ROW for those that have none or
// are dead. Of
// SHOAL_KIND_MANY the first one. Any thread.
static inline void shoal_rows(shoal_context *c, const shoal_component *component, const shoal_entity *entities,
                              uint32_t count, uint32_t *rows) {
  c->api->rows(c, component, entities, count, rows);
}

static inline uint32_t shoal_row(shoal_context *c, const shoal_component *component, shoal_entity e) {
  uint32_t row = SHOAL_NO_ROW;
  c->api->rows(c, component, &e, 1, &row);
  return row;
}

// --------------------------------------------------------------------------------------------------------------------
// facts

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

// A line in the log, under the plugin's name; up to 1,000 bytes. Main thread; in a parallel system it is dropped.
SHOAL_PRINTF(3, 4) static inline void shoal_log(shoal_context *c, shoal_level level, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  c->api->log(c, level, text);
}

// Says that the call that is going on has failed, and why, in a sentence; see the head of this file for what follows.
// Return after
// it. What a system queued before it failed is dropped. Any thread.
SHOAL_PRINTF(2, 3) static inline void shoal_fail(shoal_context *c, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  c->api->fail(c, text);
}

// Memory that the host counts: grows, shrinks, allocates (old NULL, new memory is not zeroed) and frees (new_bytes 0,
// returns NULL).
// The caller knows the size. What is not given back when the plugin is closed is named in the log. Never NULL
// otherwise. Main
// thread, and parts of parallel systems one at a time only.
static inline void *shoal_resize(shoal_context *c, void *old, size_t old_bytes, size_t new_bytes) {
  return c->api->resize(c, old, old_bytes, new_bytes);
}

// -----------------------------------------------------------------------------------------------------------------
// entities
// Structure changes made in a system are commands: carried out in order when it ends, dropped when it fails. In a
// function that a
// script calls outside systems they are carried out at once. Not in the render phase and not in a manager's functions:
// they do
// nothing there and say so in the log.

static inline bool shoal_alive(shoal_context *c, shoal_entity e) { // any thread; safe for every value
  return c->api->alive(c, e);
}

// `count` entities from an assemblage ("" for empty ones) into `out` (caller's, may be NULL). They are alive at once
// and get their
// components with the commands. Returns `count`, or 0 after a line in the log: no such assemblage, or too many alive.
// Main thread.
static inline uint32_t shoal_spawn(shoal_context *c, const char *assemblage, uint32_t count, shoal_entity *out) {
  return c->api->spawn(c, assemblage, count, out);
}

// Those that are dead already are passed over.
static inline void shoal_destroy(shoal_context *c, const shoal_entity *entities, uint32_t count) {
  c->api->destroy(c, entities, count);
}

// `instance` names a row of SHOAL_KIND_MANY, and is NULL for others. Adding what is there changes nothing. False when
// the entity is
// dead, or the component is not known.
static inline bool shoal_add(shoal_context *c, shoal_entity e, const shoal_component *component, const char *instance) {
  return c->api->add(c, e, component, instance);
}

// False when it has none.
static inline bool shoal_remove(shoal_context *c, shoal_entity e, const shoal_component *component,
                                const char *instance) {
  return c->api->remove(c, e, component, instance);
}

// Writes one number through the queue, so that it also reaches a row that a command before it adds. bool 0 or 1, enum
// its place,
// entity and text their id. `column` is SHOAL_INDEX(heat, value). False when the entity has no such component and gets
// none.
static inline bool shoal_set(shoal_context *c, shoal_entity e, const shoal_component *component, uint32_t column,
                             double value) {
  return c->api->set(c, e, component, column, value);
}

// -------------------------------------------------------------------------------------------------------------------
// events

// `count` new rows of an event with their defaults, to be written through the columns (SHOAL_IN takes a table; here
// (const hit_columns *)(const void *)shoal_emit_begin(…), or SHOAL_EMIT) and sent with shoal_emit_end. One event at a
// time. Readers
// see them when the system has ended. Not in the render phase: NULL then. In a parallel system the rows come in the
// parts' order.
static inline void *const *shoal_emit_begin(shoal_context *c, const shoal_component *event, uint32_t count) {
  return c->api->emit_begin(c, event, count);
}

static inline void shoal_emit_end(shoal_context *c, const shoal_component *event) {
  c->api->emit_end(c, event);
}

// const hit_columns *out = SHOAL_EMIT(c, hit, n); …; shoal_emit_end(c, &hit_component);
#define SHOAL_EMIT(context_, name_, count_)                                                                            \
  ((const name_##_columns *)(const void *)shoal_emit_begin(context_, &name_##_component, count_))

// The rows that this system has not read yet, those that nobody has cancelled; they count as read when the system
// ends. Valid until
// then. Only in systems that are not parallel; elsewhere there are none.
static inline shoal_table shoal_read(shoal_context *c, const shoal_component *event) {
  return c->api->read(c, event);
}

// --------------------------------------------------------------------------------------------------------------------
// texts
// Columns hold ids of the world's table of texts. Ids are kept alive by columns, and by nothing else: a plugin's own
// memory keeps the
// text itself, never an id from tick to tick.

static inline const char *shoal_text(shoal_context *c, uint32_t id) { // valid until the next shoal_text_id; "" for 0
  return c->api->text(c, id);
}

static inline uint32_t shoal_text_id(shoal_context *c, const char *text) { // main thread
  return c->api->text_id(c, text);
}

// ------------------------------------------------------------------------------------------------------------------
// threads

// Threads that share work, this one included.
static inline uint32_t shoal_workers(shoal_context *c) {
  return c->api->workers(c);
}

// Calls part(data, 0 … parts - 1, worker), shared among the workers, and returns when all have returned. No two parts
// run with the
// same worker at a time. What is computed must not depend on how many workers there are: cut the parts by a fixed
// size. Main
// thread; inside a part the context must not be used.
static inline void shoal_jobs(shoal_context *c, void (*part)(void *data, uint32_t part, uint32_t worker), void *data,
                              uint32_t parts) {
  c->api->jobs(c, part, data, parts);
}

// ------------------------------------------------------------------------------------------------- results of
// functions

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

// ------------------------------------------------------------------------------------------------------- files and
// drawing

// A whole file of the game's assets/ or the engine's, with a '\0' behind it. NULL with a line in the log when it is
// not there. Give it
// back with shoal_resize(c, file, size + 1, 0). Main thread.
static inline void *shoal_asset(shoal_context *c, const char *name, size_t *size) {
  return c->api->asset(c, name, size);
}

// The game's logical screen, in pixels.
static inline void shoal_screen(shoal_context *c, float *width, float *height) {
  c->api->screen(c, width, height);
}

// Into the frame's draw list, in the render phase only. Space, layer and colour hold for the calls that follow in this
// run of the
// system; at its beginning they are world space, layer 0 and white. Within a layer what is drawn later lies on top.
static inline void shoal_draw_space(shoal_context *c, bool screen) {
  c->api->draw_space(c, screen);
}

static inline void shoal_draw_layer(shoal_context *c, int32_t layer) {
  c->api->draw_layer(c, layer);
}

static inline void shoal_draw_colour(shoal_context *c, float r, float g, float b, float a) {
  c->api->draw_colour(c, r, g, b, a);
}

static inline void shoal_draw_line(shoal_context *c, float x1, float y1, float x2, float y2, float width) {
  c->api->draw_line(c, x1, y1, x2, y2, width);
}

// `xy` holds `points` pairs; simple, may be concave. `width` is the outline's when it is not filled.
static inline void shoal_draw_polygon(shoal_context *c, const float *xy, uint32_t points, bool filled, float width) {
  c->api->draw_polygon(c, xy, points, filled, width);
}

// Triangles with depth, three corners each, eight numbers a corner: its place in clip space (x y z w, as a projection
// matrix gives it;
// the clip box is the whole screen) and its colour (0 … 1). What is nearer hides what is farther, within one call; the
// call as a whole
// lies in the layer that is set. Space and colour do not count.
static inline void shoal_draw_solids(shoal_context *c, const float *corners, uint32_t triangles) {
  c->api->draw_solids(c, corners, triangles);
}

// `x`, `y`: top left; `size` in pixels; UTF-8, copied.
static inline void shoal_draw_text(shoal_context *c, const char *text, float x, float y, float size) {
  c->api->draw_text(c, text, x, y, size);
}

#endif
