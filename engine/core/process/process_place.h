// The place where a process runs: its machine, and the pid namespace in which its id is valid.
#ifndef SHOAL_PROCESS_PROCESS_PLACE_H
#define SHOAL_PROCESS_PROCESS_PLACE_H

#define PROCESS_HOST_BYTES 65u
#define PROCESS_SPACE_BYTES 80u

typedef struct process_place_t {
  char host[PROCESS_HOST_BYTES]; // name of the machine or container; empty if unknown
  // Identifies the machine's latest start and the pid namespace: processes with equal spaces use the same ids. The
  // string contains no white space, and is empty if the place is unknown.
  char space[PROCESS_SPACE_BYTES];
} process_place_t;

// Stores the place of this process.
void process_place_find(process_place_t *out);

#endif
