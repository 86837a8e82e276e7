// Particle emitters. Particles are neither entities nor rows. The world stores the emitters' fields and clocks and a
// few birth records per emitter (when and where particles were born, see particles.h). All other properties are
// computed when the particles are drawn, so the cost of a tick, a save or a rewind does not depend on the number of
// particles.
//
// If an emitter with `outlive` is removed, its particles stay alive until they expire, and the world keeps their
// appearance. This requires a visible, enabled emitter whose particles are in world space. Birth records and
// appearances are stored next to the component's columns, and are part of snapshots, saves and the hash.
#ifndef SHOAL_PARTICLES_EMITTER_H
#define SHOAL_PARTICLES_EMITTER_H

#include "particles/particles.h"
#include "schedule/schedule.h"

typedef struct emitters_o emitters_o;

#define EMITTER_MAX_ALIVE 500000u // maximum number of living particles per emitter; excess particles are dropped

// Declares the component emitter and creates the storage for birth records. Returns the storage, or NULL with an error.
emitters_o *emitters_create(world_o *w, error_info_t *error);
void emitters_destroy(emitters_o *e);
// Adds the system shoal.emitter to phase post_update, after shoal.transform. Returns true on success, or false with an
// error if this name is taken.
bool emitters_schedule(emitters_o *e, schedule_o *s, error_info_t *error);
void emitters_update(emitters_o *e, double dt_s); // advances all emitters by one tick
emitters_o *emitters_find(world_o *w);            // returns the world's emitters, or NULL if it has no emitters

// Groups birth records by emitter; the groups are valid until the world changes. Returns the number of clouds: one
// cloud for each existing or removed emitter.
uint32_t emitters_group_births(emitters_o *emitters);

// The particles of one emitter.
typedef struct particle_cloud_t {
  shoal_entity entity; // entity of the emitter; 0 if the emitter was removed
  particle_look_t look;
  bool has_forces;
  particle_forces_t forces; // forces; valid if `has_forces` is true
  int32_t layer;
  float z;        // z of the transform when the emitter was removed; valid only for removed emitters
  bool local;     // true if the particles are in the entity's space
  double clock_s; // current time of the emitter's clock
  const particle_births_t *births;
  const uint32_t *indices; // indices into `births`
  uint32_t count;          // number of indices
} particle_cloud_t;

// Stores a cloud in `out`. Returns true if the cloud is visible, or false if the emitter is hidden or disabled, or has
// no particles.
bool emitters_get_cloud(emitters_o *e, uint32_t cloud, particle_cloud_t *out);
uint32_t emitters_count(const emitters_o *e);
// Returns the image of the emitter in this row, or "" if it has no image.
const char *emitters_get_image(emitters_o *e, uint32_t row);

#endif
