// A state on its way into a world, between state_open and state_put: everything that can be wrong with it in this world
// is looked at, and what the world will get is built beside it (state_build.c). Then state_put.c puts that in, and
// nothing can fail any more. Private to snapshot.
#ifndef SHOAL_SNAPSHOT_STATE_BUILD_H
#define SHOAL_SNAPSHOT_STATE_BUILD_H

#include "snapshot/state_view.h"

typedef struct built_query_t built_query_t;

// By component of the view.
typedef struct built_rows_t {
  const state_rows_t *from;
  manager_o *to; // NULL: it is gone
  schema_kind_t kind;
  uint32_t count;
  const shoal_entity *owner;
  const built_query_t *group; // that owns them
  uint32_t **pages;
  uint32_t page_count;
} built_rows_t;

struct built_query_t {
  query_o *to; // NULL: the world does not have it yet
  query_desc_t desc;
  const built_rows_t *terms[QUERY_MAX_TERMS];
  int32_t driver;
  const shoal_entity *entities;
  query_data_t data;
};

typedef struct built_block_t {
  const state_block_t *from;
  command_t *children; // with the world's numbers
  uint32_t assemblage;
  bool queued;
} built_block_t;

typedef struct state_build_t {
  state_view_t *v;
  world_o *w;
  allocator_t *a; // the world's: of what it will get
  error_t *error;
  bool defines;           // assemblages that it names may be defined before it is put in: they are not looked at
  built_rows_t *managers; // the arrays are of the view's memory, by its numbers
  built_query_t *queries;
  built_block_t *blocks;
  command_t *commands; // with the world's numbers
  uint8_t *fresh;      // by entity index: FRESH_ bits of state_build.c
} state_build_t;

// False with a message; the world is untouched either way. `b` begins with its first four members, and `defines`.
bool state_build(state_build_t *b);
void state_build_drop(state_build_t *b); // what the world has not got

#endif
