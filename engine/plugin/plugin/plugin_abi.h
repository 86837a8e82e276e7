// Plugin functions for Lua's FFI. The lists have the same form as the lists in bindings/abi.h.
#ifndef SHOAL_PLUGIN_PLUGIN_ABI_H
#define SHOAL_PLUGIN_PLUGIN_ABI_H

#include "plugin/call.h"
#include "plugin/plugin.h"

typedef struct lua_State lua_State;

// clang-format off
#define PLUGIN_ABI_STRUCTS(S, F, A, E, P)                                                                              \
  S(shoal_value) F(double, number) F(const char *, string) F(const double *, numbers) F(const shoal_entity *, entities)\
    F(shoal_entity, entity) F(uint32_t, count) F(int, type) E(shoal_value)

#define PLUGIN_ABI_TYPES                                                                                               \
  typedef struct plugins_o plugins_o;                                                                                  \
  PLUGIN_ABI_STRUCTS(BIND_STRUCT, BIND_FIELD, BIND_ARRAY, BIND_STRUCT_END, BIND_STRUCT_END)

// plugin_value_to_number returns the number in a value that a plugin has returned. Every NaN is replaced with the
// canonical NaN, the only NaN that Lua may contain.
#define PLUGIN_ABI_FUNCTIONS                                                                                           \
  double plugin_value_to_number(const shoal_value *value);                                                             \
  bool plugin_call_by_number(plugins_o *plugins, uint32_t plugin, uint32_t function, const shoal_value *arguments,     \
                            shoal_value *results, error_info_t *error);

// clang-format on
PLUGIN_ABI_FUNCTIONS

void plugin_bindings_open(lua_State *L, void *plugins); // `open` of a vm_library_t

#endif
