// Hooks through which a game's content extends its world: definitions made at run time, and former names
// (content/content.h). The world and its snapshots call these functions if a world has content; they do not depend on
// the module in any other way. Private to ecs, snapshot and content.
#ifndef SHOAL_ECS_WORLD_CONTENT_H
#define SHOAL_ECS_WORLD_CONTENT_H

#include "shoal/entity.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct world_o world_o;
typedef struct assemblage_t assemblage_t;

struct state_view_t;

typedef struct world_content_t {
  // value for `added_version` of the assemblages being declared (world_internal.h); 0 outside of definitions
  uint32_t added_version;
  void (*destroy)(world_o *w);

  // Undoes definitions that began at this deferral depth or deeper.
  void (*drop_deeper)(world_o *w, uint32_t depth);
  void (*move_to_outer)(world_o *w, uint32_t depth);
  void (*commands_applied)(world_o *w); // callback for the end of the outermost level of deferral
  // Returns true if definitions wait until the commands have been applied.
  bool (*has_pending_definitions)(const world_o *w);
  // Returns the definition from which `e` was spawned: an earlier definition than `now` if `e` has not been updated
  // yet.
  assemblage_t *(*find_assemblage)(world_o *w, shoal_entity e, assemblage_t *now);
  // Returns the current name of an assemblage; NULL if it was not renamed.
  const char *(*find_current_name)(const world_o *w, const char *former);

  // Called when a state is checked or restored. has_declared returns true if the state's definitions are already
  // declared in `w`. Each restore calls begin_restore, then either finish_restore, once the rows and commands of the
  // state are installed, or cancel_restore.
  bool (*has_declared)(world_o *w, const struct state_view_t *v);
  void (*begin_restore)(world_o *w, const struct state_view_t *v);
  void (*cancel_restore)(world_o *w);
  void (*finish_restore)(world_o *w, bool derive_marks); // `derive_marks`: the state has no marks, but `w` tracks them
} world_content_t;

#endif
