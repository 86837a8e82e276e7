// Memory for the results of a plugin's functions: lists, strings and tables. The memory is valid until the function is
// called again.
#ifndef SHOAL_PLUGIN_RESULT_H
#define SHOAL_PLUGIN_RESULT_H

#include "base/array.h"
#include "plugin/context.h"
#include "shoal/table.h"

#define PLUGIN_MAX_VALUES 8u
#define PLUGIN_EXTRA_TABLES 8u // number of slots for tables that are not function results

// Memory of a list or string.
typedef struct result_memory_t {
  void *memory;
  size_t bytes;
} result_memory_t;

// A table that is being built, or is complete.
typedef struct built_table_t {
  const shoal_value *value;
  ARRAY(shoal_table_entry) members;
  ARRAY(char) texts;
  uint32_t open_members[SHOAL_MAX_DEPTH]; // index of the member that is the open table of each depth
  uint32_t list_indices[SHOAL_MAX_DEPTH]; // most recently used list index of each depth
  uint32_t depth;                         // number of open tables; 0 if the table is not started or is complete
} built_table_t;

void plugin_create_results(plugins_o *plugins, plugin_t *plugin);
void plugin_free_results(plugins_o *plugins, plugin_t *plugin);
// Discards tables that an earlier call left incomplete.
void plugin_begin_results(plugin_t *plugin, uint32_t function);

// Returns memory of at least `bytes` bytes for a result, or NULL if `result` does not belong to the current call.
void *plugin_allocate_result(context_t *context, const shoal_value *result, size_t bytes);
// Returns the table of a value. If the value is not a result of the current call and has no table yet, returns a new
// slot if `create` is true, otherwise NULL.
built_table_t *plugin_get_built_table(context_t *context, const shoal_value *value, bool create);
// Returns true if all lists, strings and tables in the results of the current call use memory provided by this module.
bool plugin_results_are_valid(const context_t *context);

#endif
