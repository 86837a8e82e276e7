// Decides what the next tick is given instead of live input: the items of a --replay, the input of a timeline that was
// left (F7), or single steps while the host holds the game (F9, F10).
#ifndef SHOAL_HOST_PLAYBACK_H
#define SHOAL_HOST_PLAYBACK_H

typedef struct host_o host_o;

void playback_replay(host_o *h); // the next item of the recording
void playback_again(host_o *h);  // the next tick of the timeline that was left
void playback_steps(host_o *h);  // the steps that a held game still has to make

// Keys and tools, while a game runs.
void playback_toggle_hold(host_o *h);     // F6
void playback_repeat_input(host_o *h);    // F7; not in a replay
void playback_step(host_o *h, int ticks); // F9, F10: holds the game

#endif
