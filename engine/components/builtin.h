// Declares built-in components with the macros and rules of plugins, and gives C typed access to their columns. Fields
// that plugins may use are listed in <shoal/builtin.h>, the others in the header of their component.
#ifndef SHOAL_COMPONENTS_BUILTIN_H
#define SHOAL_COMPONENTS_BUILTIN_H

#include "ecs/world.h"
#include "shoal/builtin.h"
#include "shoal/declare.h"

// BUILTIN_COMPONENT(sprite, SHOAL_SPRITE_FIELDS), in a header, defines
//   sprite_component         the declaration, for builtin_declare
//   sprite_columns           a struct with a typed pointer for each column, in schema order (shoal/declare.h)
//   sprite_columns_of(m)     reads the struct from the component's manager; all NULL if `m` is NULL
// The pointers are valid until rows are added. Pointers of derived fields are NULL. SHOAL_INDEX(sprite, layer) is the
// index of a column.
#define BUILTIN_COMPONENT(name_, FIELDS_) SHOAL_COMPONENT(name_, FIELDS_) BUILTIN_COLUMNS_OF(name_)
#define BUILTIN_MANY(name_, FIELDS_) SHOAL_MANY(name_, FIELDS_) BUILTIN_COLUMNS_OF(name_)

#define BUILTIN_COLUMNS_OF(name_)                                                                                      \
  SHOAL_MAYBE_UNUSED static inline name_##_columns name_##_columns_of(const manager_o *m) {                            \
    name_##_columns columns;                                                                                           \
    builtin_read_columns(m, &name_##_component, &columns);                                                             \
    return columns;                                                                                                    \
  }

// Copies the addresses of the columns to `columns`, the component's struct. Columns are matched by index: when the
// component is declared, their names and types are compared with its list of fields.
void builtin_read_columns(const manager_o *m, const shoal_component *component, void *columns);

// All return false with a message if the world refuses the declaration.
bool builtin_declare(world_o *w, const shoal_component *component, error_t *error);
// The last `derived` fields have no column (schema/schema.h).
bool builtin_declare_derived(world_o *w, const shoal_component *component, uint32_t derived, error_t *error);
// A component without fields.
bool builtin_declare_tag(world_o *w, const char *name, shoal_kind kind, const char *doc, error_t *error);

// Names that came after there were games: a game or a plugin that has a component called so keeps it, and Shoal's is
// shoal.NAME in its world, in a save as well. So C asks here for them, not world_find_manager.
manager_o *builtin_find(world_o *w, const char *name);
bool builtin_may_give_way(world_o *w, const char *name);
// Before rows are there. `owner` goes into the log. False where it is none of Shoal's, or one of its first ones.
bool builtin_give_way(world_o *w, const char *name, const char *owner);
// An event of Shoal's; NULL where nobody listens to it, and where the game or a plugin has another one of that name.
event_o *builtin_event(world_o *w, const char *name);

#endif
