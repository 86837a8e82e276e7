// Profiling data for clients: frame times, memory, textures, native systems, parked systems.
#ifndef SHOAL_COCKPIT_PROFILE_H
#define SHOAL_COCKPIT_PROFILE_H

#include "base/json_writer.h"

typedef struct cockpit_o cockpit_o;

#define PROFILE_FRAMES 64u   // number of frames kept for clients
#define PROFILE_SYSTEMS 192u // maximum number of recorded systems

typedef struct profile_run_t {
  uint32_t system;          // index in the list of describe_systems for the same VM
  float began_us, spent_us; // start time, relative to the start of the frame, and duration, in µs
  uint32_t runs;            // number of runs in this frame; only the last run is timed
} profile_run_t;

typedef struct profile_frame_t {
  uint64_t number, tick;
  uint64_t vm; // id of the VM whose systems ran; their indices are valid only for this VM
  double began_us, spent_us;
  uint32_t count;
  profile_run_t systems[PROFILE_SYSTEMS];
} profile_frame_t;

typedef struct profile_t {
  bool is_recording;
  uint64_t vm;                    // id of the VM to which `runs` belongs; 0 if there is no game
  double frame_end_us;            // time at which the previous frame ended
  uint64_t runs[PROFILE_SYSTEMS]; // run count of each system when the previous frame was recorded
  profile_frame_t frames[PROFILE_FRAMES];
  uint64_t count;
} profile_t;

void profile_init(cockpit_o *cockpit);
void profile_fini(cockpit_o *cockpit);
void profile_frame(cockpit_o *cockpit); // records the frame for subscribed clients; must be called once per frame
// Writes the frames after the first `sent_count`. Returns the number of the last frame.
uint64_t profile_write(cockpit_o *cockpit, uint64_t sent_count, json_writer_t *out);
// Writes memory sizes, components and queries as members of the open object.
void profile_write_memory(cockpit_o *cockpit, json_writer_t *out);
// Writes the list "rows" of textures: name, kind, width, height, bytes.
void profile_write_textures(cockpit_o *cockpit, json_writer_t *out);
// Writes the list "rows" of systems: name, position, whether native, reason.
void profile_write_native(cockpit_o *cockpit, json_writer_t *out);
// Writes the list "rows" of parked systems: kind, name, error, tick.
void profile_write_parked(cockpit_o *cockpit, json_writer_t *out);

#endif
