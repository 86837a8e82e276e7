// Contexts: the permissions of a plugin during a call, and the data that its host functions need.
//
// Unless all slots are in use, a plugin receives a pointer to a context_slot_t instead of a context_t. A slot exists as
// long as the plugin, and points to the context while the call runs. Host functions called with a slot whose call has
// ended, or from a different thread, are rejected and reported.
#ifndef SHOAL_PLUGIN_CONTEXT_H
#define SHOAL_PLUGIN_CONTEXT_H

#include "base/error.h"
#include "schedule/command_chunk.h"
#include "shoal/plugin.h"

typedef struct plugin_t plugin_t;
typedef struct plugins_o plugins_o;
typedef struct plugin_drawing_t plugin_drawing_t;
typedef struct run_t run_t;

// The kind of call during which a plugin uses host functions. shoal/functions.h lists the functions that each kind
// allows.
typedef enum plugin_call_kind_t {
  PLUGIN_CALL_LOADING,
  PLUGIN_CALL_MANAGER,
  PLUGIN_CALL_SYSTEM,
  // One part of a system that is parallel or has .concurrent. For plugin_call_guarded, also a part of
  // shoal_parallel_for
  PLUGIN_CALL_PART,
  PLUGIN_CALL_RENDER,
  PLUGIN_CALL_FUNCTION,
  PLUGIN_CALL_PANEL,
  PLUGIN_CALL_PRESS, // a command, or a panel that handles a pressed button
  PLUGIN_CALL_ENDED  // the call has ended, or the thread was started by the plugin
} plugin_call_kind_t;

typedef struct context_t {
  shoal_context shared; // must be first; `shared.world`, `access` and `chunk` form an access_world_t (access/access.h)
  struct access_o *access;
  chunk_t *chunk;
  const void *thread_mark; // NULL, to distinguish a context_t from a context_slot_t, which identifies its thread here
  plugins_o *plugins;
  plugin_t *plugin;
  plugin_call_kind_t call_kind;
  run_t *run;        // running system; set in PLUGIN_CALL_SYSTEM, PLUGIN_CALL_PART and PLUGIN_CALL_RENDER
  uint32_t function; // index of the function; set in PLUGIN_CALL_FUNCTION
  const shoal_value *results;
  plugin_drawing_t *drawing; // the panel being drawn; NULL outside panels
  const char *asset;         // name of the asset being loaded; NULL outside `load`
  bool failed;
  error_info_t problem;
} context_t;

#define PLUGIN_CONTEXT_SLOTS 256u // number of calls after which a slot is reused
typedef struct context_slot_t {
  shoal_context shared; // the members up to `thread_mark` have the same layout as in context_t
  struct access_o *access;
  chunk_t *chunk;
  const void *_Atomic thread_mark; // identifies the thread of the call
  context_t *_Atomic context;      // context of the call; NULL after the call has ended
  plugin_t *plugin;
} context_slot_t;

context_t plugin_build_context(plugin_t *plugin, plugin_call_kind_t call_kind);

// Returns a slot for one call with this context. If all slots are in use, returns `context` itself. Uses of the context
// after the call are then not detected. plugin_call_guarded releases the slot.
shoal_context *plugin_acquire_slot(context_t *context);
// Suspend and restore the slot of the enclosing call on this thread; for plugin_call_guarded.
context_slot_t *plugin_suspend_slot(void);
void plugin_restore_slot(context_slot_t *suspended);

// Returns the context that `c` refers to if its call is running and this thread may use it. Otherwise, records
// `function` for plugin_report_misplaced_call and returns NULL. Callable from any thread.
context_t *plugin_current_context(shoal_context *c, const char *function);
// Returns a context that is always valid but allows nothing, for calls rejected by plugin_current_context.
context_t *plugin_get_ended_context(shoal_context *c);
void plugin_record_misplaced_call(plugin_t *plugin, const char *function, bool has_ended);
// Sets `error` if a call to a host function was rejected since the previous check. Main thread only.
void plugin_report_misplaced_call(plugin_t *plugin, error_info_t *error);

// Converts a pointer that plugin_current_context has accepted to the context of the call.
static inline context_t *context_of(shoal_context *c) {
  return (context_t *)(void *)c;
}

static inline context_t *context_of_world(shoal_world *w) {
  return (context_t *)(void *)((char *)w - offsetof(context_t, shared.world));
}

// Marks the current call as failed and returns false. Only the first message is kept.
__attribute__((format(printf, 2, 3))) bool context_fail(context_t *context, const char *format, ...);

#endif
