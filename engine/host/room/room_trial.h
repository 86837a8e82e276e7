// Lines that child processes of operators' commands write to the pipe of their parent: trials of changed code
// (serve/world_reload.c), and checks of edited items (serve/operator_items.c).
#ifndef SHOAL_ROOM_ROOM_TRIAL_H
#define SHOAL_ROOM_ROOM_TRIAL_H

#define ROOM_TRIAL_TEXT_BYTES 1500u
#define ROOM_TRIAL_LIMIT_MS 300000u // maximum CPU time of a trial

typedef enum room_trial_kind_t {
  ROOM_TRIAL_END = 1,   // the last line: the trial is complete
  ROOM_TRIAL_NOTE,      // information about the room or the trial
  ROOM_TRIAL_CHANGE,    // a change of the room's state: converted, renamed, removed or dropped values
  ROOM_TRIAL_DIFFERENT, // the components that differ after the room's last records were repeated
  ROOM_TRIAL_LATE,      // the machine was too slow, so the trial is inconclusive
  ROOM_TRIAL_REFUSED    // an error of the code or of the items, which must not be stored
} room_trial_kind_t;

typedef struct room_trial_line_t {
  room_trial_kind_t kind;
  char text[ROOM_TRIAL_TEXT_BYTES];
} room_trial_line_t;

#endif
