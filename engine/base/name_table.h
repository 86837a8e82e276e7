// Numbers by names, found without comparing all of them: a hash table. Names are the caller's and stay where they are;
// one that changes is said (name_table_forget, and all are put anew).
#ifndef SHOAL_BASE_NAME_TABLE_H
#define SHOAL_BASE_NAME_TABLE_H

#include "base/alloc.h"

#include <stdint.h>

typedef struct name_table_t {
  const char **names; // of a slot; NULL: nothing is there
  uint32_t *numbers;
  uint32_t slots, count; // zero-initialised is empty
} name_table_t;

void name_table_put(name_table_t *t, allocator_t *a, const char *name, uint32_t number); // not 0
uint32_t name_table_find(const name_table_t *t, const char *name);                       // 0: there is none
void name_table_forget(name_table_t *t, allocator_t *a);                                 // all of them

#endif
