// Runs ticks outside normal play: items of a --replay, the input of an abandoned timeline (F7), and single steps while
// the session is paused (F9, F10).
#ifndef SHOAL_HOST_PLAYBACK_H
#define SHOAL_HOST_PLAYBACK_H

typedef struct host_o host_o;

void playback_play_recording(host_o *h); // plays the next item of the recording
void playback_play_input(host_o *h);     // runs the next tick with the abandoned timeline's input
void playback_run_steps(host_o *h);      // runs the single steps that were requested for a paused session

// Actions of keys and tools while a game runs.
void playback_toggle_pause(host_o *h);             // pauses or resumes the session (F6)
void playback_toggle_replay(host_o *h);            // replays the abandoned timeline's input (F7); ignored in a replay
void playback_request_steps(host_o *h, int ticks); // pauses the session and requests steps (F9, F10)

#endif
