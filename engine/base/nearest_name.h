// The name that somebody meant: messages about an unknown name end with the known one that is most like it.
#ifndef SHOAL_BASE_NEAREST_NAME_H
#define SHOAL_BASE_NEAREST_NAME_H

#include <stdbool.h>
#include <stdint.h>

#define SIMILAR_MAX 64 // bytes of a name; longer ones are not compared

typedef struct nearest_name_t {
  const char *wanted;
  char best[SIMILAR_MAX]; // "" when no name was near enough
  uint32_t distance;
} nearest_name_t;

// Usage: begin, offer every known name, then read `best`. `wanted` must live until then. Of two that are equally near
// the one that was offered first stays, so offer them sorted.
void nearest_name_begin(nearest_name_t *s, const char *wanted);
void nearest_name_offer(nearest_name_t *s, const char *name);
// ": did you mean BEST?", or "" when nothing was near enough. The text lies in `out`.
const char *nearest_name_hint(const nearest_name_t *s, char *out, uint32_t out_bytes);

// Edits from a to b: letters added, left out, changed or swapped with their neighbour. Capitals and small letters are
// the same.
uint32_t nearest_name_distance(const char *a, const char *b);

#endif
