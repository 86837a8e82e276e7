// Contexts: what a call of a plugin may do, and what the plugin is handed for it.
//
// A plugin never gets a pointer to a context_t. It gets a lent_t, which lives as long as the plugin and points to the
// context while the call runs. A plugin that keeps it, or uses it on a thread of its own, is refused and reported.
#ifndef SHOAL_PLUGIN_CONTEXT_H
#define SHOAL_PLUGIN_CONTEXT_H

#include "base/error.h"
#include "schedule/chunk.h"
#include "shoal/plugin.h"

typedef struct plugin_t plugin_t;
typedef struct plugins_o plugins_o;
typedef struct plugin_drawing_t plugin_drawing_t;
typedef struct run_t run_t;

// From where a plugin calls the host. The list of functions says which of them may be called there (shoal/functions.h).
typedef enum where_t {
  WHERE_LOADING,
  WHERE_MANAGER,
  WHERE_SYSTEM,
  WHERE_PART, // of a system that is parallel or runs beside others
  WHERE_RENDER,
  WHERE_FUNCTION,
  WHERE_PANEL,
  WHERE_PRESS,  // a button of a panel, or a command
  WHERE_NOWHERE // the call has ended, or the thread is the plugin's own
} where_t;

typedef struct context_t {
  shoal_context shared;    // first; its world, with
  struct access_o *access; // and
  chunk_t *chunk;          // is an access_world_t (access/access.h)
  const void *own;         // NULL; of a lent_t the thread it was lent to
  plugins_o *all;
  plugin_t *plugin;
  where_t where;
  run_t *run;        // SYSTEM, PART, RENDER
  uint32_t function; // FUNCTION
  const shoal_value *results;
  plugin_drawing_t *drawing; // PANEL, PRESS
  const char *asset;         // LOADING: the name of the file that is loaded; may be NULL
  bool failed;
  error_t problem;
} context_t;

#define PLUGIN_LENT 256u // a slot is reused after so many calls
typedef struct lent_t {
  shoal_context shared; // begins as context_t does
  struct access_o *access;
  chunk_t *chunk;
  const void *_Atomic own; // the thread that it was lent to
  context_t *_Atomic of;   // NULL: the call has ended
  plugin_t *plugin;
} lent_t;

context_t plugin_context(plugin_t *plugin, where_t where);

// Lends the context for one call, which plugin_enter ends.
shoal_context *plugin_lend(context_t *c);
// plugin_enter: suspends and restores what this thread's outer call was lent.
lent_t *plugin_lent_before(void);
void plugin_take_lent_back(lent_t *before);

// Returns the context of a running call on its thread. Otherwise notes `function` for plugin_tell_astray and returns
// NULL. Any thread.
context_t *plugin_here(shoal_context *c, const char *function);
// A context that is always valid and allows nothing, for calls that plugin_here refused.
context_t *plugin_nowhere(shoal_context *c);
void plugin_note_astray(plugin_t *x, const char *function, bool over);
// Sets `error` if a function was refused since the last call; leaves it alone otherwise. Main thread.
void plugin_tell_astray(plugin_t *x, error_t *error);

// The context of a call that passed plugin_here.
static inline context_t *context_of(shoal_context *c) {
  return (context_t *)(void *)c;
}

static inline context_t *context_of_world(shoal_world *w) {
  return (context_t *)(void *)((char *)w - offsetof(context_t, shared.world));
}

// Fails the current call with this message; the first message wins.
void context_fail(context_t *c, const char *words);

#endif
