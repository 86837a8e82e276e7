// Views of the table `owned`: owned_wallet has a row for each stored entity with the component wallet, and a typed
// column for each of its fields. If an entity can have several instances of the component, the view has a row for each
// instance, with its name in the column `instance`. The world's owner creates the views when it starts. After a change
// of live code, the process that rewrites the rows creates them again.
#ifndef SHOAL_SERVED_OWNED_VIEWS_H
#define SHOAL_SERVED_OWNED_VIEWS_H

#include "base/array.h"
#include "served/world_store.h"

#define OWNED_VIEW_NAME_BYTES 64u

// Column types of views.
typedef enum owned_type_t {
  OWNED_BOOLEAN, // 0 or 1
  OWNED_INTEGER, // whole number, or the item of a reference
  OWNED_REAL,
  OWNED_TEXT // string, or a list as JSON
} owned_type_t;

typedef struct owned_column_t {
  char component[OWNED_VIEW_NAME_BYTES];
  char field[OWNED_VIEW_NAME_BYTES]; // path of the field, such as "look.tip"; "" if the component has no fields
  char name[OWNED_VIEW_NAME_BYTES];  // name of the column, such as "look_tip_x"
  int32_t element;                   // index in a vector; -1 if the field is not a vector
  bool is_many;                      // true if an entity can have several instances of the component
  owned_type_t type;
} owned_column_t;

// All columns; the columns of a component are consecutive. Zero-initialize it.
typedef struct owned_columns_list_t {
  ARRAY(owned_column_t) list;
  allocator_t memory;
} owned_columns_list_t;

// Replaces all views with views of these columns. Returns STORE_LOST if the world has a different owner.
store_result_t owned_views_create(world_store_o *s, int64_t owner, const owned_columns_list_t *columns,
                                  error_info_t *error);
void owned_columns_list_free(owned_columns_list_t *columns);

#endif
