// Provides the next tick's input instead of live input: items of a --replay, the input of a previous timeline (F7), or
// single steps while the game is held (F9, F10).
#ifndef SHOAL_HOST_PLAYBACK_H
#define SHOAL_HOST_PLAYBACK_H

typedef struct host_o host_o;

void playback_play_recording(host_o *h); // plays the next item of the recording
void playback_play_input(host_o *h);     // runs the next tick with the abandoned timeline's input
void playback_run_steps(host_o *h);      // runs the pending steps of a held game

// For keys and tools while a game runs.
void playback_toggle_hold(host_o *h);     // F6
void playback_toggle_replay(host_o *h);   // F7; not in a replay
void playback_step(host_o *h, int ticks); // F9, F10: holds the game

#endif
