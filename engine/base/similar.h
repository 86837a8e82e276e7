// The name that somebody meant: messages about an unknown name end with the known one that is most like it.
#ifndef SHOAL_BASE_SIMILAR_H
#define SHOAL_BASE_SIMILAR_H

#include <stdbool.h>
#include <stdint.h>

#define SIMILAR_MAX 64 // bytes of a name; longer ones are not compared

typedef struct similar_t {
  const char *wanted;
  char best[SIMILAR_MAX]; // "" when no name was near enough
  uint32_t distance;
} similar_t;

// Usage: begin, offer every known name, then read `best`. `wanted` must live until then. Of two that are equally near
// the one that was offered first stays, so offer them sorted.
void similar_begin(similar_t *s, const char *wanted);
void similar_offer(similar_t *s, const char *name);
// ": did you mean BEST?", or "" when nothing was near enough. The text lies in `out`.
const char *similar_hint(const similar_t *s, char *out, uint32_t out_bytes);

// Edits from a to b: letters added, left out, changed or swapped with their neighbour. Capitals and small letters are
// the same.
uint32_t similar_distance(const char *a, const char *b);

#endif
