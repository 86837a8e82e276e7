// Types of a plugin's declarations: fields, components, singletons and events, managers, systems, functions for
// scripts, panels, asset types, and the plugin itself.
//
// The declarations are plain data. The host keeps pointers to them instead of copies, so they must not change while the
// library is loaded. Part of the public plugin headers: C11, usable from C++. Include <shoal/plugin.h>.
#ifndef SHOAL_TYPES_H
#define SHOAL_TYPES_H

#include "shoal/entity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHOAL_MAX_COLUMNS 64           // maximum number of columns of a component; a vec4 has four, a mat4 one
#define SHOAL_MAX_NAMES 8              // maximum number of names in each list below
#define SHOAL_MAX_EMIT_ROWS (1u << 24) // maximum number of rows per shoal_emit_begin
#define SHOAL_NO_ROW UINT32_MAX

// For structs that programs fill in inside functions: omitted members are zero. The initializer keeps C++ compilers
// from warning about them.
#ifdef __cplusplus
#define SHOAL_ZERO = {}
#else
#define SHOAL_ZERO
#endif

// SHOAL_NODISCARD: the function has no effect besides its result. C++ compilers warn if it is ignored. SHOAL_MUST_USE:
// ignoring the result is a bug (it leaks a resource or uses a view that is not open). C compilers warn, too.
#ifdef __cplusplus
#define SHOAL_NODISCARD [[nodiscard]]
#define SHOAL_MUST_USE [[nodiscard]]
#else
#define SHOAL_NODISCARD
#ifdef __GNUC__
#define SHOAL_MUST_USE __attribute__((warn_unused_result))
#else
#define SHOAL_MUST_USE
#endif
#endif

// The context of a call from the host: the first argument of most functions. Valid during the call only. Opaque.
typedef struct shoal_context shoal_context;

// --- fields

// Types of fields: the C type of an element of the column, and the default in the list of fields.
//
// | type                       | element       | default                                                              |
// |----------------------------|---------------|----------------------------------------------------------------------|
// | f32 f64 i8 i16 i32 u8 u16  | float double  | a number: F(f32, value, 20.0f)                                       |
// |   u32                      |   int8_t …    |                                                                      |
// | bool                       | uint8_t       | 0 or 1: F(bool, on, 1)                                               |
// | entity                     | shoal_entity  | none: F(entity, target)                                              |
// | string asset               | uint32_t      | a string: F(string, label, "hot"); columns hold ids (shoal_string)   |
// | enum                       | uint8_t       | the choices, the default first: F(enum, mood, "calm angry")          |
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

// Flags of fields. The SHOAL_CASCADE_ flags define what happens to an entity field when the entity that it refers to is
// destroyed.
enum {
  SHOAL_HIDDEN = 1,    // the field is in snapshots and saves, but not in scripts, SQL, scene files and the world's hash
  SHOAL_READ_ONLY = 2, // scripts cannot write the field
  SHOAL_CASCADE_KEEP = 0,     // the field keeps the old id
  SHOAL_CASCADE_CLEAR = 32,   // the field becomes SHOAL_ENTITY_NONE
  SHOAL_CASCADE_REMOVE = 64,  // the row is removed
  SHOAL_CASCADE_DESTROY = 128 // the row's entity is destroyed, too
};

// A field of a declaration. Additional members can be set after the default in the list of fields: F(f32, value, 20.0f,
// .unit = "°C", .doc = "how hot it is", .renamed_from = "heat").
typedef struct shoal_field {
  const char *name;
  shoal_type type;
  double default_number; // default of numbers and bools
  // default of vec2, vec3, vec4 and quat
  float default_vector[4];
  // default of string and asset; choices of enum, separated by spaces; NULL for ""
  const char *default_string;
  uint32_t flags; // bit set of SHOAL_HIDDEN, SHOAL_READ_ONLY and SHOAL_CASCADE_ flags
  // names in earlier versions of the plugin, for migration, separated by spaces; may be NULL
  const char *renamed_from;
  const char *unit, *doc; // unit and description shown in tools; may be NULL
} shoal_field;

// --- components, singletons, events

typedef enum shoal_component_kind {
  SHOAL_KIND_COMPONENT, // component with at most one row per entity
  SHOAL_KIND_MANY,      // component with up to 1,024 named rows per entity
  SHOAL_KIND_SINGLE,    // singleton: one row per world
  SHOAL_KIND_EVENT      // event: rows that live until the end of the next tick
} shoal_component_kind;

typedef struct shoal_manager shoal_manager;

// A component, singleton or event, defined by the macros of <shoal/declare.h>. The host identifies a declaration by its
// address and its name.
typedef struct shoal_component {
  const char *name;
  shoal_component_kind kind;
  const shoal_field *fields;
  uint32_t field_count;         // number of `fields`; a vector counts once
  uint32_t column_count;        // number of columns; a vec3 counts three times
  const shoal_manager *manager; // manager of the component; may be NULL
  // Components that the host adds, with their defaults, to every entity that gets this component. Not for singletons
  // and events. Unused entries are NULL.
  const char *required[SHOAL_MAX_NAMES];
} shoal_component;

// A manager: storage of a component in addition to its columns, such as the bodies of a solver, a tree or a buffer. The
// host stores the columns as for any component, and notifies the manager of entities that gain or lose the component,
// in batches. The manager serializes its storage to bytes, so that it is part of snapshots, saves, rewinding and the
// world's hash.
//
// Only plain components (SHOAL_KIND_COMPONENT) can have a manager. All functions except `migrate` are required. The
// functions are called on the main thread, between systems. `self` is the result of `create`.
struct shoal_manager {
  uint32_t version; // version of the format that `save` writes

  // Creates the storage for one world, in memory from shoal_realloc. To reject the plugin, return NULL or call
  // shoal_fail.
  void *(*create)(shoal_context *c);
  // Frees the storage.
  void (*destroy)(shoal_context *c, void *self);

  // Called after entities have received their rows (see shoal_find_rows) with all values. The entities are in the order
  // in which they were added.
  void (*attach)(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count);
  // Called before entities lose the component or are destroyed. Their rows still exist.
  void (*detach)(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count);
  // Returns the number of attached entities. After each change, the host compares the result with its own count. If
  // they differ, the host reports an error, parks the plugin's systems and refills the manager from the columns (`load`
  // with NULL, then `attach`).
  uint32_t (*count)(void *self);

  // Serialize the storage. `save_bytes` returns the number of bytes, at most 1 GB. The buffer `bytes` has that size and
  // is 16-byte aligned. The bytes must not contain pointers, and equal storage must produce equal bytes, since they are
  // part of the world's hash. Neither function may change the storage.
  size_t (*save_bytes)(shoal_context *c, void *self);
  void (*save)(shoal_context *c, void *self, void *bytes);
  // Restores the storage from the bytes of `save`. The rows of the columns already exist. With NULL and 0, the storage
  // must become empty, and `attach` is called for all rows afterwards. Returns true, or false if the bytes are invalid
  // (they may come from a file): the host then logs a warning and calls `load` again with NULL and 0.
  bool (*load)(shoal_context *c, void *self, const void *bytes, size_t size);
  // Like `load`, for bytes that a different version wrote. If `migrate` is NULL, such bytes are ignored and the manager
  // is refilled from the columns.
  bool (*migrate)(shoal_context *c, void *self, uint32_t from_version, const void *bytes, size_t size);
};

// --- rows and columns

// All rows of a component, singleton or event. Element i of each column belongs to row i. `columns` are in the order in
// which the plugin declares the fields. Valid until rows are added or removed: in a plugin, until the system ends.
typedef struct shoal_rows {
  uint32_t count;
  const shoal_entity *entities; // entity of each row; NULL for singletons and events
  const uint32_t *instances;    // string id of each row's name; NULL except for SHOAL_KIND_MANY
  void *const *columns;
} shoal_rows;

// One component of a query. Element i of each column belongs to row i of the query. If the component stores its rows in
// a different order, the columns are copies, which are written back when the system or query ends.
typedef struct shoal_term {
  const shoal_component *component; // the plugin's declaration; NULL if in neither `.components` nor `.uses`
  const char *name;
  void *const *columns; // columns in field order; NULL for `without` terms and if `component` is NULL
  // For `optional` and `any` terms, indexed by row: 1 if the entity has the component, 0 if the columns contain the
  // component's defaults. NULL if all entities have the component.
  const uint8_t *present;
} shoal_term;

// The rows of a query.
typedef struct shoal_view {
  uint32_t count;               // number of rows
  uint32_t first;               // number of the first row in the query; 0 except in parts of a parallel system
  const shoal_entity *entities; // entity of each row
  const shoal_term *terms;
  uint32_t term_count;
  // Called by SHOAL_COLUMNS and SHOAL_COLUMN for a component whose columns the view lacks, with the source file and
  // line of the lookup (NULL and 0 if unknown). NULL in a view that no query has opened. Any thread.
  void (*report_missing)(const struct shoal_view *view, const shoal_component *component, const char *file, int line);
  void *report_context; // context for report_missing
} shoal_view;

// --- systems

typedef enum shoal_phase {
  SHOAL_PHASE_DEFAULT, // same as SHOAL_PHASE_UPDATE
  SHOAL_PHASE_INPUT,
  SHOAL_PHASE_PRE_UPDATE,
  SHOAL_PHASE_UPDATE,
  SHOAL_PHASE_POST_UPDATE,
  SHOAL_PHASE_RENDER // the system runs once per frame, with the frame's duration; the world is read-only
} shoal_phase;

typedef struct shoal_system {
  const char *name; // name without the plugin's name; the schedule uses PLUGIN.name
  shoal_phase phase;
  // Components that the entities must have. If all four lists are empty, `run` is called once without rows. Disabled
  // entities and components are skipped unless a list names the component `disabled`, for example `optional`.
  const char *query[SHOAL_MAX_NAMES];
  const char *without[SHOAL_MAX_NAMES];  // components that entities must not have
  const char *optional[SHOAL_MAX_NAMES]; // components that entities may have
  const char *any[SHOAL_MAX_NAMES];      // components of which entities must have at least one
  // Components of `query`, `optional` and `any` that the system does not write. In the render phase, no component may
  // be written. The host checks for such writes in the first four runs and in every 64th tick, and parks a system that
  // writes a listed component. With `concurrent`, also list the other components and singletons that the system reads.
  const char *reads[SHOAL_MAX_NAMES];
  // Systems after which this system runs: names in this plugin, or PLUGIN.NAME or NAME for systems elsewhere.
  const char *after[SHOAL_MAX_NAMES];
  const char *before[SHOAL_MAX_NAMES];
  int32_t priority; // order where `after` and `before` define none: systems with a lower priority run first
  // Runs every n-th tick, with the length of n ticks as dt_s, except in the render phase. 0 means 1.
  uint32_t interval_ticks;
  // Calls `run` for parts of the rows, on several threads at the same time. The system may write only the columns of
  // its view. The host checks this like `reads`. Other changes (destroy, add, remove, set, emit) are queued and applied
  // in row order after the last part. The system cannot spawn entities, needs a `query`, and must not be in the render
  // phase.
  bool parallel;
  // Lets the system run on any thread, in parallel with consecutive systems that share no data with it. The result is
  // the same as if the system ran alone. The system may write the columns of its query, except components listed in
  // `reads`. With shoal_get_rows, it may read the other components and the singletons listed in `reads`. It may also
  // emit events and use random numbers, but not spawn entities or read events (shoal_read_events). The plugin must
  // synchronize all remaining data that its systems share (shoal_plugin_state), or order them with `after`. Not allowed
  // in the render phase.
  bool concurrent;
  // True if a `concurrent` system also destroys entities, or adds, removes or sets components. Later systems wait until
  // these changes are applied.
  bool concurrent_changes;
  // Runs the system: on the main thread, or on any thread with `parallel` or `concurrent`. `dt_s` is the duration in
  // seconds of the tick or, in the render phase, of the frame.
  void (*run)(shoal_context *c, const shoal_view *v, float dt_s);
} shoal_system;

// --- functions for scripts

// The type of a value that is declared as `any` or `table`, or that a table contains.
typedef enum shoal_value_type {
  SHOAL_VALUE_TYPE_NIL, // nil
  SHOAL_VALUE_TYPE_NUMBER,
  SHOAL_VALUE_TYPE_BOOL,
  SHOAL_VALUE_TYPE_STRING,
  SHOAL_VALUE_TYPE_ENTITY,
  SHOAL_VALUE_TYPE_NUMBERS, // a list of numbers; a result becomes a new Lua table
  SHOAL_VALUE_TYPE_TABLE    // a table, as for the type `table` (<shoal/table.h>)
} shoal_value_type;

// An argument or result of a function. Lists and strings in arguments are valid during the call only.
typedef struct shoal_value {
  double number; // value of a number; 0 or 1 for a bool
  // bytes of a string, followed by a '\0' that `count` does not include
  const char *string;
  const double *numbers;        // elements of number[]
  const shoal_entity *entities; // elements of entity[]
  shoal_entity entity;
  uint32_t count;        // number of elements of a list, or of bytes of a string
  shoal_value_type type; // type of a value that is declared as `any` or `table`
} shoal_value;

// A function that scripts call as shoal.plugins.PLUGIN.NAME(…), and other plugins through <shoal/call.h>.
//
// `parameters` and `results` list parameters and results as NAME:TYPE, separated by spaces. The types are number, bool,
// string, entity, any (shoal_value_type), table (<shoal/table.h>), number[] and entity[]. The host checks the number
// and types of the arguments before the call. For a list parameter, scripts pass a Lua list or a column of an open
// query. A list result is read like a column, from 1 to count. The count follows as an additional result, and the list
// is valid until the function is called again.
typedef struct shoal_function {
  const char *name;                 // name of the function: letters, digits and _; not a Lua keyword
  const char *parameters, *results; // names and types of parameters and results, at most 8 each; may be NULL
  const char *doc;                  // description of the function; may be NULL
  bool pure;                        // true: the function does not change the world, and may run in the render phase
  // Called on the main thread, inside or outside systems. `results` are zero at first. Lists and strings must be
  // allocated with the shoal_return_… functions.
  void (*call)(shoal_context *c, const shoal_value *arguments, shoal_value *results);
} shoal_function;

// --- cockpit panels

typedef enum shoal_widget_kind {
  SHOAL_WIDGET_LABEL,
  SHOAL_WIDGET_VALUE,
  SHOAL_WIDGET_SLIDER, // slider for a number field of `entity` or of a singleton
  SHOAL_WIDGET_BUTTON,
  SHOAL_WIDGET_PLOT // plot of `value` over time
} shoal_widget_kind;

typedef struct shoal_widget_desc {
  shoal_widget_kind kind;
  const char *label, *string; // label and text of the widget; copied; NULL means ""
  double value, min, max;
  shoal_entity entity; // entity of the slider's field; 0 for a singleton
  // component of the slider's field, and the column (SHOAL_COLUMN_INDEX)
  const shoal_component *component;
  uint32_t column;
} shoal_widget_desc;

// A panel of the cockpit (engine/docs/cockpit.md): either an SQL query, whose result is shown as a table, or a function
// that adds widgets with shoal_panel_….
//
// `draw` is called between two ticks, a few times per second while the panel is visible. It may read the world but not
// change it, except when a button was pressed (shoal_panel_button). If a panel changes the world in a different call,
// the changes are undone and the panel is not drawn until a reload. A plugin can have at most 8 panels.
typedef struct shoal_panel {
  const char *title; // title of the panel: one line of up to 60 bytes, unique in the plugin
  const char *sql;   // SELECT statement whose rows are shown; NULL if `draw` is set
  void (*draw)(shoal_context *c, shoal_entity selected); // `selected`: the selected entity; 0 if no entity is selected
  bool plot;                                             // true: also plots the result of `sql`
} shoal_panel;

// --- threads and handover (<shoal/external_resources.h>)

typedef struct shoal_stop_token {
  int requested; // true if the thread must stop: read with shoal_stop_requested
  int wake_fd;   // file descriptor that becomes readable when the thread must stop; do not read from it
} shoal_stop_token;

typedef struct shoal_thread {
  const char *name;
  // Runs the thread. Must return when shoal_stop_requested(stop) is true. `state` is the result of `open`.
  void (*run)(const shoal_stop_token *stop, void *state);
} shoal_thread;

// The previous instance of a plugin in a reload: its version, and the bytes that its `save_handover` wrote.
typedef struct shoal_handover {
  uint32_t version;
  const void *bytes;
  size_t size;
} shoal_handover;

typedef struct shoal_observer shoal_observer; // defined in <shoal/observe.h>
typedef struct shoal_command shoal_command;   // defined in <shoal/command.h>

// --- asset types (<shoal/asset.h>)

typedef struct shoal_asset_type {
  const char *extension; // extension of the files, with its dot: ".grass"; 2 to 16 bytes
  // Creates an object, in memory from shoal_realloc, from the bytes of a file, which are followed by a '\0'. Returns
  // the object, or NULL after shoal_report_asset_error.
  void *(*load)(shoal_context *c, const char *name, const void *bytes, size_t size);
  // Frees the object. Must not be NULL.
  void (*unload)(shoal_context *c, void *data);
} shoal_asset_type;

// --- the plugin

typedef struct shoal_plugin {
  // Unique name, which is also the name of the library file: letters, digits and _. Must not begin with a digit or be a
  // Lua keyword.
  const char *name;
  uint32_t version;
  const char *doc;
  const char *dependencies[SHOAL_MAX_NAMES]; // plugins that must be loaded before this plugin
  const shoal_component *const *components;  // components that the plugin declares (SHOAL_COMPONENTS)
  // components of other plugins or the engine, with the fields that this plugin uses
  const shoal_component *const *uses;
  const shoal_system *systems;     // systems of the plugin (SHOAL_SYSTEMS)
  const shoal_function *functions; // functions for scripts and other plugins (SHOAL_FUNCTIONS)
  // Creates state that is not part of the world, in memory from shoal_realloc. shoal_plugin_state returns it. Called
  // after `create` of the managers. May return NULL. To reject the plugin, call shoal_fail.
  void *(*open)(shoal_context *c);
  void (*close)(shoal_context *c, void *state); // frees the state
  // Called after the state of the world was replaced: by a snapshot, a save or a reload. Only for plugins that declare
  // a component or singleton.
  void (*on_restore)(shoal_context *c);
  const shoal_panel *panels; // panels of the cockpit (SHOAL_PANELS)
  // Oldest version whose functions have the same meaning as in this version, for plugins that look up functions by
  // version (<shoal/call.h>). 0: `version`.
  uint32_t compatible_version;
  const shoal_thread *threads; // threads that the host starts and stops (SHOAL_THREADS)
  // Replaces `open`. `previous` is the instance that is replaced by a reload; NULL if the plugin is not being reloaded.
  // The threads of the previous instance have stopped. The previous instance continues if the new instance is rejected.
  void *(*reopen)(shoal_context *c, const shoal_handover *previous);
  // Writes data for the next instance to `bytes`, at most `capacity` bytes, and returns the size of the data, at most
  // 256 MB. Called first with NULL and 0 to get the size. Must not change the state.
  size_t (*save_handover)(shoal_context *c, void *state, void *bytes, size_t capacity);
  bool has_side_effects;           // true if the plugin opens ports, files or devices (<shoal/external_resources.h>)
  const shoal_observer *observers; // observers of queries (SHOAL_OBSERVERS, <shoal/observe.h>)
  const shoal_command *commands;   // commands of the palette (SHOAL_COMMANDS, <shoal/command.h>)
  const shoal_asset_type *assets;  // asset types (SHOAL_ASSETS, <shoal/asset.h>)
} shoal_plugin;

#endif
