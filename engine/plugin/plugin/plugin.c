// Finds open plugins by name.
#include "plugin/plugin.h"

#include <string.h>

plugin_t *plugins_find(const plugins_o *p, const char *name) {
  for (uint32_t i = 0; p && i < p->list.count; ++i)
    if (strcmp(p->list.items[i]->name, name) == 0)
      return p->list.items[i];
  return NULL;
}

plugin_t *plugin_previous_instance(const plugin_t *x) {
  plugin_t *older = plugins_find(x->plugins->desc.before, x->name);
  return older != x ? older : NULL;
}
