// Memory for the results of a plugin's functions: lists, texts and tables, valid until the function is called again.
#ifndef SHOAL_PLUGIN_RESULT_H
#define SHOAL_PLUGIN_RESULT_H

#include "base/array.h"
#include "plugin/context.h"
#include "shoal/table.h"

#define PLUGIN_MAX_VALUES 8u
#define PLUGIN_OTHERS_BUILT 8u // tables that are not results

// One list or text.
typedef struct given_t {
  void *memory;
  size_t bytes;
} given_t;

// One table while it is built, and afterwards.
typedef struct plugin_built_t {
  const shoal_value *to;
  ARRAY(shoal_member) members;
  ARRAY(char) texts;
  uint32_t open[SHOAL_MAX_DEPTH];   // by depth: the member that is the table
  uint32_t places[SHOAL_MAX_DEPTH]; // by depth: the last index in its list
  uint32_t depth;                   // 0: not begun, or complete
} plugin_built_t;

void plugin_make_results(plugins_o *p, plugin_t *x);
void plugin_free_results(plugins_o *p, plugin_t *x);
// Drops tables that an earlier call left incomplete.
void plugin_begin_results(plugin_t *x, uint32_t function);

// Memory for this result; NULL if it is not a result of the current call.
void *plugin_give(context_t *c, const shoal_value *result, size_t bytes);
// Where the table of this value is built. NULL if it has not begun; `begins` gives it a place.
plugin_built_t *plugin_built(context_t *c, const shoal_value *to, bool begins);
// Are all lists, texts and tables among the results of the current call in this memory?
bool plugin_results_are_given(const context_t *c);

#endif
