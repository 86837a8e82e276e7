// The inside of plugins_o, shared by the files that do its work:
//   plugins.c         all of them: names, order, life, reports  plugin_library.c  files, copies, the handshake
//   plugin_declare.c  what one brings and uses, managers        plugin_probe.c    the forked child that opens them
//   plugin_system.c   running a system over its rows            plugin_part.c     parts of parallel systems
//   plugin_api.c      the table of functions that plugins call  plugin_call.c     how the host calls theirs
//   plugin_observe.c  observers                            plugin_outside.c  files, threads, what is handed over
//   plugin_asset.c    kinds of files that it reads            plugin_query.c    queries on the fly
//   plugin_guard.c    contexts as they are lent         plugin_check.c    rows that are not there
//   plugin_panel.c    panels of the cockpit                plugin_service.c  services, and who may call what
// Private to engine/plugin and engine/service, which has a file for each service.
#ifndef SHOAL_PLUGIN_PLUGINS_INTERNAL_H
#define SHOAL_PLUGIN_PLUGINS_INTERNAL_H

#include "base/array.h"
#include "plugin/plugins.h"
#include "shoal/job.h"
#include "shoal/table.h"

#include <pthread.h>

#define PLUGIN_MAX_REPORTS 16u
#define PLUGIN_MAX_VALUES 8u
#define PLUGIN_PATH_MAX 512u

typedef struct plugin_t plugin_t;
typedef struct plugin_chunk_t plugin_chunk_t;
typedef struct plugin_job_t plugin_job_t;
typedef struct context_t context_t;

// A context as a plugin has it.
#define PLUGIN_LENT 256u // kept by nobody for as many calls
typedef struct lent_t {
  shoal_context shared;    // first, and
  const void *_Atomic own; // second as of a context_t: the thread that it was lent to
  context_t *_Atomic of;   // NULL: the call is over
  plugin_t *plugin;
} lent_t;

// Memory in which columns are put into another order, by column of the plugin's.
typedef struct scratch_t {
  void **memory;
  size_t *bytes;
  uint32_t count;
} scratch_t;

// A component, single or event as a plugin knows it.
typedef struct bound_t {
  const shoal_component *component;
  plugin_t *plugin;
  bool own;           // the plugin brings it
  manager_o *manager; // NULL of events, and of what is not there
  event_o *event;
  uint32_t *columns; // the store's column by the plugin's
  void **data;       // what shoal_rows_of and shoal_read hand out
  scratch_t scratch;
  uint32_t filling; // rows between emit_begin and emit_end
  bool read;        // by the system that runs
  void *self;       // of a manager
  uint32_t attached;
  size_t saved_bytes; // that it said it will save,
  scratch_t saved;    // and where to
  bool unreliable;    // it has lied about its rows and is no longer asked
} bound_t;

typedef struct term_run_t {
  bound_t *bound; // NULL when the plugin does not say what is in it
  uint32_t manager;
  query_role_t role;
  bool written;
  void **columns;   // by the plugin's column: the store's own, or scratch
  scratch_t copies; // in the query's order
  scratch_t before; // what it only reads, where it is looked whether it did
  uint8_t *there;
  size_t there_bytes;
} term_run_t;

// A component or single that a system reads and that its query does not name.
typedef struct table_run_t {
  bound_t *bound;
  scratch_t before; // what it holds, where it is looked whether it is left alone
} table_run_t;

// A system as the schedule runs it.
typedef struct run_t {
  plugin_t *plugin;
  const shoal_system *def;
  const shoal_observer *observer; // what it tells; NULL of systems
  uint32_t observes;              // its number in relation/changes.h
  shoal_system own;               // of an observer: def
  char name[2 * COMPONENT_NAME_MAX];
  phase_t phase;
  query_o *query; // NULL: it runs without rows
  term_run_t terms[QUERY_MAX_TERMS];
  shoal_term shown[QUERY_MAX_TERMS];
  uint32_t term_count;
  ARRAY(table_run_t) tables; // that it reads besides, beside others
  bool ready, parked, crashes;
  uint32_t looked; // how often it was looked at what it does to columns that it only reads
  // while it runs in parts:
  shoal_view view; // of all rows
  float dt_s;
  bool looks;
  uint32_t part_rows, part_count, first_chunk;
} run_t;

// A query that it has made and that is open.
typedef struct open_query_t {
  run_t *run;
  bool defers; // the world is deferring for its sake
} open_query_t;

// Where a list or a text that a function gives lies until it is called again.
typedef struct given_t {
  void *memory;
  size_t bytes;
} given_t;

// A file that was asked for.
typedef struct plugin_asset_t {
  char name[128];
  const shoal_asset_type *type; // NULL until it is asked for
  void *data;                   // what `load` made of it; NULL for nothing
  char *bytes;                  // of a good file
  size_t size;
  uint64_t hash;           // of them; 0 for none
  uint32_t version, asked; // the tick in which it was asked for last, of asset_ticks
  bool tried;
} plugin_asset_t;

// A table that is built for a value (shoal/table.h).
typedef struct plugin_built_t {
  const shoal_value *to;
  ARRAY(shoal_member) members;
  ARRAY(char) texts;
  uint32_t open[SHOAL_MAX_DEPTH], places[SHOAL_MAX_DEPTH]; // by depth: the member that it is; of the last in its list
  uint32_t depth;                                          // 0: it is no table yet, or all of one
} plugin_built_t;
#define PLUGIN_OTHERS_BUILT 8u // that are no results

#define PLUGIN_MOST_OPEN_SCOPES 8u
typedef struct open_scope_t {
  uint32_t scope;
  double began_us;
} open_scope_t;

typedef struct held_t {
  char name[64];
  int file;
} held_t;

typedef struct thread_t {
  plugin_t *plugin;
  const shoal_thread *def;
  shoal_stop stop;
  pthread_t id;
  bool runs, told;
  bool lost;                // it did not stop
  _Atomic bool over, threw; // it ended by itself
  char what[512];           // it threw
} thread_t;

struct plugin_t {
  plugins_o *all;
  char name[COMPONENT_NAME_MAX];
  char path[PLUGIN_PATH_MAX];
  bool extra;     // by --plugin
  uint8_t *bytes; // of the library
  size_t size;
  uint64_t hash;
  void *library;                   // NULL until it is open
  char copy[PLUGIN_PATH_MAX + 64]; // the file that it was opened from; "" for none
  bool keeps;                      // it stays there while it is open: sanitizers read lines from it
  const shoal_plugin *def;         // &said
  shoal_plugin said;               // what it says of itself; zero where it was built before there was more to say
  const shoal_api *api;            // as it was when the library was built
  shoal_guard *guard;              // catches what its functions throw; NULL of those in C
  bound_t *bound;                  // those that it brings, then those that it uses
  uint32_t bound_count;
  ARRAY(bound_t *) found; // by shoal_find
  run_t *runs;
  uint32_t run_count;
  ARRAY(run_t *) queries;   // that it has made while it ran,
  ARRAY(open_query_t) open; // and those that are open, in their order
  given_t *given;           // PLUGIN_MAX_VALUES for each function
  ARRAY(plugin_job_t *) jobs;
  ARRAY(plugin_scope_t) scopes; // that it measures, and those that are open
  open_scope_t open_scopes[PLUGIN_MOST_OPEN_SCOPES];
  uint32_t scope_depth;
  plugin_built_t *built; // the same, and PLUGIN_OTHERS_BUILT behind them
  uint32_t next_built;
  uint32_t function_count;
  void *state;
  bool opened, warned;
  _Atomic bool left_rules;    // a part of it did, on whichever thread: to be told
  error_t lie;                // what one of its managers said of its rows that was not so; "" for nothing
  allocator_t memory;         // what it has taken
  const char *_Atomic astray; // what was called with a context that was not its caller's; NULL for nothing
  _Atomic bool astray_over;   // … because its call was over, and not on another thread
  lent_t lent[PLUGIN_LENT];
  _Atomic uint32_t next_lent;
  context_t *nowhere; // for who has none
  error_t answer;     // to who asked why (shoal/call.h)
  char typed[INPUT_TEXT + 1];
  _Atomic bool resizing; // one of its threads is at it
  ARRAY(held_t) held;    // files
  thread_t *threads;
  uint32_t thread_count;
  ARRAY(plugin_asset_t) assets;
  uint32_t asset_ticks;
  bool opening;       // what the instance before it has may be taken
  bool told_threads;  // that it has some of its own
  bool checks;        // built with SHOAL_DEBUG: its views are copies that end where their rows do
  bool stuck;         // one goes on: nothing of it is given back
  uint32_t looked_at; // calls of its systems
};

// A library that crashes while it is loaded, or fails in `open` where another one ran before, by the hash of its bytes.
typedef struct refused_t {
  uint64_t hash;
  char why[512];
} refused_t;

struct plugins_o {
  plugins_desc_t desc;
  plugins_o *next; // of all in the process
  char game_folder[PLUGIN_PATH_MAX];
  char folders[PLUGINS_MAX_FOLDERS][PLUGIN_PATH_MAX];
  uint32_t folder_count;
  allocator_t memory; // what the host holds for them
  world_o *world;
  ARRAY(plugin_t *) list;    // in the order in which they were opened
  ARRAY(plugin_t *) opening; // one needs the next
  ARRAY(char *) missing;     // names
  ARRAY(refused_t) refused;
  int progress; // in the child: the pipe to the parent
  plugin_port_t port;
  script_report_t reports[PLUGIN_MAX_REPORTS];
  uint32_t report_count;
  uint32_t generation; // of the games in a row, so that no two copies have the same name
  bool failed;
  bool is_open, is_bound, quiet; // quiet: in the child
  pthread_t thread;              // the one that runs the game
  uint32_t depth;                // of functions of plugins that call each other
  plugin_chunk_t *chunks;
  uint32_t chunk_capacity, chunks_used;
  bool sharing;                 // parts of shoal_jobs run
  bool forsaken;                // one of them has a thread that does not stop
  int process;                  // that they were made in
  bool asked_outside;           // in a copy: a function of a plugin that reaches outside was called
  _Atomic bool changed_in_part; // one of them wanted to change the world
};

// --- contexts

typedef enum where_t {
  WHERE_LOADING,
  WHERE_MANAGER,
  WHERE_SYSTEM,
  WHERE_PART,
  WHERE_RENDER,
  WHERE_FUNCTION,
  WHERE_PANEL,
  WHERE_PRESS,
  WHERE_NOWHERE // the call is over, or it is another thread's
} where_t;

// What stands behind a shoal_context.
struct context_t {
  shoal_context shared; // first
  const void *own;      // NULL: this is a context itself; a plugin has a lent_t, where that is not NULL
  plugins_o *all;
  plugin_t *plugin;
  where_t where;
  run_t *run;            // SYSTEM, PART, RENDER
  plugin_chunk_t *chunk; // PART
  uint32_t function;     // FUNCTION
  const shoal_value *results;
  struct plugin_drawing_t *drawing; // PANEL, PRESS
  const char *asset;                // LOADING: that is loaded; NULL for none
  bool failed;
  error_t problem;
};

context_t plugin_context(plugin_t *plugin, where_t where);
extern const shoal_api plugin_api;                // plugin_api.c; constant. For a context_t, not for plugins
const shoal_api *plugin_api_of(uint32_t version); // for a library that was built for this version

// Do lists and texts among the results of a function lie where shoal_give_… put them, all of them?
bool plugin_results_are_given(const context_t *c);
void *plugin_give(context_t *c, const shoal_value *result, size_t bytes); // room for it; NULL: it is no result

// --- plugin_guard.c What a plugin is handed is lent to it: a place of the plugin's that says whose context it is,
// while the call goes on. Who keeps it, or uses it on another thread, is told so (plugin_tell_astray) and touches
// nothing.
shoal_context *plugin_lend(context_t *c); // for one call, which plugin_enter ends
lent_t *plugin_lent_before(void);         // plugin_enter: of this thread's call around it; nothing is lent
void plugin_take_lent_back(lent_t *before);
context_t *context_of(shoal_context *c);                               // WHERE_NOWHERE for who may not
context_t *plugin_here(shoal_context *c, const char *function);        // NULL for who may not, which is noted
void plugin_note_astray(plugin_t *x, const char *function, bool over); // any thread

// --- plugins.c
__attribute__((format(printf, 3, 4))) void plugin_report(plugins_o *p, const char *piece, const char *format, ...);
// Reports it, and parks all its systems, or this one.
void plugin_fail(plugin_t *x, const char *words);
void plugin_fail_run(run_t *r, const char *words);
plugin_t *plugin_before(const plugin_t *x); // the instance whose place it takes; NULL for none
void plugin_open_all(plugins_o *p, const char *const *names, uint32_t count);

// --- plugin_library.c
bool plugin_find(plugins_o *p, const char *name, char *path); // false, and "", when it is in none of the folders
// Reads the library into memory. False with a message.
bool plugin_read(plugins_o *p, plugin_t *x, error_t *error);
// Copies, opens and shakes hands; x->def is set. False with a message, and nothing stays open.
bool plugin_load(plugins_o *p, plugin_t *x, error_t *error);
void plugin_unload(plugin_t *x);

// --- plugin_call.c
// What parts of it have done to the processor's arithmetic is told: main thread, when they are through.
void plugin_tell_rules(plugin_t *x);
typedef struct plugin_piece_t {
  where_t where;
  const char *kind, *name; // for reports: "system", "heat.cool"
} plugin_piece_t;

// Calls call(data), which calls a function of the plugin. False with a sentence when that threw an exception. Any
// thread.
bool plugin_enter(plugin_t *x, const plugin_piece_t *piece, void (*call)(void *data), void *data, error_t *error);

typedef struct plugin_heard_t {
  const shoal_entity *entities;
  uint32_t count;
  float dt_s;
} plugin_heard_t;

// False when it failed: c->problem says why.
bool plugin_call_observer(context_t *c, void (*function)(shoal_context *, const shoal_entity *, uint32_t, float),
                          const plugin_heard_t *heard);
bool plugin_call_system(const run_t *r, context_t *c, const shoal_view *view, float dt_s);
bool plugin_call_function(context_t *c, const shoal_function *function, const shoal_value *arguments,
                          shoal_value *results);
bool plugin_call_open(plugin_t *x, error_t *error);
size_t plugin_call_hand_over(plugin_t *x, void *bytes, size_t room);
void plugin_call_close(plugin_t *x);
void plugin_call_restored(plugin_t *x);

typedef struct manager_rows_t {
  const shoal_entity *entities;
  uint32_t count;
} manager_rows_t;

typedef struct manager_bytes_t {
  uint32_t version;
  const void *bytes; // NULL: it is to be empty
  size_t size;
} manager_bytes_t;

// One that throws is reported, its systems are parked, and it is unreliable from then on.
bool manager_call_create(bound_t *b, error_t *error);
void manager_call_destroy(bound_t *b);
void manager_call_attach(bound_t *b, const shoal_entity *entities, uint32_t count);
void manager_call_detach(bound_t *b, const shoal_entity *entities, uint32_t count);
uint32_t manager_call_count(bound_t *b);
size_t manager_call_save_bytes(bound_t *b);
void manager_call_save(bound_t *b, void *bytes);
bool manager_call_load(bound_t *b, const manager_bytes_t *from, error_t *error); // migrates where the version differs

typedef struct plugin_parts_t {
  plugin_t *plugin;
  void (*part)(void *data, uint32_t part, uint32_t worker);
  void *data;
} plugin_parts_t;

bool plugin_call_part(const plugin_parts_t *parts, uint32_t number, uint32_t worker, error_t *error);

void plugin_end_scope(plugin_t *x); // the innermost; plugin_call.c

// --- plugin_job.c
void plugin_start_jobs(plugin_t *x);
bool plugin_stop_jobs(plugin_t *x, error_t *error); // false with a sentence when one goes on
void plugin_free_jobs(plugins_o *p, plugin_t *x);
// The job of that name, with this input from now on; begun when the host starts threads next. NULL with a sentence.
plugin_job_t *plugin_want_job(plugin_t *x, const shoal_job *wanted, error_t *error);
bool plugin_job_is_done(plugin_job_t *j);
void plugin_finish_job(plugin_job_t *j); // waits, or does it here
const void *plugin_job_bytes(const plugin_job_t *j, size_t *size,
                             error_t *error); // of one that is done; NULL: it failed

// --- plugin_query.c
bool plugin_query_begin(plugin_t *x, const shoal_system *as, shoal_view *out, error_t *error);
bool plugin_query_end(plugin_t *x, const shoal_view *v); // and those that were opened after it; false: it is not open
const run_t *plugin_query_of(const plugin_t *x, const shoal_view *v); // NULL: it is not open
void plugin_end_queries(plugin_t *x, uint32_t first);                 // all but the first ones
void plugin_free_queries(plugins_o *p, plugin_t *x);

// --- plugin_observe.c
uint32_t plugin_count_observers(const shoal_plugin *def);
void plugin_observer_as_system(const shoal_observer *o, shoal_system *out);
void plugin_open_observer(run_t *r);
bool plugin_observer_waits(const run_t *r);
bool plugin_tell_observer(run_t *r, float dt_s, error_t *error);
bool plugin_refuse_observer(const run_t *r, error_t *error); // false, with a sentence
bool plugin_check_observers(const shoal_plugin *def, error_t *error);

// --- plugin_declare.c
bool plugin_check_parts(const shoal_system *s, error_t *error); // name, phase and lists
bool plugin_check(plugins_o *p, plugin_t *x, error_t *error);
// Declares what it brings, creates its managers, calls `open`. False with a message.
bool plugin_begin(plugins_o *p, plugin_t *x, error_t *error);
void plugin_end(plugins_o *p, plugin_t *x);
void plugin_exercise(plugin_t *x);
bound_t *plugin_bound(plugin_t *x, const shoal_component *component); // NULL when it is not this plugin's
// All that it knows: what it brings and uses, and what shoal_find has found. NULL past the last one.
bound_t *plugin_bound_at(plugin_t *x, uint32_t i);
bool plugin_bind(plugins_o *p, bound_t *b, error_t *error);
bound_t *plugin_find_component(plugin_t *x, const char *name);
void plugin_free_bound(plugins_o *p, bound_t *b);

// --- plugin_probe.c Opens them all in a forked child. True when one of them was too much for it: it is among the
// refused now, and the rest is to be tried again. Without fork nothing is tried.
bool plugin_probe(plugins_o *p, const char *const *names, uint32_t count);
void plugin_say_begun(plugins_o *p, const plugin_t *x); // in the child
// In the child: it declared its components, and then it failed. In earnest the one before takes its place without that.
void plugin_say_refused(plugins_o *p, const plugin_t *x, const error_t *error);

// --- plugin_system.c
void plugin_declare_beside(const run_t *r, schedule_o *s);
// The columns of a run in the query's order, and what was written of them back into the store. Where it is looked at,
// it is kept how they were; false with a message when what it only reads is another now. Any thread.
void plugin_open_rows(run_t *r); // its query, and the view of all rows
void plugin_close_rows(run_t *r);
void plugin_lay_columns(run_t *r);
void plugin_take_back(run_t *r);
void plugin_keep_read(run_t *r);
bool plugin_is_as_it_was(const run_t *r, error_t *error);
bool plugin_reaches(const run_t *r, const bound_t *b); // does a system beside others name it?
// Of a column as the plugin counts them: is it calculated when it is read (schema.h)? Bytes of an element.
bool plugin_is_derived(const bound_t *b, uint32_t column);
uint32_t plugin_element_bytes(const bound_t *b, uint32_t column);
void plugin_note_links(const bound_t *b); // it may have written entities of it in place (world_links_written)
void plugin_make_runs(plugins_o *p, plugin_t *x);
bool plugin_bind_run(plugins_o *p, run_t *r, error_t *error);
void plugin_free_run(plugins_o *p, run_t *r);
void plugin_run_system(void *context, world_o *w, uint32_t number, float dt_s);
void *scratch_room(plugins_o *p, scratch_t *s, uint32_t column, uint32_t columns, size_t bytes);
void scratch_free(plugins_o *p, scratch_t *s);
// Element i of `to` is row rows[i] of `from`, or `absent` where that is ROW_NONE.
void plugin_gather(void *to, const void *from, const uint32_t *rows, uint32_t count, uint32_t bytes,
                   const void *absent);
void plugin_fill_default(const columns_t *c, uint32_t column, void *to, uint32_t count);

// --- plugin_api.c
void plugin_warn(plugin_t *x, const char *words); // once for each plugin
void plugin_refresh(const run_t *r);              // where columns lie now, for parts that may only read it

// --- plugin_panel.c
bool plugin_check_panels(plugin_t *x, error_t *error);
bool plugin_check_commands(plugin_t *x, error_t *error);
const shoal_panel *plugin_port_panels(void *context, uint32_t plugin); // of plugin_port_t
bool plugin_port_panel(void *context, uint32_t plugin, uint32_t panel, shoal_entity picked, const char *pressed,
                       plugin_widgets_t *out, error_t *error);
bool plugin_widget(shoal_context *c, const shoal_widget *w); // of shoal_api

// --- plugin_service.c
#define SERVICE_EVERYWHERE UINT32_MAX
#define SERVICE_CHANGES (1u << WHERE_SYSTEM | 1u << WHERE_FUNCTION | 1u << WHERE_PRESS)
#define SERVICE_LOOKS (SERVICE_CHANGES | 1u << WHERE_RENDER | 1u << WHERE_PANEL)
const void *plugin_service(shoal_context *c, const char *name, uint32_t version); // of shoal_api
// May this function of a service be called from here? `places`: a bit for each where_t. False: the call that is going
// on has failed with a sentence.
bool service_may(shoal_context *c, uint32_t places, const char *function);
void service_refuse(context_t *c, const char *words); // it has failed
bool service_is_pure(const context_t *c);             // nothing may be changed here
// What a thread of its own has called meanwhile, as an error; untouched for nothing. Main thread.
void plugin_tell_astray(plugin_t *x, error_t *error);
extern const struct shoal_outside_1 service_outside; // plugin_outside.c

// --- plugin_asset.c
extern const struct shoal_asset_1 service_asset;
bool plugin_check_assets(const plugin_t *x, error_t *error);
void plugin_inherit_assets(plugin_t *x); // the bytes of the instance before
void plugin_sweep_assets(plugin_t *x);   // once a tick: gives back what nobody asks for
void plugin_drop_assets(plugin_t *x);

// --- plugin_outside.c
#define PLUGIN_MOST_HANDED ((size_t)256 << 20) // bytes from one instance to the next
typedef struct previous_t {
  shoal_previous given;
  void *bytes;
  size_t room;
  bool is_there;
} previous_t;
void plugin_take_bytes(plugin_t *x, previous_t *out); // of the instance before
void plugin_free_bytes(plugin_t *x, previous_t *p);
void plugin_drop_all(plugin_t *x); // files
void plugins_join(plugins_o *p);   // those whose threads are stopped
void plugins_leave(const plugins_o *p);
void plugin_make_threads(plugins_o *p, plugin_t *x);
bool plugin_stop_threads(plugin_t *x, error_t *error); // false with a sentence when one goes on
// Threads of the process, 0 where that is not known; and a line when there are more now: `kind` of code has run.
uint32_t plugin_count_threads(void);
void plugin_tell_threads(plugin_t *x, const char *kind, uint32_t before);
// In a copy of the game, and it reaches outside: nothing of it is called.
static inline bool plugin_rests(const plugin_t *x) {
  return x->all->desc.copied && x->def->reaches_outside;
}

// --- plugin_check.c Rows that are not there, as told on this thread between begin and end: `error` gets the first.
bool plugin_listen_to_checks(void *library); // was it built so?
error_t *plugin_begin_checks(error_t *error);
void plugin_end_checks(error_t *outer);

// --- plugin_part.c The parts of a system that is parallel, or beside others. At the end false with a message when one
// failed; what they queued is in the world's queue otherwise.
void plugin_begin_parts(run_t *r);
void plugin_run_part(void *run, uint32_t part, uint32_t worker); // jobs_part_t
bool plugin_end_parts(run_t *r, error_t *error);
void plugin_free_chunks(plugins_o *p);
void chunk_queue(plugin_chunk_t *c, uint32_t kind, shoal_entity e, const bound_t *b, uint32_t instance, uint32_t column,
                 double value);
void chunk_note(plugin_chunk_t *c, const char *words); // for the log, when all parts are through; borrowed
uint32_t chunk_random_u32(plugin_chunk_t *c);
void *const *chunk_emit(plugin_chunk_t *c, bound_t *b, uint32_t count);

#endif
