// Ghosts: where chosen entities will be in the ticks to come. The game is forked (a second game of the same code, into
// which the world is copied) and simulated ahead with the input that was heard then or, where nothing was, with the
// last one held. The fork shares nothing with the game, hears nothing of the player, is silent, and its failures are
// not reported: what it does is seen as trails and not otherwise. Main thread only; a frame's share of the work is
// limited.
#ifndef SHOAL_GHOSTS_GHOSTS_H
#define SHOAL_GHOSTS_GHOSTS_H

#include "base/limits.h"
#include "game/game.h"
#include "time/input_log.h"

#define GHOSTS_POSE_TICKS 30u // an outline of the entity stands on its trail every so often

typedef struct ghosts_o ghosts_o;

// How it stood at a tick: what a point (x, y) of its shape becomes.
typedef struct ghost_pose_t {
  float ux, uy, vx, vy, x, y;
} ghost_pose_t;

typedef struct ghost_trail_t {
  shoal_entity entity;
  float colour[3];
  float radius;              // of its shape or body, where it has no points; 0: unknown
  const float *outline;      // x, y of its shape, borrowed; closed
  uint32_t outline_count;    // points
  const ghost_pose_t *poses; // one per tick, the present first; borrowed until the next ghosts_advance
  uint32_t count;
  bool dies; // after the last of them
} ghost_trail_t;

ghosts_o *ghosts_create(allocator_t *a, const assets_t *assets); // both borrowed
void ghosts_destroy(ghosts_o *g);                                // NULL is fine

// Adds entities, and all that `name` (of an assemblage, a component or an entity; "" for none) stands for whenever
// trails are made.
void ghosts_choose(ghosts_o *g, const char *name, const shoal_entity *entities, uint32_t count, uint32_t ticks);
void ghosts_clear(ghosts_o *g); // none are chosen
bool ghosts_wanted(const ghosts_o *g);
// The code is another one: the fork is made anew.
void ghosts_forget_code(ghosts_o *g);

// A frame's share of work, `budget_s` seconds at most and one tick at least. `inputs` (NULL for none) is what was heard
// after this tick. With nothing new to see (the same tick of the same world) it does nothing.
void ghosts_advance(ghosts_o *g, game_o *game, const input_log_o *inputs, double budget_s);

// What is to be seen: the trails of the last complete run.
uint32_t ghosts_count(const ghosts_o *g);
uint64_t ghosts_tick(const ghosts_o *g); // in which they begin
void ghosts_get(const ghosts_o *g, uint32_t i, ghost_trail_t *out);
// In world space, what lies ahead of `tick` (ghosts_draw.c).
void ghosts_draw(const ghosts_o *g, uint64_t tick, draw_o *draw);

#endif
