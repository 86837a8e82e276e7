// The step between state_open and the installation in state_install.c: checks that the state fits this world, and
// builds the world's new contents separately, so that the installation cannot fail. Private to snapshot.
#ifndef SHOAL_SNAPSHOT_STATE_BUILD_H
#define SHOAL_SNAPSHOT_STATE_BUILD_H

#include "ecs/query_internal.h"
#include "snapshot/state_view.h"

typedef struct built_query_t built_query_t;

// Rows of one component, indexed by the component's number in the view.
typedef struct built_rows_t {
  const state_rows_t *source;
  manager_o *manager; // the world's manager; NULL if the component no longer exists
  schema_kind_t kind;
  uint32_t count;
  const shoal_entity *owner;
  const built_query_t *group; // group that owns the rows
  uint32_t **pages;
  uint32_t page_count;
  bool is_unchanged; // true if the world's component has the same owners in the same order, so that its index is shared
} built_rows_t;

struct built_query_t {
  query_o *query; // the world's query; NULL if the world does not have the query yet
  query_desc_t desc;
  const built_rows_t *terms[QUERY_MAX_TERMS];
  int32_t driver;
  const shoal_entity *entities;
  query_data_t data;
  bool is_unchanged; // true if the world's query has the same rows, which the installation keeps instead of `data`
};

typedef struct built_block_t {
  const state_block_t *source;
  command_t *children; // spawns of children, with the world's assemblage numbers
  uint32_t assemblage;
  bool queued;
} built_block_t;

typedef struct state_build_t {
  state_view_t *v;
  world_o *w;
  allocator_t *a; // the world's allocator, for everything that will be installed
  error_info_t *error;
  bool has_world_entities;  // true if the state and the world have the same entities
  bool defines_assemblages; // true to skip checks of assemblages, because they may be defined before the installation
  // rows of components; like `queries` and `blocks`, allocated by the view and numbered as in the view
  built_rows_t *managers;
  built_query_t *queries;
  built_block_t *blocks;
  command_t *commands;   // queued commands, with the world's numbers of components, events and assemblages
  uint8_t *entity_flags; // indexed by entity index: FLAG_ bits of state_build.c
} state_build_t;

// Builds the world's new contents. The caller sets `v`, `w`, `a`, `error` and `defines_assemblages`. Returns true on
// success. On failure, returns false with a message. Does not change the world, except that commands that add pairs
// enable relations in it.
bool state_build(state_build_t *b);
void state_build_discard(state_build_t *b); // frees all data that has not been installed

#endif
