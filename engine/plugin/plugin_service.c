// Services: tables of functions by name and version (shoal/service.h), and who may call what from where. Which there
// are says who makes the plugins (service/services.c).
#include "plugin/plugins_internal.h"

#include "base/assert.h"
#include "base/similar.h"

#include <stdio.h>
#include <string.h>

void service_refuse(context_t *c, const char *words) {
  if (!c->failed)
    error_set(&c->problem, "%s", words);
  c->failed = true;
}

// A worker in a part of shoal_jobs has the context of the call that shares out its work: it is no mistake to read with
// it, but no service looks whether several are at it.
static bool is_here(context_t *c, const char *function) {
  if (c->where == WHERE_PART || (c->where != WHERE_NOWHERE && pthread_equal(pthread_self(), c->all->thread)))
    return true;
  plugin_note_astray(c->plugin, function, c->where == WHERE_NOWHERE && c->plugin->astray_over);
  return false;
}

static const char *const PLACES[] = {
    [WHERE_LOADING] = "while it is loaded",   [WHERE_MANAGER] = "in a function of a manager",
    [WHERE_SYSTEM] = "in a system",           [WHERE_PART] = "in a system that is parallel or beside others",
    [WHERE_RENDER] = "in the render phase",   [WHERE_FUNCTION] = "in a function",
    [WHERE_PANEL] = "while a panel is drawn", [WHERE_PRESS] = "where a button is pressed",
};

bool service_may(shoal_context *c, uint32_t places, const char *function) {
  context_t *x = context_of(c);
  char words[256];
  if (!is_here(x, function))
    return false;
  shoal_assert((size_t)x->where < sizeof PLACES / sizeof *PLACES, "a call from place %d", (int)x->where);
  bool shared = x->all->sharing && x->where != WHERE_PART;
  if (!shared && places & (1u << x->where))
    return true;
  bool draws = (places & 1u << WHERE_RENDER) && !(places & 1u << WHERE_SYSTEM);
  snprintf(words, sizeof words, "it calls %s %s, where that cannot be done%s", function,
           shared ? "in a part of shoal_jobs" : PLACES[x->where],
           draws ? ": systems whose .phase is SHOAL_PHASE_RENDER draw" : "");
  service_refuse(x, words);
  return false;
}

bool service_is_pure(const context_t *c) {
  return c->where == WHERE_RENDER || c->where == WHERE_PANEL ||
         (c->where == WHERE_FUNCTION && c->plugin->def->functions[c->function].pure);
}

static const plugin_service_t *services_of(const context_t *c) {
  static const plugin_service_t none = {NULL, 0, NULL};
  return c->all->desc.services ? c->all->desc.services : &none;
}

static void list_names(const plugin_service_t *all, char *out, size_t bytes) {
  size_t used = 0;
  out[0] = '\0';
  for (const plugin_service_t *s = all; s->name && used < bytes; ++s)
    if (s == all || strcmp(s->name, s[-1].name) != 0)
      used += (size_t)snprintf(out + used, bytes - used, "%s%s", s == all ? "" : ", ", s->name);
}

static void refuse_name(context_t *c, const char *name) {
  char hint[SIMILAR_MOST + 32], names[200], words[400];
  similar_t meant;
  similar_begin(&meant, name);
  for (const plugin_service_t *s = services_of(c); s->name; ++s)
    similar_offer(&meant, s->name);
  list_names(services_of(c), names, sizeof names);
  snprintf(words, sizeof words, "there is no service %.60s%s; there are %s", name,
           similar_hint(&meant, hint, sizeof hint), names);
  service_refuse(c, words);
}

const void *plugin_service(shoal_context *c, const char *name, uint32_t version) {
  context_t *x = context_of(c);
  uint32_t newest = 0;
  if (!is_here(x, "shoal_service"))
    return NULL;
  for (const plugin_service_t *s = services_of(x); s->name; ++s) {
    if (!name || strcmp(s->name, name) != 0)
      continue;
    if (s->version == version)
      return s->table;
    newest = s->version > newest ? s->version : newest;
  }
  if (newest == 0) {
    refuse_name(x, name ? name : "");
    return NULL;
  }
  char words[200];
  snprintf(words, sizeof words,
           "it asks for version %u of the service %s, and this Shoal has version %u: it was built for a newer one",
           version, name, newest);
  service_refuse(x, words);
  return NULL;
}
