// The mouse pointer over the window, as requested by window.pointer.
#ifndef SHOAL_HOST_POINTER_H
#define SHOAL_HOST_POINTER_H

typedef struct host_o host_o;

// Shows the pointer that the game has requested, or the normal pointer while the game does not receive the mouse. Call
// once per frame.
void pointer_update(host_o *h);

#endif
