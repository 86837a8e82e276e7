// The content of a world: the data it owns. Private to content.
#ifndef SHOAL_CONTENT_CONTENT_INTERNAL_H
#define SHOAL_CONTENT_CONTENT_INTERNAL_H

#include "base/array.h"
#include "base/assert.h"
#include "content/assemblage_redefine.h"
#include "content/definitions.h"
#include "content/former_names.h"
#include "content/parked_pieces.h"
#include "ecs/world_internal.h"

typedef ARRAY(parked_piece_t) parked_pieces_t;

typedef struct content_o {
  world_content_t world; // must be the first member

  ARRAY(former_name_t) former_names;

  parked_pieces_t parked;         // pieces outside the render phase, which are part of the state
  parked_pieces_t parked_drawing; // pieces of the render phase

  uint32_t define_version; // number of definitions so far
  bool updates_entities;   // true if definitions_update_entities must be called once the commands have been applied
  // true if the definition in progress updates living entities; the last entry of `redefined` then belongs to it
  bool definition_updates_entities;
  ARRAY(redefined_t) redefined;
  ARRAY(char) declared_text;  // the most recently declared list of definitions
  ARRAY(char) requested_text; // the most recently returned list of definitions
  definitions_definer_t definer;
} content_o;

static inline content_o *content_get(world_o *w) {
  shoal_assert(w->content, "the world has no content: call content_attach first");
  return (content_o *)w->content;
}

// Returns the world's content, or empty content if the world has no content.
static inline const content_o *content_read(const world_o *w) {
  static const content_o empty;
  return w->content ? (const content_o *)w->content : &empty;
}

#endif
