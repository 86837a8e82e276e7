// Suggests the known name that is nearest to an unknown name, for error messages.
#ifndef SHOAL_BASE_NEAREST_NAME_H
#define SHOAL_BASE_NEAREST_NAME_H

#include <stdbool.h>
#include <stdint.h>

// Maximum size of a name, including its '\0'. Longer names are never suggested, and get no suggestion.
#define NEAREST_NAME_MAX_BYTES 64

typedef struct nearest_name_t {
  const char *name_to_match;
  char best[NEAREST_NAME_MAX_BYTES]; // nearest name so far; "" if no name is close enough
  uint32_t distance;
} nearest_name_t;

// Usage: call nearest_name_init, offer each known name, then read `best`. `name_to_match` must live until then. Among
// equally near names, the first offered name is kept, so offer names in sorted order.
void nearest_name_init(nearest_name_t *search, const char *name_to_match);
void nearest_name_offer(nearest_name_t *search, const char *name);
// Writes ": did you mean BEST?", or "" if no name is close enough. Returns `out`.
const char *nearest_name_hint(const nearest_name_t *search, char *out, uint32_t out_bytes);

// Returns the number of edits from a to b: bytes inserted, deleted, replaced or swapped with their neighbour. Ignores
// the case of ASCII letters. Returns UINT32_MAX if a or b is longer than NEAREST_NAME_MAX_BYTES bytes.
uint32_t nearest_name_distance(const char *a, const char *b);

#endif
