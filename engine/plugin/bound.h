// Components, singles and events as a plugin knows them: its columns by the columns of the world's store.
#ifndef SHOAL_PLUGIN_BOUND_H
#define SHOAL_PLUGIN_BOUND_H

#include "ecs/world.h"
#include "plugin/context.h"
#include "access/scratch.h"

typedef struct bound_t {
  const shoal_component *component;
  plugin_t *plugin;
  bool own;           // declared by this plugin
  manager_o *manager; // NULL for events and for missing components
  event_o *event;
  uint32_t *columns; // the store's column, indexed by the plugin's
  void **data;       // the pointers that shoal_rows_of and shoal_read hand out
  scratch_t scratch;
  uint32_t filling; // rows between emit_begin and emit_end
  bool read;        // read by the running system
  void *self;       // the storage of its manager
  uint32_t attached;
  size_t saved_bytes; // announced by the manager's save_bytes
  scratch_t saved;    // buffer for the manager's save
  bool unreliable;    // its manager reported a wrong row count and is no longer called
} bound_t;

// Makes those that the plugin declares and uses.
void plugin_make_bound(plugins_o *p, plugin_t *x);
void plugin_free_all_bound(plugins_o *p, plugin_t *x);
// Finds manager or event and columns by name. False with a message.
bool plugin_bind(plugins_o *p, bound_t *b, error_t *error);

// NULL if the component is not among those that the plugin declares, uses or has found.
bound_t *plugin_bound(plugin_t *x, const shoal_component *component);
// Iterates over them, found ones last; NULL past the end.
bound_t *plugin_bound_at(plugin_t *x, uint32_t i);
// Finds a component or event by name, with all its columns. NULL if there is none.
bound_t *plugin_find_component(plugin_t *x, const char *name);

// `column` counts the plugin's columns. Derived columns are computed when they are read (schema.h).
bool bound_is_derived(const bound_t *b, uint32_t column);
uint32_t bound_element_bytes(const bound_t *b, uint32_t column);
// Updates `data` to the current columns.
void bound_refresh(bound_t *b);
// Marks its entity columns as possibly written (world_links_written).
void bound_note_links(const bound_t *b);
void plugin_fill_default(const columns_t *c, uint32_t column, void *to, uint32_t count);

#endif
