// Memory for the results of a plugin's functions.
#include "plugin/result.h"

#include "base/assert.h"
#include "plugin/plugin.h"

#include <string.h>

// Returns the number of result slots: PLUGIN_MAX_VALUES for each function.
static uint32_t count_slots(const plugin_t *plugin) {
  return plugin->function_count * PLUGIN_MAX_VALUES;
}

void plugin_create_results(plugins_o *plugins, plugin_t *plugin) {
  uint32_t result_count = count_slots(plugin), table_count = result_count + PLUGIN_EXTRA_TABLES;
  plugin->result_memory = alloc_resize(&plugins->memory, NULL, 0, result_count * sizeof *plugin->result_memory);
  plugin->tables = alloc_resize(&plugins->memory, NULL, 0, table_count * sizeof *plugin->tables);
  for (uint32_t i = 0; i < result_count; ++i)
    plugin->result_memory[i] = (result_memory_t){0};
  memset(plugin->tables, 0, table_count * sizeof *plugin->tables);
}

void plugin_free_results(plugins_o *plugins, plugin_t *plugin) {
  uint32_t result_count = count_slots(plugin), table_count = plugin->tables ? result_count + PLUGIN_EXTRA_TABLES : 0;
  for (uint32_t i = 0; i < result_count; ++i)
    alloc_resize(&plugins->memory, plugin->result_memory[i].memory, plugin->result_memory[i].bytes, 0);
  for (uint32_t i = 0; i < table_count; ++i) {
    array_free(&plugins->memory, &plugin->tables[i].members);
    array_free(&plugins->memory, &plugin->tables[i].texts);
  }
  alloc_resize(&plugins->memory, plugin->result_memory, result_count * sizeof *plugin->result_memory, 0);
  alloc_resize(&plugins->memory, plugin->tables, table_count * sizeof *plugin->tables, 0);
  plugin->result_memory = NULL;
  plugin->tables = NULL;
}

void plugin_begin_results(plugin_t *plugin, uint32_t function) {
  for (uint32_t i = 0; i < PLUGIN_MAX_VALUES; ++i)
    plugin->tables[function * PLUGIN_MAX_VALUES + i].depth = 0;
}

void *plugin_allocate_result(context_t *context, const shoal_value *result, size_t bytes) {
  shoal_assert(context->call_kind != PLUGIN_CALL_FUNCTION || context->function < context->plugin->function_count,
               "function %u of plugin %s is out of range (count %u)", context->function, context->plugin->name,
               context->plugin->function_count);
  ptrdiff_t index = result - context->results;
  if (context->call_kind != PLUGIN_CALL_FUNCTION || index < 0 || index >= (ptrdiff_t)PLUGIN_MAX_VALUES)
    return NULL;
  result_memory_t *memory = &context->plugin->result_memory[context->function * PLUGIN_MAX_VALUES + (uint32_t)index];
  if (memory->bytes < bytes || !memory->memory) {
    size_t capacity = bytes + bytes / 4 + 16;
    memory->memory = alloc_resize(&context->plugins->memory, memory->memory, memory->bytes, capacity);
    memory->bytes = capacity;
  }
  return memory->memory;
}

// Returns the slot of a table. The slot of a result is valid until the function is called again. The slot of any other
// table is valid until PLUGIN_EXTRA_TABLES further tables have been started.
built_table_t *plugin_get_built_table(context_t *context, const shoal_value *value, bool create) {
  plugin_t *plugin = context->plugin;
  ptrdiff_t index = context->call_kind == PLUGIN_CALL_FUNCTION && context->results ? value - context->results : -1;
  if (index >= 0 && index < (ptrdiff_t)PLUGIN_MAX_VALUES) {
    built_table_t *table = &plugin->tables[context->function * PLUGIN_MAX_VALUES + (uint32_t)index];
    table->value = value;
    return table;
  }
  built_table_t *extra_tables = &plugin->tables[plugin->function_count * PLUGIN_MAX_VALUES];
  for (uint32_t i = 0; i < PLUGIN_EXTRA_TABLES; ++i)
    if (extra_tables[i].value == value)
      return &extra_tables[i];
  built_table_t *slot = create ? &extra_tables[plugin->next_table++ % PLUGIN_EXTRA_TABLES] : NULL;
  if (slot)
    slot->value = value;
  return slot;
}

static bool is_allocated_result(const result_memory_t *result, const void *pointer, size_t count,
                                size_t element_bytes) {
  return pointer == NULL || pointer == result->memory ? count <= (pointer ? result->bytes : 0) / element_bytes : false;
}

bool plugin_results_are_valid(const context_t *context) {
  for (uint32_t i = 0; i < PLUGIN_MAX_VALUES; ++i) {
    const shoal_value *value = &context->results[i];
    const result_memory_t *memory = &context->plugin->result_memory[context->function * PLUGIN_MAX_VALUES + i];
    const built_table_t *table = &context->plugin->tables[context->function * PLUGIN_MAX_VALUES + i];
    bool is_table = value->type == SHOAL_VALUE_TYPE_TABLE;
    bool valid = is_table ? value->string == (const char *)table->members.items &&
                                value->count == table->members.count && table->depth == 0
                 : value->numbers  ? is_allocated_result(memory, value->numbers, value->count, sizeof *value->numbers)
                 : value->entities ? is_allocated_result(memory, value->entities, value->count, sizeof *value->entities)
                 : value->string   ? (value->string[0] == '\0' && value->count == 0) ||
                                       is_allocated_result(memory, value->string, (size_t)value->count + 1, 1)
                                 : value->count == 0;
    if (!valid)
      return false;
  }
  return true;
}
