// Declares built-in components with the macros and rules of plugins, and gives C code typed access to their columns.
// Fields that plugins may use are listed in <shoal/builtin.h>; all other fields are listed in the header of their
// component.
#ifndef SHOAL_COMPONENTS_BUILTIN_H
#define SHOAL_COMPONENTS_BUILTIN_H

#include "ecs/world.h"
#include "shoal/builtin.h"
#include "shoal/declare.h"

// BUILTIN_COMPONENT(sprite, SHOAL_SPRITE_FIELDS), in a header, defines
//   sprite_component         the declaration, for builtin_declare
//   sprite_columns           a struct with a typed pointer for each column, in schema order (shoal/declare.h)
//   sprite_columns_of(m)     reads the struct from the component's manager; all NULL if `m` is NULL
// The pointers are valid until rows are added. Pointers of derived fields are NULL. SHOAL_COLUMN_INDEX(sprite, layer)
// is the index of a column.
#define BUILTIN_COMPONENT(name_, FIELDS_) SHOAL_COMPONENT(name_, FIELDS_) BUILTIN_COLUMNS_OF(name_)
#define BUILTIN_MANY(name_, FIELDS_) SHOAL_MANY(name_, FIELDS_) BUILTIN_COLUMNS_OF(name_)

#define BUILTIN_COLUMNS_OF(name_)                                                                                      \
  SHOAL_MAYBE_UNUSED static inline name_##_columns name_##_columns_of(const manager_o *m) {                            \
    name_##_columns columns;                                                                                           \
    builtin_read_columns(m, &name_##_component, &columns);                                                             \
    return columns;                                                                                                    \
  }

// Copies the addresses of the columns to `columns`, the component's struct. Columns are matched by index, because names
// and types were checked when the component was declared.
void builtin_read_columns(const manager_o *m, const shoal_component *component, void *columns);

// Declares a component. This function and the next two return true on success, or false with an error if the world
// rejects the declaration.
bool builtin_declare(world_o *w, const shoal_component *component, error_info_t *error);
// Declares a component whose last `derived_count` fields are computed and have no column (schema/schema.h).
bool builtin_declare_derived(world_o *w, const shoal_component *component, uint32_t derived_count, error_info_t *error);
// Declares a component without fields.
bool builtin_declare_tag(world_o *w, const char *name, shoal_component_kind kind, const char *doc, error_info_t *error);

// Returns the manager of Shoal's component `name`, or NULL if the world lacks it. A component that a later version of
// Shoal has added may have the same name as a component of an existing game. If a game or plugin declares a component
// with the same name, Shoal's component is named shoal.NAME in the game's world and saves. C code must therefore use
// builtin_find instead of world_find_manager.
manager_o *builtin_find(world_o *w, const char *name);
// Returns true if Shoal declares a component with this name, the component has no rows, and the name is neither
// reserved (such as `transform`) nor starts with "shoal.".
bool builtin_can_release_name(world_o *w, const char *name);
// Renames Shoal's component to shoal.NAME. `owner` is mentioned in the log. Returns true on success, or false if
// builtin_can_release_name returns false.
bool builtin_release_name(world_o *w, const char *name, const char *owner);
// Returns the built-in event `name`, or NULL if it is unused, or if a game or plugin declares an event with that name.
event_o *builtin_find_event(world_o *w, const char *name);

#endif
