// Emitters. A particle is no entity and has no row: a world keeps the fields of the emitters, their clocks, and which
// particles were born when and where (particles.h), a few records for each emitter; everything else is calculated when
// it is drawn. So what a thousand particles cost a tick, a save or a rewind is what one costs.
//
// What is out stays out: where an entity with an emitter dies, or loses it, its particles go on without it until their
// lives are over, if the emitter says so (outlive). Of these the world keeps how they look. Both are storage of the
// component beside its columns, part of snapshots, saves and the hash.
#ifndef SHOAL_PARTICLES_EMITTER_H
#define SHOAL_PARTICLES_EMITTER_H

#include "particles/particles.h"
#include "schedule/schedule.h"

typedef struct emitters_o emitters_o;

#define EMITTER_MAX_ALIVE 500000u // particles of one emitter; more are not born

// Declares emitter, and keeps the births of its world. NULL with a message.
emitters_o *emitters_create(world_o *w, error_t *error);
void emitters_destroy(emitters_o *e);
// shoal.emitter: post_update, after shoal.transform.
bool emitters_schedule(emitters_o *e, schedule_o *s, error_t *error);
void emitters_update(emitters_o *e, double dt_s); // one tick of it
emitters_o *emitters_of(world_o *w);              // NULL: the world has none

// Until the next change of the world: the births by whose they are. Returns how many clouds there are, one for each
// emitter and for each one that is gone.
uint32_t emitters_begin(emitters_o *e);

// The particles of one emitter.
typedef struct particle_cloud_t {
  shoal_entity entity; // 0: it is gone
  particle_look_t look;
  bool forced;
  particle_forces_t forces; // where it is forced
  int32_t layer;
  float z;    // of one that is gone
  bool local; // in the entity's space
  double now; // its clock
  const particle_births_t *births;
  const uint32_t *which; // of `births`
  uint32_t count;        // of these
} particle_cloud_t;

// False where there is nothing to be seen of it: it is hidden, disabled, or has no particles.
bool emitters_cloud(emitters_o *e, uint32_t number, particle_cloud_t *out);
uint32_t emitters_count(const emitters_o *e);
const char *emitters_image(emitters_o *e, uint32_t row); // "" for none

#endif
