// What a plugin declares: components, singles and events with their fields, managers with storage of their own,
// systems, functions for scripts. Plain data; the host reads it while the plugin is loaded, and copies nothing: it
// has to stay as it is. Part of the public plugin headers: C11, usable from C++. Include <shoal/plugin.h>.
#ifndef SHOAL_TYPES_H
#define SHOAL_TYPES_H

#include "shoal/entity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHOAL_MAX_FIELDS 64       // columns of one component; a vec4 is four, a mat4 is one
#define SHOAL_MAX_NAMES 8         // in a list of names below
#define SHOAL_MAX_EMIT (1u << 24) // rows of one shoal_emit_begin
#define SHOAL_NO_ROW UINT32_MAX

// What the host hands to every function. Valid for the call alone. Its inside belongs to the host.
typedef struct shoal_context shoal_context;

// --- fields

// The type in C of one element, and the default:
//
// | word                       | element       | default                                                              |
// |----------------------------|---------------|----------------------------------------------------------------------|
// | f32 f64 i8 i16 i32 u8 u16  | float double  | a number: F(f32, value, 20.0f)                                       |
// |   u32                      |   int8_t …    |                                                                      |
// | bool                       | uint8_t       | 0 or 1: F(bool, on, 1)                                               |
// | entity                     | shoal_entity  | none: F(entity, target)                                              |
// | string asset               | uint32_t      | a text: F(string, label, "hot"); the column holds ids (shoal_text)   |
// | enum                       | uint8_t       | words, the first is the default: F(enum, mood, "calm angry")         |
// | vec2 vec3 vec4 quat        | 2 … 4 columns | numbers: F(vec2, pos, 0, 0)                                          |
// | mat4                       | float[16]     | the identity: F(mat4, place); column-major                           |
typedef enum shoal_type {
  SHOAL_TYPE_none,
  SHOAL_TYPE_f32,
  SHOAL_TYPE_f64,
  SHOAL_TYPE_i8,
  SHOAL_TYPE_i16,
  SHOAL_TYPE_i32,
  SHOAL_TYPE_u8,
  SHOAL_TYPE_u16,
  SHOAL_TYPE_u32,
  SHOAL_TYPE_bool,
  SHOAL_TYPE_entity,
  SHOAL_TYPE_string,
  SHOAL_TYPE_enum,
  SHOAL_TYPE_asset,
  SHOAL_TYPE_mat4,
  SHOAL_TYPE_vec2,
  SHOAL_TYPE_vec3,
  SHOAL_TYPE_vec4,
  SHOAL_TYPE_quat,
  SHOAL_TYPE_COUNT
} shoal_type;

enum {
  SHOAL_HIDDEN = 1,    // not for scripts, SQL or saves that people read; in snapshots and saves all the same
  SHOAL_READ_ONLY = 2, // scripts read it
  // Of an entity field, when the entity that it names is destroyed; without one of them it keeps the id of the dead:
  SHOAL_CASCADE_CLEAR = 32,   // it becomes none
  SHOAL_CASCADE_REMOVE = 64,  // its row goes
  SHOAL_CASCADE_DESTROY = 128 // the entity whose row it is is destroyed too
};

// After the default a field may say more: F(f32, value, 20.0f, .unit = "°C", .doc = "how hot it is", .renamed_from =
// "heat").
typedef struct shoal_field {
  const char *name;
  shoal_type type;
  double number; // the default of numbers and bools
  float vector[4];
  const char *text;         // of string and asset: the default; of enum: its words, with blanks between; NULL is ""
  uint32_t flags;           // SHOAL_HIDDEN, SHOAL_READ_ONLY, SHOAL_CASCADE_
  const char *renamed_from; // what an earlier version of the plugin called it: its data is carried over
  const char *unit, *doc;   // NULL for none
} shoal_field;

// --- components, singles, events

typedef enum shoal_kind {
  SHOAL_KIND_COMPONENT, // one row for each entity that has it
  SHOAL_KIND_MANY,      // several named rows for each entity
  SHOAL_KIND_SINGLE,    // one row that belongs to the world
  SHOAL_KIND_EVENT      // rows that live until the end of the next tick
} shoal_kind;

typedef struct shoal_manager shoal_manager;

// Made by SHOAL_COMPONENT and its kin; known to the host by its address and its name.
typedef struct shoal_component {
  const char *name;
  shoal_kind kind;
  const shoal_field *fields;
  uint32_t field_count;         // as the plugin writes them: a vector counts once
  uint32_t column_count;        // a vec3 counts three times
  const shoal_manager *manager; // NULL: the columns are all there is
} shoal_component;

// Storage of its own beside the columns: a solver's bodies, a tree, a buffer. The columns are in the host's store as
// anybody's are; the manager is told in batches who comes and goes, and gives what it holds as bytes, so that it
// takes part in snapshots, saves, rewinding and the world's hash. Of a plain component (not many, single or event).
// Every function is called on the main thread, between systems, never inside one. `self` is what `create` returned.
struct shoal_manager {
  uint32_t version; // of the bytes that `save` writes

  // One for each world. Memory for it comes from shoal_resize. NULL after shoal_fail: the plugin is refused.
  void *(*create)(shoal_context *c);
  // Gives all memory back.
  void (*destroy)(shoal_context *c, void *self);

  // These entities have just got their row (shoal_rows finds it), with its values; in the order in which they were
  // added.
  void (*attach)(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count);
  // These are about to lose it, or to die; their rows and the entities are still there.
  void (*detach)(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count);
  // How many are attached. The host compares it with its own count after every change; a manager that says something
  // else is reported, its systems are parked, and it is filled anew from the columns (load with NULL, then attach).
  uint32_t (*count)(void *self);

  // What it holds, as bytes without pointers. The same state has to give the same bytes: they are part of the world's
  // hash. Saving changes nothing. `bytes` has save_bytes room and is 16-byte aligned.
  size_t (*save_bytes)(shoal_context *c, void *self);
  void (*save)(shoal_context *c, void *self, void *bytes);
  // Takes the place of everything that it holds. The columns have their rows already. NULL and 0: it is empty from
  // now on, and `attach` follows for the rows that are there. False when the bytes make no sense (they may come from
  // a file): the host then goes on as with NULL, and says so.
  bool (*load)(shoal_context *c, void *self, const void *bytes, size_t size);
  // The same for bytes that another version wrote. NULL: they cannot be read, and it is filled anew from the columns.
  bool (*migrate)(shoal_context *c, void *self, uint32_t from_version, const void *bytes, size_t size);
};

// --- rows and columns

// A whole component, single or event. Row i of all of them belongs together. `columns` are in the order in which the
// plugin wrote the fields (see SHOAL_FIELDS). Valid until rows come or go, that is until the system ends.
typedef struct shoal_table {
  uint32_t count;
  const shoal_entity *owners; // by row; NULL of singles and events
  const uint32_t *instances;  // by row: the text id of its name; NULL but of SHOAL_KIND_MANY
  void *const *columns;
} shoal_table;

// One component of a system's query. Element i of every column belongs to row i of the query: where the rows of the
// store lie in another order the host has copied them into that order, and copies back what was written when the
// system returns.
typedef struct shoal_term {
  const shoal_component *component; // NULL: neither in `.components` nor in `.uses`, so that its columns are not known
  const char *name;
  void *const *columns; // NULL for `without` terms and for components that are not known
  const uint8_t
      *there; // `optional` and `any`: 1 where the entity has it, else the element is the default; NULL: all have it
} shoal_term;

// What a system loops over.
typedef struct shoal_view {
  uint32_t count; // rows
  uint32_t first; // which row of the query the first one is: not 0 in all but one part of a parallel system
  const shoal_entity *entities; // by row
  const shoal_term *terms;
  uint32_t term_count;
} shoal_view;

// --- systems

typedef enum shoal_phase {
  SHOAL_PHASE_DEFAULT, // update
  SHOAL_PHASE_INPUT,
  SHOAL_PHASE_PRE_UPDATE,
  SHOAL_PHASE_UPDATE,
  SHOAL_PHASE_POST_UPDATE,
  SHOAL_PHASE_RENDER // once a frame, with the frame's time; changes nothing of the world
} shoal_phase;

typedef struct shoal_system {
  const char *name; // the schedule calls it PLUGIN.name
  shoal_phase phase;
  // Components that the entities have; none at all: `run` is called without rows. What is disabled is not there to it,
  // unless it names the component `disabled`, as an optional one say.
  const char *query[SHOAL_MAX_NAMES];
  const char *without[SHOAL_MAX_NAMES];  // … and lack
  const char *optional[SHOAL_MAX_NAMES]; // … and may have
  const char *any[SHOAL_MAX_NAMES];      // … of which they have one or more
  // Those of the above that it does not write; in the render phase that is all of them. One that does is parked. With
  // `beside` also what it reads besides.
  const char *reads[SHOAL_MAX_NAMES];
  const char *after[SHOAL_MAX_NAMES]; // systems: of this plugin by their own name, others as the schedule calls them
  const char *before[SHOAL_MAX_NAMES];
  int32_t priority; // lower runs first, where `after` and `before` leave it open
  uint32_t every;   // ticks between two runs (default: 1)
  // `run` is called for parts of the rows, on several threads at once. It writes nothing but the columns of its view;
  // what else it wants (destroy, add, remove, set, emit) is done in the order of the rows when all parts are through.
  // No spawning.
  bool parallel;
  // It may run at the same time as systems next to it in the order that share nothing with it, on any thread. It writes
  // the columns of its query but for those of `reads`; `reads` may name further components and singles, which it looks
  // at through shoal_rows_of. All else that it wants is as in a parallel system: it may emit and has random numbers,
  // and there is no spawning and no shoal_read. What systems of the plugin share besides (shoal_state) is theirs to
  // guard; `after` keeps two systems apart. What it leaves behind is the same as if it ran alone.
  bool beside;
  // … and it asks for changes: destroy, add, remove, set. Systems behind it wait for those.
  bool changes;
  // Main thread, or, where `parallel` or `beside` is set, any. `dt_s`: seconds, of a tick, or of a frame in the render
  // phase.
  void (*run)(shoal_context *c, const shoal_view *v, float dt_s);
} shoal_system;

// --- functions for scripts

// What a value of the type any is.
typedef enum shoal_any {
  SHOAL_ANY_NOTHING, // nil
  SHOAL_ANY_NUMBER,
  SHOAL_ANY_BOOL,
  SHOAL_ANY_TEXT,
  SHOAL_ANY_ENTITY,
  SHOAL_ANY_NUMBERS, // a list; as a result it is a list of Lua's own
  SHOAL_ANY_TABLE    // of the type table (<shoal/table.h>)
} shoal_any;

// An argument or a result. Lists and texts of arguments are valid for the call alone.
typedef struct shoal_value {
  double number; // number; bool: 0 or 1
  const char *text;
  const double *numbers;        // number[]
  const shoal_entity *entities; // entity[]
  shoal_entity entity;
  uint32_t count; // of a list; bytes of a text
  shoal_any any;  // any: which of the above it is
} shoal_value;

// shoal.plugins.PLUGIN.name(…) in Lua. `takes` and `gives` are words NAME:TYPE with blanks between; the types are
// number, bool, text, entity, any (shoal_any), table (<shoal/table.h>), and for many at once number[] and entity[]. The
// number and types of
// what is passed are checked before the call. A list argument is a Lua list or a column of an open query; a list
// result reads like a column, 1 … count, with the count as one more result behind it, and holds until the function is
// called again.
typedef struct shoal_function {
  const char *name;
  const char *takes, *gives; // NULL for nothing; at most 8 each
  const char *doc;           // NULL for none
  bool pure;                 // changes nothing: may be called in the render phase
  // Main thread, inside a system or outside. `results` are zeroed; lists and texts go there through shoal_give_….
  void (*call)(shoal_context *c, const shoal_value *arguments, shoal_value *results);
} shoal_function;

// --- panels of the cockpit

typedef enum shoal_widget_kind {
  SHOAL_WIDGET_LABEL,
  SHOAL_WIDGET_VALUE,
  SHOAL_WIDGET_SLIDER, // of a number field of `entity`, or of a single
  SHOAL_WIDGET_BUTTON,
  SHOAL_WIDGET_PLOT // of `value` over time
} shoal_widget_kind;

typedef struct shoal_widget {
  shoal_widget_kind kind;
  const char *label, *text; // copied; NULL is ""
  double value, min, max;
  shoal_entity entity; // 0 for a single
  const shoal_component *component;
  uint32_t column;
} shoal_widget;

// What people at work see of the plugin in the cockpit (engine/docs/cockpit.md). Either `sql`, a question whose answer
// is shown as a table, or `draw`, which says which widgets there are with the functions shoal_panel_… It is called a
// few times a second while somebody looks, between two ticks, and reads the world: one that writes to it is drawn no
// more until the plugin is loaded anew, and what it wrote is undone. What a button does is the exception.
typedef struct shoal_panel {
  const char *title; // another one than the others'
  const char *sql;
  void (*draw)(shoal_context *c, shoal_entity picked); // picked: alive, or 0
  bool plot;                                           // the answer of `sql` as lines, too
} shoal_panel;

// --- what reaches outside (<shoal/outside.h>)

typedef struct shoal_stop {
  int asked; // read by shoal_stops
  int wake;  // a file that can be read, and is not to be, from when the thread is to stop
} shoal_stop;

typedef struct shoal_thread {
  const char *name;
  // Returns when shoal_stops(stop) says so. `state`: what `open` returned.
  void (*run)(const shoal_stop *stop, void *state);
} shoal_thread;

// Of the instance that runs before: its plugin's version, and what its `hand_over` wrote.
typedef struct shoal_previous {
  uint32_t version;
  const void *bytes;
  size_t size;
} shoal_previous;

typedef struct shoal_observer shoal_observer; // <shoal/observe.h>
typedef struct shoal_command shoal_command;   // <shoal/command.h>

// --- kinds of files (<shoal/asset.h>)

typedef struct shoal_asset_type {
  const char *ending; // ".grass"
  // What a file holds, which has a '\0' behind its bytes; NULL after shoal_asset_wrong. Memory comes from shoal_resize.
  void *(*load)(shoal_context *c, const char *name, const void *bytes, size_t size);
  void (*unload)(shoal_context *c, void *data); // gives it back
} shoal_asset_type;

// --- the plugin

typedef struct shoal_plugin {
  const char *name; // of a variable: letters, digits, _
  uint32_t version;
  const char *doc;
  const char *needs[SHOAL_MAX_NAMES];       // plugins that are loaded before this one
  const shoal_component *const *components; // SHOAL_COMPONENTS: that it brings. NULL-terminated
  const shoal_component *const
      *uses;                   // SHOAL_COMPONENTS: of others, with the fields that it wants of them. NULL-terminated
  const shoal_system *systems; // SHOAL_SYSTEMS: up to one without a name
  const shoal_function *functions; // SHOAL_FUNCTIONS: up to one without a name
  // Scratch memory that is no part of the world, by shoal_resize; shoal_state gives it to every function. After
  // create of the managers. NULL after shoal_fail: the plugin is refused; NULL without it is fine.
  void *(*open)(shoal_context *c);
  void (*close)(shoal_context *c, void *state); // gives the memory back
  // The world is another one now: a snapshot, a save, a reload. Of plugins that bring a component.
  void (*restored)(shoal_context *c);
  const shoal_panel *panels; // SHOAL_PANELS: up to one without a title
  // The oldest version whose functions still mean what they do now, for plugins that ask by version (<shoal/call.h>);
  // 0: `version` alone.
  uint32_t serves;
  const shoal_thread *threads; // SHOAL_THREADS: up to one without a name
  // In the place of `open`. `previous`: of the instance whose place this one takes, whose threads have stopped and
  // which goes on as it was when this one is refused; NULL when there is none.
  void *(*open_after)(shoal_context *c, const shoal_previous *previous);
  // What the next instance shall have, into `bytes`, which has `room`; returns how many there are to write: it is asked
  // with no room first. It changes nothing.
  size_t (*hand_over)(shoal_context *c, void *state, void *bytes, size_t room);
  bool reaches_outside;            // it opens ports, files or devices: see <shoal/outside.h>
  const shoal_observer *observers; // SHOAL_OBSERVERS: up to one without a name (<shoal/observe.h>)
  const shoal_command *commands;   // SHOAL_COMMANDS: up to one without a name (<shoal/command.h>)
  const shoal_asset_type *assets;  // SHOAL_ASSETS: up to one without an ending
} shoal_plugin;

#endif
