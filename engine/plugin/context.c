// Contexts of calls.
//
// A plugin may keep the context pointer for longer than the call, or pass it to a thread of its own. Therefore it never
// gets a pointer into the host's stack, but to a slot that lives as long as the plugin and records the current context
// and its thread. Every host function that a plugin calls checks the slot first (service/api.c). A slot is reused after
// PLUGIN_LENT calls; until then, use of an ended context is detected.
#include "plugin/context.h"

#include "access/last_error.h"
#include "base/assert.h"
#include "plugin/plugin.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static _Thread_local struct {
  char mark;    // its address identifies this thread
  lent_t *lent; // slot of the innermost call
} me;

_Static_assert(offsetof(lent_t, own) == offsetof(context_t, own), "both begin alike");
#define IN_WORLD(member_) (offsetof(context_t, shared.world) + offsetof(access_world_t, member_))
_Static_assert(offsetof(context_t, access) == IN_WORLD(access) && offsetof(context_t, chunk) == IN_WORLD(chunk),
               "the world of a context is an access_world_t");

context_t plugin_context(plugin_t *plugin, where_t where) {
  shoal_assert(plugin, "plugin must not be NULL");
  return (context_t){.shared = {plugin->all->desc.api, {plugin->all->desc.world_api}},
                     .access = &plugin->access,
                     .all = plugin->all,
                     .plugin = plugin,
                     .where = where};
}

shoal_context *plugin_lend(context_t *c) {
  plugin_t *x = c->plugin;
  shoal_assert(!c->own && !me.lent, "the context already has a slot");
  for (uint32_t i = 0; i < PLUGIN_LENT; ++i) {
    lent_t *l = &x->lent[atomic_fetch_add(&x->next_lent, 1) % PLUGIN_LENT];
    context_t *nobody = NULL;
    if (!atomic_compare_exchange_strong(&l->of, &nobody, c))
      continue;
    l->shared = (shoal_context){x->all->desc.api, {x->all->desc.world_api}};
    l->plugin = x;
    atomic_store(&l->own, &me.mark);
    me.lent = l;
    return &l->shared;
  }
  return &c->shared; // all slots are in use
}

lent_t *plugin_lent_before(void) {
  lent_t *before = me.lent;
  me.lent = NULL;
  return before;
}

void plugin_take_lent_back(lent_t *before) {
  if (me.lent)
    atomic_store(&me.lent->of, NULL);
  me.lent = before;
}

void plugin_note_astray(plugin_t *x, const char *function, bool over) {
  atomic_store(&x->astray_over, over);
  atomic_store_explicit(&x->astray, function, memory_order_release);
}

// Returns the context of a slot if this thread may use it: the thread of the call, or any thread while parts of
// shoal_jobs run, which the call waits for. Otherwise NULL.
static context_t *owned(lent_t *l, bool *over) {
  context_t *of = atomic_load(&l->of);
  *over = atomic_load(&l->own) == &me.mark;
  return of && (*over || l->plugin->all->sharing) ? of : NULL;
}

context_t *plugin_here(shoal_context *c, const char *function) {
  lent_t *l = (lent_t *)(void *)c;
  bool over;
  if (!l->own)
    return (context_t *)(void *)c;
  context_t *x = owned(l, &over);
  if (!x)
    plugin_note_astray(l->plugin, function, over);
  return x;
}

context_t *plugin_nowhere(shoal_context *c) {
  lent_t *l = (lent_t *)(void *)c;
  return l->own ? l->plugin->nowhere : context_of(c);
}

void plugin_tell_astray(plugin_t *x, error_t *error) {
  const char *function = atomic_exchange_explicit(&x->astray, NULL, memory_order_acquire);
  if (!function)
    return;
  if (x->astray_over)
    error_set(error, "%s was called with the context of an earlier call: do not keep contexts", function);
  else
    error_set(error,
              "%s was called from a thread of the plugin: store data in memory of the plugin and call it in a system",
              function);
}

void context_fail(context_t *c, const char *words) {
  access_fail("%s", words);
  if (!c->failed)
    error_set(&c->problem, "%s", words);
  c->failed = true;
}
