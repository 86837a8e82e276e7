// Finds open plugins by name.
#include "plugin/plugin.h"

#include <string.h>

plugin_t *plugins_find(const plugins_o *plugins, const char *name) {
  for (uint32_t i = 0; plugins && i < plugins->list.count; ++i)
    if (strcmp(plugins->list.items[i]->name, name) == 0)
      return plugins->list.items[i];
  return NULL;
}

plugin_t *plugin_previous_instance(const plugin_t *plugin) {
  plugin_t *previous = plugins_find(plugin->plugins->desc.previous, plugin->name);
  return previous != plugin ? previous : NULL;
}
