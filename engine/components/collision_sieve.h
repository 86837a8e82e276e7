// Which bodies may touch anything at all: a first look, before anything exact is calculated. Where many bodies can meet
// few others and not one another (bullets and ships), the few mark the cells of a grid that they reach, and of the many
// those go on that lie in such a cell. Nothing that touches is lost; what goes on is looked at exactly.
#ifndef SHOAL_COMPONENTS_COLLISION_SIEVE_H
#define SHOAL_COMPONENTS_COLLISION_SIEVE_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

enum { SIEVE_CLASS_MOST = 16 };

// A square that a body lies in. What is not finite goes on.
typedef struct sieve_item_t {
  float x, y, reach;
  uint32_t class; // sieve_class
} sieve_item_t;

typedef struct sieve_class_t {
  uint32_t category, mask; // of all its items
  uint32_t count;
  float reach; // the largest of its items
} sieve_class_t;

// Memory is kept between questions; zeros at first.
typedef struct sieve_t {
  sieve_class_t classes[SIEVE_CLASS_MOST];
  uint32_t class_count;
  ARRAY(sieve_item_t) items;
  ARRAY(uint64_t) bits;
  ARRAY(uint8_t) kept; // by item: does it go on? The answer
} sieve_t;

void sieve_begin(sieve_t *s); // no items, no classes
void sieve_free(sieve_t *s, allocator_t *a);
// Bodies of one category and mask are of one class. Where there are more than SIEVE_CLASS_MOST, the last is for all
// that is left.
uint32_t sieve_class(sieve_t *s, uint32_t category, uint32_t mask);
// Fills `kept` for the items.
void sieve_run(sieve_t *s, allocator_t *a);

#endif
