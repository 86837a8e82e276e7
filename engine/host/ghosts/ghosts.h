// Ghosts: predicted trails of chosen entities. The game is forked: a second game with the same code and a copy of the
// world is simulated ahead. The second game runs with the recorded input. After the end of the recording, it continues
// with the last input, whose controls stay held. The fork shares no world data with the game, logs nothing, and its
// errors are not reported. The work per frame is limited. Main thread only.
#ifndef SHOAL_GHOSTS_GHOSTS_H
#define SHOAL_GHOSTS_GHOSTS_H

#include "base/limits.h"
#include "game/game.h"
#include "journal/journal.h"

#define GHOSTS_POSE_TICKS 30u // interval in ticks at which the entity's outline is drawn on its trail

typedef struct ghosts_o ghosts_o;

// Pose at a tick: an affine transform from the shape to the world.
typedef struct ghost_pose_t {
  float ux, uy, vx, vy, x, y;
} ghost_pose_t;

typedef struct ghost_trail_t {
  shoal_entity entity;
  float colour[3];
  float radius;              // radius of the entity's shape or body, if `outline` is empty; 0: unknown
  const float *outline;      // points of the entity's shape (x, y), closed; borrowed
  uint32_t outline_count;    // number of points in `outline`
  const ghost_pose_t *poses; // poses, one per tick, starting at ghosts_tick; borrowed until the next ghosts_advance
  uint32_t count;
  bool dies; // true if the entity is destroyed or loses its transform after the last pose
} ghost_trail_t;

ghosts_o *ghosts_create(allocator_t *a, const assets_t *assets); // borrows `a` and `assets`
void ghosts_destroy(ghosts_o *g);                                // accepts NULL

// Adds these entities to the selection. Whenever trails are computed, all entities that match `name` (an assemblage,
// component or entity; "": no name) are added, too. All trails then predict `ticks` ticks, at most GHOSTS_MAX_TICKS.
// Ignores entities beyond GHOSTS_MAX_ENTITIES, names beyond 16, and names of 64 bytes or more.
void ghosts_choose_entities(ghosts_o *g, const char *name, const shoal_entity *entities, uint32_t count,
                            uint32_t ticks);
void ghosts_clear(ghosts_o *g);
bool ghosts_are_enabled(const ghosts_o *g);
// Discards the fork, because the code has changed. The next ghosts_advance creates a new fork.
void ghosts_invalidate(ghosts_o *g);

// Simulates the fork for one frame: at least one tick, and no additional tick once `budget_s` seconds have passed.
// `inputs` (may be NULL): recorded input after this tick. Does nothing if the trails are disabled or up to date.
void ghosts_advance(ghosts_o *g, game_o *game, const input_log_o *inputs, double budget_s);

// The following functions return the trails of the last complete prediction. While the first prediction is being
// computed, they return the part that is known.
uint32_t ghosts_count(const ghosts_o *g);
uint64_t ghosts_tick(const ghosts_o *g); // returns the tick at which the trails start
void ghosts_get(const ghosts_o *g, uint32_t i, ghost_trail_t *out);
// Draws the parts of the trails after `tick`, in world space (ghosts_draw.c).
void ghosts_draw(const ghosts_o *g, uint64_t tick, draw_o *draw);

#endif
